"""Piper as a synthesiser. `piper-tts` is GPL-3.0-or-later: it is imported in a child process only, by `load`.

One chunk a sentence comes back, and inside one it cannot be interrupted; a request that is no longer wanted is dropped
after the chunk under way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from voicetui.engine.errors import PartError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Iterator
    from pathlib import Path
    from types import ModuleType

    from voicetui.engine.ports import Samples
    from voicetui.engine.worker_child import Cancelled, Frame, Handler, Header

LEAD_S, TRAIL_S = 0.01, 0.12
"""What is left of the silence before and after a sentence: early first audio, and a natural pause between sentences."""
AUDIBLE = 0.003
"""A sample of this size counts as sound: -50 dBFS."""
THREADS = 2


class PiperSynthesiser:
    """A Piper voice (`.onnx`, its `.onnx.json` beside it) in a child process of its own."""

    def __init__(self, model: Path) -> None:
        from platformdirs import user_cache_dir
        from voicetui.engine.workers import Worker

        self.name = model.stem
        config = {"model": str(model), "cache": user_cache_dir("voicetui", appauthor=False)}
        self._worker = Worker("speak", "voicetui.engine.speak.piper:load", config)

    @property
    def pid(self) -> int | None:
        """The child's process id."""
        return self._worker.pid

    @property
    def on_replaced(self) -> Callable[[PartError], None] | None:
        """What is called, with the reason, when the child was replaced."""
        return self._worker.on_replaced

    @on_replaced.setter
    def on_replaced(self, call: Callable[[PartError], None] | None) -> None:
        self._worker.on_replaced = call

    async def start(self) -> None:
        """Load the voice and say a word to nobody, so that the first sentence is not slower than the others."""
        await self._worker.start()

    async def synthesise(self, text: str) -> AsyncGenerator[tuple[Samples, int]]:
        """Yield the sentences of a text as chunks (see `Synthesiser`)."""
        import numpy as np

        answers = self._worker.stream({"text": text})
        try:
            async for header, audio in answers:
                yield trimmed(np.frombuffer(audio, np.float32), header["rate_hz"]), header["rate_hz"]
        finally:
            await answers.aclose()

    async def aclose(self) -> None:
        """End the child."""
        await self._worker.aclose()


def trimmed(samples: Samples, rate_hz: int) -> Samples:
    """Return samples without the silence at both ends, but for `LEAD_S` and `TRAIL_S`."""
    import numpy as np

    loud = np.flatnonzero(np.abs(samples) > AUDIBLE)
    if not len(loud):
        return samples[:0]
    start = max(0, int(loud[0]) - round(LEAD_S * rate_hz))
    return samples[start : int(loud[-1]) + 1 + round(TRAIL_S * rate_hz)]


def quick_session(onnxruntime: ModuleType, model: Path, cache: Path) -> Any:  # noqa: ANN401 - no types
    """Return a session of a model. Optimising the graph takes half the loading time, so the result is kept in `cache`.

    It holds good for this file, this version of ONNX Runtime and this machine only, which its name says.
    """
    import contextlib
    import hashlib
    import os
    import platform

    def session(path: Path, save: Path | None = None) -> Any:  # noqa: ANN401
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = THREADS
        options.enable_cpu_mem_arena = False  # 60 MB less, at no measurable cost
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # 40 % less CPU, no slower
        options.log_severity_level = 3
        if save is not None:
            options.optimized_model_filepath = str(save)
            options.add_session_config_entry("session.save_model_format", "ORT")
        return onnxruntime.InferenceSession(str(path), sess_options=options, providers=["CPUExecutionProvider"])

    file = model.stat()
    key = f"{file.st_size} {file.st_mtime_ns} {onnxruntime.__version__} {platform.node()} {platform.processor()}"
    kept = cache / f"{model.stem}-{hashlib.sha256(key.encode()).hexdigest()[:16]}.ort"
    if kept.is_file():
        with contextlib.suppress(Exception):  # a damaged one is made again
            return session(kept)
    with contextlib.suppress(Exception):  # no room, no permission: then without
        cache.mkdir(parents=True, exist_ok=True)
        fresh = kept.with_suffix(f".{os.getpid()}")
        made = session(model, save=fresh)
        fresh.replace(kept)
        return made
    return session(model)


def load(config: dict[str, Any]) -> Handler:
    """Load a voice in the child; return what answers `{"text"}` with `{"rate_hz"}` and float32 samples."""
    import json
    from pathlib import Path

    model = Path(config["model"])
    try:
        import onnxruntime
        from piper import PiperConfig, PiperVoice
    except ImportError as err:
        raise PartError(
            "speak", f"Piper is not installed ({err})", fix="pip install 'voicetui[speak]'", code="missing"
        ) from err
    session = quick_session(onnxruntime, model, Path(config["cache"]))
    settings = json.loads(Path(f"{model}.json").read_text(encoding="utf-8"))
    voice = PiperVoice(session=session, config=PiperConfig.from_dict(settings))
    list(voice.synthesize("Ready."))

    def answer(request: Header, _: bytes, cancelled: Cancelled) -> Iterator[Frame]:
        for chunk in voice.synthesize(request["text"]):
            if cancelled():
                return
            yield {"rate_hz": chunk.sample_rate}, chunk.audio_float_array.astype("<f4").tobytes()

    return answer

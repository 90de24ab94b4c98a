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
        from voicetui.engine.workers import Worker

        self.name = model.stem
        self._worker = Worker("speak", "voicetui.engine.speak.piper:load", {"model": str(model)})

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
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = THREADS
    options.enable_cpu_mem_arena = False  # 60 MB less, at no measurable cost
    session = onnxruntime.InferenceSession(str(model), sess_options=options, providers=["CPUExecutionProvider"])
    settings = json.loads(Path(f"{model}.json").read_text(encoding="utf-8"))
    voice = PiperVoice(session=session, config=PiperConfig.from_dict(settings))
    list(voice.synthesize("Ready."))

    def answer(request: Header, _: bytes, cancelled: Cancelled) -> Iterator[Frame]:
        for chunk in voice.synthesize(request["text"]):
            if cancelled():
                return
            yield {"rate_hz": chunk.sample_rate}, chunk.audio_float_array.astype("<f4").tobytes()

    return answer

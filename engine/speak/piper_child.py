"""What runs in the voice's child process: Piper, a clause at a time, at one loudness, with the time of each word."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import platform
from pathlib import Path
from typing import TYPE_CHECKING, Any

from voicetui.engine.errors import PartError
from voicetui.engine.heard import spans_by_length, words_in
from voicetui.engine.speak.alignment import Group, align
from voicetui.engine.speak.clauses import clauses
from voicetui.engine.speak.onnx_output import with_output_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from voicetui.engine.heard import Span
    from voicetui.engine.ports import Samples
    from voicetui.engine.worker_child import Cancelled, Frame, Handler, Header

LEAD_S, TRAIL_S = 0.01, 0.12
"""What is left of the silence before and after a clause: early first audio, and a natural pause between sentences."""
AUDIBLE = 0.003
"""A sample of this size counts as sound: -50 dBFS."""
LOUDNESS = 0.14
"""The RMS of speech, -17 dBFS; Piper's own way, every sentence's peak at full scale, makes short ones shout."""
PEAK = 0.95
TRY_OUT = "1, 2, 3, 4, 5."
"""What is said to nobody, to warm up and to measure the voice's loudness: it can be said in every language."""
THREADS = 2
SEED = 1
"""Piper varies its speech at random: with a seed, the same requests in the same order sound the same in every run."""
_MARKS = set("ˈˌːˑ‿.,;:!?¡¿—–…\"«»“”()[]{}'’-/ ^$_")
"""What is no phoneme that takes time by itself: stress, length, punctuation, space, begin, end, padding."""


def load(config: dict[str, Any]) -> Handler:
    """Load a voice; return what answers `{"text"}` with `{"text", "rate_hz", "spans"}` and float32 samples a clause."""
    model = Path(config["model"])
    try:
        import onnxruntime
        from piper import PiperConfig, PiperVoice
        from piper.config import SynthesisConfig
    except ImportError as err:
        raise PartError(
            "speak", f"Piper is not installed ({err})", fix="pip install 'voicetui[speak]'", code="missing"
        ) from err
    import numpy as np

    onnxruntime.set_seed(SEED)
    session = quick_session(onnxruntime, model, Path(config["cache"]))
    settings = json.loads(Path(f"{model}.json").read_text(encoding="utf-8"))
    voice = PiperVoice(session=session, config=PiperConfig.from_dict(settings))
    natural = SynthesisConfig(normalize_audio=False)
    rate_hz = voice.config.sample_rate

    def say(text: str) -> tuple[Samples, list[Group]]:
        chunks = list(voice.synthesize(text, natural, include_alignments=True))
        parts = [chunk.audio_float_array for chunk in chunks]
        return np.concatenate([*parts, np.zeros(0, np.float32)]), groups_of(chunks, rate_hz)

    tried, _ = say(TRY_OUT)
    sound = tried[np.abs(tried) > AUDIBLE]
    gain = LOUDNESS / float(np.sqrt(np.mean(sound**2))) if len(sound) else 1.0

    def answer(request: Header, _: bytes, cancelled: Cancelled) -> Iterator[Frame]:
        for clause in clauses(request["text"]):
            if cancelled():
                return
            samples, groups = say(clause)
            samples = samples * np.float32(min(gain, PEAK / max(float(np.max(np.abs(samples), initial=0.0)), 1e-6)))
            begin, end = bounds(samples, rate_hz)
            spans = spans_of(clause, groups, begin / rate_hz, (end - begin) / rate_hz)
            header = {"text": clause, "rate_hz": rate_hz, "spans": spans}
            yield header, samples[begin:end].astype("<f4").tobytes()

    return answer


def bounds(samples: Samples, rate_hz: int) -> tuple[int, int]:
    """Return the samples to keep: without the silence at both ends, but for `LEAD_S` and `TRAIL_S`."""
    import numpy as np

    loud = np.flatnonzero(np.abs(samples) > AUDIBLE)
    if not len(loud):
        return 0, 0
    begin = max(0, int(loud[0]) - round(LEAD_S * rate_hz))
    return begin, min(len(samples), int(loud[-1]) + 1 + round(TRAIL_S * rate_hz))


def spans_of(clause: str, groups: list[Group], cut_s: float, length_s: float) -> list[Span]:
    """Return the span of each word in what is left of a clause after `cut_s` seconds were cut off its beginning."""
    spans = align(words_in(clause), groups)
    if spans is None:
        return spans_by_length(clause, LEAD_S, max(LEAD_S, length_s - TRAIL_S))
    return [(max(0.0, begin_s - cut_s), max(0.0, min(end_s - cut_s, length_s))) for begin_s, end_s in spans]


def groups_of(chunks: list[Any], rate_hz: int) -> list[Group]:
    """Return the phonemes of Piper's chunks by the words that they are said in; [] where the model does not tell."""
    groups: list[Group] = []
    passed = 0
    for chunk in chunks:
        if chunk.phoneme_alignments is None:
            return []
        count = begin = end = 0
        for phoneme in [*chunk.phoneme_alignments, None]:
            if phoneme is None or phoneme.phoneme in " ^$,.;:!?":
                if count:
                    groups.append(Group(count, begin / rate_hz, end / rate_hz))
                count = 0
            elif phoneme.phoneme not in _MARKS:
                begin = begin if count else passed
                count += 1
                end = passed + int(phoneme.num_samples)
            elif count:
                end = passed + int(phoneme.num_samples)
            passed += int(phoneme.num_samples) if phoneme is not None else 0
    return groups


def quick_session(onnxruntime: Any, model: Path, cache: Path) -> Any:  # noqa: ANN401 - the library has no types
    """Return a session of a model. Optimising the graph takes half the loading time, so the result is kept in `cache`.

    It holds good for this file, this version of ONNX Runtime and this machine only, which its name says.
    """
    file = model.stat()
    key = f"2 {file.st_size} {file.st_mtime_ns} {onnxruntime.__version__} {platform.node()} {platform.processor()}"
    kept = cache / f"{model.stem}-{hashlib.sha256(key.encode()).hexdigest()[:16]}.ort"
    if kept.is_file():
        with contextlib.suppress(Exception):  # a damaged one is made again
            return _session(onnxruntime, str(kept))
    source = _with_durations(model)
    with contextlib.suppress(Exception):  # no room, no permission: then without
        cache.mkdir(parents=True, exist_ok=True)
        fresh = kept.with_suffix(f".{os.getpid()}")
        made = _session(onnxruntime, source, save=fresh)
        fresh.replace(kept)
        for outdated in set(cache.glob(f"{model.stem}-*.ort")) - {kept}:
            outdated.unlink()
        return made
    return _session(onnxruntime, source)


def _with_durations(model: Path) -> bytes | str:
    """Return the model's bytes with the length of each phoneme as a second output, or its path where it has none."""
    with contextlib.suppress(ValueError, IndexError):
        return with_output_of(model.read_bytes(), "Ceil") or str(model)
    return str(model)


def _session(onnxruntime: Any, model: bytes | str, save: Path | None = None) -> Any:  # noqa: ANN401
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = THREADS
    options.enable_cpu_mem_arena = False  # 60 MB less, at no measurable cost
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # 40 % less CPU, no slower
    options.log_severity_level = 3
    if save is not None:
        options.optimized_model_filepath = str(save)
        options.add_session_config_entry("session.save_model_format", "ORT")
    return onnxruntime.InferenceSession(model, sess_options=options, providers=["CPUExecutionProvider"])

"""The embedded recogniser: Moonshine tiny (English), decoded in a child process, always from the beginning of the turn.

Its own streaming triples the errors, so a draft is a decoding of what was said so far. Long turns are decoded in pieces
cut at quiet places: the model repeats itself beyond about 40 s, and what is decoded stays decoded.
"""

from __future__ import annotations

import ctypes
import os
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from voicetui.engine.errors import PartError
from voicetui.engine.listen.recogniser import RATE_HZ, STALL_S, WorkerRecogniser, plain
from voicetui.engine.workers import Worker

if TYPE_CHECKING:
    from collections.abc import Iterator

    from voicetui.engine.ports import Samples
    from voicetui.engine.worker_child import Cancelled, Frame, Handler, Header

PIECE_S = 15.0
"""A longer turn is cut …"""
CUT_FROM_S = 8.0
"""… at the quietest place from here on."""
_QUIET = RATE_HZ // 10
_PACKAGE = "moonshine_voice"
_OPTIONS = {"vad_threshold": "0.0", "identify_speakers": "false", "return_audio_data": "false"}
_FIX = "pip install moonshine-voice==0.1.0"


class MoonshineRecogniser(WorkerRecogniser):
    """A `Recogniser` for English. `model_path` is the folder of the model; without, the one in its package.

    Raises `PartError` (`missing`) where neither is there.
    """

    name = "moonshine"

    def __init__(self, model_path: str | Path | None = None) -> None:
        path = Path(model_path) if model_path is not None else packaged_model()
        super().__init__(Worker("listen", f"{__name__}:load", {"path": str(path)}))
        self._settled: list[str] = []
        self._open: Samples = np.zeros(0, np.float32)

    async def reset(self) -> None:
        """Begin a new turn."""
        self._settled, self._open = [], np.zeros(0, np.float32)

    async def accept(self, samples: Samples) -> None:
        """Take the next samples; pieces that are complete are decoded here."""
        self._open = np.concatenate([self._open, samples])
        while len(self._open) > PIECE_S * RATE_HZ:
            cut = quietest(self._open, round(CUT_FROM_S * RATE_HZ), round(PIECE_S * RATE_HZ))
            self._settled.append(await self._decode(self._open[:cut]))
            self._open = self._open[cut:]

    async def draft(self) -> str:
        """Return the words so far."""
        return await self.final()

    async def final(self) -> str:
        """Return the words of the turn."""
        return plain(" ".join([*self._settled, await self._decode(self._open)]))

    async def _decode(self, samples: Samples) -> str:
        if not len(samples):
            return ""
        answer, _ = await self._worker.call({}, samples.astype(np.float32).tobytes(), stall_s=STALL_S)
        text: str = answer["text"]
        return text


def packaged_model() -> Path:
    """Return the model's folder in the installed package. Raises `PartError` (`missing`)."""
    found = find_spec(_PACKAGE)
    if found is not None and found.submodule_search_locations:
        path = Path(found.submodule_search_locations[0]) / "assets" / "tiny-en"
        if path.is_dir():
            return path
    raise PartError("listen", "the recogniser moonshine is not installed", fix=_FIX, code="missing")


def quietest(samples: Samples, begin: int, end: int) -> int:
    """Return the middle of the quietest 100 ms between two samples."""
    squares = np.concatenate([[0.0], np.cumsum(samples[begin:end].astype(np.float64) ** 2)])
    return begin + int(np.argmin(squares[_QUIET:] - squares[:-_QUIET])) + _QUIET // 2


def load(config: Header) -> Handler:
    """Load the model in the child and return what decodes a turn: the payload's float32 samples to `text`."""
    os.environ["MOONSHINE_ORT_SINGLE_THREAD"] = "1"  # half the work, and beside other work a quarter of the time
    try:
        from moonshine_voice.moonshine_api import ModelArch, TranscriptC
        from moonshine_voice.transcriber import Transcriber
    except (ImportError, OSError) as error:
        raise PartError("listen", f"moonshine cannot be loaded: {error}", fix=_FIX, code="missing") from None
    transcriber = Transcriber(config["path"], ModelArch.TINY, options=_OPTIONS)

    def decode(samples: Samples) -> str:
        # `transcribe_without_streaming` itself turns every sample into a Python object first: 7 ms a second of audio.
        audio = np.ascontiguousarray(samples, np.float32)
        out = ctypes.POINTER(TranscriptC)()
        code = transcriber._lib.moonshine_transcribe_without_streaming(  # noqa: SLF001 - see above; the version is pinned
            transcriber._handle,  # noqa: SLF001
            audio.ctypes.data_as(ctypes.POINTER(ctypes.c_float)),
            len(audio),
            RATE_HZ,
            0,
            ctypes.byref(out),
        )
        if code:
            raise PartError("listen", f"moonshine failed to decode {len(audio) / RATE_HZ:.1f} s (code {code})")
        return " ".join(line.text for line in transcriber._parse_transcript(out).lines)  # noqa: SLF001

    def handle(_request: Header, payload: bytes, _cancelled: Cancelled) -> Iterator[Frame]:
        yield {"text": decode(np.frombuffer(payload, np.float32))}, b""

    decode(np.zeros(RATE_HZ, np.float32))  # the first decoding is slow
    return handle

"""The streaming recogniser: Vosk (Kaldi), for the many languages that it has models for, in a child process.

It ends its own utterances at pauses inside a turn, and its last result covers only the last of them: all are kept.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from voicetui.engine.errors import PartError
from voicetui.engine.listen.recogniser import RATE_HZ, STALL_S, WorkerRecogniser, plain
from voicetui.engine.workers import Worker

if TYPE_CHECKING:
    from collections.abc import Iterator

    from voicetui.engine.ports import Samples
    from voicetui.engine.worker_child import Cancelled, Frame, Handler, Header

PIECE = RATE_HZ // 5
"""Audio is fed in pieces of 0.2 s, so that a long turn handed over again can be interrupted."""
_FIX = "pip install 'voicetui[listen]'"


class VoskRecogniser(WorkerRecogniser):
    """A `Recogniser` with the Vosk model in a folder. Raises `PartError` (`missing`) where there is none."""

    def __init__(self, model_path: str | Path) -> None:
        path = Path(model_path)
        if not path.is_dir():
            raise PartError("listen", f"there is no Vosk model in {path}", fix="voicetui models list", code="missing")
        self.name = f"vosk {path.name}"
        super().__init__(Worker("listen", f"{__name__}:load", {"path": str(path)}))
        self._text = ""

    async def reset(self) -> None:
        """Begin a new turn."""
        self._text = await self._ask("reset")

    async def accept(self, samples: Samples) -> None:
        """Decode the next samples."""
        if len(samples):
            pcm = (np.clip(samples, -1.0, 1.0) * 32767.0).astype("<i2").tobytes()
            self._text = await self._ask("accept", pcm)

    async def draft(self) -> str:
        """Return the words so far."""
        return plain(self._text)

    async def final(self) -> str:
        """Return the words of the turn."""
        self._text = await self._ask("final")
        return plain(self._text)

    async def _ask(self, what: str, payload: bytes = b"") -> str:
        answer, _ = await self._worker.call({"do": what}, payload, stall_s=STALL_S)
        text: str = answer["text"]
        return text


class Utterances:
    """The words of one turn from a Kaldi recogniser that ends utterances when it pleases (case RL01)."""

    def __init__(self, recogniser: Any) -> None:  # noqa: ANN401 - an untyped package's class
        self._recogniser = recogniser
        self._ended: list[str] = []

    def reset(self) -> str:
        """Begin a new turn."""
        self._recogniser.Reset()
        self._ended = []
        return ""

    def accept(self, pcm: bytes) -> str:
        """Decode 16-bit samples; return the words so far."""
        if self._recogniser.AcceptWaveform(pcm):
            self._end(self._recogniser.Result())
        return " ".join([*self._ended, json.loads(self._recogniser.PartialResult()).get("partial", "")])

    def final(self) -> str:
        """End the utterance under way; return the words of the turn."""
        self._end(self._recogniser.FinalResult())
        return " ".join(self._ended)

    def _end(self, result: str) -> None:
        if text := json.loads(result).get("text", ""):
            self._ended.append(text)


def load(config: Header) -> Handler:
    """Load the model in the child and return what does `reset`, `accept` (16-bit samples) and `final`."""
    try:
        import vosk
    except (ImportError, OSError) as error:
        raise PartError("listen", f"vosk cannot be loaded: {error}", fix=_FIX, code="missing") from None
    vosk.SetLogLevel(-1)
    try:
        model = vosk.Model(model_path=config["path"])
    except Exception as error:
        raise PartError(
            "listen", f"{config['path']} is no Vosk model: {error}", fix="voicetui models list", code="bad-model"
        ) from error
    words = Utterances(vosk.KaldiRecognizer(model, RATE_HZ))

    def handle(request: Header, payload: bytes, cancelled: Cancelled) -> Iterator[Frame]:
        text = ""
        match request["do"]:
            case "reset":
                text = words.reset()
            case "final":
                text = words.final()
            case "accept":
                for at in range(0, len(payload), 2 * PIECE):
                    if cancelled():
                        return
                    text = words.accept(payload[at : at + 2 * PIECE])
        yield {"text": text}, b""

    noise = np.random.default_rng(0).normal(0.0, 2000.0, RATE_HZ).astype("<i2")
    words.accept(noise.tobytes())  # the first decoding is slow
    words.final()
    words.reset()
    return handle

"""What the loop needs of its parts: one class to write for each.

A library user implements `Listener`, `Responder` and `Voice`; `AudioIn` and `AudioOut` are what the parts that ship
with the package stand on. Nothing here imports a heavy library.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from voicetui.engine.events import Heard

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Samples = NDArray[np.float32]
    """Mono audio, shape (n,), float32 in -1 … 1."""

Message = dict[str, str]
"""`{"role": "system" | "user" | "assistant", "content": …}`."""


class Clock(Protocol):
    """The time that all logic asks: seconds, monotonic, the same scale as the running asyncio loop's `time()`."""

    def now(self) -> float:
        """Return the present moment in seconds."""


class Sentence(str):
    """A sentence to speak: a plain `str` that also knows its place and takes the voice's reports.

    A voice that can tell calls `pcm()` when the sentence's first sample exists and `audible()` when its first sample
    reaches the ear (device latency included). Both take the moment on the discussion's clock (None: now), may be called
    from any thread, and count only the first time. `reply` numbers the reply, `number` the sentence in it, from 0.
    """

    __slots__ = ("_report", "number", "reply")

    reply: int
    number: int
    _report: Report | None

    def __new__(cls, text: str, *, reply: int = 0, number: int = 0, report: Report | None = None) -> Sentence:
        """Make a sentence; `report(sentence, "pcm" | "audible", at_s)` receives what the voice tells."""
        self = super().__new__(cls, text)
        self.reply, self.number, self._report = reply, number, report
        return self

    def pcm(self, at_s: float | None = None) -> None:
        """Report that the first sample of this sentence exists."""
        if self._report is not None:
            self._report(self, "pcm", at_s)

    def audible(self, at_s: float | None = None) -> None:
        """Report that the first sample of this sentence is heard."""
        if self._report is not None:
            self._report(self, "audible", at_s)


Report = Callable[[Sentence, str, float | None], None]


@dataclass(frozen=True, slots=True)
class Spoken:
    """What became of a sentence.

    `heard_text` is the prefix of the sentence that was heard, whole words; `played_s` the seconds of it that were
    heard; `total_s` its whole length where known; `cut` whether it was stopped before its end.
    """

    heard_text: str
    played_s: float
    total_s: float | None = None
    cut: bool = False


@runtime_checkable
class Listener(Protocol):
    """The ears."""

    def listen(self) -> AsyncIterator[Heard | str]:
        """Yield turn events as they happen; a `Committed` (or a plain `str`) is a completed turn.

        `SpeechStart` comes at once when speech begins. `turn_index` starts at 0 and rises after each `Committed`.
        The end of the iterator ends the conversation after the last reply. Raise `PartError` when hearing fails.
        """

    async def aclose(self) -> None:
        """Release the microphone and everything else."""


@runtime_checkable
class Responder(Protocol):
    """The mind."""

    def reply(self, messages: list[Message]) -> AsyncIterator[str]:
        """Yield the reply as it is produced; closing the iterator cancels the work. Raise `PartError` on failure.

        The list is this call's own, the messages in it are read only: they are those of later calls too.
        """

    async def aclose(self) -> None:
        """Release everything."""


@runtime_checkable
class Voice(Protocol):
    """The mouth.

    `speak` may be called for the next sentence while one is playing: sentences are heard in the order of the calls,
    with no gap when synthesis is fast enough. Optional methods, all plain, non-blocking and for any thread: `pause()`
    (fall silent, keep the audio), `unpause()` (carry on from the last word boundary), `duck(on: bool)`; and
    `async prepare(sentence)`, which synthesises without playing so that a later `speak` of the same text is quick. A
    voice that reports through `Sentence.audible` says so with `reports_audio = True`.
    """

    async def speak(self, sentence: Sentence) -> Spoken:
        """Return when the last sample was heard, or when `stop` discarded it. Raise `PartError` on failure."""

    def stop(self) -> float | None:
        """Fall silent now and discard every sentence handed over so far; return the seconds discarded, where known.

        Idempotent, non-blocking, from any thread. Later calls of `speak` play again. Also clears pause and duck.
        """

    async def aclose(self) -> None:
        """Release the loudspeaker and everything else."""


class AudioIn(Protocol):
    """A microphone: a device, a WAV file or a socket, always delivered as 16 kHz mono blocks of 10 ms."""

    name: str
    rate_hz: int
    """The rate of the blocks that are delivered: 16,000."""

    def start(self, deliver: Callable[[Samples, float], None], ended: Callable[[Exception | None], None]) -> None:
        """Begin: `deliver(block, at_s)`, shape (n,) float32 and the clock moment of its *last* sample's capture.

        Called from the source's own thread, so it must not block. `ended(error)` once, when no more will come: None at
        the end of a file, a `PartError` when the device failed.
        """

    def close(self) -> None:
        """Stop and release; idempotent; no `deliver` after it returns."""


class AudioOut(Protocol):
    """A loudspeaker: a device, a WAV file or nothing, always fed mono float32 at `rate_hz`."""

    name: str
    rate_hz: int

    def start(self, fill: Callable[[Samples, float], None], ended: Callable[[Exception | None], None]) -> None:
        """Begin: `fill(block, heard_at_s)` writes the next shape (n,) float32 block in place, every sample of it.

        `heard_at_s` is the clock moment at which the block's *first* sample reaches the ear (device latency included).
        Called from the device's own thread: it must not lock, log or block. `ended(error)` when it stops.
        """

    def close(self) -> None:
        """Stop and release; idempotent; no `fill` after it returns."""


def optional(part: object, name: str) -> Any:  # noqa: ANN401 - a method of any signature
    """Return a part's optional method, or None where it has none."""
    method = getattr(part, name, None)
    return method if callable(method) else None

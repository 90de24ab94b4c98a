"""What the ears need of a recogniser, and what those in child processes share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Callable

    from voicetui.engine.errors import PartError
    from voicetui.engine.ports import Samples
    from voicetui.engine.workers import Worker

RATE_HZ = 16_000
"""The only rate of the audio that is handed over."""
STALL_S = 30.0
"""A recogniser that works on one request for so long has hung."""


@runtime_checkable
class Recogniser(Protocol):
    """From the audio of a turn to its words. One turn at a time, all methods on one asyncio loop, none at once.

    Every method may raise `PartError`; the ears then hand the whole turn over again.
    """

    name: str

    async def warmup(self) -> None:
        """Get ready; a no-op when it is."""

    async def reset(self) -> None:
        """Begin a new turn: what was accepted is forgotten."""

    async def accept(self, samples: Samples) -> None:
        """Take the next samples of the turn: shape (n,), float32 in -1 … 1, 16 kHz mono."""

    async def draft(self) -> str:
        """Return the words so far; they may still change."""

    async def final(self) -> str:
        """Return the words of the whole turn so far, as good as they get. More may be accepted afterwards."""

    async def aclose(self) -> None:
        """Release everything."""


class WorkerRecogniser:
    """What a recogniser in a child process shares: its worker, started by `warmup` and replaced when it dies."""

    def __init__(self, worker: Worker) -> None:
        self._worker = worker

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

    async def warmup(self) -> None:
        """Start the child and load the model."""
        await self._worker.start()

    async def aclose(self) -> None:
        """End the child."""
        await self._worker.aclose()


def plain(text: str) -> str:
    """Return a recogniser's text without what is no word: "" where nothing was said."""
    text = " ".join(text.split())
    return text if any(character.isalnum() for character in text) else ""

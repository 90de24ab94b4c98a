"""The words of the turn under way: one request at a time to the recogniser, the turn's audio kept until it is over.

Runs on the ears' loop as the task `voicetui-recogniser`. When the recogniser fails in the middle of a turn it gets the
whole turn again, so no word is lost.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from voicetui.engine.errors import PartError

if TYPE_CHECKING:
    from collections.abc import Callable

    from voicetui.engine.listen.recogniser import Recogniser
    from voicetui.engine.ports import Samples

TRIES = 3
"""So often a turn is handed over before the recogniser is given up."""
DRAFT_SHARE = 3.0
"""Drafts may take up a third of the recogniser's time."""


@dataclass(frozen=True, slots=True)
class Words:
    """What the recogniser made of a turn, up to a request numbered `request`."""

    request: int
    text: str
    final: bool


@dataclass(frozen=True, slots=True)
class Recovered:
    """The recogniser had failed and has heard the whole turn again."""

    error: PartError


@dataclass(frozen=True, slots=True)
class Failed:
    """The recogniser is of no use any more."""

    error: PartError


Told = Words | Recovered | Failed


class TurnText:
    """Hands a turn to the recogniser and tells what comes back, in order, on the same loop."""

    def __init__(self, recogniser: Recogniser, tell: Callable[[Told], None]) -> None:
        self._recogniser, self._tell = recogniser, tell
        self._turn = _Turn()
        self._wanted: tuple[int, bool] | None = None
        self._request = 0
        self._took_s = 0.0
        self._free_s = 0.0
        self._wake = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()
        self._task = asyncio.create_task(self._run(), name="voicetui-recogniser")

    def begin(self, samples: Samples) -> None:
        """Begin a turn with its first audio; what was wanted of the one before is not told any more."""
        self._turn = _Turn()
        self._wanted = None
        self.add(samples)

    def add(self, samples: Samples) -> None:
        """Add audio to the turn."""
        self._turn.audio.append(samples)

    def want_draft(self) -> None:
        """Ask for the words so far, unless the recogniser is busy or was for most of the time."""
        if self._idle.is_set() and asyncio.get_running_loop().time() >= self._free_s:
            self._want(final=False)

    def want_final(self) -> int:
        """Ask for the words of all audio so far; return the request's number."""
        return self._want(final=True)

    async def settled(self) -> None:
        """Wait until nothing is being asked for."""
        await self._idle.wait()

    async def aclose(self) -> None:
        """End the task."""
        self._task.cancel()
        await asyncio.wait([self._task])

    def _want(self, *, final: bool) -> int:
        self._request += 1
        self._wanted = (self._request, final)
        self._idle.clear()
        self._wake.set()
        return self._request

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        try:
            while True:
                await self._wake.wait()
                self._wake.clear()
                while self._wanted is not None:
                    (request, final), self._wanted = self._wanted, None
                    turn, begin_s = self._turn, loop.time()
                    text = await self._text_of(turn, final=final)
                    self._free_s = loop.time() + (DRAFT_SHARE - 1.0) * (loop.time() - begin_s)
                    if turn is self._turn:
                        self._tell(Words(request, text, final))
                self._idle.set()
        except PartError as error:
            self._tell(Failed(error))
        finally:
            self._idle.set()

    async def _text_of(self, turn: _Turn, *, final: bool) -> str:
        """Hand over what is new of a turn and return its words; after a failure all of it, once more."""
        failure: PartError | None = None
        for left in reversed(range(TRIES)):
            try:
                if not turn.begun:
                    await self._recogniser.reset()
                    turn.begun = True
                await self._recogniser.accept(turn.news())
                text = await (self._recogniser.final() if final else self._recogniser.draft())
            except PartError as error:
                if not left or error.code in ("closed", "missing"):
                    raise
                failure = failure or error
                turn.again()
            else:
                break
        if failure is not None:
            self._tell(Recovered(failure))
        return text


class _Turn:
    """A turn's audio, and how much of it the recogniser has."""

    def __init__(self) -> None:
        self.audio: list[Samples] = []
        self.begun = False
        self._accepted = 0

    def news(self) -> Samples:
        """Return what the recogniser does not have yet, as if it had it now."""
        pieces = self.audio[self._accepted :]
        self._accepted = len(self.audio)
        return np.concatenate(pieces) if pieces else np.zeros(0, np.float32)

    def again(self) -> None:
        """Note that the recogniser has nothing any more."""
        self.begun, self._accepted = False, 0

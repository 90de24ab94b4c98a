"""The record of a conversation: stamps every event with its number and time, and hands it to all who follow.

Everything here runs on the discussion's loop.
"""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from voicetui.engine.events import Ended, Event

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from voicetui.engine.ports import Clock

E = TypeVar("E", bound=Event)


class Journal:
    """Numbers events from 0 without gaps; `Ended` is the last one and later ones are refused."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._began_s: float | None = None
        self._next = 0
        self._followers: list[Callable[[Event], None]] = []
        self._untold: deque[Event] = deque()
        self._ended: Ended | None = None
        self.telling = False
        """Whether the followers are being told of an event: what one of them does now is inside of what happened."""

    def begin(self) -> None:
        """Make this moment the beginning of the conversation."""
        self._began_s = self._clock.now()

    def now_s(self) -> float:
        """Return the present moment as seconds since the conversation began, 0 before that."""
        return 0.0 if self._began_s is None else self._clock.now() - self._began_s

    def since(self, moment_s: float | None) -> float | None:
        """Return a moment of the clock as seconds since the conversation began."""
        return None if moment_s is None or self._began_s is None else moment_s - self._began_s

    def add(self, event: E) -> E:
        """Stamp an event and tell every follower; return the stamped event."""
        stamped = event if event.seq < 0 else replace(event)  # told before: a listener may yield one twice
        object.__setattr__(stamped, "seq", self._next)  # frozen for all others; a copy would cost as much as the rest
        object.__setattr__(stamped, "at_s", self.now_s())
        if self._ended is not None:
            return stamped
        self._next += 1
        if isinstance(stamped, Ended):
            self._ended = stamped
        self._untold.append(stamped)
        if not self.telling:
            self._tell()
        return stamped

    def _tell(self) -> None:
        """Tell everything there is to tell, in order; a follower that fails harms nobody else."""
        self.telling = True
        try:
            while self._untold:
                event = self._untold.popleft()
                for tell in list(self._followers):
                    try:
                        tell(event)
                    except Exception as err:  # noqa: BLE001 - a follower is not ours; asyncio reports its failure
                        told = {"message": f"a follower of the events failed at {event.kind!r}", "exception": err}
                        asyncio.get_running_loop().call_exception_handler(told)
        finally:
            self.telling = False

    def subscribe(self, tell: Callable[[Event], None]) -> Callable[[], None]:
        """Call `tell(event)` for every event from now on, on the loop; return how to stop that."""
        self._followers.append(tell)

        def unsubscribe() -> None:
            if tell in self._followers:
                self._followers.remove(tell)

        return unsubscribe

    async def follow(self) -> AsyncIterator[Event]:
        """Yield every event from now on, each once and in order, until `Ended`; of a past conversation only that."""
        if self._ended is not None:
            yield self._ended
            return
        events: asyncio.Queue[Event] = asyncio.Queue()
        unsubscribe = self.subscribe(events.put_nowait)
        try:
            while True:
                event = await events.get()
                yield event
                if isinstance(event, Ended):
                    return
        finally:
            unsubscribe()

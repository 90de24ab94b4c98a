"""Scripted ears: they hear what is written."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING

from voicetui.engine import events as ev

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable


@dataclass(frozen=True, slots=True)
class Wait:
    """A step of a `ScriptedListener`: wait `seconds`, after the floor has come to `floor` if one is named."""

    seconds: float = 0.0
    floor: ev.Floor | None = None


class ScriptedListener:
    """A fake `Listener`: plays events, `Wait`s and exceptions in order.

    A plain text becomes a whole spoken turn: onset, drafts, silence of `endpoint_s`, and the final text `recognise_s`
    after the turn was decided; it begins when the user has the floor. Call `attach(talk)` before the discussion runs so
    that it can wait for the floor.
    """

    def __init__(
        self,
        script: Iterable[str | ev.Heard | Wait | Exception],
        *,
        word_s: float = 0.3,
        endpoint_s: float = 0.5,
        recognise_s: float = 0.09,
    ) -> None:
        self._script = list(script)
        self.word_s, self.endpoint_s, self.recognise_s = word_s, endpoint_s, recognise_s
        self._floor = ev.Floor.IDLE
        self._passed = asyncio.Event()
        self._turns = count()

    def attach(self, subscribe: Callable[[Callable[[ev.Event], None]], object]) -> None:
        """Follow the floor of a discussion: `listener.attach(talk.subscribe)`."""
        subscribe(self._follow)

    def _follow(self, event: ev.Event) -> None:
        if isinstance(event, ev.FloorPassed):
            self._floor = event.floor
            self._passed.set()

    async def _until(self, floor: ev.Floor) -> None:
        while self._floor is not floor:
            self._passed.clear()
            await self._passed.wait()

    async def listen(self) -> AsyncIterator[ev.Heard | str]:
        """Play the script."""
        for step in self._script:
            match step:
                case Wait():
                    if step.floor is not None:
                        await self._until(step.floor)
                    await asyncio.sleep(step.seconds)
                case str():
                    await self._until(ev.Floor.LISTENING)
                    async for heard in self.turn(step):
                        yield heard
                case Exception():
                    raise step
                case _:
                    yield step

    async def turn(self, text: str) -> AsyncIterator[ev.Heard]:
        """Yield a whole spoken turn as a recogniser would report it."""
        loop = asyncio.get_running_loop()
        index = next(self._turns)
        yield ev.SpeechStart(turn_index=index, audio_ms=loop.time() * 1000, onset_s=loop.time())
        said: list[str] = []
        for word in text.split():
            await asyncio.sleep(self.word_s)
            said.append(word)
            yield ev.Draft(turn_index=index, text=" ".join(said))
        last_voice = loop.time()
        yield ev.SpeechEnd(turn_index=index, audio_ms=loop.time() * 1000)
        await asyncio.sleep(self.endpoint_s)
        decided = loop.time()
        await asyncio.sleep(self.recognise_s)
        marks = ev.HearingMarks(last_voice, decided, loop.time())
        yield ev.Committed(turn_index=index, text=text, reason="silence", marks=marks)

    async def aclose(self) -> None:
        """Nothing to release."""

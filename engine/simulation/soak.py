"""A conversation of thousands of exchanges, a third of them cut, and what it leaves behind while it goes on."""

from __future__ import annotations

import asyncio
import gc
import threading
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from voicetui.engine import events as ev
from voicetui.engine.clock import run_virtual
from voicetui.engine.discussion import Discussion
from voicetui.engine.ports import Sentence, Spoken

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from voicetui.engine.ports import Message

THINK_S, WORD_S, CUT_AFTER_S = 0.1, 0.1, 0.15


@dataclass(frozen=True, slots=True)
class Left:
    """What there is after so many exchanges, while nothing is under way: objects by the name of their type."""

    exchanges: int
    objects: Counter[str]
    tasks: int
    threads: int

    def growth(self, earlier: Left) -> dict[str, float]:
        """Return how many objects of each type came with each exchange since `earlier`, where any did."""
        exchanges = self.exchanges - earlier.exchanges
        more = {name: count - earlier.objects[name] for name, count in self.objects.items()}
        return {name: count / exchanges for name, count in sorted(more.items()) if count > 0}


class _Mind:
    """A fake `Responder` that says two sentences and keeps nothing."""

    async def reply(self, messages: list[Message]) -> AsyncIterator[str]:
        await asyncio.sleep(THINK_S)
        for sentence in (f"That was number {len(messages)}. ", "There is more to say about it."):
            yield sentence
            await asyncio.sleep(THINK_S)

    async def aclose(self) -> None:
        """Release nothing."""


class _Mouth:
    """A fake `Voice` that takes its time and keeps nothing."""

    reports_audio = True

    def __init__(self) -> None:
        self._stopped = asyncio.Event()

    async def speak(self, sentence: Sentence) -> Spoken:
        stopped, words = self._stopped, sentence.split()
        sentence.pcm()
        sentence.audible()
        heard = 0
        while heard < len(words) and not stopped.is_set():
            await asyncio.sleep(WORD_S)
            heard += not stopped.is_set()
        return Spoken(" ".join(words[:heard]), heard * WORD_S, len(words) * WORD_S, heard < len(words))

    def stop(self) -> float | None:
        self._stopped.set()
        self._stopped = asyncio.Event()
        return None

    async def aclose(self) -> None:
        """Release nothing."""


class _User:
    """A fake `Listener`: a turn whenever it may, and every third reply is cut. Takes stock after some exchanges."""

    def __init__(self, exchanges: int, stocks: tuple[int, ...]) -> None:
        self._exchanges, self._stocks = exchanges, stocks
        self.talk: Discussion | None = None
        self.taken: list[Left] = []
        self._floor = ev.Floor.IDLE
        self._passed = asyncio.Event()

    def follow(self, event: ev.Event) -> None:
        if isinstance(event, ev.FloorPassed):
            self._floor = event.floor
            self._passed.set()

    async def listen(self) -> AsyncIterator[ev.Heard | str]:
        for number in range(self._exchanges + 1):
            await self._until(ev.Floor.LISTENING)
            await asyncio.sleep(2.0)
            if number in self._stocks:
                self.taken.append(take_stock(number))
            if number == self._exchanges:
                return
            for heard in self._turn(number):
                yield heard
            if number % 3 == 0 and self.talk is not None:
                await self._until(ev.Floor.SPEAKING)
                await asyncio.sleep(CUT_AFTER_S)
                self.talk.interrupt(ev.Source.KEY)

    @staticmethod
    def _turn(number: int) -> Iterator[ev.Heard]:
        text = f"this is turn {number}"
        yield ev.SpeechStart(turn_index=number)
        yield ev.Draft(turn_index=number, text=text)
        yield ev.EagerEndOfTurn(turn_index=number, text=text if number % 2 else "this is")
        yield ev.Committed(turn_index=number, text=text)

    async def _until(self, floor: ev.Floor) -> None:
        while self._floor is not floor:
            self._passed.clear()
            await self._passed.wait()

    async def aclose(self) -> None:
        """Release nothing."""


def take_stock(exchanges: int) -> Left:
    """Count what there is now, after everything that can be collected is."""
    gc.collect()
    objects = Counter(type(thing).__name__ for thing in gc.get_objects())
    return Left(exchanges, objects, len(asyncio.all_tasks()), threading.active_count())


def soak(exchanges: int, *, warm: int) -> tuple[Left, Left]:
    """Hold one conversation of so many exchanges; return what there was after `warm` of them, and at its end."""

    async def hold() -> tuple[Left, Left]:
        user = _User(exchanges, (warm, exchanges))
        async with Discussion(user, _Mind(), _Mouth()) as talk:
            user.talk = talk
            talk.subscribe(user.follow)
            await talk.run()
        early, late = user.taken
        return early, late

    return run_virtual(hold())

"""What the loop itself costs on the way from the user's last word to the first of the answer.

Scripted parts that do nothing, on a real clock, in one process and in turn with the same parts put together in bare
asyncio: a task for each text that the ears yield, which asks the model and hands its sentence to the voice in another.
So a slow or busy machine makes both slow, and the median of the ratios stays.
"""

from __future__ import annotations

import asyncio
from itertools import count
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING

from voicetui.engine import events as ev
from voicetui.engine.bench.figure import Figure
from voicetui.engine.discussion import Discussion
from voicetui.engine.ports import Sentence, Spoken

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from voicetui.engine.ports import Message

WARM = 5
PAUSE_S = 0.31
"""So long a user waits before the next turn; who speaks sooner is looked at for the agent's echo."""
UTTER_S, THINK_S, SPEAK_S = 0.02, 0.02, 0.005
MOST_RATIO = 3.0
"""How many times bare asyncio the way from the final text to the model may cost."""
METHOD = "scripted parts, one process, in turn with the same parts in bare asyncio; median of {} pairs"


class _Ears:
    """A fake `Listener` that hears what is put into its queue; None ends it."""

    def __init__(self) -> None:
        self.queue: asyncio.Queue[ev.Heard | None] = asyncio.Queue()
        self._turns = count()

    async def hear(self) -> float:
        """Hear a turn, as a recogniser would report it; return the moment at which its final text is handed over."""
        index = next(self._turns)
        self.queue.put_nowait(ev.SpeechStart(turn_index=index))
        await asyncio.sleep(UTTER_S)
        now = asyncio.get_running_loop().time()
        marks = ev.HearingMarks(now, now, now)
        turn = ev.Committed(turn_index=index, text="and what is it now", reason="silence", marks=marks)
        handed = perf_counter()
        self.queue.put_nowait(turn)
        return handed

    async def listen(self) -> AsyncIterator[ev.Heard | str]:
        while (heard := await self.queue.get()) is not None:
            yield heard

    async def aclose(self) -> None:
        """Release nothing."""


class _Mind:
    """A fake `Responder` that notes when it is called and when its first sentence ended."""

    def __init__(self) -> None:
        self.called = self.ended = 0.0

    async def reply(self, messages: list[Message]) -> AsyncIterator[str]:
        self.called = perf_counter()
        del messages
        await asyncio.sleep(THINK_S)
        self.ended = perf_counter()
        yield "Here it is.\n"

    async def aclose(self) -> None:
        """Release nothing."""


class _Mouth:
    """A fake `Voice` that notes when it is called, and when its first sample is heard."""

    reports_audio = True

    def __init__(self) -> None:
        self.called = self.heard = 0.0

    async def speak(self, sentence: Sentence) -> Spoken:
        self.called = perf_counter()
        await asyncio.sleep(SPEAK_S)
        self.heard = perf_counter()
        sentence.pcm()
        sentence.audible()
        return Spoken(str(sentence), SPEAK_S, SPEAK_S)

    def stop(self) -> float | None:
        return 0.0

    async def aclose(self) -> None:
        """Release nothing."""


class _Bare:
    """The least that a turn costs in asyncio: no floor, no events, no record, no way to stop it."""

    def __init__(self) -> None:
        self.ears, self.mind, self.mouth = _Ears(), _Mind(), _Mouth()
        self._over = asyncio.Event()
        self._task = asyncio.create_task(self._serve())

    async def _serve(self) -> None:
        async for turn in self.ears.listen():
            if isinstance(turn, ev.Committed):
                self._thinking = asyncio.create_task(self._think([{"role": "user", "content": turn.text}]))

    async def _think(self, messages: list[Message]) -> None:
        async for token in self.mind.reply(messages):
            self._speaking = asyncio.create_task(self._speak(token.strip()))

    async def _speak(self, sentence: str) -> None:
        await self.mouth.speak(Sentence(sentence))
        self._over.set()

    async def measure(self) -> tuple[float, float]:
        """Return the seconds from text to model, and from sentence to voice."""
        self._over.clear()
        began = await self.ears.hear()
        await self._over.wait()
        return self.mind.called - began, self.mouth.called - self.mind.ended

    async def aclose(self) -> None:
        self.ears.queue.put_nowait(None)
        await self._task


class _Bench:
    """Holds a conversation of many turns and measures each."""

    def __init__(self) -> None:
        self.ears, self.mind, self.mouth = _Ears(), _Mind(), _Mouth()
        self._told_audible = 0.0
        self._over = asyncio.Event()

    def follow(self, event: ev.Event) -> None:
        match event:
            case ev.Speaking():
                self._told_audible = perf_counter()
            case ev.FloorPassed(floor=ev.Floor.LISTENING):
                self._over.set()

    async def measure(self) -> tuple[float, float, float]:
        """Return the seconds from text to model, from sentence to voice, and from sound to the event that says so."""
        self._over.clear()
        began = await self.ears.hear()
        await self._over.wait()
        heard = self._told_audible - self.mouth.heard
        return self.mind.called - began, self.mouth.called - self.mind.ended, heard


async def measure(turns: int) -> list[Figure]:
    """Hold a conversation of so many turns on the running loop, and return what the loop costs."""
    bench = _Bench()
    bare: list[tuple[float, float]] = []
    loop: list[tuple[float, float, float]] = []
    async with Discussion(bench.ears, bench.mind, bench.mouth) as talk:
        talk.subscribe(bench.follow)
        run = asyncio.create_task(talk.run())
        anchor = _Bare()
        for turn in range(WARM + turns):
            await asyncio.sleep(PAUSE_S)
            if turn % 2:
                bare.append(await anchor.measure())
            loop.append(await bench.measure())
            if not turn % 2:
                bare.append(await anchor.measure())
        await anchor.aclose()
        bench.ears.queue.put_nowait(None)
        await run
    model, voice, sound = zip(*loop[WARM:], strict=True)
    bare_model, bare_voice = zip(*bare[WARM:], strict=True)
    return [
        _ratio("overhead.final-text-to-model", model, bare_model, goal=MOST_RATIO),
        _milliseconds("overhead.final-text-to-model.ms", model, bare_model),
        _ratio("overhead.sentence-to-voice", voice, bare_voice, goal=None),
        _milliseconds("overhead.sentence-to-voice.ms", voice, bare_voice),
        _milliseconds("overhead.audible-to-event.ms", sound, None),
    ]


def _ratio(name: str, samples: Sequence[float], bare: Sequence[float], *, goal: float | None) -> Figure:
    ratios = [one / other for one, other in zip(samples, bare, strict=True)]
    method = METHOD.format(len(ratios))
    return Figure(name=name, value=median(ratios), unit="ratio", samples=ratios, method=method, anchor=1.0, goal=goal)


def _milliseconds(name: str, samples: Sequence[float], bare: Sequence[float] | None) -> Figure:
    spent = [one * 1000 for one in samples]
    method = METHOD.format(len(spent))
    anchor = None if bare is None else median(bare) * 1000
    return Figure(name=name, value=median(spent), unit="ms", samples=spent, method=method, anchor=anchor)


def run(turns: int = 200) -> list[Figure]:
    """Measure on a loop of its own and return the figures."""
    return asyncio.run(measure(turns))

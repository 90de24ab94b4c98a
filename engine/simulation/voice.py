"""A random voice, and the only honest witness: what really came out of it, word by word.

It can be slow, fail, hang before, within or after the sound, report late or about sentences long discarded, answer
late after a stop, and lack every optional method.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from voicetui.engine.errors import PartError
from voicetui.engine.ports import Sentence, Spoken

if TYPE_CHECKING:
    from voicetui.engine.simulation.chance import Chance

TINY = 1e-6
"""Two moments, or places in a sentence, that differ by less are the same."""
QUICK_S = 0.3
"""A voice that works needs no longer for its first sample."""
FAULTS = ("fails", "crashes", "dies", "mute", "stuck", "deaf")


@dataclass(frozen=True, slots=True)
class Sound:
    """A stretch of sound: seconds on the loop's clock, and the words of the sentence that it held, as places in it."""

    from_s: float
    to_s: float
    text: str
    from_word: float
    to_word: float
    gain: float


@dataclass(slots=True)
class _Playing:
    sentence: Sentence
    words: int
    began_s: float = 0.0
    place: float = 0.0
    audible: bool = False


class ChanceVoice:
    """A fake `Voice` on the loop's clock; `sink` holds every stretch that was heard."""

    def __init__(self, chance: Chance) -> None:
        self._chance = chance
        self.sink: list[Sound] = []
        self.warmup: Callable[[], Awaitable[None]] | None = None
        self.faulty: list[str] = []
        """The sentences that it cannot tell the truth about: it failed or hung over them."""
        self.strange = chance.maybe(0.35)
        self.reports_audio = not chance.maybe(0.2)
        self.word_s = chance.pick((0.05, 0.1, 0.2, 0.3, 0.3))
        self.report_late_s = chance.seconds(0.05) if chance.maybe(0.2) else 0.0
        self.answer_late_s = chance.pick((0.0, 0.0, 0.0, 0.02, 0.3, 1.5))
        """How long after a stop `speak` returns."""
        self.let_go_s = chance.seconds(0.8) if chance.maybe(0.1) else 0.0
        self._stale = chance.maybe(0.3)
        """Whether it reports on sentences that were discarded."""
        self._breaks = chance.maybe(0.05)
        """Whether its plain methods raise now and then."""
        self._first_s = chance.pick((0.0, 0.03, 0.1, QUICK_S))
        self._patient = chance.maybe(0.3)
        """Whether a synthesis under way goes on to its end after a stop."""
        self._knows = chance.maybe(0.8)
        self._prepared: set[str] = set()
        self._generation = 0
        self._paused, self._gain = False, 1.0
        self._playing: _Playing | None = None
        self._silent_s: float | None = None
        self._changed = asyncio.Event()
        self._turn = asyncio.Lock()
        self._timers: list[asyncio.TimerHandle] = []
        can_pause = chance.maybe(0.8)
        self.pause: Callable[[], None] | None = self._pause if can_pause else None
        self.unpause: Callable[[], None] | None = self._unpause if can_pause else None
        self.duck: Callable[[bool], None] | None = self._duck if chance.maybe(0.6) else None
        self.prepare = self._prepare if chance.maybe(0.6) else None
        self.silent_at: Callable[[], float | None] | None = (lambda: self._silent_s) if self._knows else None

    # -- what the loop calls -----------------------------------------------------------------------------------------

    async def speak(self, sentence: Sentence) -> Spoken:
        """Play a sentence after those before it, or do something else."""
        generation = self._generation
        fault = self._chance.pick(FAULTS) if self.strange and self._chance.maybe(0.25) else ""
        if fault:
            self.faulty.append(str(sentence))
        try:
            return await self._speak(sentence, generation, fault)
        except asyncio.CancelledError:
            await self._cling(sentence)
            raise

    def stop(self) -> float | None:
        """Fall silent and discard everything."""
        self._close_stretch()
        left = 0.0
        if self._playing is not None:
            left = (self._playing.words - self._playing.place) * self.word_s
            if self._stale:
                self._report_later(self._playing.sentence)
        self._playing = None
        self._generation += 1
        self._paused, self._gain = False, 1.0
        self._changed.set()
        self._perhaps_break()
        return left if self._knows else None

    def _perhaps_break(self) -> None:
        if self._breaks and self._chance.maybe(0.3):
            raise ZeroDivisionError("simulated: a fault in a user's own voice")

    def _pause(self) -> None:
        self._perhaps_break()
        self._close_stretch()
        self._paused = True
        self._changed.set()

    def _unpause(self) -> None:
        if self._paused and self._playing is not None:
            self._playing.place = math.floor(self._playing.place + TINY)
            self._playing.began_s = asyncio.get_running_loop().time()
        self._paused = False
        self._changed.set()

    def _duck(self, on: bool) -> None:
        if on:
            self._perhaps_break()
        self._close_stretch()
        self._gain = 0.25 if on else 1.0

    async def _prepare(self, sentence: Sentence) -> None:
        match self._chance.count(0, 9) if self.strange else 9:
            case 0:
                raise PartError("speak", "simulated: could not prepare")
            case 1:
                await asyncio.Event().wait()
        await asyncio.sleep(self._first_s)
        self._prepared.add(str(sentence))

    async def aclose(self) -> None:
        """Fall silent; nothing is reported any more."""
        self._breaks = False
        self.stop()
        for timer in self._timers:
            timer.cancel()

    @property
    def sounding(self) -> str:
        """Return the words of the sentence that plays at this moment."""
        return "" if self._playing is None or self._paused else str(self._playing.sentence)

    # -- one sentence ------------------------------------------------------------------------------------------------

    async def _speak(self, sentence: Sentence, generation: int, fault: str) -> Spoken:
        words = len(sentence.split())
        if fault == "fails":
            raise PartError("speak", "simulated: the voice failed")
        if fault == "mute":  # no sample ever, until it is stopped
            await self._wait_for_stop(generation)
        if fault == "deaf":  # no sample ever, and it does not even notice a stop
            await asyncio.Event().wait()
        async with self._turn:
            await self._synthesise(sentence, generation)
            playing = _Playing(sentence, words)
            await self._play(
                playing, generation, self._chance.count(0, words) if fault in ("dies", "crashes") else words
            )
            if generation == self._generation and fault == "dies":
                raise PartError("speak", "simulated: the voice died in mid-sentence", code="died")
            if generation == self._generation and fault == "crashes":
                raise ZeroDivisionError("simulated: a fault in a user's own voice")
            if fault == "stuck":  # everything was heard, and it never says so
                await self._wait_for_stop(generation)
        if generation != self._generation and self.answer_late_s:
            await asyncio.sleep(self.answer_late_s)
        whole = words - TINY
        heard = " ".join(sentence.split()[: math.floor(playing.place + TINY)])
        total = words * self.word_s if self._knows else None
        return Spoken(
            str(sentence) if playing.place >= whole else heard, self._played_s(playing), total, playing.place < whole
        )

    def _played_s(self, playing: _Playing) -> float:
        return playing.place * self.word_s

    async def _synthesise(self, sentence: Sentence, generation: int) -> None:
        if str(sentence) not in self._prepared and self._first_s:
            if self._patient:
                await asyncio.sleep(self._first_s)
            else:
                await self._wait_for_stop(generation, self._first_s)
        if self.reports_audio and (generation == self._generation or self._stale):
            sentence.pcm()

    async def _play(self, playing: _Playing, generation: int, words: int) -> None:
        """Play so many words, through pauses, unless it is stopped."""
        while generation == self._generation and playing.place < words - TINY:
            self._changed.clear()
            if self._paused:
                self._playing = playing
                await self._changed.wait()
                continue
            playing.began_s = asyncio.get_running_loop().time()
            self._playing = playing
            if not playing.audible:
                playing.audible = True
                self._report(playing.sentence)
            await self._sleep((words - playing.place) * self.word_s)
            if self._playing is playing and not self._paused:
                self._close_stretch()
        if self._playing is playing:
            self._playing = None

    async def _sleep(self, seconds: float) -> None:
        """Wait so long or until something changes."""
        timer = asyncio.get_running_loop().call_later(seconds, self._changed.set)
        try:
            await self._changed.wait()
        finally:
            timer.cancel()

    async def _wait_for_stop(self, generation: int, at_most_s: float = math.inf) -> None:
        loop = asyncio.get_running_loop()
        until = loop.time() + at_most_s
        while generation == self._generation and loop.time() < until - TINY:
            self._changed.clear()
            if math.isinf(until):
                await self._changed.wait()
            else:
                await self._sleep(until - loop.time())

    async def _cling(self, sentence: Sentence) -> None:
        """Do not let go for a while, though cancelled."""
        self.faulty.append(str(sentence))
        loop = asyncio.get_running_loop()
        until = loop.time() + self.let_go_s
        while (left := until - loop.time()) > TINY:
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.sleep(left)

    # -- witness -----------------------------------------------------------------------------------------------------

    def _close_stretch(self) -> None:
        """Write down what was heard since the last change, at this very moment."""
        playing = self._playing
        if playing is None or self._paused:
            return
        now = asyncio.get_running_loop().time()
        to = min(float(playing.words), playing.place + (now - playing.began_s) / self.word_s)
        if to > playing.place + TINY:
            self.sink.append(Sound(playing.began_s, now, str(playing.sentence), playing.place, to, self._gain))
            self._silent_s = now
        playing.place, playing.began_s = to, now

    def _report(self, sentence: Sentence) -> None:
        if not self.reports_audio:
            return
        if self.report_late_s:
            at = asyncio.get_running_loop().time()
            self._timers.append(asyncio.get_running_loop().call_later(self.report_late_s, sentence.audible, at))
        else:
            sentence.audible()

    def _report_later(self, sentence: Sentence) -> None:
        """Say of a discarded sentence, too late, that it exists and is audible."""
        if self.reports_audio:
            loop = asyncio.get_running_loop()
            self._timers.append(loop.call_later(self._chance.seconds(0.5), sentence.pcm))
            self._timers.append(loop.call_later(self._chance.seconds(0.5), sentence.audible))

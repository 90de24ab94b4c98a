"""A scripted voice: it makes no sound."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import dataclass

from voicetui.engine.heard import heard_words, word_start
from voicetui.engine.ports import Sentence, Spoken

DUCKED_GAIN = 0.25


@dataclass(frozen=True, slots=True)
class Played:
    """A stretch of sound that a `SilentVoice` would have made; seconds on the loop's clock."""

    from_s: float
    to_s: float
    text: str
    reply: int
    gain: float


class SilentVoice:
    """A fake `Voice`: makes no sound, takes its time, and knows what would have been heard.

    A sentence takes `first_pcm_s` to its first sample, from the call or from the end of the synthesis before it, and
    `sentence_s` (or `word_s` a word) to play. `played` is the record of every stretch that was audible.
    """

    reports_audio = True

    def __init__(self, *, first_pcm_s: float = 0.05, word_s: float = 0.3, sentence_s: float | None = None) -> None:
        self.first_pcm_s, self.word_s, self.sentence_s = first_pcm_s, word_s, sentence_s
        self.asked: list[str] = []
        self.played: list[Played] = []
        self.paused = False
        self.gain = 1.0
        self._generation = 0
        self._silent_s: float | None = None
        self._synthesis = asyncio.Lock()
        self._turn = asyncio.Lock()
        self._changed = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread = threading.get_ident()
        self._playing = False
        self._queued_s = 0.0
        self._began_s = 0.0
        self._position = 0.0

    async def warmup(self) -> None:
        """Take the running loop."""
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()

    def length_s(self, text: str) -> float:
        """Return how long a sentence plays."""
        return self.sentence_s if self.sentence_s is not None else self.word_s * max(1, len(text.split()))

    async def synthesise(self, sentence: Sentence) -> None:
        """Take the time that the first sample takes; overridden by fakes that fail or hang."""
        del sentence
        await asyncio.sleep(self.first_pcm_s)

    async def speak(self, sentence: Sentence) -> Spoken:
        """Return when the sentence would have been heard to its end or was discarded."""
        self._loop = self._loop or asyncio.get_running_loop()
        generation = self._generation
        self.asked.append(str(sentence))
        total = self.length_s(sentence)
        self._queued_s += total
        try:
            async with self._synthesis:
                if generation == self._generation:
                    await self.synthesise(sentence)
                    if generation == self._generation:
                        sentence.pcm()
            async with self._turn:
                return await self._play(sentence, total, generation)
        finally:
            if generation == self._generation:
                self._queued_s -= total

    async def _play(self, sentence: Sentence, total: float, generation: int) -> Spoken:
        loop = asyncio.get_running_loop()
        position, audible = 0.0, False
        while generation == self._generation and position < total - 1e-9:
            self._changed.clear()
            if self.paused:
                await self._changed.wait()
                if audible and not self.paused and generation == self._generation:
                    position = word_start(sentence, position / total) * total
                continue
            if not audible:
                audible = True
                sentence.audible()
            began, gain, self._playing = loop.time(), self.gain, True
            self._began_s, self._position = began, position
            try:
                async with asyncio.timeout(total - position):
                    await self._changed.wait()
            except TimeoutError:
                pass
            finally:
                self._playing = False
            heard = min(total - position, (self._hushed_s(generation) or loop.time()) - began)
            if heard > 0:
                self.played.append(Played(began, began + heard, str(sentence), sentence.reply, gain))
                position += heard
        cut = generation != self._generation and position < total - 1e-9
        self._position = 0.0
        return Spoken(heard_words(sentence, position / total), position, total, cut)

    def _hushed_s(self, generation: int) -> float | None:
        return self._silent_s if self.paused or generation != self._generation else None

    def _wake(self) -> None:
        loop = self._loop
        if loop is None or threading.get_ident() == self._thread:
            self._changed.set()
        else:
            loop.call_soon_threadsafe(self._changed.set)

    def _hush(self) -> None:
        if self._loop is not None and (self._playing or self._silent_s is None):
            self._silent_s = self._loop.time()

    def stop(self) -> float | None:
        """Discard everything handed over so far; return the seconds never heard."""
        self._hush()
        heard = self._position
        if self._playing and self._loop is not None:
            heard += self._loop.time() - self._began_s
        discarded, self._queued_s, self._position = max(0.0, self._queued_s - heard), 0.0, 0.0
        self._generation += 1
        self.paused, self.gain = False, 1.0
        self._wake()
        return discarded

    def pause(self) -> None:
        """Fall silent and keep what is left."""
        self._hush()
        self.paused = True
        self._wake()

    def unpause(self) -> None:
        """Carry on from the last word boundary."""
        self.paused = False
        self._wake()

    def duck(self, on: bool) -> None:
        """Lower the voice, or bring it back."""
        self.gain = DUCKED_GAIN if on else 1.0
        self._wake()

    def silent_at(self) -> float | None:
        """Return when the last audible sample was heard."""
        return self._silent_s

    async def aclose(self) -> None:
        """Discard what is left."""
        self.stop()

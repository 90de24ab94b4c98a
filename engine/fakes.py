"""Scripted parts: the same loop with no microphone, model or loudspeaker. They wait on the loop's own clock."""

from __future__ import annotations

import asyncio
import re
import threading
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING

from voicetui.engine import events as ev
from voicetui.engine.heard import heard_words, word_start
from voicetui.engine.ports import Message, Sentence, Spoken

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Sequence

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


_TOKEN = re.compile(r"\s*\S+|\s+$")


class ScriptedResponder:
    """A fake `Responder`: answers with the given replies in turn (the last one again and again), token by token.

    A reply is a text, or a sequence of what happens: text is a token, a number a pause in seconds, an exception is
    raised. `asked` records the messages of each call, `closed` counts calls ended early, `open_calls` those open.
    """

    def __init__(
        self,
        replies: Sequence[str | Sequence[str | float | Exception]] | Callable[[list[Message]], str],
        *,
        first_token_s: float = 0.1,
        token_s: float = 0.02,
    ) -> None:
        self._replies = replies
        self.first_token_s, self.token_s = first_token_s, token_s
        self.asked: list[list[Message]] = []
        self.given: list[list[str]] = []
        self.closed = 0
        self.open_calls = 0

    async def reply(self, messages: list[Message]) -> AsyncIterator[str]:
        """Yield the next scripted reply."""
        self.asked.append(messages)
        given: list[str] = []
        self.given.append(given)
        script = self._script(messages, len(self.asked) - 1)
        self.open_calls += 1
        done = False
        try:
            await asyncio.sleep(self.first_token_s)
            for number, step in enumerate(script):
                if isinstance(step, Exception):
                    raise step
                if isinstance(step, int | float):
                    await asyncio.sleep(step)
                    continue
                if number and self.token_s:
                    await asyncio.sleep(self.token_s)
                given.append(step)
                yield step
            done = True
        finally:
            self.open_calls -= 1
            self.closed += not done

    def _script(self, messages: list[Message], index: int) -> Sequence[str | float | Exception]:
        if callable(self._replies):
            reply: str | Sequence[str | float | Exception] = self._replies(messages)
        else:
            reply = self._replies[min(index, len(self._replies) - 1)]
        return _TOKEN.findall(reply) if isinstance(reply, str) else reply

    async def aclose(self) -> None:
        """Nothing to release."""


class EchoResponder(ScriptedResponder):
    """A fake `Responder` that says the user's words back, `sentences` times."""

    def __init__(self, sentences: int = 3, *, first_token_s: float = 0.1, token_s: float = 0.02) -> None:
        super().__init__(self._echo, first_token_s=first_token_s, token_s=token_s)
        self.sentences = sentences

    def _echo(self, messages: list[Message]) -> str:
        words = messages[-1]["content"].strip().rstrip(".!?…。！？ ")
        words = words[:1].upper() + words[1:]
        return "\n".join(f"{words}." if n == 1 else f"{words} ({n})." for n in range(1, self.sentences + 1))


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

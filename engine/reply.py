"""One reply: from the model's text to what was heard of it.

Two tasks on the discussion's loop: one thinks (model text to sentences), one hands sentences to the voice, the next one
while the last is playing. A reply that was stopped stays stopped: whatever arrives for it later is dropped here.
"""

from __future__ import annotations

import asyncio
import contextlib
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol

from voicetui.engine.errors import PartError
from voicetui.engine.ports import Sentence, optional
from voicetui.engine.said import Said, heard_and_not
from voicetui.engine.speech_text import Piece, SpeechText

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine

    from voicetui.engine.policy import Policy
    from voicetui.engine.ports import Clock, Message, Report, Responder, Voice

AHEAD = 2
"""Sentences that the voice holds at once: the one that plays and the next."""
SLOWEST_WORD_S = 1.0
"""No voice takes longer for a word; a sentence that does is stuck."""
LEAST_WATCH_S = 0.1
"""A reply is not looked at more often than this for parts that hang."""


class Outcome(StrEnum):
    """How a reply ended by itself."""

    SPOKEN = "spoken"
    EMPTY = "empty"
    FAILED = "failed"


class ReplyObserver(Protocol):
    """Who hears of a reply's progress, on the discussion's loop; never again after `stop`."""

    def first_token(self, reply: Reply) -> None:
        """Note that the model's first visible text arrived."""

    def sentence_handed(self, reply: Reply, said: Said) -> None:
        """Note that the voice is asked for a sentence."""

    def sentence_ready(self, reply: Reply, piece: Piece) -> None:
        """Note that a piece is ready to be spoken."""

    def sentence_over(self, reply: Reply, said: Said) -> None:
        """Note that the voice is done with a sentence, which a stop may have cut."""

    def reply_failed(self, reply: Reply, error: PartError) -> None:
        """Note that a part failed; what is complete is still spoken."""

    def reply_over(self, reply: Reply, outcome: Outcome) -> None:
        """Note that everything was heard, or nothing came."""


class Reply:
    """A reply under way. `start` it, `release` it when it may be heard, `stop` it at any moment."""

    def __init__(
        self,
        number: int,
        responder: Responder,
        voice: Voice,
        policy: Policy,
        clock: Clock,
        observer: ReplyObserver,
        report: Report,
        speech_text: Callable[[], SpeechText],
    ) -> None:
        self.number = number
        self.said: list[Said] = []
        self.stopped = False
        self.failure: PartError | None = None
        self.discarded_s: float | None = None
        self.first_token_s: float | None = None
        self.first_sentence_s: float | None = None
        self._responder, self._voice, self._policy, self._clock = responder, voice, policy, clock
        self._observer, self._report, self._speech_text = observer, report, speech_text
        self._text: SpeechText | None = None
        self._pieces: asyncio.Queue[Said | None] = asyncio.Queue()
        self._free = asyncio.Semaphore(AHEAD)
        self._may_speak = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        self._thinking: asyncio.Task[None] | None = None
        self._preparing: asyncio.Task[None] | None = None
        self._watch: asyncio.TimerHandle | None = None
        self._warming: asyncio.Future[list[None]] | None = None
        self._progress_s = clock.now()
        self._with_voice = 0
        self._all_handed = False
        self._voice_lost = False
        self._last_handed = -1
        self._over = False

    # -- what the discussion does ------------------------------------------------------------------------------------

    def start(
        self,
        messages: list[Message],
        *,
        after: set[asyncio.Task[None]],
        warming: asyncio.Future[list[None]] | None,
    ) -> None:
        """Ask the model once it is warm and the calls in `after` have let go; nothing is heard before `release`."""
        if self.stopped:
            return
        self._progress_s = self._clock.now()
        self._warming = warming if warming is not None and not warming.done() else None
        self._thinking = self._spawn(self._think(messages, frozenset(after)), "think")
        asyncio.get_running_loop().call_soon(self._set_off)  # the model first: whatever can wait until it is asked does

    def _set_off(self) -> None:
        """Be ready for the model's first token, now that it is asked."""
        if self.stopped:
            return
        self._text = self._text or self._speech_text()
        self._spawn(self._speak(), "speak")
        self._arm()

    def release(self) -> None:
        """Let the reply be heard from now on."""
        self._progress_s = self._clock.now()
        self._may_speak.set()

    def hold(self) -> None:
        """Hand no further sentence to the voice until `release`."""
        self._may_speak.clear()

    @property
    def model_call(self) -> asyncio.Task[None] | None:
        """Return the task that asks the model."""
        return self._thinking

    @property
    def unfinished(self) -> list[asyncio.Task[None]]:
        """Return the tasks that are not gone yet, cancelled though they may be."""
        return [task for task in self._tasks if not task.done()]

    @property
    def with_voice(self) -> bool:
        """Return whether the voice has a sentence of this reply."""
        return self._with_voice > 0

    @property
    def over(self) -> bool:
        """Return whether nothing more comes of this reply by itself."""
        return self._over

    def moved_on(self) -> None:
        """Note that the voice gave a sign of life."""
        self._progress_s = self._clock.now()

    @property
    def held(self) -> bool:
        """Return whether sentences are kept back."""
        return not self._may_speak.is_set()

    def silence(self) -> None:
        """Close the gate: nothing of this reply is heard from now on. Plain, idempotent, from any thread."""
        first, self.stopped = not self.stopped, True
        discarded = self._voice.stop()
        if first:
            self.discarded_s = discarded

    def stop(self) -> None:
        """Silence the reply and cancel all work on it, on the loop."""
        self.silence()
        self.drop()

    def drop(self) -> None:
        """Cancel all work on a reply of which the voice has nothing, or nothing any more."""
        self.stopped = True
        if self._watch is not None:
            self._watch.cancel()
        for task in (self._thinking, self._preparing):
            if task is not None:
                task.cancel()
        self._pieces.put_nowait(None)
        self._may_speak.set()

    async def settle(self) -> None:
        """Wait until a stopped reply's parts have let go and said what was heard, within the policy's limit."""
        if pending := self.unfinished:
            await asyncio.wait(pending, timeout=self._policy.settle_limit_s)
        for task in self.unfinished:
            task.cancel()

    def texts(self) -> tuple[str, str]:
        """Return the words that were heard and those that were not."""
        return heard_and_not(self.said, cut=self.stopped)

    @property
    def heard_s(self) -> float:
        """Return the seconds of this reply that were heard."""
        return sum(said.spoken.played_s for said in self.said if said.spoken is not None)

    # -- the two tasks -----------------------------------------------------------------------------------------------

    def _spawn(self, work: Coroutine[Any, Any, None], what: str) -> asyncio.Task[None]:
        task = asyncio.create_task(work, name=f"reply-{self.number}-{what}")
        self._tasks.append(task)
        return task

    async def _think(self, messages: list[Message], after: frozenset[asyncio.Task[None]]) -> None:
        if self._warming is not None:
            await asyncio.wait({self._warming})
        if after:
            await asyncio.wait(after, timeout=self._policy.settle_limit_s)
        self._progress_s = self._clock.now()
        sentences = 0
        stream: AsyncIterator[str] | None = None
        try:
            stream = self._responder.reply(messages)
            async for token in stream:
                self._progress_s = self._clock.now()
                text = self._text = self._text or self._speech_text()
                sentences += self._take(text.feed(token))
                if self.first_token_s is None and token.strip() and not text.hidden and not self.stopped:
                    self.first_token_s = self._progress_s
                    self._observer.first_token(self)
                if 0 < self._policy.max_reply_sentences <= sentences:
                    break
            else:
                self._take(self._text.flush() if self._text is not None else [])
        except Exception as err:  # noqa: BLE001 - a user's own part may raise anything; it is reported as its failure
            self._model_failed(_as_part_error(err, "think", "the model"))
        finally:
            self._pieces.put_nowait(None)
            await self._close(stream)

    async def _close(self, stream: AsyncIterator[str] | None) -> None:
        """Tell the model that no more is wanted."""
        if (close := optional(stream, "aclose")) is None:
            return
        try:
            await close()
        except Exception as err:  # noqa: BLE001 - as above
            self._model_failed(_as_part_error(err, "think", "the model"))

    def _take(self, pieces: list[Piece]) -> int:
        """Queue pieces for the voice, within the policy's cap; return how many sentences they end."""
        ended = 0
        cap = self._policy.max_reply_sentences
        done = sum(said.piece.ends_sentence for said in self.said)
        for piece in pieces:
            if self.stopped or 0 < cap <= done + ended:
                break
            said = Said(piece)
            self.said.append(said)
            ended += piece.ends_sentence
            if piece.spoken:
                said.sentence = Sentence(
                    piece.spoken, reply=self.number, number=len(self.said) - 1, report=self._report
                )
                self.first_sentence_s = self.first_sentence_s or self._clock.now()
                self._observer.sentence_ready(self, piece)
                self._pieces.put_nowait(said)
        return ended

    async def _speak(self) -> None:
        prepare = optional(self._voice, "prepare")
        while (said := await self._pieces.get()) is not None and not self.stopped:
            if self.held and prepare is not None and said is self.said[0]:
                self._preparing = self._spawn(self._prepare(prepare, said), "prepare")
            await self._may_speak.wait()
            await self._free.acquire()
            if self.stopped:
                return
            if self._voice_lost:
                break
            self._with_voice += 1
            self._progress_s = self._clock.now()
            self._spawn(self._voice_one(said), f"sentence-{len(self.said)}")
        self._all_handed = True
        self._perhaps_over()

    @staticmethod
    async def _prepare(prepare: Callable[[Sentence], Awaitable[None]], said: Said) -> None:
        assert said.sentence is not None
        with contextlib.suppress(Exception):  # what is wrong shows when the sentence is spoken
            await prepare(said.sentence)

    async def _voice_one(self, said: Said) -> None:
        assert said.sentence is not None
        try:
            if not (self.stopped or self._voice_lost):
                self._last_handed = said.sentence.number
                self._observer.sentence_handed(self, said)
                said.spoken = await self._voice.speak(said.sentence)
        except Exception as err:  # noqa: BLE001 - a user's own part may raise anything; it is reported as its failure
            overtaken = said.sentence.number < self._last_handed
            self._voice_failed(_as_part_error(err, "speak", "the voice"), at_once=overtaken)
        finally:
            self._with_voice -= 1
            self._progress_s = self._clock.now()
            self._free.release()
            if not self._over:
                self._observer.sentence_over(self, said)
                self._perhaps_over()

    def _perhaps_over(self) -> None:
        if self.stopped or self._over or not self._all_handed or self._with_voice:
            return
        self._over = True
        if self._watch is not None:
            self._watch.cancel()
        self._cancel_rest()
        if self.failure is not None:
            self._observer.reply_over(self, Outcome.FAILED)
        else:
            self._observer.reply_over(self, Outcome.SPOKEN if self.said else Outcome.EMPTY)

    def _cancel_rest(self) -> None:
        """Cancel what hangs though the reply is over; a model that only closes its stream is left to it."""
        here = asyncio.current_task()
        for task in self.unfinished:
            if task is not here and task is not self._thinking:
                task.cancel()

    # -- what goes wrong ---------------------------------------------------------------------------------------------

    def _model_failed(self, error: PartError) -> None:
        """Report a failure of the model: what is complete is still spoken."""
        if self.stopped or self._over:
            return
        self._failed(error)
        self._pieces.put_nowait(None)

    def _voice_failed(self, error: PartError, *, at_once: bool) -> None:
        """Report a failure of the voice: no further sentence is spoken.

        What it has is heard to its end, unless it hangs or a sentence is missing in between: then it is silenced, and
        the reply ends when the voice gives its sentences back, or after a limit.
        """
        if self.stopped or self._over:
            return
        self._failed(error)
        self._voice_lost = True
        while not self._pieces.empty():
            self._pieces.get_nowait()
        self._pieces.put_nowait(None)
        self._may_speak.set()
        if at_once:
            self._voice.stop()
            if self._watch is not None:
                self._watch.cancel()
            self._watch = asyncio.get_running_loop().call_later(self._policy.settle_limit_s, self._give_up)

    def _failed(self, error: PartError) -> None:
        """Keep the first failure and show the first of each part."""
        known, self.failure = self.failure, self.failure or error
        if known is None or (known.part != error.part and not self._voice_lost):
            self._observer.reply_failed(self, error)
        if self._thinking is not None and self._thinking is not asyncio.current_task():
            self._thinking.cancel()

    def _give_up(self) -> None:
        """End the reply without what the voice still holds."""
        self._all_handed, self._with_voice = True, 0
        self._perhaps_over()

    def _arm(self) -> None:
        """Look again at the deadline, or earlier: the next part that is waited for may have a shorter limit."""
        shortest = max(LEAST_WATCH_S, min(self._policy.token_limit_s, self._policy.voice_limit_s))
        at = min(self._progress_s + self._limit_s(), self._clock.now() + shortest)
        self._watch = asyncio.get_running_loop().call_at(at, self._check)

    def _limit_s(self) -> float:
        """Return how long nothing may move on before this reply counts as stuck."""
        policy = self._policy
        if self._with_voice:
            return policy.voice_limit_s + SLOWEST_WORD_S * max(len(said.piece.spoken.split()) for said in self.said)
        return policy.token_limit_s if self.first_token_s is not None else policy.first_token_limit_s

    def _check(self) -> None:
        """Look for a part that hangs; a reply that is held back does not."""
        limit, now = self._limit_s(), self._clock.now()
        if self.held or (self._warming is not None and not self._warming.done()):
            self._progress_s = now
        elif now < self._progress_s + limit:
            pass
        elif self._with_voice:
            fault = PartError("speak", f"nothing was heard of the voice for {limit:g} s", code="silent")
            self._voice_failed(fault, at_once=True)
            return
        elif self.failure is not None:
            self._give_up()
            return
        else:
            self._model_failed(PartError("think", f"the model said nothing for {limit:g} s", code="stalled"))
        self._arm()


def _as_part_error(error: Exception, part: str, name: str) -> PartError:
    """Return what a part raised as its failure; a user's own part may raise anything."""
    return error if isinstance(error, PartError) else PartError(part, f"{name} failed: {type(error).__name__}: {error}")

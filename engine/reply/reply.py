"""A reply under way: its model and its voice at work side by side, what stops them, and what goes wrong in them.

A reply that was stopped stays stopped: whatever arrives for it later is dropped here. All of it runs on the
discussion's loop; `silence` alone may be called from any thread.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from voicetui.engine.errors import PartError
from voicetui.engine.reply.observer import Outcome, ReplyObserver
from voicetui.engine.reply.speaking import Speaking
from voicetui.engine.reply.thinking import Thinking
from voicetui.engine.reply.watchdog import Watchdog, model_limit_s, voice_limit_s
from voicetui.engine.said import Said, heard_and_not

if TYPE_CHECKING:
    from collections.abc import Callable

    from voicetui.engine.policy import Policy
    from voicetui.engine.ports import Clock, Message, Report, Responder, Voice
    from voicetui.engine.speech_text import SpeechText


class Reply:
    """`start` it, `release` it when it may be heard, `stop` it at any moment."""

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
        self.stopped = False
        self.over = False
        """Whether nothing more comes of it by itself."""
        self.failure: PartError | None = None
        self.discarded_s: float | None = None
        self._voice, self._policy, self._observer = voice, policy, observer
        self._thinking = Thinking(number, responder, policy, clock, report, speech_text, self)
        self._speaking = Speaking(number, voice, self)
        self._watchdog = Watchdog(policy, clock, limit_s=self._limit_s, waits=self._waits, stuck=self._stuck)
        self._model_call: asyncio.Task[None] | None = None
        self._warming: asyncio.Future[list[None]] | None = None

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
        self._watchdog.moved_on()
        self._warming = warming if warming is not None and not warming.done() else None
        call = self._think(messages, frozenset(after))
        self._model_call = asyncio.create_task(call, name=f"reply-{self.number}-think")
        asyncio.get_running_loop().call_soon(self._set_off)  # the model first: whatever can wait until it is asked does

    async def _think(self, messages: list[Message], after: frozenset[asyncio.Task[None]]) -> None:
        if self._warming is not None:
            await asyncio.wait({self._warming})
        if after:
            await asyncio.wait(after, timeout=self._policy.settle_limit_s)
        self._watchdog.moved_on()
        await self._thinking.ask(messages)

    def _set_off(self) -> None:
        """Be ready for the model's first token, now that it is asked."""
        if self.stopped:
            return
        self._thinking.be_ready()
        self._speaking.start()
        self._watchdog.watch()

    def release(self) -> None:
        """Let the reply be heard from now on."""
        self._watchdog.moved_on()
        self._speaking.release()

    def hold(self) -> None:
        """Hand no further sentence to the voice until `release`."""
        self._speaking.hold()

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
        self._watchdog.end()
        if self._model_call is not None:
            self._model_call.cancel()
        self._speaking.drop()

    async def settle(self) -> None:
        """Wait until a stopped reply's parts have let go and said what was heard, within the policy's limit."""
        if pending := self.unfinished:
            await asyncio.wait(pending, timeout=self._policy.settle_limit_s)
        for task in self.unfinished:
            task.cancel()

    # -- what there is of it -----------------------------------------------------------------------------------------

    @property
    def said(self) -> list[Said]:
        """Return its pieces so far, and what became of them."""
        return self._thinking.said

    @property
    def first_token_s(self) -> float | None:
        """Return when the model's first visible text arrived."""
        return self._thinking.first_token_s

    @property
    def first_sentence_s(self) -> float | None:
        """Return when the first sentence was ready to be spoken."""
        return self._thinking.first_sentence_s

    @property
    def model_call(self) -> asyncio.Task[None] | None:
        """Return the task that asks the model."""
        return self._model_call

    @property
    def unfinished(self) -> list[asyncio.Task[None]]:
        """Return the tasks that are not gone yet, cancelled though they may be."""
        call = self._model_call
        return [*([] if call is None or call.done() else [call]), *self._speaking.unfinished]

    @property
    def with_voice(self) -> bool:
        """Return whether the voice has a sentence of this reply."""
        return self._speaking.with_voice

    def texts(self) -> tuple[str, str]:
        """Return the words that were heard and those that were not."""
        return heard_and_not(self.said, cut=self.stopped)

    @property
    def heard_s(self) -> float:
        """Return the seconds of this reply that were heard."""
        return sum(said.spoken.played_s for said in self.said if said.spoken is not None)

    # -- progress of the model and of the voice (ThinkingObserver, SpeakingObserver) ---------------------------------

    def moved_on(self) -> float:
        """Note a sign of life; return its moment."""
        return self._watchdog.moved_on()

    def text_began(self) -> None:
        """Pass on that the model's first visible text arrived."""
        self._observer.first_token(self)

    def text_gave(self, said: Said) -> None:
        """Pass a sentence on to the voice."""
        self._observer.sentence_ready(self, said.piece)
        self._speaking.add(said)

    def text_over(self) -> None:
        """Let the voice know that no more sentences come."""
        self._speaking.add_no_more()

    def voice_asked(self, said: Said) -> None:
        """Pass on that the voice is asked for a sentence."""
        self._observer.sentence_handed(self, said)

    def voice_done(self, said: Said) -> None:
        """Pass on that the voice gave a sentence back; with the last one the reply is over."""
        if not self.over:
            self._observer.sentence_over(self, said)
            self._perhaps_over()

    def all_handed(self) -> None:
        """End the reply if the voice gave everything back."""
        self._perhaps_over()

    def _perhaps_over(self) -> None:
        if self.stopped or self.over or not self._speaking.over:
            return
        self.over = True
        self._watchdog.end()
        self._speaking.cancel()  # what hangs; a model that only closes its stream is left to it
        if self.failure is not None:
            self._observer.reply_over(self, Outcome.FAILED)
        else:
            self._observer.reply_over(self, Outcome.SPOKEN if self.said else Outcome.EMPTY)

    # -- what goes wrong ---------------------------------------------------------------------------------------------

    def model_failed(self, error: PartError) -> None:
        """Report a failure of the model: what is complete is still spoken."""
        if self.stopped or self.over:
            return
        self._failed(error)
        self._speaking.add_no_more()

    def voice_failed(self, error: PartError, *, at_once: bool) -> None:
        """Report a failure of the voice: no further sentence is spoken.

        What it has is heard to its end, unless it hangs or a sentence is missing in between: then it is silenced, and
        the reply ends when the voice gives its sentences back, or after a limit.
        """
        if self.stopped or self.over:
            return
        self._failed(error)
        self._speaking.lose()
        if at_once:
            self._voice.stop()
            self._watchdog.wait_for(self._policy.settle_limit_s, self._give_up)

    def _failed(self, error: PartError) -> None:
        """Keep the first failure and show the first of each part."""
        known, self.failure = self.failure, self.failure or error
        if known is None or (known.part != error.part and not self._speaking.lost):
            self._observer.reply_failed(self, error)
        if self._model_call is not None and self._model_call is not asyncio.current_task():
            self._model_call.cancel()

    def _give_up(self) -> None:
        """End the reply without what the voice still holds."""
        self._speaking.give_up()
        self._perhaps_over()

    def _limit_s(self) -> float:
        """Return how long nothing may move on before this reply counts as stuck."""
        if self.with_voice:
            return voice_limit_s(self._policy, max(len(said.piece.spoken.split()) for said in self.said))
        return model_limit_s(self._policy, begun=self.first_token_s is not None)

    def _waits(self) -> bool:
        """Return whether the reply waits for none of its parts: it is held back, or they are still warming up."""
        return self._speaking.held or (self._warming is not None and not self._warming.done())

    def _stuck(self, limit_s: float) -> bool:
        """Give up the part that hangs; return whether the other one is still to be watched."""
        if self.with_voice:
            fault = PartError("speak", f"nothing was heard of the voice for {limit_s:g} s", code="silent")
            self.voice_failed(fault, at_once=True)
            return False
        if self.failure is not None:
            self._give_up()
            return False
        self.model_failed(PartError("think", f"the model said nothing for {limit_s:g} s", code="stalled"))
        return True

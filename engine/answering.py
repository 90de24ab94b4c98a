"""The agent's side of a discussion: one reply at a time, from a user's turn to what was heard of the answer.

Runs on the discussion's loop.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from voicetui.engine import events as ev
from voicetui.engine.again import Again
from voicetui.engine.audible import Audible
from voicetui.engine.conversation import AGENT, Conversation, Dialogue, add_user
from voicetui.engine.floor import Cause, next_floor
from voicetui.engine.guarded import GuardedVoice
from voicetui.engine.policy import History
from voicetui.engine.progress import Progress
from voicetui.engine.record import Exchange, Record, UserTurn
from voicetui.engine.reply import Outcome, Replies, Reply
from voicetui.engine.settling import Settling
from voicetui.engine.timing import BargeIn, Mark, Timing
from voicetui.engine.yielding import GivingWay

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from voicetui.engine.journal import Journal
    from voicetui.engine.policy import Policy
    from voicetui.engine.ports import Clock, Responder, Voice
    from voicetui.engine.speech_text import SpeechText


class Answering:
    """Holds the exchange under way, and the turns that wait."""

    def __init__(
        self,
        responder: Responder,
        voice: Voice,
        policy: Policy,
        clock: Clock,
        journal: Journal,
        speech_text: Callable[[], SpeechText],
    ) -> None:
        self.when_listening: Callable[[], None] = lambda: None
        self.when_thinking: Callable[[], None] = lambda: None
        self.audible = Audible(exact=bool(getattr(voice, "reports_audio", False)))
        self._record = Record(journal, Dialogue(generated=policy.history is History.GENERATED))
        self._progress = progress = Progress(
            self._record,
            journal,
            clock,
            self.audible,
            first_audio=partial(self.pass_floor, Cause.FIRST_AUDIO),
            over=self._reply_over,
        )
        guarded = GuardedVoice(voice, progress.voice_broke)
        self._replies = Replies(responder, guarded, policy, clock, progress, progress.report, speech_text)
        self._way = GivingWay(guarded, policy, journal)
        self._settling = Settling(self._record, self._settled)
        self._waiting: list[UserTurn] = []
        self._withdrawn: UserTurn | None = None
        """The turn whose reply was dropped because the user went on, until they said what they went on with."""
        self._closed = False
        self._exchanges = 0
        self._clock, self._journal = clock, journal

    # -- the floor ---------------------------------------------------------------------------------------------------

    @property
    def conversation(self) -> Conversation:
        """Return the conversation so far."""
        return self._record.conversation

    @property
    def floor(self) -> ev.Floor:
        """Return who holds the floor."""
        return self.conversation.floor

    @property
    def exchange(self) -> Exchange | None:
        """Return the exchange under way."""
        return self._progress.exchange

    @property
    def reply(self) -> Reply | None:
        """Return the reply under way."""
        exchange = self.exchange
        return None if exchange is None else exchange.reply

    @property
    def at_rest(self) -> bool:
        """Return whether nothing is under way, settling or waiting."""
        return self.exchange is None and self._settling.last is None and not self._waiting

    @property
    def owes_answer(self) -> bool:
        """Return whether a turn was withdrawn because the user went on, and they have not said with what yet."""
        return self._withdrawn is not None

    def pass_floor(self, cause: Cause) -> None:
        """Pass the floor and say so; `when_listening` and `when_thinking` are told."""
        self.conversation.floor = next_floor(self.floor, cause)
        self._journal.add(ev.FloorPassed(floor=self.floor, cause=cause))
        if self.floor is ev.Floor.LISTENING:
            self.when_listening()
            self._replies.make_next()
        elif self.floor is ev.Floor.THINKING:
            self.when_thinking()

    # -- turns in ----------------------------------------------------------------------------------------------------

    def wait_for(self, warming: asyncio.Future[list[None]]) -> None:
        """Let the first reply wait for the start of model and voice."""
        self._replies.warming = warming

    def prepare(self, turn_index: int, text: str) -> None:
        """Start a reply to a turn that is probably over."""
        if self._replies.is_prepared(turn_index, text):
            return
        self.drop_prepared()
        if self._settling.last is None:
            messages = self._record.dialogue.messages()
            add_user(messages, text)
            self._replies.prepare(turn_index, text, messages)

    def drop_prepared(self) -> None:
        """Throw away what was prepared: the user went on, or said something else."""
        self._replies.drop_prepared()

    def answer(self, turn: UserTurn) -> None:
        """Answer a turn now, or after the reply under way if there is one."""
        if self._closed or self.exchange is not None or self.floor is not ev.Floor.LISTENING:
            self._waiting.append(turn)
        else:
            self._answer(turn)

    def _answer(self, turn: UserTurn, *, again: bool = False) -> None:
        self._withdrawn = None
        reply, ready = self._replies.take(turn.turn_index, turn.text)
        self._exchanges += 1
        self._progress.exchange = exchange = Exchange(turn, reply, Timing(self._exchanges))
        self._record.heard_from_user(exchange, turn.marks, self._clock.now())
        earlier = self._settling.last  # passing the floor may withdraw this exchange at once
        self.pass_floor(Cause.COMMITTED)
        self._settling.after(earlier, lambda: self._begin(exchange, ready=ready, again=again))

    def next_waiting(self) -> bool:
        """Take up the oldest turn that waits for its answer; return whether there was one."""
        if not self._waiting or self.exchange is not None or self._closed:
            return False
        self.answer(self._waiting.pop(0))
        return True

    def answer_after_all(self) -> bool:
        """Answer the turn that the user seemed to go on with but did not; return whether there was one."""
        turn = self._withdrawn
        if turn is None or self.floor is not ev.Floor.LISTENING or self._closed:
            return False
        self._answer(turn, again=True)
        return True

    def repeat(self) -> bool:
        """Say the agent's last turn again, all of it, without asking the model; return False where that cannot be."""
        said = next((turn for turn in reversed(self.conversation.utterances) if turn.speaker == AGENT), None)
        free = self.at_rest and self.floor is ev.Floor.LISTENING and not self._closed
        if said is None or not free or self.owes_answer:
            return False
        self.drop_prepared()
        self._replies.make_next(Again(f"{said.text} {said.unheard_text}".strip()))
        self._answer(UserTurn(""), again=True)
        return True

    def _begin(self, exchange: Exchange, *, ready: bool, again: bool) -> None:
        """Record the turn, if it is not yet, and let its reply be heard, unless it was cut meanwhile."""
        reply = exchange.reply
        if not again:
            self._record.user_turn(exchange.turn.text)
        if reply.stopped:
            return
        if ready:
            self._record.mark(exchange, Mark.FIRST_TOKEN, reply.first_token_s)
            for said in reply.said:
                self._progress.sentence_ready(reply, said.piece)
        else:
            self._replies.start(reply, self._record.dialogue.messages())
        if self._way.mode is None:
            reply.release()

    def _reply_over(self, exchange: Exchange, outcome: Outcome) -> None:
        """Record the answer and give the floor back."""
        self._replies.let_go(exchange.reply)
        self._way.over("resumed")
        if outcome is Outcome.EMPTY:
            self._journal.add(ev.PartFailed(part="think", message="the model's reply was empty", recovered=True))
        self._record.measured(exchange)
        self._record.agent_turn(exchange.reply)
        if outcome is Outcome.FAILED:
            self.pass_floor(Cause.FAILED)
        else:
            self.pass_floor(Cause.REPLY_SPOKEN if self.floor is ev.Floor.SPEAKING else Cause.REPLY_EMPTY)

    # -- giving way and being cut ------------------------------------------------------------------------------------

    def give_way(self) -> bool:
        """Fall silent or lower the voice until it is decided; return False where this voice can do neither."""
        return self.reply is None or self._way.begin(self.reply, audible=self.floor is ev.Floor.SPEAKING)

    def carry_on(self) -> None:
        """Speak on as if nothing had been."""
        if self.reply is not None and self._way.mode is not None:
            self._way.over("resumed")
            self.reply.release()

    def cut(self, source: ev.Source, *, onset_s: float | None, detected_s: float | None) -> bool:
        """Stop the reply under way; return whether there was one."""
        exchange, silent_s = self._stop()
        if exchange is None:
            return False
        since = self._journal.since
        barge = BargeIn(since(onset_s), since(detected_s), since(silent_s), exchange.reply.discarded_s)
        exchange.timing.interrupted = True
        if exchange.audible_since_s is not None:
            exchange.timing.barge_in = barge
        self._journal.add(ev.Stop(source=source, discarded_s=barge.discarded_s, silent_ms=barge.stop_ms))
        self._settling.settle(exchange)
        self.pass_floor(Cause.INTERRUPTED)
        return True

    def withdraw(self) -> None:
        """Drop a reply of which nothing was heard, because the user goes on: their next words join this turn."""
        exchange, _ = self._stop()
        if exchange is not None:
            self._settling.settle(exchange, withdrawn=True)
            self.pass_floor(Cause.USER_RESUMED)
            if self.exchange is None and exchange.turn.text:
                self._withdrawn = exchange.turn

    def _stop(self) -> tuple[Exchange | None, float | None]:
        """Silence the reply under way and cancel it; return its exchange and when it is silent."""
        exchange, self._progress.exchange = self._progress.exchange, None
        if exchange is None:
            return None, None
        self.drop_prepared()
        self._way.over("taken")
        exchange.reply.stop()
        self._replies.let_go(exchange.reply)
        silent_s = self._way.silent_since()
        if exchange.audible_since_s is None:
            return exchange, None
        self.audible.last_s = self._clock.now()
        return exchange, silent_s

    def _settled(self) -> None:
        """Go on, now that a cut exchange is written down."""
        self.when_listening()

    # -- the end -----------------------------------------------------------------------------------------------------

    def close(self) -> None:
        """Begin no reply any more."""
        self._closed = True
        self.drop_prepared()

    async def settled(self) -> None:
        """Wait until every cut reply is recorded."""
        await self._settling.over()

    def write_waiting(self) -> None:
        """Write down the turns that wait in vain: the conversation ends."""
        for turn in self._waiting:
            self._record.user_turn(turn.text)
        self._waiting.clear()

    async def gone(self, limit_s: float) -> None:
        """Wait until nothing of any reply is left, within a limit."""
        await self._replies.gone(limit_s)

"""The agent's side of a discussion: one reply at a time, from a user's turn to what was heard of the answer.

Runs on the discussion's loop; `report` alone may be called from any thread.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from voicetui.engine import events as ev
from voicetui.engine.again import Again
from voicetui.engine.conversation import AGENT, Conversation, Dialogue, add_user
from voicetui.engine.floor import Cause, next_floor
from voicetui.engine.guarded import GuardedVoice
from voicetui.engine.policy import History
from voicetui.engine.record import Exchange, Record, UserTurn
from voicetui.engine.reply import Outcome, Reply
from voicetui.engine.timing import BargeIn, Mark, Timing
from voicetui.engine.words import same_words, words_of
from voicetui.engine.yielding import GivingWay

if TYPE_CHECKING:
    from collections.abc import Callable

    from voicetui.engine.errors import PartError
    from voicetui.engine.journal import Journal
    from voicetui.engine.policy import Policy
    from voicetui.engine.ports import Clock, Responder, Sentence, Voice
    from voicetui.engine.said import Said
    from voicetui.engine.speech_text import Piece, SpeechText


AUDIBLE_KEPT = 16
"""No echo holds more sentences."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A reply to a turn that is probably over: nothing of it is heard or recorded before the turn is."""

    turn_index: int
    text: str
    reply: Reply

    def answers(self, turn_index: int, text: str) -> bool:
        """Tell whether this is the reply to just that turn, and good."""
        good = not self.reply.over and self.reply.failure is None
        return good and self.turn_index == turn_index and same_words(self.text, text)


class Answering:
    """Holds the exchange under way, the reply prepared for the next one, and the turns that wait."""

    def __init__(
        self,
        responder: Responder,
        voice: Voice,
        policy: Policy,
        clock: Clock,
        journal: Journal,
        speech_text: Callable[[], SpeechText],
    ) -> None:
        self.exchange: Exchange | None = None
        self.last_audible_s: float | None = None
        self._audible: deque[tuple[float, list[str]]] = deque(maxlen=AUDIBLE_KEPT)
        """When the last sentences became audible, of whatever reply, and their words: what the microphone may echo."""
        self.when_listening: Callable[[], None] = lambda: None
        self.when_thinking: Callable[[], None] = lambda: None
        self.warming: asyncio.Future[list[None]] | None = None
        """The start of model and voice, which the first reply waits for."""
        self._record = Record(journal, Dialogue(generated=policy.history is History.GENERATED))
        guarded = GuardedVoice(voice, self._voice_broke)
        self._way = GivingWay(guarded, policy, journal)
        self._prepared: Prepared | None = None
        self._next_reply: Reply | None = None
        """Made while the user has the floor, so that no time goes into it when a turn is over."""
        self._waiting: list[UserTurn] = []
        self._withdrawn: UserTurn | None = None
        """The turn whose reply was dropped because the user went on, until they said what they went on with."""
        self._left: set[asyncio.Task[None]] = set()
        """What is cancelled, or over, but not gone yet."""
        self._closed = False
        self._leaving: set[asyncio.Task[None]] = set()
        self._replies = 0
        self._exchanges = 0
        self._settling: asyncio.Task[None] | None = None
        self._then: dict[asyncio.Task[None], Callable[[], None]] = {}
        """What begins when a cut reply is recorded, in the same step: so turns stay in order."""
        self._responder, self._voice, self._policy = responder, guarded, policy
        self._clock, self._journal, self._speech_text = clock, journal, speech_text
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()
        self._voice_reports = bool(getattr(voice, "reports_audio", False))

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
    def reply(self) -> Reply | None:
        """Return the reply under way."""
        exchange = self.exchange
        return None if exchange is None else exchange.reply

    @property
    def at_rest(self) -> bool:
        """Return whether nothing is under way, settling or waiting."""
        return self.exchange is None and self._settling is None and not self._waiting

    @property
    def owes_answer(self) -> bool:
        """Return whether a turn was withdrawn because the user went on, and they have not said with what yet."""
        return self._withdrawn is not None

    def speech_since(self, moment_s: float) -> list[list[str]]:
        """Return the words of each sentence audible at a moment and since; of one that does not report, the last."""
        since: list[list[str]] = []
        for began_s, words in reversed(self._audible):
            since.insert(0, words)
            if self._voice_reports and began_s <= moment_s:
                break
        return since

    def pass_floor(self, cause: Cause) -> None:
        """Pass the floor and say so; `when_listening` and `when_thinking` are told."""
        self.conversation.floor = next_floor(self.floor, cause)
        self._journal.add(ev.FloorPassed(floor=self.floor, cause=cause))
        if self.floor is ev.Floor.LISTENING:
            self.when_listening()
            self._next_reply = self._next_reply or self._make_reply()
        elif self.floor is ev.Floor.THINKING:
            self.when_thinking()

    # -- turns in ----------------------------------------------------------------------------------------------------

    def prepare(self, turn_index: int, text: str) -> None:
        """Start a reply to a turn that is probably over."""
        if self._prepared is not None and self._prepared.answers(turn_index, text):
            return
        self.drop_prepared()
        if self._settling is not None:
            return
        messages = self._record.dialogue.messages()
        add_user(messages, text)
        reply = self._new_reply()
        self._prepared = Prepared(turn_index, text, reply)
        reply.start(messages, after=self._leaving, warming=self.warming)

    def drop_prepared(self) -> None:
        """Throw away what was prepared: the user went on, or said something else."""
        prepared, self._prepared = self._prepared, None
        if prepared is not None:
            prepared.reply.drop()
            self._let_go(prepared.reply)

    def answer(self, turn: UserTurn) -> None:
        """Answer a turn now, or after the reply under way if there is one."""
        if self._closed or self.exchange is not None or self.floor is not ev.Floor.LISTENING:
            self._waiting.append(turn)
        else:
            self._answer(turn)

    def _answer(self, turn: UserTurn, *, again: bool = False) -> None:
        self._withdrawn = None
        ready = self._prepared is not None and self._prepared.answers(turn.turn_index, turn.text)
        if ready and self._prepared is not None:
            reply, self._prepared = self._prepared.reply, None
        else:
            self.drop_prepared()
            reply = self._new_reply()
        self._exchanges += 1
        self.exchange = exchange = Exchange(turn, reply, Timing(self._exchanges))
        self._record.heard_from_user(exchange, turn.marks, self._clock.now())
        earlier = self._settling  # passing the floor may withdraw this exchange at once
        self.pass_floor(Cause.COMMITTED)
        if earlier is None:
            self._begin(exchange, ready=ready, again=again)
        else:
            self._then[earlier] = lambda: self._begin(exchange, ready=ready, again=again)

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
        self._next_reply = self._make_reply(Again(f"{said.text} {said.unheard_text}".strip()))
        self._answer(UserTurn(""), again=True)
        return True

    def close(self) -> None:
        """Begin no reply any more."""
        self._closed = True
        self.drop_prepared()

    def write_waiting(self) -> None:
        """Write down the turns that wait in vain: the conversation ends."""
        for turn in self._waiting:
            self._record.user_turn(turn.text)
        self._waiting.clear()

    async def gone(self, limit_s: float) -> None:
        """Wait until nothing of any reply is left, within a limit."""
        if self._left:
            await asyncio.wait(self._left, timeout=limit_s)

    def _new_reply(self) -> Reply:
        reply, self._next_reply = self._next_reply or self._make_reply(), None
        return reply

    def _make_reply(self, responder: Responder | None = None) -> Reply:
        self._replies += 1
        return Reply(
            self._replies,
            responder or self._responder,
            self._voice,
            self._policy,
            self._clock,
            self,
            self.report,
            self._speech_text,
        )

    def _let_go(self, reply: Reply) -> None:
        """Keep in mind what is not gone yet; for a model call the next one waits, within the policy's limit."""
        for task in reply.unfinished:
            self._left.add(task)
            task.add_done_callback(self._left.discard)
        if (call := reply.model_call) is not None and not call.done():
            self._leaving.add(call)
            call.add_done_callback(self._leaving.discard)

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
                self.sentence_ready(reply, said.piece)
        else:
            reply.start(self._record.dialogue.messages(), after=self._leaving, warming=self.warming)
        if self._way.mode is None:
            reply.release()

    # -- progress of the reply (ReplyObserver) -----------------------------------------------------------------------

    def first_token(self, reply: Reply) -> None:
        """Mark the model's first visible text."""
        if self.exchange is not None and self.exchange.reply is reply:
            self._record.mark(self.exchange, Mark.FIRST_TOKEN, reply.first_token_s)

    def sentence_ready(self, reply: Reply, piece: Piece) -> None:
        """Say that a sentence is ready."""
        if self.exchange is not None and self.exchange.reply is reply and piece.spoken:
            self._record.mark(self.exchange, Mark.FIRST_SENTENCE, reply.first_sentence_s)
            self._journal.add(ev.ReplySentence(exchange=self.exchange.number, text=piece.shown))

    def sentence_handed(self, reply: Reply, said: Said) -> None:
        """Take a sentence for audible that a voice without reports of its own has got."""
        if not self._voice_reports and said.sentence is not None and self.reply is reply:
            self._reported(said.sentence, "audible", self._clock.now())

    def report(self, sentence: Sentence, what: str, at_s: float | None) -> None:
        """Take the voice's word on a sentence, from any thread."""
        at = self._clock.now() if at_s is None else at_s
        if threading.get_ident() == self._thread:
            self._reported(sentence, what, at)
        else:
            self._loop.call_soon_threadsafe(self._reported, sentence, what, at)

    def _reported(self, sentence: Sentence, what: str, at_s: float) -> None:
        exchange = self.exchange
        if exchange is None or exchange.reply.number != sentence.reply or exchange.reply.stopped:
            return
        exchange.reply.moved_on()
        if what == "pcm":
            self._record.mark(exchange, Mark.FIRST_PCM, at_s)
            return
        said = exchange.reply.said[sentence.number]
        if said.audible_s is not None:
            return
        said.audible_s = at_s
        self._audible.append((at_s, words_of(said.piece.spoken)))
        if exchange.audible_since_s is None:
            exchange.audible_since_s = at_s
            self.pass_floor(Cause.FIRST_AUDIO)
        self._journal.add(ev.Speaking(exchange=exchange.number, sentence=sentence.number, text=said.piece.shown))
        if self._voice_reports and self._record.mark(exchange, Mark.FIRST_AUDIBLE, at_s):
            self._record.measured(exchange)

    def sentence_over(self, reply: Reply, said: Said) -> None:
        """Say what was heard of a sentence."""
        self.last_audible_s = self._clock.now()
        if self.exchange is not None and self.exchange.reply is reply and not reply.stopped:
            self._record.sentence_over(self.exchange, said)

    def _voice_broke(self, error: PartError) -> None:
        """Show that a plain method of the voice raised, in whatever thread."""
        failed = ev.PartFailed(part=error.part, message=error.message, fix=error.fix)
        if threading.get_ident() == self._thread:
            self._journal.add(failed)
        else:
            self._loop.call_soon_threadsafe(self._journal.add, failed)

    def reply_failed(self, reply: Reply, error: PartError) -> None:
        """Show a part's failure; a reply that was only prepared is asked for again instead."""
        if self.reply is reply:
            self._journal.add(ev.PartFailed(part=error.part, message=error.message, fix=error.fix))

    def reply_over(self, reply: Reply, outcome: Outcome) -> None:
        """Record the answer and give the floor back."""
        exchange = self.exchange
        if exchange is None or exchange.reply is not reply:
            return
        self.exchange = None
        self._let_go(reply)
        self._way.over("resumed")
        if outcome is Outcome.EMPTY:
            self._journal.add(ev.PartFailed(part="think", message="the model's reply was empty", recovered=True))
        self._record.measured(exchange)
        self._record.agent_turn(reply)
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
        self._settle(exchange)
        self.pass_floor(Cause.INTERRUPTED)
        return True

    def withdraw(self) -> None:
        """Drop a reply of which nothing was heard, because the user goes on: their next words join this turn."""
        exchange, _ = self._stop()
        if exchange is not None:
            self._settle(exchange, withdrawn=True)
            self.pass_floor(Cause.USER_RESUMED)
            if self.exchange is None and exchange.turn.text:
                self._withdrawn = exchange.turn

    def _stop(self) -> tuple[Exchange | None, float | None]:
        """Silence the reply under way and cancel it; return its exchange and when it is silent."""
        exchange, self.exchange = self.exchange, None
        if exchange is None:
            return None, None
        self.drop_prepared()
        self._way.over("taken")
        exchange.reply.stop()
        self._let_go(exchange.reply)
        silent_s = self._way.silent_since()
        if exchange.audible_since_s is None:
            return exchange, None
        self.last_audible_s = self._clock.now()
        return exchange, silent_s

    def _settle(self, exchange: Exchange, *, withdrawn: bool = False) -> None:
        """Record a cut reply once its parts have let go, after those cut before it."""
        earlier = self._settling

        async def settle() -> None:
            if earlier is not None:
                await asyncio.wait({earlier})
            await exchange.reply.settle()
            if not withdrawn:
                for said in exchange.reply.said:
                    self._record.sentence_over(exchange, said)
                self._record.measured(exchange)
            self._record.agent_turn(exchange.reply)
            here = asyncio.current_task()
            if here is not None and (begin := self._then.pop(here, None)) is not None:
                begin()
            if self._settling is here:
                self._settling = None
            self._loop.call_soon(self.when_listening)

        self._settling = asyncio.create_task(settle(), name=f"exchange-{exchange.number}-settle")

    async def settled(self) -> None:
        """Wait until every cut reply is recorded."""
        if self._settling is not None:
            await asyncio.wait({self._settling})

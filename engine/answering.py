"""The agent's side of a discussion: one reply at a time, from a user's turn to what was heard of the answer.

Runs on the discussion's loop; `silence` alone may come from any thread.
"""

from __future__ import annotations

import asyncio
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from voicetui.engine import events as ev
from voicetui.engine.conversation import AGENT, USER, Conversation, Utterance, add_user
from voicetui.engine.floor import Cause, next_floor
from voicetui.engine.policy import History, OnSpeech
from voicetui.engine.ports import Sentence, optional
from voicetui.engine.reply import Outcome, Reply, Said
from voicetui.engine.timing import BargeIn, Mark, Timing
from voicetui.engine.words import same_words

if TYPE_CHECKING:
    from collections.abc import Callable

    from voicetui.engine.errors import PartError
    from voicetui.engine.journal import Journal
    from voicetui.engine.policy import Policy
    from voicetui.engine.ports import Clock, Message, Responder, Voice
    from voicetui.engine.speech_text import Piece


@dataclass(frozen=True, slots=True)
class UserTurn:
    """A completed turn with words, to be answered."""

    text: str
    turn_index: int = -1
    marks: ev.HearingMarks | None = None
    """None where nothing was measured, as of a typed turn: its latency counts from here."""


class Answering:
    """Holds the reply with the floor, the one prepared for a turn that is probably over, and the turns that wait."""

    def __init__(self, responder: Responder, voice: Voice, policy: Policy, clock: Clock, journal: Journal) -> None:
        self.conversation = Conversation()
        self.reply: Reply | None = None
        self.yielding: OnSpeech | None = None
        self.audible_since_s: float | None = None
        """When the reply under way was first heard."""
        self.last_audible_s: float | None = None
        self.recent_speech = ""
        """The words of the last reply that became audible: what the microphone may echo."""
        self.when_listening: Callable[[], None] = lambda: None
        self.when_thinking: Callable[[], None] = lambda: None
        self._prepared: tuple[int, str, Reply] | None = None
        self._waiting: list[UserTurn] = []
        self._leaving: set[asyncio.Task[None]] = set()
        self._timing = Timing(0)
        self._replies = 0
        self._exchanges = 0
        self._settling: asyncio.Task[None] | None = None
        self._silent_s: float | None = None
        self._responder, self._voice, self._policy = responder, voice, policy
        self._clock, self._journal = clock, journal
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()

    # -- the floor ---------------------------------------------------------------------------------------------------

    @property
    def floor(self) -> ev.Floor:
        """Return who holds the floor."""
        return self.conversation.floor

    def pass_floor(self, cause: Cause) -> None:
        """Pass the floor and say so; `when_listening` and `when_thinking` are told."""
        self.conversation.floor = next_floor(self.floor, cause)
        self._journal.add(ev.FloorPassed(floor=self.floor, cause=cause))
        if self.floor is ev.Floor.LISTENING:
            self.when_listening()
        elif self.floor is ev.Floor.THINKING:
            self.when_thinking()

    # -- turns in ----------------------------------------------------------------------------------------------------

    def prepare(self, turn_index: int, text: str) -> None:
        """Start a reply to a turn that is probably over; nothing of it is heard or recorded before `answer`."""
        if self._prepared is not None and self._prepared[0] == turn_index and same_words(self._prepared[1], text):
            return
        self.drop_prepared()
        if self._settling is not None:
            return
        reply = self._new_reply()
        messages = self._messages()
        add_user(messages, text)
        self._prepared = (turn_index, text, reply)
        reply.start(messages, after=self._leaving)

    def drop_prepared(self) -> None:
        """Throw away what was prepared: the user went on, or said something else."""
        if self._prepared is not None:
            self._prepared[2].drop()
            self._let_go(self._prepared[2])
            self._prepared = None

    def _let_go(self, reply: Reply) -> None:
        """Keep a cancelled model call in mind until it is gone: the next one waits for it, within the policy's limit."""
        if (call := reply.model_call) is not None and not call.done():
            self._leaving.add(call)
            call.add_done_callback(self._leaving.discard)

    def answer(self, turn: UserTurn) -> None:
        """Answer a turn now, or after the reply under way if there is one."""
        if self.reply is not None or self.floor is not ev.Floor.LISTENING:
            self._waiting.append(turn)
            return
        self._exchanges += 1
        self._timing = Timing(self._exchanges)
        marks = turn.marks or ev.HearingMarks()
        if marks == ev.HearingMarks():
            marks = ev.HearingMarks(final_text=self._clock.now())
        for mark in (Mark.LAST_VOICE, Mark.DECIDED, Mark.FINAL_TEXT):
            self._timing.mark(mark, self._journal.since(getattr(marks, mark)))
        self.audible_since_s, self.recent_speech = None, ""
        prepared, self._prepared = self._prepared, None
        reply = self._matching(prepared, turn) or self._new_reply()
        ready = prepared is not None and reply is prepared[2]
        if not ready:
            self._prepared = prepared
            self.drop_prepared()
        self.reply = reply
        self.pass_floor(Cause.COMMITTED)
        if self._settling is None:
            self._begin(reply, turn, ready=ready)
        else:
            self._settling.add_done_callback(lambda _: self._begin(reply, turn, ready=False))

    def next_waiting(self) -> bool:
        """Take up the oldest turn that waits for its answer; return whether there was one."""
        if not self._waiting or self.reply is not None:
            return False
        self.answer(self._waiting.pop(0))
        return True

    def drop_waiting(self) -> None:
        """Forget the turns that wait: the conversation ends."""
        self._waiting.clear()

    @property
    def at_rest(self) -> bool:
        """Return whether nothing is under way, prepared, settling or waiting."""
        return self.reply is None and self._settling is None and not self._waiting

    @staticmethod
    def _matching(prepared: tuple[int, str, Reply] | None, turn: UserTurn) -> Reply | None:
        """Return the prepared reply if it answers just this turn and is good."""
        if prepared is None or prepared[2].over:
            return None
        same = prepared[0] == turn.turn_index and same_words(prepared[1], turn.text)
        return prepared[2] if same else None

    def _new_reply(self) -> Reply:
        self._replies += 1
        return Reply(self._replies, self._responder, self._voice, self._policy, self._clock, self, self.report)

    def _messages(self) -> list[Message]:
        return self.conversation.as_messages(generated=self._policy.history is History.GENERATED)

    def _begin(self, reply: Reply, turn: UserTurn, *, ready: bool) -> None:
        self._record(Utterance(USER, turn.text), turn.text)
        if reply.stopped:
            return
        if ready:
            self._mark(Mark.FIRST_TOKEN, reply.first_token_s)
            self._mark(Mark.FIRST_SENTENCE, reply.first_sentence_s)
            for said in reply.said:
                if said.sentence is not None:
                    self._journal.add(ev.ReplySentence(exchange=self._exchanges, text=said.piece.shown))
        else:
            reply.start(self._messages(), after=self._leaving)
        if self.yielding is None:
            reply.release()

    # -- progress of the reply (ReplyObserver) -----------------------------------------------------------------------

    def first_token(self, reply: Reply) -> None:
        """Mark the model's first visible text."""
        if reply is self.reply:
            self._mark(Mark.FIRST_TOKEN, reply.first_token_s)

    def sentence_ready(self, reply: Reply, piece: Piece) -> None:
        """Say that a sentence is ready."""
        if reply is self.reply:
            self._mark(Mark.FIRST_SENTENCE, reply.first_sentence_s)
            self._journal.add(ev.ReplySentence(exchange=self._exchanges, text=piece.shown))

    def report(self, sentence: Sentence, what: str, at_s: float | None) -> None:
        """Take the voice's word on a sentence, from any thread."""
        at = self._clock.now() if at_s is None else at_s
        if threading.get_ident() == self._thread:
            self._reported(sentence, what, at)
        else:
            self._loop.call_soon_threadsafe(self._reported, sentence, what, at)

    def _reported(self, sentence: Sentence, what: str, at_s: float) -> None:
        reply = self.reply
        if reply is None or reply.number != sentence.reply:
            return
        reply.moved_on()
        if what == "pcm":
            self._mark(Mark.FIRST_PCM, at_s)
            return
        said = reply.said[sentence.number]
        if said.audible_s is not None or reply.stopped:
            return
        said.audible_s = at_s
        self._became_audible(said, at_s)

    def _became_audible(self, said: Said, at_s: float) -> None:
        assert said.sentence is not None
        self.recent_speech = f"{self.recent_speech} {said.piece.spoken}".strip()
        if self.audible_since_s is None:
            self.audible_since_s = at_s
            self.pass_floor(Cause.FIRST_AUDIO)
        self._journal.add(ev.Speaking(exchange=self._exchanges, sentence=said.sentence.number, text=said.piece.shown))
        if self._mark(Mark.FIRST_AUDIBLE, at_s if getattr(self._voice, "reports_audio", False) else None):
            self._measured()

    def sentence_handed(self, reply: Reply, said: Said) -> None:
        """Take a sentence for audible that a voice without reports of its own has got."""
        if reply is self.reply and not getattr(self._voice, "reports_audio", False) and said.sentence is not None:
            self._reported(said.sentence, "audible", self._clock.now())

    def sentence_over(self, said: Said) -> None:
        """Say what was heard of a sentence."""
        if said.spoken is None or said.sentence is None or (said.audible_s is None and not said.spoken.played_s):
            return
        self.last_audible_s = self._clock.now()
        self._journal.add(
            ev.SentenceSpoken(
                exchange=self._exchanges,
                sentence=said.sentence.number,
                text=said.piece.shown,
                heard_text=said.heard_text,
                played_s=said.spoken.played_s,
                cut=said.spoken.cut,
            )
        )

    def reply_failed(self, reply: Reply, error: PartError) -> None:
        """Show a part's failure; one in a reply that was only prepared shows when the turn is answered."""
        if reply is self.reply:
            self._journal.add(ev.PartFailed(part=error.part, message=error.message, fix=error.fix))

    def reply_over(self, reply: Reply, outcome: Outcome) -> None:
        """Record the answer and give the floor back."""
        if reply is not self.reply:
            return
        self.reply = None
        self._carry_on_quietly()
        if outcome is Outcome.EMPTY:
            self._journal.add(ev.PartFailed(part="think", message="the model's reply was empty", recovered=True))
        self._close_exchange(reply)
        if outcome is Outcome.FAILED:
            self.pass_floor(Cause.FAILED)
        else:
            spoke = self.floor is ev.Floor.SPEAKING
            self.pass_floor(Cause.REPLY_SPOKEN if spoke else Cause.REPLY_EMPTY)

    # -- giving way and being cut ------------------------------------------------------------------------------------

    def give_way(self) -> bool:
        """Fall silent or lower the voice until it is decided; return False where this voice can do neither."""
        reply = self.reply
        if reply is None or self.yielding is not None:
            return True
        duck = self._policy.on_speech is OnSpeech.DUCK and self.floor is ev.Floor.SPEAKING
        act = optional(self._voice, "duck" if duck else "pause")
        if act is None and self.floor is ev.Floor.SPEAKING:
            return False
        self.yielding = OnSpeech.DUCK if duck else OnSpeech.PAUSE
        if not duck:
            reply.hold()
        if act is not None:
            act(*([True] if duck else []))
        if not duck:
            self._silent_s = self._silent_at()
        if self.floor is ev.Floor.SPEAKING:
            self._journal.add(ev.Yielding(mode=self.yielding))
        return True

    def carry_on(self) -> None:
        """Speak on as if nothing had been."""
        mode, reply = self.yielding, self.reply
        if mode is None or reply is None:
            return
        self._carry_on_quietly()
        reply.release()
        if self.floor is ev.Floor.SPEAKING:
            self._journal.add(ev.YieldOver(mode=mode, outcome="resumed"))

    def _carry_on_quietly(self) -> None:
        mode, self.yielding, self._silent_s = self.yielding, None, None
        if mode is OnSpeech.DUCK:
            optional(self._voice, "duck")(False)
        elif mode is OnSpeech.PAUSE and (unpause := optional(self._voice, "unpause")) is not None:
            unpause()

    def cut(self, source: ev.Source, *, onset_s: float | None, detected_s: float | None, resumed: bool = False) -> bool:
        """Stop the reply under way; return whether there was one. `resumed`: the user goes on before it was heard."""
        reply, self.reply = self.reply, None
        if reply is None:
            return False
        self.drop_prepared()
        mode, self.yielding = self.yielding, None
        if mode is not None and self.floor is ev.Floor.SPEAKING:
            self._journal.add(ev.YieldOver(mode=mode, outcome="taken"))
        reply.stop()
        self._let_go(reply)
        silent_s = self._silent_s if mode is OnSpeech.PAUSE else self._silent_at()
        self._silent_s = None
        self._timing.interrupted = True
        if not resumed:
            since = self._journal.since
            barge = BargeIn(since(onset_s), since(detected_s), since(silent_s), reply.discarded_s)
            if self.audible_since_s is not None:
                self._timing.barge_in = barge
            self._journal.add(ev.Stop(source=source, discarded_s=barge.discarded_s, silent_ms=barge.stop_ms))
        settle = self._settle(reply, self._settling, dropped=resumed)
        self._settling = asyncio.create_task(settle, name=f"reply-{reply.number}-settle")
        self.pass_floor(Cause.USER_RESUMED if resumed else Cause.INTERRUPTED)
        return True

    async def _settle(self, reply: Reply, earlier: asyncio.Task[None] | None, *, dropped: bool) -> None:
        """Record a cut reply once its parts have let go, after those cut before it."""
        if earlier is not None:
            await asyncio.wait({earlier})
        await reply.settle()
        self._close_exchange(reply, dropped=dropped)
        if self._settling is asyncio.current_task():
            self._settling = None
        self._loop.call_soon(self.when_listening)

    async def settled(self) -> None:
        """Wait until a cut reply is recorded."""
        if self._settling is not None:
            await asyncio.wait({self._settling})

    def _silent_at(self) -> float | None:
        """Ask the voice when its last audible sample is heard, now that it was told to fall silent."""
        ask = optional(self._voice, "silent_at")
        return None if ask is None or self.audible_since_s is None else ask()

    # -- the record --------------------------------------------------------------------------------------------------

    def _mark(self, mark: Mark, at_s: float | None) -> bool:
        return self._timing.mark(mark, self._journal.since(at_s))

    def _measured(self) -> None:
        self.conversation.timings.append(self._timing)
        self._journal.add(ev.TimingMeasured(breakdown=self._timing.as_dict()))

    def _close_exchange(self, reply: Reply, *, dropped: bool = False) -> None:
        heard, unheard = reply.texts()
        if self._timing not in self.conversation.timings and not dropped:
            self._measured()
        if heard:
            whole = f"{heard} {unheard}".strip()
            said = Utterance(
                AGENT,
                heard,
                interrupted=reply.stopped,
                heard_s=reply.heard_s,
                unheard_text=unheard,
                incomplete=reply.failure is not None,
            )
            self._record(said, whole)

    def _record(self, utterance: Utterance, whole: str) -> None:
        event = self._journal.add(
            ev.UtteranceAdded(
                speaker=utterance.speaker,
                text=whole,
                interrupted=utterance.interrupted,
                heard_text=utterance.text,
            )
        )
        object.__setattr__(utterance, "at_s", event.at_s)
        self.conversation.utterances.append(utterance)

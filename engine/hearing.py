"""The user's side of a discussion: what the ears report, and what it means for the floor.

Runs on the discussion's loop.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from voicetui.engine import events as ev
from voicetui.engine.answering import Answering
from voicetui.engine.record import UserTurn
from voicetui.engine.speech_text import has_words
from voicetui.engine.turns import Overlap, Verdict, judge
from voicetui.engine.words import is_backchannel, is_echo, words_of

if TYPE_CHECKING:
    from voicetui.engine.journal import Journal
    from voicetui.engine.policy import Policy
    from voicetui.engine.ports import Clock

ECHO_TAIL_S = 0.3
"""A sound that begins so soon after the agent's last sample may still be its echo."""
UNANNOUNCED_S = 2.0
"""Where the ears did not say when a turn's sound began, it is taken for so old."""


_OF_THE_EARS = (ev.DeviceChanged, ev.PartFailed)


class Hearing:
    """Turns what the listener yields into turns answered, replies cut, and sounds passed over."""

    def __init__(self, answering: Answering, policy: Policy, clock: Clock, journal: Journal) -> None:
        self.sounding = False
        """Whether the user is making a sound now."""
        self._answering, self._policy, self._clock, self._journal = answering, policy, clock, journal
        self._overlap: Overlap | None = None
        self._began_s: float | None = None
        """When the sound of this turn began, where the ears announced it."""
        self._turn_index = 0
        self._ask_again: asyncio.TimerHandle | None = None
        self._typed = 0
        self._closed = False

    def follow(self, policy: Policy) -> None:
        """Decide by another policy from now on."""
        self._policy = policy

    def take(self, heard: ev.Heard | str) -> None:
        """Act on what the listener yields."""
        if self._closed:
            return
        if isinstance(heard, str):
            heard = ev.Committed(turn_index=self._turn_index - self._typed, text=heard, reason="text")
        if isinstance(heard, _OF_THE_EARS):
            self._journal.add(heard)
            return
        if self._typed:
            heard = replace(heard, turn_index=heard.turn_index + self._typed)
        self._turn_index = heard.turn_index
        match heard:
            case ev.Committed():
                self._committed(heard)
            case ev.UserTurnTaken():
                self._taken(heard)
            case _:
                self._journal.add(heard)
                self._note(heard)

    def typed(self, text: str, source: ev.Source) -> None:
        """Take a typed turn: it needs no decision, and over the agent it takes the floor."""
        if self._closed:
            return
        committed = ev.Committed(turn_index=self._turn_index, text=text, reason="typed")
        self._typed += 1
        self._turn_index += 1
        self._journal.add(committed)
        if self._answering.reply is not None and self._policy.allow_barge_in:
            self._take_floor(source, committed.turn_index)
        self._answering.answer(UserTurn(text))

    def agent_has_floor(self) -> None:
        """Note that a reply begins: a sound that is being made already is a sound over it."""
        if self.sounding:
            self._begin_overlap(self._clock.now(), None)

    def close(self) -> None:
        """Take nothing any more."""
        self._closed = True
        self._ask_no_more()

    def _ask_no_more(self) -> None:
        if self._ask_again is not None:
            self._ask_again.cancel()

    def _wait_for_words(self) -> None:
        """Answer a withdrawn turn after all if the ears say nothing more for a while."""
        if self._answering.owes_answer:
            self._ask_no_more()
            loop, limit_s = asyncio.get_running_loop(), self._policy.unclear_speech_limit_s
            self._ask_again = loop.call_later(limit_s, self._answering.answer_after_all)

    # -- evidence ----------------------------------------------------------------------------------------------------

    def _note(self, heard: ev.Heard) -> None:
        now = self._clock.now()
        match heard:
            case ev.SpeechStart():
                self.sounding = True
                self._began_s = now
                self._begin_overlap(now, heard.onset_s)
            case ev.SpeechEnd():
                self.sounding = False
                if self._overlap is not None:
                    self._overlap.ended_s = now
                    self._judge()
            case ev.Draft():
                self._words(heard.text)
                self._wait_for_words()
            case ev.EagerEndOfTurn():
                self._words(heard.text)
                if self._policy.eager and self._answering.reply is None and words_of(heard.text):
                    self._answering.prepare(heard.turn_index, heard.text)
            case ev.TurnResumed():
                self._answering.drop_prepared()
            case ev.UserBackchannel():
                self._dismiss()
            case _:
                pass

    def _begin_overlap(self, began_s: float, onset_s: float | None) -> None:
        answering = self._answering
        if answering.reply is None or (answering.floor is ev.Floor.SPEAKING and not self._policy.allow_barge_in):
            return
        audible = answering.exchange.audible_since_s if answering.exchange is not None else None
        grace_until = began_s if audible is None else audible + self._policy.barge_in_grace_s
        over_sound = answering.floor is ev.Floor.SPEAKING
        self._overlap = Overlap(began_s, grace_until, over_sound=over_sound, onset_s=onset_s, detected_s=began_s)
        self._judge()

    def _words(self, text: str) -> None:
        if self._overlap is not None and not self._echoes(text, self._overlap.began_s):
            self._overlap.words = text
            self._judge()

    def _judge(self) -> None:
        """Ask for the verdict on the sound over the agent, act on it, and ask again when it says."""
        self._ask_no_more()
        overlap = self._overlap
        if overlap is None or self._answering.reply is None:
            return
        verdict, again_s = judge(overlap, self._clock.now(), self._policy)
        match verdict:
            case Verdict.YIELD if self._may_take and self._answering.give_way():
                pass
            case Verdict.TAKE | Verdict.YIELD if self._may_take:
                self._take_floor(ev.Source.VOICE, self._turn_index)
            case Verdict.TAKE | Verdict.YIELD:
                self._dismiss()
            case Verdict.CARRY_ON:
                self._dismiss()
            case Verdict.IGNORE if overlap.ended_s is not None:
                self._answering.carry_on()
            case Verdict.IGNORE:
                pass
        if again_s is not None and self._overlap is overlap:
            self._ask_again = asyncio.get_running_loop().call_at(again_s, self._judge)

    @property
    def _may_take(self) -> bool:
        """Return whether the user's voice may stop the agent now; a reply not heard yet it always may."""
        return self._policy.allow_barge_in or self._answering.floor is not ev.Floor.SPEAKING

    def _dismiss(self) -> None:
        if self._overlap is not None:
            self._overlap.dismissed = True
        self._answering.carry_on()

    # -- decisions ---------------------------------------------------------------------------------------------------

    def _take_floor(self, source: ev.Source, turn_index: int) -> None:
        """Give the floor to the user: the reply is cut, or dropped if nothing of it was heard yet."""
        overlap, self._overlap = self._overlap, None
        self._ask_no_more()
        now = self._clock.now()
        onset = now if overlap is None else overlap.onset_s or overlap.began_s
        if self._answering.floor is ev.Floor.THINKING:
            self._answering.withdraw()
            self._wait_for_words()
            return
        self._journal.add(ev.UserTurnTaken(turn_index=turn_index, source=source))
        self._answering.cut(source, onset_s=onset, detected_s=overlap.detected_s if overlap else now)

    def _taken(self, taken: ev.UserTurnTaken) -> None:
        if self._answering.reply is not None and self._may_take:
            self._take_floor(taken.source, taken.turn_index)

    def _committed(self, turn: ev.Committed) -> None:
        announced, self._overlap = self._overlap, None
        self._ask_no_more()
        began_s, self._began_s, self.sounding = self._began_s, None, False
        self._turn_index = turn.turn_index + 1
        told, turn = turn, self._classified(turn, announced, began_s)
        self._journal.add(turn)
        if turn.turn_kind is ev.TurnKind.BACKCHANNEL and told.user_turn:  # else the ears have said so themselves
            self._journal.add(ev.UserBackchannel(turn_index=turn.turn_index, text=turn.text))
        answering = self._answering
        if not turn.user_turn:
            answering.drop_prepared()
            answering.carry_on()
            answering.answer_after_all()
            return
        if answering.reply is not None and announced is not None and self._may_take:
            self._overlap = announced
            self._take_floor(ev.Source.VOICE, turn.turn_index)
        answering.answer(UserTurn(turn.text, turn.turn_index, turn.marks))

    def _classified(self, turn: ev.Committed, announced: Overlap | None, began_s: float | None) -> ev.Committed:
        """Return the turn with what it really is: words of the user, a backchannel, echo, or nothing."""
        if not turn.user_turn and turn.turn_kind is not ev.TurnKind.TURN:
            return turn
        if not turn.user_turn or not has_words(turn.text):
            return replace(turn, user_turn=False, turn_kind=ev.TurnKind.NOISE, reason="no words")
        began_s = self._clock.now() - UNANNOUNCED_S if began_s is None else began_s
        if self._perhaps_echo(began_s) and self._echoes(turn.text, began_s):
            return replace(turn, user_turn=False, turn_kind=ev.TurnKind.ECHO, reason="the agent's own words")
        if announced is not None and self._answering.reply is not None and is_backchannel(turn.text):
            return replace(turn, user_turn=False, turn_kind=ev.TurnKind.BACKCHANNEL, reason="acknowledgement")
        return turn

    def _echoes(self, text: str, began_s: float) -> bool:
        """Tell whether a sound's words are what the agent was saying meanwhile."""
        return is_echo(words_of(text), self._answering.audible.since(began_s - ECHO_TAIL_S))

    def _perhaps_echo(self, began_s: float) -> bool:
        """Tell whether the agent was audible when this turn's sound began."""
        last = self._answering.audible.last_s
        if self._answering.floor is ev.Floor.SPEAKING:
            return True
        return last is not None and began_s < last + ECHO_TAIL_S

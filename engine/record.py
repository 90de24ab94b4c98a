"""The record of exchanges: marks and timings while they run, and turns as they were heard once they are over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from voicetui.engine import events as ev
from voicetui.engine.conversation import AGENT, USER, Conversation, Dialogue, Utterance
from voicetui.engine.timing import Mark, Timing

if TYPE_CHECKING:
    from voicetui.engine.journal import Journal
    from voicetui.engine.reply import Reply
    from voicetui.engine.said import Said


@dataclass(slots=True)
class UserTurn:
    """A completed turn with words, to be answered."""

    text: str
    turn_index: int = -1
    marks: ev.HearingMarks | None = None
    """None where nothing was measured, as of a typed turn: its latency counts from here."""


@dataclass(slots=True)
class Exchange:
    """A user's turn and the reply to it."""

    turn: UserTurn
    reply: Reply
    timing: Timing
    audible_since_s: float | None = None
    """When the reply was first heard."""
    measured: bool = False
    """Whether its timing was said."""

    @property
    def number(self) -> int:
        """Return the exchange's number in the conversation, from 1."""
        return self.timing.exchange


class Record:
    """Writes the conversation, and says so in the journal."""

    def __init__(self, journal: Journal, dialogue: Dialogue) -> None:
        self.conversation = Conversation()
        self.dialogue = dialogue
        """The conversation as the model is given it."""
        self._journal = journal

    def mark(self, exchange: Exchange, mark: Mark, at_s: float | None) -> bool:
        """Set a mark from a moment of the clock, unless it is set; return whether this call set it."""
        return exchange.timing.mark(mark, self._journal.since(at_s))

    def heard_from_user(self, exchange: Exchange, marks: ev.HearingMarks | None, now_s: float) -> None:
        """Take over what the ears measured; where they measured nothing, the latency counts from now."""
        if marks is None or (marks.last_voice is None and marks.decided is None and marks.final_text is None):
            self.mark(exchange, Mark.FINAL_TEXT, now_s)
            return
        self.mark(exchange, Mark.LAST_VOICE, marks.last_voice)
        self.mark(exchange, Mark.DECIDED, marks.decided)
        self.mark(exchange, Mark.FINAL_TEXT, marks.final_text)

    def measured(self, exchange: Exchange) -> None:
        """Keep an exchange's timing and say it; only the first call counts."""
        if not exchange.measured:
            exchange.measured = True
            self.conversation.timings.append(exchange.timing)
            self._journal.add(ev.TimingMeasured(breakdown=exchange.timing.as_dict()))

    def sentence_over(self, exchange: Exchange, said: Said) -> None:
        """Say what was heard of a sentence, if it was audible at all; only the first call counts."""
        if said.told or said.spoken is None or said.sentence is None:
            return
        if said.audible_s is None and not said.spoken.played_s:
            return
        said.told = True
        self._journal.add(
            ev.SentenceSpoken(
                exchange=exchange.number,
                sentence=said.sentence.number,
                text=said.piece.shown,
                heard_text=said.heard_text,
                played_s=said.spoken.played_s,
                cut=said.spoken.cut,
            )
        )

    def user_turn(self, text: str) -> None:
        """Write down a turn of the user."""
        self._write(speaker=USER, text=text)

    def agent_turn(self, reply: Reply) -> None:
        """Write down what was heard of a reply; one of which nothing was heard leaves no turn."""
        heard, unheard = reply.texts()
        if heard:
            self._write(
                speaker=AGENT,
                text=heard,
                interrupted=reply.stopped,
                heard_s=reply.heard_s,
                unheard_text=unheard,
                incomplete=reply.failure is not None,
            )

    def _write(
        self,
        *,
        speaker: str,
        text: str,
        unheard_text: str = "",
        interrupted: bool = False,
        incomplete: bool = False,
        heard_s: float | None = None,
    ) -> None:
        said = Utterance(speaker, text, interrupted, heard_s, unheard_text, incomplete, self._journal.now_s())
        self.conversation.utterances.append(said)
        self.dialogue.add(said)
        whole = f"{text} {unheard_text}".strip()
        self._journal.add(ev.UtteranceAdded(speaker=speaker, text=whole, interrupted=interrupted, heard_text=text))

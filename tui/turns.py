"""The transcript as the screen shows it: turns that are being said, recorded turns, and what was heard of each."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from voicetui.engine import events as ev

if TYPE_CHECKING:
    from collections.abc import Callable

USER, AGENT = "user", "agent"
LIVE_AT_MOST = 32
"""How far back in the transcript a live turn can be: turns that wait for an answer are live, too."""


@dataclass(slots=True)
class Cut:
    """How a turn of the agent was cut: seconds heard, of how many there were, and the milliseconds to its silence."""

    heard_s: float = 0.0
    total_s: float | None = None
    silent_ms: float | None = None


@dataclass(slots=True, eq=False)
class Turn:
    """A turn in the transcript. A live one still changes: a draft of the user's, or a reply under way."""

    speaker: str
    number: int = 0
    """The user's turn index, or the exchange that the reply belongs to."""
    heard: str = ""
    unheard: str = ""
    live: bool = False
    committed: bool = False
    """A user's turn that is over, though it may still wait for its place in the record."""
    cut: Cut | None = None
    heard_s: float = 0.0
    discarded_s: float | None = None
    version: int = 0
    """Rises with every change, so that a view knows what to draw again."""


@dataclass(slots=True)
class Turns:
    """All turns, oldest first. Each method takes one event, or what it means; none looks at more than the last few."""

    all: list[Turn] = field(default_factory=list)
    by_user: int = 0
    """Turns of the user's in the record."""
    cut: int = 0
    """Turns of the agent's in the record that were cut."""

    # -- the user's --------------------------------------------------------------------------------------------------

    def draft(self, event: ev.Draft | ev.EagerEndOfTurn) -> None:
        """Take the words so far."""
        turn = self._live(USER, event.turn_index)
        if turn.heard != event.text and not turn.committed:
            turn.heard = event.text
            turn.version += 1

    def committed(self, event: ev.Committed) -> None:
        """Take the words of a turn that is over, or forget what was none."""
        if not event.user_turn:
            self._drop(lambda turn: turn.speaker == USER and turn.number == event.turn_index)
            return
        turn = self._live(USER, event.turn_index)
        turn.heard, turn.committed = event.text, True
        turn.version += 1

    # -- the agent's -------------------------------------------------------------------------------------------------

    def ready(self, event: ev.ReplySentence) -> None:
        """Take a sentence that will be spoken."""
        turn = self._live(AGENT, event.exchange)
        turn.unheard = _joined(turn.unheard, event.text)
        turn.version += 1

    def audible(self, event: ev.Speaking) -> None:
        """Take a sentence that is being spoken."""
        turn = self._live(AGENT, event.exchange)
        turn.heard = _joined(turn.heard, event.text)
        turn.unheard = turn.unheard.removeprefix(event.text).lstrip()
        turn.version += 1

    def spoken(self, event: ev.SentenceSpoken) -> None:
        """Take what was heard of a sentence."""
        for turn in self._replies(event.exchange):
            turn.heard_s += event.played_s
            turn.version += 1
            if event.cut:
                turn.heard = _joined(turn.heard.removesuffix(event.text).rstrip(), event.heard_text)
                turn.unheard = _joined(event.text.removeprefix(event.heard_text).strip(), turn.unheard)
        self._drop_unheard()

    def stopped(self, exchange: int, event: ev.Stop) -> None:
        """Mark the reply of an exchange as cut; one of which nothing was heard leaves no turn."""
        for turn in self._replies(exchange):
            turn.cut = Cut(silent_ms=event.silent_ms)
            turn.discarded_s = event.discarded_s
            turn.version += 1
        self._drop_unheard()

    def withdrawn(self, exchange: int) -> None:
        """Forget the reply of an exchange: the user goes on, and nothing of it was heard."""
        self._drop(lambda turn: turn.speaker == AGENT and turn.number == exchange)

    # -- both --------------------------------------------------------------------------------------------------------

    def recorded(self, event: ev.UtteranceAdded) -> None:
        """Settle a turn as the record has it."""
        if event.speaker == USER:
            self._drop(lambda turn: turn.cut is not None)  # cut ones are recorded before what follows them, or never
        waiting = [t for t in self._all_live() if t.speaker == event.speaker and (t.committed or t.speaker == AGENT)]
        turn = waiting[0] if waiting else self._live(event.speaker, -1)
        turn.heard, turn.live = event.heard_text, False
        turn.unheard = event.text.removeprefix(event.heard_text).strip()
        turn.version += 1
        self.by_user += event.speaker == USER
        if not event.interrupted:
            turn.cut = None
            return
        self.cut += 1
        turn.cut = turn.cut or Cut()
        turn.cut.heard_s = turn.heard_s
        if turn.discarded_s is not None:
            turn.cut.total_s = turn.heard_s + turn.discarded_s

    def end(self) -> None:
        """Forget what did not come to its end."""
        self._drop(lambda turn: turn.live)

    # -- live turns --------------------------------------------------------------------------------------------------

    def _all_live(self) -> list[Turn]:
        return [turn for turn in self.all[-LIVE_AT_MOST:] if turn.live]

    def _replies(self, exchange: int) -> list[Turn]:
        """Return the live reply of an exchange, if there is one."""
        return [turn for turn in self._all_live() if turn.speaker == AGENT and turn.number == exchange]

    def _live(self, speaker: str, number: int) -> Turn:
        """Return the live turn of a speaker with this number, made if there is none."""
        for turn in self._all_live():
            if turn.speaker == speaker and turn.number == number:
                return turn
        turn = Turn(speaker, number, live=True)
        self.all.append(turn)
        return turn

    def _drop_unheard(self) -> None:
        self._drop(lambda turn: turn.cut is not None and not turn.heard)

    def _drop(self, unwanted: Callable[[Turn], bool]) -> None:
        """Take away live turns of which nothing came."""
        tail = self.all[-LIVE_AT_MOST:]
        kept = [turn for turn in tail if not (turn.live and unwanted(turn))]
        if len(kept) < len(tail):
            self.all[-LIVE_AT_MOST:] = kept


def _joined(one: str, other: str) -> str:
    return f"{one} {other}".strip()

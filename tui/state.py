"""What the screen shows, as plain data: the engine's events folded one by one. Knows nothing of widgets.

Times are seconds since the conversation began, as in the events.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from voicetui.engine import events as ev
from voicetui.engine.floor import Cause

if TYPE_CHECKING:
    from collections.abc import Callable

STRIP_S = 60.0
"""How much of the past the strip of who spoke when holds."""
PAUSE_S = 4.0
"""A silence after speech that lasts so long was no end of a turn: no turn has come of it."""
LIVE_AT_MOST = 32
"""How far back in the transcript a live turn can be: turns that wait for an answer are live, too."""
USER, AGENT = "user", "agent"


class Shown(StrEnum):
    """The words that the floor indicator uses; others look for them on the screen."""

    IDLE = "IDLE"
    LISTENING = "LISTENING"
    THINKING = "THINKING"
    SPEAKING = "SPEAKING"
    GIVING_WAY = "GIVING WAY"
    INTERRUPTED = "INTERRUPTED"


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
class Span:
    """Somebody was audible from one moment to another; `to_s` is None while they still are."""

    speaker: str
    from_s: float
    to_s: float | None = None


@dataclass(slots=True)
class LiveExchange:
    """An exchange as the events tell it while it runs; `timing` brings what was measured. None: not known."""

    number: int = 0
    last_voice_s: float | None = None
    decided_s: float | None = None
    final_text_s: float | None = None
    eager_s: float | None = None
    """When the reply was begun, if that was before the turn was certainly over."""
    first_sentence_s: float | None = None
    over_s: float | None = None
    """When it ended without any audio."""
    timing: dict[str, Any] | None = None

    @property
    def began_s(self) -> float | None:
        """Return the moment that its latency counts from."""
        return self.last_voice_s if self.last_voice_s is not None else self.final_text_s


@dataclass(slots=True)
class Problem:
    """A part that failed, and how to mend it."""

    part: str
    message: str
    fix: str
    at_s: float


@dataclass(slots=True)
class TalkState:
    """The conversation as the screen shows it. `apply` folds one event in."""

    floor: ev.Floor = ev.Floor.IDLE
    since_s: float = 0.0
    begun: bool = False
    giving_way: bool = False
    interrupted: bool = False
    stopped_ms: float | None = None
    """The time to silence of the last interruption."""
    turns: list[Turn] = field(default_factory=list)
    exchange: LiveExchange = field(default_factory=LiveExchange)
    pausing: LiveExchange | None = None
    """The exchange that begins if the user has finished; they have just fallen silent."""
    user_turns: int = 0
    """Turns of the user's in the record."""
    cut_turns: int = 0
    """Turns of the agent's in the record that were cut."""
    timings: list[dict[str, Any]] = field(default_factory=list)
    cuts: dict[int, float | None] = field(default_factory=dict)
    """Each exchange that was cut, with the milliseconds to silence where they were measured."""
    spans: deque[Span] = field(default_factory=deque)
    problems: list[Problem] = field(default_factory=list)
    remark: Problem | None = None
    """The last thing that went wrong and is over."""
    ended: str | None = None
    ended_s: float | None = None
    _eager: tuple[str, float] | None = None
    _waiting: deque[LiveExchange] = field(default_factory=deque)

    @property
    def shown(self) -> Shown:
        """Return the word for the floor indicator."""
        if self.giving_way:
            return Shown.GIVING_WAY
        if self.interrupted and self.floor is ev.Floor.LISTENING:
            return Shown.INTERRUPTED
        return Shown[self.floor.name]

    def current(self, now_s: float) -> LiveExchange:
        """Return the exchange to show: the one that may just be beginning, else the latest."""
        pausing = self.pausing
        if pausing is not None and pausing.last_voice_s is not None and now_s - pausing.last_voice_s < PAUSE_S:
            return pausing
        return self.exchange

    def apply(self, event: ev.Event) -> None:  # noqa: C901, PLR0912 - a flat dispatch, one line a kind
        """Fold one event in."""
        match event:
            case ev.FloorPassed():
                self._floor(event)
            case ev.SpeechStart():
                self._open_span(USER, event.at_s)
                self.interrupted, self.pausing = False, None
            case ev.SpeechEnd():
                self._speech_end(event.at_s)
            case ev.Draft():
                self._draft(event)
            case ev.EagerEndOfTurn():
                self._eager = (event.text, event.at_s)
                self._draft(event)
            case ev.TurnResumed():
                self._eager = None
            case ev.Committed():
                self._committed(event)
            case ev.Yielding() | ev.YieldOver():
                self._yield(event)
            case ev.ReplySentence():
                self._ready(event)
            case ev.Speaking():
                self._audible(event)
            case ev.SentenceSpoken():
                self._spoken(event)
            case ev.Stop():
                self._stop(event)
            case ev.UtteranceAdded():
                self._utterance(event)
            case ev.TimingMeasured():
                self._timing(event)
            case ev.PartFailed() | ev.DeviceChanged():
                self._problem(event)
            case ev.Ended():
                self._ended(event)
            case _:
                pass

    # -- the floor ---------------------------------------------------------------------------------------------------

    def _floor(self, event: ev.FloorPassed) -> None:
        self.floor, self.since_s, self.begun = event.floor, event.at_s, True
        if event.floor is not ev.Floor.SPEAKING:
            self._close_span(AGENT, event.at_s)
            self.giving_way = False
        if event.floor is not ev.Floor.LISTENING:
            self.interrupted = False
        elif event.cause in (Cause.FAILED, Cause.REPLY_EMPTY, Cause.INTERRUPTED, Cause.USER_RESUMED):
            self.exchange.over_s = event.at_s
        if event.floor is ev.Floor.THINKING:
            number = self.exchange.number + 1
            self.pausing = None
            self.exchange = self._waiting.popleft() if self._waiting else LiveExchange(final_text_s=event.at_s)
            self.exchange.number = number
        if event.cause == Cause.USER_RESUMED:
            self._drop(lambda turn: turn.speaker == AGENT and turn.number == self.exchange.number)

    def _speech_end(self, at_s: float) -> None:
        self._close_span(USER, at_s)
        if self.floor is ev.Floor.LISTENING:
            self.pausing = LiveExchange(self.exchange.number + 1, last_voice_s=at_s)

    def _yield(self, event: ev.Yielding | ev.YieldOver) -> None:
        self.giving_way = isinstance(event, ev.Yielding)
        if event.mode != "pause":
            return
        if self.giving_way:
            self._close_span(AGENT, event.at_s)
        elif isinstance(event, ev.YieldOver) and event.outcome == "resumed":
            self._open_span(AGENT, event.at_s)

    def _stop(self, event: ev.Stop) -> None:
        self.interrupted, self.stopped_ms = True, event.silent_ms
        self._close_span(AGENT, event.at_s)
        self.cuts[self.exchange.number] = event.silent_ms
        for turn in self._live_replies():
            if turn.number == self.exchange.number:
                turn.cut = Cut(silent_ms=event.silent_ms)
                turn.discarded_s = event.discarded_s
        self._drop(lambda turn: turn.cut is not None and not turn.heard)

    def _ended(self, event: ev.Ended) -> None:
        self.ended, self.ended_s = event.reason, event.at_s
        self._drop(lambda turn: turn.live)
        self.pausing, self.giving_way = None, False

    # -- the user's turns --------------------------------------------------------------------------------------------

    def _draft(self, event: ev.Draft | ev.EagerEndOfTurn) -> None:
        turn = self._live(USER, event.turn_index)
        if turn.heard != event.text and not turn.committed:
            turn.heard = event.text
            turn.version += 1

    def _committed(self, event: ev.Committed) -> None:
        self._close_span(USER, event.at_s)
        self.pausing = None
        self._mended("listen")
        if not event.user_turn:
            self._drop(lambda turn: turn.speaker == USER and turn.number == event.turn_index)
            return
        self._waiting.append(self._heard(event))
        turn = self._live(USER, event.turn_index)
        turn.heard, turn.committed = event.text, True
        turn.version += 1

    def _heard(self, event: ev.Committed) -> LiveExchange:
        """Return the exchange that a turn begins, as far as the ears measured it; its final text is there now."""
        exchange = LiveExchange(final_text_s=event.at_s)
        if event.marks is not None and event.marks.final_text is not None:
            now = event.marks.final_text - event.at_s
            exchange.last_voice_s = _less(event.marks.last_voice, now)
            exchange.decided_s = _less(event.marks.decided, now)
        eager, self._eager = self._eager, None
        if eager is not None and eager[0] == event.text:
            exchange.eager_s = eager[1]
        return exchange

    # -- the agent's replies -----------------------------------------------------------------------------------------

    def _ready(self, event: ev.ReplySentence) -> None:
        self._mended("think")
        if self.exchange.first_sentence_s is None and event.exchange == self.exchange.number:
            self.exchange.first_sentence_s = event.at_s
        turn = self._live(AGENT, event.exchange)
        turn.unheard = _joined(turn.unheard, event.text)
        turn.version += 1

    def _audible(self, event: ev.Speaking) -> None:
        self._mended("speak")
        self._open_span(AGENT, event.at_s)
        turn = self._live(AGENT, event.exchange)
        turn.heard = _joined(turn.heard, event.text)
        turn.unheard = turn.unheard.removeprefix(event.text).lstrip()
        turn.version += 1

    def _spoken(self, event: ev.SentenceSpoken) -> None:
        for turn in self._live_replies():
            if turn.number == event.exchange:
                turn.heard_s += event.played_s
                turn.version += 1
                if event.cut:
                    turn.heard = _joined(turn.heard.removesuffix(event.text).rstrip(), event.heard_text)
                    turn.unheard = _joined(event.text.removeprefix(event.heard_text).strip(), turn.unheard)
        self._drop(lambda turn: turn.cut is not None and not turn.heard)

    def _utterance(self, event: ev.UtteranceAdded) -> None:
        if event.speaker == USER:
            self._drop(lambda turn: turn.cut is not None)  # cut ones are recorded before what follows them, or never
        waiting = [t for t in self._live_turns() if t.speaker == event.speaker and (t.committed or t.speaker == AGENT)]
        turn = waiting[0] if waiting else self._live(event.speaker, -1)
        turn.heard, turn.live = event.heard_text, False
        turn.unheard = event.text.removeprefix(event.heard_text).strip()
        turn.version += 1
        self.user_turns += event.speaker == USER
        if not event.interrupted:
            turn.cut = None
            return
        self.cut_turns += 1
        turn.cut = turn.cut or Cut()
        turn.cut.heard_s = turn.heard_s
        if turn.discarded_s is not None:
            turn.cut.total_s = turn.heard_s + turn.discarded_s

    def _timing(self, event: ev.TimingMeasured) -> None:
        self.timings.append(event.breakdown)
        if event.breakdown.get("exchange", self.exchange.number) == self.exchange.number:
            self.exchange.timing = event.breakdown

    # -- what goes wrong ---------------------------------------------------------------------------------------------

    def _problem(self, event: ev.PartFailed | ev.DeviceChanged) -> None:
        self._mended(event.part)
        problem = Problem(event.part, event.message, event.fix, event.at_s)
        if event.recovered:
            self.remark = problem
        else:
            self.problems.append(problem)

    def _mended(self, part: str) -> None:
        """Forget what was wrong with a part that has just worked."""
        if self.problems:
            self.problems = [problem for problem in self.problems if problem.part != part]

    # -- live turns and spans ----------------------------------------------------------------------------------------

    def _live_turns(self) -> list[Turn]:
        """Return the live turns, oldest first: they are among the last few."""
        return [turn for turn in self.turns[-LIVE_AT_MOST:] if turn.live]

    def _live_replies(self) -> list[Turn]:
        return [turn for turn in self._live_turns() if turn.speaker == AGENT]

    def _live(self, speaker: str, number: int) -> Turn:
        """Return the live turn of a speaker with this number, made if there is none."""
        for turn in self._live_turns():
            if turn.speaker == speaker and turn.number == number:
                return turn
        turn = Turn(speaker, number, live=True)
        self.turns.append(turn)
        return turn

    def _drop(self, unwanted: Callable[[Turn], bool]) -> None:
        """Take away live turns of which nothing came."""
        tail = self.turns[-LIVE_AT_MOST:]
        kept = [turn for turn in tail if not (turn.live and unwanted(turn))]
        if len(kept) < len(tail):
            self.turns[-LIVE_AT_MOST:] = kept

    def _open_span(self, speaker: str, at_s: float) -> None:
        if not any(span.to_s is None and span.speaker == speaker for span in self.spans):
            self.spans.append(Span(speaker, at_s))
        while self.spans and self.spans[0].to_s is not None and self.spans[0].to_s < at_s - STRIP_S:
            self.spans.popleft()

    def _close_span(self, speaker: str, at_s: float) -> None:
        for span in self.spans:
            if span.to_s is None and span.speaker == speaker:
                span.to_s = at_s


def _joined(one: str, other: str) -> str:
    return f"{one} {other}".strip()


def _less(moment: float | None, offset: float) -> float | None:
    return None if moment is None else moment - offset

"""What the screen shows, as plain data: the engine's events folded one by one. Knows nothing of widgets.

Times are seconds since the conversation began, as in the events.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from voicetui.engine import events as ev

STRIP_S = 60.0
"""How much of the past the strip of who spoke when holds."""


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
    """How a turn of the agent was cut: seconds heard of it, and the milliseconds to its silence."""

    heard_s: float
    silent_ms: float | None


@dataclass(slots=True)
class Turn:
    """A turn in the transcript. A live one still changes: a draft of the user's, or a reply under way."""

    speaker: str
    heard: str = ""
    unheard: str = ""
    live: bool = False
    cut: Cut | None = None
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
    """The marks of the exchange under way as the events tell them; the timing event brings the measured ones."""

    number: int = 0
    began_s: float | None = None
    decided_s: float | None = None
    first_sentence_s: float | None = None
    timing: dict[str, Any] | None = None


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
    giving_way: bool = False
    stopped_ms: float | None = None
    """The time to silence of the last interruption, until the user's turn goes on."""
    interrupted: bool = False
    turns: list[Turn] = field(default_factory=list)
    exchange: LiveExchange = field(default_factory=LiveExchange)
    timings: list[dict[str, Any]] = field(default_factory=list)
    cut_exchanges: set[int] = field(default_factory=set)
    spans: deque[Span] = field(default_factory=deque)
    problems: list[Problem] = field(default_factory=list)
    ended: str | None = None
    extra_model_calls: int = 0
    _heard_s: float = 0.0
    _silent_ms: float | None = None

    @property
    def shown(self) -> Shown:
        """Return the word for the floor indicator."""
        if self.giving_way:
            return Shown.GIVING_WAY
        if self.interrupted and self.floor is ev.Floor.LISTENING:
            return Shown.INTERRUPTED
        return Shown[self.floor.name]

    def apply(self, event: ev.Event) -> None:  # noqa: C901, PLR0912 - a flat dispatch, one line a kind
        """Fold one event in."""
        match event:
            case ev.FloorPassed():
                self._floor(event)
            case ev.SpeechStart():
                self._open_span("user", event.at_s)
                self.interrupted = False
            case ev.SpeechEnd():
                self._close_span("user", event.at_s)
                if self.floor is ev.Floor.LISTENING:
                    self.exchange = LiveExchange(self.exchange.number, began_s=event.at_s)
            case ev.Draft() | ev.EagerEndOfTurn():
                self._draft(event.text)
            case ev.Committed():
                self._committed(event)
            case ev.Yielding() | ev.YieldOver():
                self._yield(event)
            case ev.ReplySentence() | ev.Speaking() | ev.SentenceSpoken():
                self._sentence(event)
            case ev.Stop():
                self.interrupted, self.stopped_ms, self._silent_ms = True, event.silent_ms, event.silent_ms
                self._close_span("agent", event.at_s)
                self.cut_exchanges.add(self.exchange.number)
            case ev.UtteranceAdded():
                self._utterance(event)
            case ev.TimingMeasured():
                self.timings.append(event.breakdown)
                self.exchange.timing = event.breakdown
            case ev.PartFailed() | ev.DeviceChanged():
                self._problem(event)
            case ev.Ended():
                self.ended = event.reason
            case _:
                pass

    # -- one event each ----------------------------------------------------------------------------------------------

    def _floor(self, event: ev.FloorPassed) -> None:
        self.floor, self.since_s = event.floor, event.at_s
        if event.floor is not ev.Floor.SPEAKING:
            self._close_span("agent", event.at_s)
            self.giving_way = False
        if event.floor is not ev.Floor.LISTENING:
            self.interrupted = False

    def _draft(self, text: str) -> None:
        turn = self._live("user")
        turn.heard = text
        turn.version += 1

    def _committed(self, event: ev.Committed) -> None:
        self._close_span("user", event.at_s)
        if not event.user_turn:
            self._drop_live("user")
            return
        began = self.exchange.began_s
        self.exchange = LiveExchange(self.exchange.number + 1, began if began is not None else event.at_s, event.at_s)
        turn = self._live("user")
        turn.heard = event.text
        turn.version += 1

    def _yield(self, event: ev.Yielding | ev.YieldOver) -> None:
        self.giving_way = isinstance(event, ev.Yielding)
        if event.mode != "pause":
            return
        if self.giving_way:
            self._close_span("agent", event.at_s)
        elif isinstance(event, ev.YieldOver) and event.outcome == "resumed":
            self._open_span("agent", event.at_s)

    def _sentence(self, event: ev.ReplySentence | ev.Speaking | ev.SentenceSpoken) -> None:
        turn = self._live("agent")
        turn.version += 1
        match event:
            case ev.ReplySentence():
                if self.exchange.first_sentence_s is None:
                    self.exchange.first_sentence_s = event.at_s
                    self._heard_s, self._silent_ms = 0.0, None
                turn.unheard = _joined(turn.unheard, event.text)
            case ev.Speaking():
                self._open_span("agent", event.at_s)
                turn.heard = _joined(turn.heard, event.text)
                turn.unheard = turn.unheard.removeprefix(event.text).lstrip()
            case ev.SentenceSpoken():
                self._heard_s += event.played_s
                if event.cut:
                    turn.heard = _joined(turn.heard.removesuffix(event.text).rstrip(), event.heard_text)
                    turn.unheard = _joined(event.text.removeprefix(event.heard_text).strip(), turn.unheard)

    def _utterance(self, event: ev.UtteranceAdded) -> None:
        turn = self._live(event.speaker)
        turn.heard, turn.live = event.heard_text, False
        turn.unheard = event.text.removeprefix(event.heard_text).strip()
        turn.version += 1
        if event.interrupted:
            turn.cut = Cut(self._heard_s, self._silent_ms)

    def _problem(self, event: ev.PartFailed | ev.DeviceChanged) -> None:
        self.problems = [problem for problem in self.problems if problem.part != event.part or not event.recovered]
        if not event.recovered:
            self.problems.append(Problem(event.part, event.message, event.fix, event.at_s))

    # -- live turns and spans ----------------------------------------------------------------------------------------

    def _live(self, speaker: str) -> Turn:
        """Return the live turn of a speaker, made if there is none; a reply cut before comes before what follows it."""
        for turn in reversed(self.turns[-4:]):
            if turn.live and turn.speaker == speaker:
                return turn
        turn = Turn(speaker, live=True)
        self.turns.append(turn)
        return turn

    def _drop_live(self, speaker: str) -> None:
        self.turns = [turn for turn in self.turns if not (turn.live and turn.speaker == speaker)]

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

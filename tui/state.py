"""What the screen shows, as plain data: the engine's events folded one by one. Knows nothing of widgets.

Times are seconds since the conversation began, as in the events.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from voicetui.engine import events as ev
from voicetui.engine.floor import Cause
from voicetui.tui.spans import Spans
from voicetui.tui.turns import AGENT, USER, Turn, Turns

PAUSE_S = 4.0
"""A silence after speech that lasts so long was no end of a turn: no turn has come of it."""


class Shown(StrEnum):
    """The words that the floor indicator uses; others look for them on the screen."""

    IDLE = "IDLE"
    LISTENING = "LISTENING"
    THINKING = "THINKING"
    SPEAKING = "SPEAKING"
    GIVING_WAY = "GIVING WAY"
    INTERRUPTED = "INTERRUPTED"


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
    transcript: Turns = field(default_factory=Turns)
    exchange: LiveExchange = field(default_factory=LiveExchange)
    pausing: LiveExchange | None = None
    """The exchange that begins if the user has finished; they have just fallen silent."""
    timings: list[dict[str, Any]] = field(default_factory=list)
    cuts: dict[int, float | None] = field(default_factory=dict)
    """Each exchange that was cut, with the milliseconds to silence where they were measured."""
    spans: Spans = field(default_factory=Spans)
    problems: list[Problem] = field(default_factory=list)
    remark: Problem | None = None
    """The last thing that went wrong and is over."""
    ended: str | None = None
    ended_s: float | None = None
    _eager: tuple[str, float] | None = None
    _waiting: deque[LiveExchange] = field(default_factory=deque)

    @property
    def turns(self) -> list[Turn]:
        """Return the turns of the transcript."""
        return self.transcript.all

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
                self.spans.open(USER, event.at_s)
                self.interrupted, self.pausing = False, None
            case ev.SpeechEnd():
                self._speech_end(event.at_s)
            case ev.Draft():
                self.transcript.draft(event)
            case ev.EagerEndOfTurn():
                self._eager = (event.text, event.at_s)
                self.transcript.draft(event)
            case ev.TurnResumed():
                self._eager = None
            case ev.Committed():
                self._committed(event)
            case ev.Yielding() | ev.YieldOver():
                self._yield(event)
            case ev.ReplySentence():
                self._ready(event)
            case ev.Speaking():
                self._mended("speak")
                self.spans.open(AGENT, event.at_s)
                self.transcript.audible(event)
            case ev.SentenceSpoken():
                self.transcript.spoken(event)
            case ev.Stop():
                self._stop(event)
            case ev.UtteranceAdded():
                self.transcript.recorded(event)
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
            self.spans.close(AGENT, event.at_s)
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
            self.transcript.withdrawn(self.exchange.number)

    def _speech_end(self, at_s: float) -> None:
        self.spans.close(USER, at_s)
        if self.floor is ev.Floor.LISTENING:
            self.pausing = LiveExchange(self.exchange.number + 1, last_voice_s=at_s)

    def _yield(self, event: ev.Yielding | ev.YieldOver) -> None:
        self.giving_way = isinstance(event, ev.Yielding)
        if event.mode != "pause":
            return
        if self.giving_way:
            self.spans.close(AGENT, event.at_s)
        elif isinstance(event, ev.YieldOver) and event.outcome == "resumed":
            self.spans.open(AGENT, event.at_s)

    def _stop(self, event: ev.Stop) -> None:
        self.interrupted, self.stopped_ms = True, event.silent_ms
        self.spans.close(AGENT, event.at_s)
        self.cuts[self.exchange.number] = event.silent_ms
        self.transcript.stopped(self.exchange.number, event)

    def _ended(self, event: ev.Ended) -> None:
        self.ended, self.ended_s = event.reason, event.at_s
        self.transcript.end()
        self.pausing, self.giving_way = None, False

    # -- exchanges ---------------------------------------------------------------------------------------------------

    def _committed(self, event: ev.Committed) -> None:
        self.spans.close(USER, event.at_s)
        self.pausing = None
        self._mended("listen")
        if event.user_turn:
            self._waiting.append(self._heard(event))
        self.transcript.committed(event)

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

    def _ready(self, event: ev.ReplySentence) -> None:
        self._mended("think")
        if self.exchange.first_sentence_s is None and event.exchange == self.exchange.number:
            self.exchange.first_sentence_s = event.at_s
        self.transcript.ready(event)

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


def _less(moment: float | None, offset: float) -> float | None:
    return None if moment is None else moment - offset

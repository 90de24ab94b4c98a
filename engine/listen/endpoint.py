"""When does a turn begin, pause, go on and end: a pure state machine over the detector's probabilities.

A silence rule for now: it knows how long nothing was said, not whether the sentence is finished.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from voicetui.engine.errors import UsageError


class Phase(StrEnum):
    """Where a turn is."""

    QUIET = "quiet"
    """There is none."""
    VOICED = "voiced"
    PAUSED = "paused"
    """Silent for long enough that it may be over."""


class Change(StrEnum):
    """What a window changed."""

    BEGAN = "began"
    PAUSED = "paused"
    RESUMED = "resumed"


@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointRule:
    """The settings of the silence rule; silences are counted as the detector hears them, which is about 65 ms short."""

    silence_s: float = 0.6
    """A turn is over after so long a silence."""
    eager_silence_s: float = 0.2
    """After so long a silence the turn is decoded and may be answered in advance."""
    digits_silence_s: float = 1.2
    """The silence that ends a turn while digits are being dictated (see `patience.py`)."""
    start_probability: float = 0.5
    """Speech begins, or begins again, at this probability."""
    stop_probability: float = 0.35
    """And ends below this one."""
    max_turn_s: float = 60.0
    """A turn that is longer ends at its next gap, or `overtime_s` later in the middle of a word."""
    overtime_s: float = 5.0

    def __post_init__(self) -> None:
        """Check the order of the silences."""
        if not 0 < self.eager_silence_s <= self.silence_s <= self.digits_silence_s:
            raise UsageError(
                f"silences must rise: eager {self.eager_silence_s:g} s, end of turn {self.silence_s:g} s, "
                f"digits {self.digits_silence_s:g} s"
            )
        if self.max_turn_s <= 0:
            raise UsageError(f"the longest turn is {self.max_turn_s:g} s, it must be more than 0")


class Endpoint:
    """Follows turns window by window; `commit` ends one and waits for the next."""

    def __init__(self, rule: EndpointRule | None = None) -> None:
        self.rule = rule or EndpointRule()
        self.commit()

    def commit(self) -> None:
        """End the turn, if there is one: the next speech begins another."""
        self.phase = Phase.QUIET
        self.silence_s = 0.0
        """How long nothing was said."""
        self.turn_s = 0.0
        """How long the turn is, silence included."""
        self.voiced_s = 0.0
        """How much of it is speech."""

    def step(self, probability: float, length_s: float) -> Change | None:
        """Take the probability of speech in the next window of `length_s` seconds; return what it changed."""
        begins = probability >= self.rule.start_probability
        if self.phase is Phase.QUIET:
            if not begins:
                return None
            self._voiced(length_s)
            return Change.BEGAN
        if self.phase is Phase.PAUSED and begins:
            self._voiced(length_s)
            return Change.RESUMED
        if self.phase is Phase.VOICED and probability >= self.rule.stop_probability:
            self._voiced(length_s)
            return None
        self.turn_s += length_s
        self.silence_s += length_s
        if self.phase is Phase.VOICED and self.silence_s >= self.rule.eager_silence_s:
            self.phase = Phase.PAUSED
            return Change.PAUSED
        return None

    def over(self, limit_s: float) -> bool:
        """Tell whether the turn is over when `limit_s` of silence ends it."""
        return self.phase is Phase.PAUSED and (self.silence_s >= limit_s or self.turn_s >= self.rule.max_turn_s)

    @property
    def too_long(self) -> bool:
        """Whether the turn must be ended now, in the middle of speech."""
        late = self.turn_s - self.rule.max_turn_s
        return self.phase is Phase.VOICED and (late >= self.rule.overtime_s or (late >= 0 and self.silence_s > 0))

    def _voiced(self, length_s: float) -> None:
        self.phase = Phase.VOICED
        self.silence_s = 0.0
        self.turn_s += length_s
        self.voiced_s += length_s

"""Where an exchange's latency went: marks, the stages between them, and percentiles over exchanges."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

BUDGET_S = 0.8
"""What people forgive between their last word and the first of the answer."""


class Mark(StrEnum):
    """The moments of an exchange, in their order."""

    LAST_VOICE = "last_voice"
    DECIDED = "decided"
    FINAL_TEXT = "final_text"
    FIRST_TOKEN = "first_token"  # noqa: S105 - a model's token, no secret
    FIRST_SENTENCE = "first_sentence"
    FIRST_PCM = "first_pcm"
    FIRST_AUDIBLE = "first_audible"


class Stage(StrEnum):
    """The four shares of the critical path."""

    ENDPOINT = "endpoint"
    RECOGNISE = "recognise"
    THINK = "think"
    SPEAK = "speak"


STAGE_ENDS: dict[Stage, Mark] = {
    Stage.ENDPOINT: Mark.DECIDED,
    Stage.RECOGNISE: Mark.FINAL_TEXT,
    Stage.THINK: Mark.FIRST_TOKEN,
    Stage.SPEAK: Mark.FIRST_AUDIBLE,
}


_NO_MARKS: dict[Mark, float | None] = dict.fromkeys(Mark)
_NO_STAGES: dict[Stage, float | None] = dict.fromkeys(Stage)


def stages(marks: Mapping[Mark, float | None]) -> dict[Stage, float | None]:
    """Return the seconds of each stage, None where it was not measured.

    Each stage ends at its mark, first raised to the latest mark before it, so no stage is negative and the measured
    ones add up to `first_audible` less the first mark there is: the last voiced sample, or the text of a typed turn.
    """
    shares = _NO_STAGES.copy()
    reached = marks.get(Mark.LAST_VOICE)
    for stage, mark in STAGE_ENDS.items():
        at = marks.get(mark)
        if at is None:
            continue
        if reached is not None:
            shares[stage] = max(at, reached) - reached
        reached = at if reached is None else max(at, reached)
    return shares


@dataclass(slots=True)
class BargeIn:
    """One interruption, in seconds of the conversation: onset, detection, silence, and the audio never heard."""

    onset_s: float | None = None
    detected_s: float | None = None
    silent_s: float | None = None
    discarded_s: float | None = None

    @property
    def stop_ms(self) -> float | None:
        """Return the milliseconds from the user's first voiced sample to the agent's last audible one."""
        if self.onset_s is None or self.silent_s is None:
            return None
        return max(0.0, (self.silent_s - self.onset_s) * 1000)

    def as_dict(self) -> dict[str, float | None]:
        """Return the JSON form."""
        return {
            "onset_s": self.onset_s,
            "detected_s": self.detected_s,
            "silent_s": self.silent_s,
            "stop_ms": self.stop_ms,
            "discarded_s": self.discarded_s,
        }


@dataclass(slots=True)
class Timing:
    """The latency of one exchange. Marks are seconds since the conversation began; each is set once."""

    exchange: int
    interrupted: bool = False
    marks: dict[Mark, float | None] = field(default_factory=_NO_MARKS.copy)
    barge_in: BargeIn | None = None

    def mark(self, mark: Mark, at_s: float | None) -> bool:
        """Set a mark unless it is set; return whether this call set it."""
        if at_s is None or self.marks[mark] is not None:
            return False
        self.marks[mark] = at_s
        return True

    def stages(self) -> dict[Stage, float | None]:
        """Return the seconds of each stage, None where it was not measured."""
        return stages(self.marks)

    @property
    def to_first_audio_s(self) -> float | None:
        """Return the seconds from the user's last voiced sample (typed: the text) to the first of the answer."""
        measured = [share for share in self.stages().values() if share is not None]
        return sum(measured) if measured and self.marks[Mark.FIRST_AUDIBLE] is not None else None

    @property
    def slowest_stage(self) -> Stage | None:
        """Return the stage with the largest share, None until the first audio was heard."""
        if self.to_first_audio_s is None:
            return None
        measured = {stage: share for stage, share in self.stages().items() if share is not None}
        return max(measured, key=lambda stage: measured[stage])

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form: the stages, their sum, the slowest, the marks, and the barge-in where one happened."""
        shown: dict[str, Any] = {"exchange": self.exchange}
        shown |= {f"{stage}_s": share for stage, share in self.stages().items()}
        shown |= {
            "to_first_audio_s": self.to_first_audio_s,
            "slowest_stage": None if self.slowest_stage is None else str(self.slowest_stage),
            "interrupted": self.interrupted,
            "marks": {str(mark): at for mark, at in self.marks.items()},
        }
        if self.barge_in is not None:
            shown["barge_in"] = self.barge_in.as_dict()
        return shown


def percentile(values: Iterable[float], share: float) -> float | None:
    """Return the nearest-rank percentile (`share` from 0 to 1): a value that occurred; None of nothing."""
    ordered = sorted(values)
    if not ordered:
        return None
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]

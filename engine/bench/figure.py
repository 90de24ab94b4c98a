"""One figure of a benchmark."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from voicetui.engine.events import as_json
from voicetui.engine.timing import percentile

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A measured value, the samples that it comes from, and what it is held against.

    `anchor` is the same figure of what it is compared with, in the same unit; `goal` the most that `value` may be.
    Names are dotted: the bench, the figure, the condition.
    """

    name: str
    value: float
    unit: str
    samples: Sequence[float]
    method: str
    anchor: float | None = None
    goal: float | None = None

    @property
    def met(self) -> bool | None:
        """Return whether the goal is met; None where there is none."""
        return None if self.goal is None else self.value <= self.goal

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form, one line of `voicetui bench --json`."""
        return {
            "name": self.name,
            "value": as_json(self.value),
            "unit": self.unit,
            "n": len(self.samples),
            "p50": as_json(percentile(self.samples, 0.5)),
            "p95": as_json(percentile(self.samples, 0.95)),
            "max": as_json(max(self.samples, default=None)),
            "method": self.method,
            "anchor": as_json(self.anchor),
            "goal": self.goal,
            "met": self.met,
        }

"""Conditions on one thing that happened: its kind, and bounds on its fields."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from voicetui.engine.scenario.observed import Seen

TOLERANCE = 1e-6
"""Numbers that differ by no more are the same: virtual time adds up floats."""


@dataclass(frozen=True, slots=True)
class Condition:
    """What a field must be: all that is given must hold."""

    equals: str | float | bool | None = None
    least: float | None = None
    most: float | None = None
    contains: str | None = None
    absent: bool | None = None

    def holds(self, value: object) -> bool:
        """Tell whether a field's value is as required."""
        if self.absent is not None and (value is None) != self.absent:
            return False
        if self.contains is not None and not (isinstance(value, str) and self.contains in value):
            return False
        if self.equals is not None and not self._same(value):
            return False
        if self.least is None and self.most is None:
            return True
        if isinstance(value, bool) or not isinstance(value, int | float):
            return False
        above = self.least is None or value >= self.least - TOLERANCE
        return above and (self.most is None or value <= self.most + TOLERANCE)

    def _same(self, value: object) -> bool:
        wanted = self.equals
        if isinstance(value, bool) or isinstance(wanted, bool):
            return value is wanted
        if isinstance(value, int | float) and isinstance(wanted, int | float):
            return abs(value - wanted) <= TOLERANCE
        return value == wanted

    def __str__(self) -> str:
        """Return it in words: `0.5`, `at most 150`, `containing "Friday"`."""
        words = []
        if self.equals is not None:
            words.append(shown(self.equals))
        if self.least is not None:
            words.append(f"at least {self.least:g}")
        if self.most is not None:
            words.append(f"at most {self.most:g}")
        if self.contains is not None:
            words.append(f"containing {shown(self.contains)}")
        if self.absent is not None:
            words.append("absent" if self.absent else "present")
        return " and ".join(words)


@dataclass(frozen=True, slots=True)
class Pick:
    """Which things are meant: those of a kind whose fields are as required."""

    kind: str
    where: Mapping[str, Condition] = field(default_factory=dict)

    def matches(self, seen: Seen) -> bool:
        """Tell whether this thing is meant."""
        return seen.kind == self.kind and all(c.holds(seen.values.get(name)) for name, c in self.where.items())

    def __str__(self) -> str:
        """Return it in words: `stop (source voice)`."""
        where = ", ".join(f"{name} {condition}" for name, condition in self.where.items())
        return f"{self.kind} ({where})" if where else self.kind


def shown(value: object) -> str:
    """Return a value as it is written in a failure line."""
    if isinstance(value, float):
        return f"{value:.6g}"
    return json.dumps(value, ensure_ascii=False, default=str)

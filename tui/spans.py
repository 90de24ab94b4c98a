"""Who was audible when, over the last minute."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

STRIP_S = 60.0
"""How much of the past is kept."""


@dataclass(slots=True)
class Span:
    """Somebody was audible from one moment to another; `to_s` is None while they still are."""

    speaker: str
    from_s: float
    to_s: float | None = None


@dataclass(slots=True)
class Spans:
    """The spans of both, in the order of their beginnings."""

    all: deque[Span] = field(default_factory=deque)

    def __iter__(self) -> Iterator[Span]:
        return iter(self.all)

    def open(self, speaker: str, at_s: float) -> None:
        """Begin a span, unless one is open."""
        if not any(span.to_s is None and span.speaker == speaker for span in self.all):
            self.all.append(Span(speaker, at_s))
        while self.all and self.all[0].to_s is not None and self.all[0].to_s < at_s - STRIP_S:
            self.all.popleft()

    def close(self, speaker: str, at_s: float) -> None:
        """End the open span."""
        for span in self.all:
            if span.to_s is None and span.speaker == speaker:
                span.to_s = at_s

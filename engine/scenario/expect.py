"""What must come of a scenario, and the one line that says what came instead."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, Protocol

from voicetui.engine.conversation import AGENT, Conversation
from voicetui.engine.scenario.conditions import Condition, Pick, shown
from voicetui.engine.scenario.observed import AT_ONCE_S, SOUND, Seen, observe

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from voicetui.engine.scenario.stage import Record

SHOWN = 3
"""So many of the things seen are named in a failure line."""


class Expectation(Protocol):
    """Something that must hold of a rehearsal; `place` is where it was written."""

    @property
    def place(self) -> str:
        """Return where it was written: file, line and table."""

    def fault(self, seen: Sequence[Seen], conversation: Conversation) -> str | None:
        """Return what was expected and what was seen instead, None where it holds."""


def failures(expectations: Iterable[Expectation], record: Record) -> list[str]:
    """Return a line for each expectation that does not hold."""
    seen = observe(record)
    lines = []
    for expectation in expectations:
        fault = expectation.fault(seen, record.conversation)
        if fault is not None:
            lines.append(f"{expectation.place}: {fault}")
    return lines


@dataclass(frozen=True, slots=True)
class Happens:
    """So many things of a kind happen, each as `has` says; with `after`, in the time after each of those."""

    place: str
    pick: Pick
    least: int = 1
    most: int | None = None
    has: Mapping[str, Condition] = field(default_factory=dict)
    after: Pick | None = None
    within_s: float | None = None
    until: Pick | None = None

    def fault(self, seen: Sequence[Seen], conversation: Conversation) -> str | None:
        """Return what was expected and what was seen instead, None where it holds."""
        del conversation
        if self.after is None:
            return self._fault_among(seen, "")
        starts = [s for s in seen if self.after.matches(s)]
        if not starts:
            return f"expected {self._wanted()} after {self.after}, saw no {self.after}"
        for start in starts:
            fault = self._fault_among(self._window(seen, start), self._window_words(start))
            if fault is not None:
                return fault
        return None

    def _window(self, seen: Sequence[Seen], start: Seen) -> list[Seen]:
        later = [s for s in seen if s is not start and s.follows(start)]
        if self.within_s is not None:
            later = [s for s in later if s.at_s <= start.at_s + self.within_s + AT_ONCE_S]
        end = next((s for s in later if self.until is not None and self.until.matches(s)), None)
        return later if end is None else [s for s in later if s is not end and not _begins_after(s, end)]

    def _window_words(self, start: Seen) -> str:
        within = "" if self.within_s is None else f" within {self.within_s:g} s"
        until = "" if self.until is None else f" until {self.until}"
        return f"{within} after {start.kind} at {start.at_s:.3f} s{until}"

    def _wanted(self) -> str:
        if self.most == 0:
            return f"no {self.pick}"
        if self.most is None:
            return f"at least {self.least} {self.pick}"
        if self.least == self.most:
            return f"exactly {self.least} {self.pick}"
        return f"{self.least} to {self.most} {self.pick}"

    def _fault_among(self, seen: Sequence[Seen], window: str) -> str | None:
        found = [s for s in seen if self.pick.matches(s)]
        if len(found) < self.least or (self.most is not None and len(found) > self.most):
            return f"expected {self._wanted()}{window}, saw {_list(found, seen, self.pick.kind)}"
        for one in found:
            for name, condition in self.has.items():
                value = one.values.get(name)
                if not condition.holds(value):
                    where = f"{one.kind} at {one.at_s:.3f} s"
                    return f"expected {name} {condition} of {where}{window}, saw {shown(value)}"
        return None


@dataclass(frozen=True, slots=True)
class InOrder:
    """Things happen in this order; others may come between."""

    place: str
    picks: Sequence[Pick]

    def fault(self, seen: Sequence[Seen], conversation: Conversation) -> str | None:
        """Return what was expected and what was seen instead, None where it holds."""
        del conversation
        last: Seen | None = None
        for pick in self.picks:
            found = next((s for s in seen if pick.matches(s) and (last is None or s.follows(last))), None)
            if found is None:
                wanted = ", then ".join(str(p) for p in self.picks)
                where = "" if last is None else f" after {last.kind} at {last.at_s:.3f} s"
                return f"expected {wanted}; saw no {pick}{where}"
            last = found
        return None


@dataclass(frozen=True, slots=True)
class FloorIs:
    """The floor passes so, and in no other way."""

    place: str
    holders: Sequence[str]

    def fault(self, seen: Sequence[Seen], conversation: Conversation) -> str | None:
        """Return what was expected and what was seen instead, None where it holds."""
        del conversation
        holders = [str(s.values["floor"]) for s in seen if s.kind == "floor"]
        if holders == list(self.holders):
            return None
        return f"expected the floor to pass {', '.join(self.holders)}; saw {', '.join(holders)}"


@dataclass(frozen=True, slots=True)
class TranscriptIs:
    """The transcript reads so, line by line."""

    place: str
    lines: Sequence[str]

    def fault(self, seen: Sequence[Seen], conversation: Conversation) -> str | None:
        """Return what was expected and what was seen instead, None where it holds."""
        del seen
        return _differ("the transcript", [line.strip() for line in self.lines], transcript(conversation))


@dataclass(frozen=True, slots=True)
class HeardIs:
    """The voice is heard to say these sentences, whole or in part, in this order."""

    place: str
    sentences: Sequence[str]

    def fault(self, seen: Sequence[Seen], conversation: Conversation) -> str | None:
        """Return what was expected and what was seen instead, None where it holds."""
        del conversation
        sounds = [(s.values["reply"], s.values["text"]) for s in seen if s.kind == SOUND]
        return _differ("what was heard", list(self.sentences), [text for (_, text), _ in groupby(sounds)])


def transcript(conversation: Conversation) -> list[str]:
    """Return the transcript as `transcript` in a scenario file gives it: `you: …`, `it: …`, `it: … (cut off)`."""
    lines = []
    for turn in conversation.utterances:
        who = "it" if turn.speaker == AGENT else "you"
        end = " (cut off)" if turn.interrupted else " (broke off)" if turn.incomplete else ""
        lines.append(f"{who}: {turn.text}{end}")
    return lines


def _begins_after(one: Seen, other: Seen) -> bool:
    if one.order is not None and other.order is not None:
        return one.order > other.order
    return one.at_s >= other.at_s - AT_ONCE_S


def _list(found: Sequence[Seen], seen: Sequence[Seen], kind: str) -> str:
    if found:
        named = "; ".join(_one(s) for s in found[:SHOWN])
        return f"{len(found)}: {named}{'; …' if len(found) > SHOWN else ''}"
    others = [s for s in seen if s.kind == kind]
    return f"none, but {_list(others, [], kind)}" if others else "none"


def _one(seen: Seen) -> str:
    values = ", ".join(f"{k} {shown(v)}" for k, v in seen.values.items() if k not in ("kind", "seq", "at_s"))
    return f"{seen.kind} at {seen.at_s:.3f} s ({values})"


def _differ(what: str, wanted: list[str], seen: list[str]) -> str | None:
    if wanted == seen:
        return None
    number = next(
        (n for n, (a, b) in enumerate(zip(wanted, seen, strict=False)) if a != b), min(len(wanted), len(seen))
    )
    right, wrong = [lines[number] if number < len(lines) else None for lines in (wanted, seen)]
    expected = "the end" if right is None else shown(right)
    return f"expected {expected} in line {number + 1} of {what}, saw {'the end' if wrong is None else shown(wrong)}"

"""The last minute: who spoke when, where both did, and where nobody did though an answer was due."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from voicetui.engine.events import Floor
from voicetui.tui.spans import STRIP_S, Span
from voicetui.tui.turns import AGENT, USER
from voicetui.tui.widgets.lines import Lines, framed

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from voicetui.tui.text import Row
    from voicetui.tui.view import View

DEAD_AIR_S = 0.2
"""A person's own gap between turns; what is longer is waited for."""

OVERLAP_S = 0.03
"""Less is the moment that an agent takes to give way."""


def waits(spans: Iterable[Span], now_s: float, *, answer_due: bool) -> list[tuple[float, float]]:
    """Return the gaps between the user's last sound and the answer; the last one lasts until now, if one is due."""
    gaps: list[tuple[float, float]] = []
    user_end: float | None = None
    for span in sorted(spans, key=lambda span: span.from_s):
        if span.speaker == USER:
            user_end = span.to_s
        elif user_end is not None:
            gaps.append((user_end, span.from_s))
            user_end = None
    if answer_due and user_end is not None:
        gaps.append((user_end, now_s))
    return [(begin, end) for begin, end in gaps if end - begin >= DEAD_AIR_S]


@dataclass(slots=True)
class Cell:
    """How long, within a cell of the strip, each was audible, both were, and an answer was waited for, in seconds."""

    user: float = 0.0
    agent: float = 0.0
    both: float = 0.0
    dead: float = 0.0


def cells(view: View, width: int) -> list[Cell]:
    """Return the last minute in `width` cells, the newest last; they stand on a grid, so the past moves in steps."""
    state, now = view.state, view.now_s
    step = STRIP_S / width
    begin = (int(now / step) - width + 1) * step
    row = [Cell() for _ in range(width)]

    def add(from_s: float, to_s: float, name: str) -> None:
        for index in range(max(0, int((from_s - begin) / step)), min(width, int((to_s - begin) / step) + 1)):
            left = begin + index * step
            share = min(to_s, left + step) - max(from_s, left)
            setattr(row[index], name, getattr(row[index], name) + max(0.0, share))

    spans = [Span(span.speaker, span.from_s, now if span.to_s is None else span.to_s) for span in state.spans]
    for span in spans:
        add(span.from_s, span.to_s or now, span.speaker)
    for from_s, to_s in overlaps(spans):
        add(from_s, to_s, "both")
    for from_s, to_s in waits(state.spans, now, answer_due=state.floor is Floor.THINKING):
        add(from_s, to_s, "dead")
    return row


def overlaps(spans: Sequence[Span]) -> list[tuple[float, float]]:
    """Return when both were audible, of spans that have an end."""
    users, agents = ([s for s in spans if s.speaker == who] for who in (USER, AGENT))
    found = []
    for user in users:
        for agent in agents:
            begin, end = max(user.from_s, agent.from_s), min(user.to_s or 0.0, agent.to_s or 0.0)
            if end - begin >= OVERLAP_S:
                found.append((begin, end))
    return found


def _row(signs: Sequence[tuple[str, str]]) -> Row:
    """Return signs and their inks as runs of one ink each."""
    row: Row = []
    for sign, ink in signs:
        if row and row[-1][1] == ink:
            row[-1] = (row[-1][0] + sign, ink)
        else:
            row.append((sign, ink))
    return row


class Minute(Lines):
    """One row with both sides above each other; in three rows and more, framed, a row a side."""

    def rows(self, width: int, height: int) -> list[Row]:
        """Return the row, or the framed ones."""
        glyphs = self.view.glyphs
        quiet, dead = (glyphs.quiet, "faint"), (glyphs.dead_air, "dead-air")
        if height < 3:
            label, now = f" {STRIP_S:.0f} s ", " now "
            signs = (
                (glyphs.both, "overlap"),
                (glyphs.user, "sound-you"),
                (glyphs.agent, "sound-it"),
                dead,
                quiet,
            )
            row = [_sign(cell, signs) for cell in cells(self.view, max(1, width - len(label) - len(now)))]
            return [[(label, "faint"), *_row(row), (now, "faint")]]
        both = (glyphs.agent, "overlap")
        minute = cells(self.view, max(1, width - 9))
        you = [_sign(cell, (both, (glyphs.agent, "sound-you"), quiet, quiet, quiet)) for cell in minute]
        it = [_sign(cell, (both, quiet, (glyphs.agent, "sound-it"), dead, quiet)) for cell in minute]
        rows: list[Row] = [[("you  ", "you"), *_row(you)], [("it   ", "it"), *_row(it)]]
        return framed(rows, f"last {STRIP_S:.0f} s", self._shares(minute), width, glyphs)

    def _shares(self, row: Sequence[Cell]) -> str:
        overlap, dead = sum(cell.both for cell in row), sum(cell.dead for cell in row)
        words = [f"overlap {overlap:.1f} s"] if overlap >= 0.05 else []
        return f" {self.view.glyphs.dot} ".join([*words, *([f"dead air {dead:.1f} s"] if dead >= 0.05 else [])])


def _sign(cell: Cell, signs: Sequence[tuple[str, str]]) -> tuple[str, str]:
    """Return the sign of a cell, of those for both, the user, the agent, dead air and quiet: what lasted longest.

    Both at once shows however short it was. Where a side has no sign of its own, the others decide.
    """
    both, user, agent, dead, quiet = signs
    if cell.both:
        return both
    lasted = [(cell.user, user), (cell.agent, agent), (cell.dead, dead)]
    longest, sign = max(((s, sign) for s, sign in lasted if sign is not quiet), default=(0.0, quiet))
    return sign if longest else quiet

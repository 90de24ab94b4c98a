"""Who has the floor: a sign, a word, a colour, the holder, and since when."""

from __future__ import annotations

from typing import TYPE_CHECKING

from voicetui.tui.state import Shown
from voicetui.tui.text import Row, row_len
from voicetui.tui.widgets.lines import Lines

if TYPE_CHECKING:
    from voicetui.tui.view import View

INKS = {shown: f"floor-{shown.lower().replace(' ', '-')}" for shown in Shown}
GAP = 2
"""Cells that stay free before what stands at the right."""
_WORD = max(len(shown) for shown in Shown)


def floor_row(view: View, width: int) -> Row:
    """Return the row with as many of its words as fit."""
    state, dot = view.state, view.glyphs.dot
    shown = state.shown
    sign = (f" {view.glyphs.floor[shown]} {shown} ", INKS[shown])
    space = (" " * (_WORD - len(shown) + 2), "faint")
    holder, *more = _words(view, shown)
    who = holder.partition(" ")[0]
    since = _since(max(0.0, view.now_s - state.since_s)) if state.begun and state.ended is None else ""
    for words in ([holder, *more, since], [holder, *more], [who, *more], [holder], [who]):
        text = f" {dot} ".join(filter(None, words))
        row: Row = [sign, space, (text, "label")]
        if row_len(row) <= width - GAP:
            return row
    return [sign]


def _words(view: View, shown: Shown) -> list[str]:
    state = view.state
    match shown:
        case Shown.IDLE if state.ended is not None:
            return ["nobody has the floor", "the conversation is over"]
        case Shown.IDLE:
            return ["nobody has the floor", "" if state.begun else "starting"]
        case Shown.LISTENING:
            return ["you have the floor", "muted" if view.muted else ""]
        case Shown.THINKING | Shown.SPEAKING:
            return ["agent has the floor"]
        case Shown.GIVING_WAY:
            return ["agent gives way", "was that for me?"]
        case Shown.INTERRUPTED:
            silent = state.stopped_ms
            return ["you have the floor", "agent silent" + ("" if silent is None else f" in {silent:.0f} ms")]


def _since(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.0f} s"
    return f"{seconds // 60:.0f}:{seconds % 60:02.0f}"


class FloorLine(Lines):
    """The floor indicator, one row."""

    def rows(self, width: int, height: int) -> list[Row]:  # noqa: ARG002 - it is one row high
        """Return the row."""
        return [floor_row(self.view, width)]

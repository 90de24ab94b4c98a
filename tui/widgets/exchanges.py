"""The table of exchanges: what each stage took, the whole wait against the budget, and percentiles over all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from voicetui.engine.timing import BUDGET_S, Stage, percentile
from voicetui.tui.widgets.lines import Lines, framed

if TYPE_CHECKING:
    from voicetui.tui.text import Row
    from voicetui.tui.view import View

HEADS = {Stage.ENDPOINT: "end", Stage.RECOGNISE: "rec", Stage.THINK: "tok", Stage.SPEAK: "aud"}
_CELL = 5
_TOTAL = 7
_NUMBER = 4
_BAR_SHARE = 0.75
"""Where in the room for the bar the budget's line stands."""
_CUT_WIDTH = 20


def exchange_row(timing: dict[str, Any], view: View, width: int, *, spelled_out: bool = False) -> Row:
    """Return the row of one exchange."""
    glyphs = view.glyphs
    number, total = timing["exchange"], timing["to_first_audio_s"]
    row: Row = [(f"{number:>{_NUMBER - 1}} ", "label")]
    for stage in Stage:
        ink = "words" if timing["slowest_stage"] == stage else "faint"
        row.append((f"{_ms(timing[f'{stage}_s'], glyphs.dash):>{_CELL}}", ink))
    over = total is not None and total > BUDGET_S
    row.append((f"{_ms(total, glyphs.dash):>{_TOTAL}}  ", "missed" if over else "words"))
    was_cut = number in view.state.cuts or timing["interrupted"]
    mark = f" {glyphs.cut} " if was_cut else "   "
    if was_cut and spelled_out and (silent := view.state.cuts.get(number)) is not None:
        mark += f"silent in {silent:.0f} ms"
    return [*row, *_bar(total or 0.0, _bar_room(width, spelled_out=spelled_out), view), (mark, "cut")]


def _bar_room(width: int, *, spelled_out: bool) -> int:
    """Return the cells that a row's bar may take."""
    room = width - _NUMBER - _CELL * len(HEADS) - _TOTAL - 2 - max(3, _CUT_WIDTH * spelled_out)
    return room if room >= 4 else 0


def _bar(total: float, room: int, view: View) -> Row:
    if not room:
        return []
    line = round(room * _BAR_SHARE)
    length = min(room, round(total / BUDGET_S * line))
    kept, missed = min(length, line), max(0, length - line)
    glyphs = view.glyphs
    row: Row = [(glyphs.bar * kept, "kept")]
    if missed:
        return [*row, (glyphs.bar * missed, "missed"), (" " * (room - length), "faint")]
    return [*row, (" " * (line - kept), "faint"), (glyphs.budget, "budget"), (" " * (room - line - 1), "faint")]


def _ms(seconds: float | None, dash: str) -> str:
    return dash if seconds is None else f"{seconds * 1000:.0f}"


def head_row(view: View, width: int, *, spelled_out: bool = False) -> Row:
    """Return the names of the columns; the budget's line runs on below."""
    cells = "".join(f"{head:>{_CELL}}" for head in HEADS.values())
    room = _bar_room(width, spelled_out=spelled_out)
    line = " " * round(room * _BAR_SHARE) + f"{view.glyphs.budget} {BUDGET_S * 1000:.0f}" if room else ""
    return [(f"{'#':>{_NUMBER - 1}} {cells}{'total':>{_TOTAL}}  {line}", "faint")]


def sum_row(timings: list[dict[str, Any]], view: View) -> Row:
    """Return the percentiles of the whole wait, and how many missed the budget."""
    totals = [t["to_first_audio_s"] for t in timings if t["to_first_audio_s"] is not None]
    half, most = percentile(totals, 0.5), percentile(totals, 0.95)
    if half is None or most is None:
        return [("no exchange yet", "faint")]
    over = sum(total > BUDGET_S for total in totals)
    dot = f" {view.glyphs.dot} "
    return [
        ("p50 ", "faint"),
        (f"{half * 1000:.0f}", "words"),
        (f"{dot}p95 ", "faint"),
        (f"{most * 1000:.0f}", "words"),
        (f"{dot}over budget ", "faint"),
        (f"{over} of {len(totals)}", "missed" if over else "kept"),
    ]


class Exchanges(Lines):
    """The last exchanges that fit; expanded, older ones by scrolling."""

    def __init__(self, view: View, *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name
        super().__init__(view, id=id)
        self.expanded = False
        self._up = 0
        self._sum: tuple[int, Row] = (-1, [])

    def scroll_rows(self, rows: int) -> None:
        """Go `rows` exchanges back (or forth, if negative)."""
        self._up = max(0, min(self._up + rows, len(self.view.state.timings) - self._room(self.size.height)))
        self.show()

    @staticmethod
    def _room(height: int) -> int:
        return max(1, height - 4)

    def rows(self, width: int, height: int) -> list[Row]:
        """Return the framed rows."""
        timings = self.view.state.timings
        room = self._room(height)
        end = max(0, len(timings) - min(self._up, max(0, len(timings) - room)))
        shown = timings[max(0, end - room) : end]
        table = [exchange_row(t, self.view, width - 4, spelled_out=self.expanded) for t in shown]
        if self._sum[0] != len(timings):
            self._sum = (len(timings), sum_row(timings, self.view))
        rows = [
            head_row(self.view, width - 4, spelled_out=self.expanded),
            *table,
            *([[]] * (room - len(table))),
            self._sum[1],
        ]
        return framed(rows, "exchanges", "e transcript" if self.expanded else "e expand", width, self.view.glyphs)

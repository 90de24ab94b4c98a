"""The transcript: turns as they are said, heard and unheard words apart, and where the user cut in.

Turns are wrapped once and kept; an update wraps only those that have changed, whatever the length.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.segment import Segment
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip
from voicetui.tui.text import Row, plain, row_len, wrap_runs
from voicetui.tui.turns import LIVE_AT_MOST, USER, Cut, Turn
from voicetui.tui.widgets.lines import Lines, framed, inks_of, strip_of

if TYPE_CHECKING:
    from rich.style import Style
    from textual.events import Resize
    from textual.selection import Selection
    from voicetui.tui.glyphs import Glyphs
    from voicetui.tui.view import View

MARGIN = 7
"""Cells before the words: a space, who speaks, and the mark of a cut turn."""
WIDE = 100
"""From so wide a screen on, the mark of a cut has a row of its own."""


def turn_rows(turn: Turn, width: int, glyphs: Glyphs, *, mark_apart: bool = False) -> list[Row]:
    """Return the rows of a turn, `width` cells wide at most, and no blank row."""
    words = wrap_runs(_words(turn, glyphs), width - MARGIN)
    if turn.cut is not None:
        _mark(words, turn.cut, width - MARGIN, glyphs, apart=mark_apart)
    gutter = (f"{glyphs.gutter} ", "gutter") if turn.cut is not None else ("  ", "words")
    who, ink = ("you", "you") if turn.speaker == USER else ("it", "it")
    return [[(f" {who if first else '':<4}", ink), gutter, *row] for first, row in _with_first(words)]


def _words(turn: Turn, glyphs: Glyphs) -> Row:
    heard, unheard = plain(turn.heard), plain(turn.unheard)
    if turn.speaker == USER:
        live = turn.live and not turn.committed
        return [(heard, "draft"), (f" {glyphs.live}", "live")] if live else [(heard, "words")]
    if turn.live and turn.cut is None:
        space = " " if heard and unheard else ""
        return [(heard, "words"), (space + unheard, "coming"), (f" {glyphs.live}", "live")]
    if not unheard:
        return [(heard, "words")]
    apart = f"{glyphs.unheard} "
    return [(f"{heard} ", "words"), (apart, "faint"), (unheard, "unheard"), (f" {glyphs.unheard}", "faint")]


def _mark(rows: list[Row], cut: Cut, width: int, glyphs: Glyphs, *, apart: bool) -> None:
    """Say how the turn was cut, after its last word if there is room."""
    said = [f"{glyphs.cut} you cut in"]
    if cut.heard_s:
        said.append(f"heard {cut.heard_s:.1f} s" + (f" of {cut.total_s:.1f} s" if cut.total_s is not None else ""))
    if cut.silent_ms is not None:
        said.append(f"silent in {cut.silent_ms:.0f} ms")
    mark = ", ".join(said)
    if apart or row_len(rows[-1]) + 2 + len(mark) > width:
        mark = mark if not apart else f" {glyphs.dot} ".join(said)
        rows.extend(wrap_runs([(mark, "cut")], width))
    else:
        rows[-1] = [*rows[-1], ("  ", "cut"), (mark, "cut")]


def _with_first(rows: list[Row]) -> list[tuple[bool, Row]]:
    return [(number == 0, row) for number, row in enumerate(rows)]


def welcome_rows(view: View, width: int) -> list[Row]:
    """Return what stands where the first turn will: what the user should know, and how to begin."""
    rows: list[Row] = [[]]
    for note in view.facts.notes:
        rows += [[(" ", "faint"), *row] for row in wrap_runs([(plain(note), "notice")], width - 2)]
    if view.state.ended is not None:
        return rows
    if not view.state.begun:
        return [*rows, [(f" the parts are being made ready {view.glyphs.live}", "faint")]]
    keys = {hint.action: hint.key for hint in view.hints}
    stop = keys.get("interrupt", "space")
    rows += wrap_runs([(" Say something, or press ", "faint"), ("/", "key"), (" and type it.", "faint")], width)
    rows += wrap_runs([(" Cut in whenever you like: speak, or press ", "faint"), (stop, "key"), (".", "faint")], width)
    return rows


class TranscriptTop(Lines):
    """The upper edge of the transcript's frame, with the number of turns."""

    def rows(self, width: int, height: int) -> list[Row]:  # noqa: ARG002 - it is one row high
        """Return the edge."""
        view = self.view
        words = [f"turn {len(view.state.turns)}"] if view.state.turns else []
        if view.session and width >= WIDE // 2 and self.app.size.width >= WIDE:
            words.append(f"session {view.session}")
        if not self.screen.query_one(Transcript).at_end:
            words.append(f"{view.glyphs.more} more below")
        return framed([], "transcript", f" {view.glyphs.dot} ".join(words), width, view.glyphs)[:1]


@dataclass(slots=True)
class _Block:
    """The rows of a turn as they were drawn last."""

    turn: Turn
    version: int
    settled: bool
    row: int
    """The first of them."""


class Transcript(ScrollView):
    """All turns, the newest at the end; it stays there unless the user has scrolled away."""

    can_focus = False

    class EndMoved(Message):
        """The newest turn went out of sight, or is in sight again."""

    def __init__(self, view: View, *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name
        super().__init__(id=id)
        self.view = view
        self._blocks: list[_Block] = []
        self._rows: list[Row] = []
        self._ground: Style | None = None
        self._width = 0
        self.at_end = True
        """Whether it keeps to the newest turn: it does unless the user has scrolled away."""

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Follow the newest turn again once the user is back at it."""
        super().watch_scroll_y(old_value, new_value)
        was, self.at_end = self.at_end, new_value >= self.max_scroll_y
        if was is not self.at_end:
            self.post_message(self.EndMoved())

    def show(self) -> None:
        """Wrap and draw what has changed."""
        width = self.scrollable_content_region.width
        if not width:
            return
        if width != self._width:
            self._width, self._blocks, self._rows = width, [], []
        turns = self.view.state.turns
        if not turns:
            self._welcome()
            return
        first = self._unchanged()
        if first == len(turns) == len(self._blocks):
            return
        if not self._blocks:
            self._rows = []  # the welcome
        before = self._in_sight()
        old_rows = len(self._rows)
        from_row = self._blocks[first].row if first < len(self._blocks) else old_rows
        del self._blocks[first:], self._rows[from_row:]
        for turn in turns[first:]:
            self._add(turn)
        if len(self._rows) != old_rows:
            self.virtual_size = Size(width, len(self._rows))
            self._keep_to_end()
            self.call_after_refresh(self._keep_to_end)
        self._refresh_changed(before)

    def _in_sight(self) -> tuple[int, list[Row]]:
        """Return the first row in sight, and those in sight."""
        first = self.scroll_offset.y
        return first, self._rows[first : first + self.size.height]

    def _refresh_changed(self, before: tuple[int, list[Row]]) -> None:
        """Draw again what is not as it was."""
        (old_first, old), (first, rows) = before, self._in_sight()
        if first != old_first:
            self.refresh()  # it has scrolled
            return
        lines = range(max(len(old), len(rows)))
        changed = [y for y in lines if y >= len(old) or y >= len(rows) or old[y] != rows[y]]
        if changed:
            width = self.scrollable_content_region.width
            self.refresh(*(Region(0, y, width, 1) for y in changed))

    def _keep_to_end(self) -> None:
        if self.at_end and self.scroll_y < self.max_scroll_y:
            self.scroll_end(animate=False, immediate=True, x_axis=False)

    def _welcome(self) -> None:
        """Say what can be done, until something is said."""
        rows = welcome_rows(self.view, self._width)
        if rows != self._rows:
            self._blocks, self._rows = [], rows
            self.virtual_size = Size(self._width, len(rows))
            self.refresh()

    def _unchanged(self) -> int:
        """Return how many turns at the beginning are as they were drawn."""
        turns, blocks = self.view.state.turns, self._blocks
        first = max(0, len(blocks) - LIVE_AT_MOST)  # what was settled before stays
        while first < min(len(turns), len(blocks)):
            turn, block = turns[first], blocks[first]
            if block.turn is not turn or block.version != turn.version or block.settled is turn.live:
                break
            first += 1
        return min(first, len(turns))

    def _add(self, turn: Turn) -> None:
        rows = turn_rows(turn, self._width, self.view.glyphs, mark_apart=self.app.size.width >= WIDE)
        if turn.speaker == USER and self._rows:
            rows.insert(0, [])
        self._blocks.append(_Block(turn, turn.version, not turn.live, len(self._rows)))
        self._rows.extend(rows)

    # -- drawing -----------------------------------------------------------------------------------------------------

    def render_line(self, y: int) -> Strip:
        """Return the row that is `y` rows below the top of what is in sight."""
        y += self.scroll_offset.y
        ground = self._ground = self._ground or self.rich_style
        row = self._rows[y] if y < len(self._rows) else []
        strip = strip_of(row, self.size.width, inks_of(self), ground, self.view.glyphs.encoding)
        return self._with_selection(strip, y).apply_offsets(0, y)

    def _with_selection(self, strip: Strip, y: int) -> Strip:
        selection = self.text_selection
        span = None if selection is None else selection.get_span(y)
        if span is None:
            return strip
        begin, end = span
        end = strip.cell_length if end == -1 else end
        before, selected, after = strip.divide([begin, end, strip.cell_length])
        style = self.screen.get_component_rich_style("screen--selection")
        chosen = Strip([Segment(text, (old or style) + style) for text, old, _ in selected], selected.cell_length)
        return Strip.join([before, chosen, after])

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """Return the words that were selected with the mouse."""
        return selection.extract("\n".join("".join(text for text, _ in row) for row in self._rows)), "\n"

    def selection_updated(self, selection: Selection | None) -> None:  # noqa: ARG002 - Textual's own name
        """Draw the selection."""
        self.refresh()

    def notify_style_update(self) -> None:
        """Forget the style of the other theme."""
        self._ground = None
        super().notify_style_update()

    def on_resize(self, _: Resize) -> None:
        """Wrap for the new width, and keep to the newest turn."""
        self.show()
        self._keep_to_end()

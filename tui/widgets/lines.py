"""The base of every widget that moves: rows of runs, drawn again only where they have changed, never laid out again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget
from voicetui.tui.text import Row, fit, row_len, shorten

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual.events import Resize
    from voicetui.tui.glyphs import Glyphs
    from voicetui.tui.view import View


def strip_of(row: Row, width: int, inks: Mapping[str, Style], ground: Style, encoding: str = "") -> Strip:
    """Return a row as a strip of exactly `width` cells."""
    segments = [Segment(_sayable(text, encoding), ground + inks[ink]) for text, ink in row]
    return Strip(segments).adjust_cell_length(width, ground)


def framed(rows: list[Row], title: str, right: str, width: int, glyphs: Glyphs, foot: str = "") -> list[Row]:
    """Return rows in a frame of `width` cells, with words in its top at the left and the right, and in its foot."""
    top_left, top_right, foot_left, foot_right = tuple(glyphs.corners)
    inner = max(0, width - 4)
    framed = [_edge(title, right, width, glyphs, top_left, top_right)]
    for row in rows:
        space = " " * max(0, inner - row_len(row))
        framed.append([(f"{glyphs.down} ", "frame"), *_cropped(row, inner), (f"{space} {glyphs.down}", "frame")])
    return [*framed, _edge("", foot, width, glyphs, foot_left, foot_right)]


def _edge(left: str, right: str, width: int, glyphs: Glyphs, begin: str, end: str) -> Row:
    room = max(0, width - 6)
    right = shorten(right, room - 2 - cell_len(left), glyphs.ellipsis) if right else ""
    left = shorten(left, room, glyphs.ellipsis)
    words = (f" {left} " if left else "", f" {right} " if right else "")
    line = glyphs.across * max(0, width - 4 - cell_len(words[0]) - cell_len(words[1]))
    edge: Row = [(f"{begin}{glyphs.across}", "frame"), (words[0], "title"), (line, "frame")]
    return [*edge, (words[1], "faint"), (f"{glyphs.across}{end}", "frame")]


def _cropped(row: Row, width: int) -> Row:
    if row_len(row) <= width:
        return row
    cropped: Row = []
    for text, ink in row:
        cells = cell_len(text)
        if cells > width:
            return [*cropped, (fit(text, width), ink)]
        cropped.append((text, ink))
        width -= cells
    return cropped


def _sayable(text: str, encoding: str) -> str:
    """Return text of the same width that a terminal with this encoding can show."""
    if not encoding or text.isascii():
        return text
    return "".join(char if _has(encoding, char) else "?" * cell_len(char) for char in text)


def _has(encoding: str, char: str) -> bool:
    try:
        char.encode(encoding)
    except UnicodeError:
        return False
    return True


class Lines(Widget):
    """Rows drawn from the view. A subclass says which; `show` is called whenever something may have moved."""

    ALLOW_SELECT = False

    def __init__(self, view: View, *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name
        super().__init__(id=id)
        self.view = view
        self._rows: list[Row] | None = None
        self._ground: Style | None = None

    def rows(self, width: int, height: int) -> list[Row]:
        """Return what to show in this many columns and rows."""
        raise NotImplementedError

    def show(self) -> bool:
        """Draw again what is no longer as it was; return whether anything is."""
        if not self.display or not self.size:
            return False
        shown, self._rows = self._rows, self.rows(*self.size)
        if shown is None or len(shown) != len(self._rows):
            self.refresh()
            return True
        changed = [y for y, row in enumerate(self._rows) if row != shown[y]]
        if changed:
            self.refresh(*(Region(0, y, self.size.width, 1) for y in changed))
        return bool(changed)

    def render_line(self, y: int) -> Strip:
        """Return a row; the base class asks for those that are to be drawn again."""
        if self._rows is None:
            self._rows = self.rows(*self.size)
        row = self._rows[y] if y < len(self._rows) else []
        return strip_of(row, self.size.width, inks_of(self), self.ground, self.view.glyphs.encoding)

    @property
    def ground(self) -> Style:
        """Return the style that the rows stand on."""
        if self._ground is None:
            self._ground = self.rich_style
        return self._ground

    def notify_style_update(self) -> None:
        """Forget the style of the other theme."""
        self._ground = None
        super().notify_style_update()

    def on_resize(self, _: Resize) -> None:
        """Forget the rows of the other size."""
        self._rows = None
        self.refresh()


def inks_of(widget: Widget) -> Mapping[str, Style]:
    """Return the inks of the application's theme."""
    inks: Mapping[str, Style] = widget.app.inks  # type: ignore[attr-defined] # every app here has them
    return inks

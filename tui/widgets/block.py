"""Rows that a screen writes, in a place of their own; a page of them scrolls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.binding import Binding
from voicetui.tui.text import row_len
from voicetui.tui.widgets.lines import Lines
from voicetui.tui.widgets.signs import signs_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.events import MouseScrollDown, MouseScrollUp
    from voicetui.tui.text import Row
    from voicetui.tui.view import View

WHEEL_ROWS = 3
SCROLLING = (
    Binding("up,k", "scroll(-1)", "Up", id="page.up", show=False),
    Binding("down,j", "scroll(1)", "Down", id="page.down", show=False),
    Binding("pageup", "page(-1)", "A page up", id="page.page-up", show=False),
    Binding("pagedown", "page(1)", "A page down", id="page.page-down", show=False),
    Binding("home", "scroll(-1000000)", "To the top", id="page.top", show=False),
    Binding("end", "scroll(1000000)", "To the end", id="page.end", show=False),
)


class Block(Lines):
    """What `write(width, height)` returns. `show()` after whatever changes it."""

    def __init__(self, view: View, write: Callable[[int, int], list[Row]], *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name
        super().__init__(view, id=id)
        self._write = write

    def rows(self, width: int, height: int) -> list[Row]:
        """Return the rows, no more than there is room for."""
        return self._write(width, height)[:height]


class Page(Lines, can_focus=True):
    """What `write(width)` returns, scrolled with the keys or the wheel."""

    BINDINGS = list(SCROLLING)  # noqa: RUF012 - Textual's own way

    def __init__(self, view: View, write: Callable[[int], list[Row]], *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(view, id=id)
        self._write = write
        self._top = 0

    def rows(self, width: int, height: int) -> list[Row]:
        """Return the rows from where it is scrolled to."""
        written = self._write(width - 2)
        self._top = max(0, min(self._top, len(written) - height))
        shown = written[self._top : self._top + height]
        return with_thumb(shown, self._top, len(written), width, height, self.view)

    def action_scroll(self, rows: int) -> None:
        """Scroll by rows."""
        self._top = max(0, self._top + rows)
        self.show()

    def action_page(self, pages: int) -> None:
        """Scroll by pages."""
        self.action_scroll(pages * max(1, self.size.height - 1))

    def on_mouse_scroll_down(self, _: MouseScrollDown) -> None:
        """Scroll down."""
        self.action_scroll(WHEEL_ROWS)

    def on_mouse_scroll_up(self, _: MouseScrollUp) -> None:
        """Scroll up."""
        self.action_scroll(-WHEEL_ROWS)


def with_thumb(shown: list[Row], top: int, total: int, width: int, height: int, view: View) -> list[Row]:
    """Return rows with a mark in the last column that says which part of all rows they are."""
    if total <= height:
        return shown
    size = max(1, round(height * height / total))
    first = round(top / (total - height) * (height - size))
    marked = []
    for y, row in enumerate(shown):
        sign = signs_of(view).thumb if first <= y < first + size else " "
        gap = " " * max(0, width - 1 - row_len(row))
        marked.append([*row, (gap, "faint"), (sign, "frame")])
    return marked

"""A list to choose from: rows with a cursor, under headings, by keys or mouse."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.binding import Binding
from textual.message import Message
from textual.strip import Strip
from voicetui.tui.text import fit, row_len, shorten
from voicetui.tui.widgets.block import WHEEL_ROWS, with_thumb
from voicetui.tui.widgets.lines import Lines
from voicetui.tui.widgets.signs import signs_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual.events import Click, MouseScrollDown, MouseScrollUp
    from voicetui.tui.text import Row
    from voicetui.tui.view import View

GUTTER = 2


@dataclass(frozen=True, slots=True)
class Item:
    """A row of the list; one without a key is a heading or a remark that the cursor passes over."""

    row: tuple[tuple[str, str], ...]
    key: str = ""


def item(key: str, row: Row) -> Item:
    """Return a row that can be chosen."""
    return Item(tuple(row), key)


def remark(row: Row) -> Item:
    """Return a row that cannot."""
    return Item(tuple(row))


class Picker(Lines, can_focus=True):
    """Items, of which one is under the cursor. The rest of a row that is too long is cropped."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"picker--cursor"}
    BINDINGS = [  # noqa: RUF012 - Textual's own way
        Binding("up,k", "move(-1)", "Up", id="picker.up", show=False),
        Binding("down,j", "move(1)", "Down", id="picker.down", show=False),
        Binding("pageup", "page(-1)", "A page up", id="picker.page-up", show=False),
        Binding("pagedown", "page(1)", "A page down", id="picker.page-down", show=False),
        Binding("home", "move(-1000000)", "To the first", id="picker.first", show=False),
        Binding("end", "move(1000000)", "To the last", id="picker.last", show=False),
        Binding("enter", "choose", "Choose", id="picker.choose", show=False),
    ]

    @dataclass
    class Moved(Message):
        """The cursor is on another item; `by_itself` when the item that it was on has gone."""

        key: str
        by_itself: bool = False

    @dataclass
    class Chosen(Message):
        """The item under the cursor is chosen."""

        key: str

    def __init__(self, view: View, *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name
        super().__init__(view, id=id)
        self.cursor = ""
        """The key of the item under the cursor; "" where nothing can be chosen."""
        self._items: list[Item] = []
        self._top = 0

    def put(self, items: Iterable[Item]) -> None:
        """Show other items; the cursor stays on its item, or where that was."""
        before = self._at()
        self._items = list(items)
        keys = [i.key for i in self._items if i.key]
        if self.cursor not in keys:
            near = [n for n, i in enumerate(self._items) if i.key]
            place = min(near, key=lambda n: abs(n - before), default=None)
            self.move_to(self._items[place].key if place is not None else "", by_itself=True)
        self.show()

    def move_to(self, key: str, *, by_itself: bool = False) -> None:
        """Put the cursor on an item."""
        if key != self.cursor:
            self.cursor = key
            self.post_message(self.Moved(key, by_itself))
        self._follow()
        self.show()

    def row_of(self, key: str) -> int | None:
        """Return the row that an item is shown in; None where it is out of sight."""
        place = next((n for n, i in enumerate(self._items) if i.key == key), -1) - self._top
        return place if 0 <= place < self.size.height else None

    def _at(self) -> int:
        return next((n for n, i in enumerate(self._items) if i.key and i.key == self.cursor), 0)

    def _follow(self) -> None:
        """Scroll so that the cursor is in sight, with its heading, and with what stands after the last item."""
        height, at = self.size.height, self._at()
        above = at - 1 if at and not self._items[at - 1].key else at
        above = above if any(i.key for i in self._items[:at]) else 0
        below = at if any(i.key for i in self._items[at + 1 :]) else len(self._items) - 1
        if height:
            self._top = min(max(below - height + 1, min(self._top, above)), at)
        self._top = max(0, min(self._top, len(self._items) - height))

    # -- drawing -----------------------------------------------------------------------------------------------------

    def rows(self, width: int, height: int) -> list[Row]:
        """Return the rows in sight."""
        self._follow()
        cursor = f"{signs_of(self.view).cursor:<{GUTTER}}"
        shown: list[Row] = []
        for listed in self._items[self._top : self._top + height]:
            gutter = cursor if listed.key and listed.key == self.cursor else " " * GUTTER
            shown.append([(gutter, "key"), *cropped(list(listed.row), width - GUTTER - 2)])
        return with_thumb(shown, self._top, len(self._items), width, height, self.view)

    def render_line(self, y: int) -> Strip:
        """Return a row, the one under the cursor on its own ground."""
        strip = super().render_line(y)
        at = self._at() - self._top
        if y != at or not self.cursor or not self.has_focus:
            return strip
        style = self.get_component_rich_style("picker--cursor")
        ground = Style(bgcolor=style.bgcolor, bold=style.bold, reverse=style.reverse)  # each ink keeps its colour
        return Strip([Segment(text, (ink or ground) + ground) for text, ink, _ in strip], strip.cell_length)

    def on_focus(self) -> None:
        """Mark the cursor's row."""
        self.refresh()

    def on_blur(self) -> None:
        """Unmark it."""
        self.refresh()

    # -- keys and mouse ----------------------------------------------------------------------------------------------

    def action_move(self, steps: int) -> None:
        """Move the cursor by so many items."""
        keys = [i.key for i in self._items if i.key]
        if keys:
            at = keys.index(self.cursor) if self.cursor in keys else 0
            self.move_to(keys[max(0, min(at + steps, len(keys) - 1))])

    def action_page(self, pages: int) -> None:
        """Move the cursor by pages."""
        self.action_move(pages * max(1, self.size.height - 1))

    def action_choose(self) -> None:
        """Choose the item under the cursor."""
        if self.cursor:
            self.post_message(self.Chosen(self.cursor))

    def on_click(self, event: Click) -> None:
        """Put the cursor where the mouse is; on the item that it is on already, choose it."""
        place = self._top + event.y
        key = self._items[place].key if 0 <= place < len(self._items) else ""
        if not key:
            return
        if key == self.cursor:
            self.action_choose()
        else:
            self.move_to(key)

    def on_mouse_scroll_down(self, _: MouseScrollDown) -> None:
        """Move down."""
        self.action_move(WHEEL_ROWS)

    def on_mouse_scroll_up(self, _: MouseScrollUp) -> None:
        """Move up."""
        self.action_move(-WHEEL_ROWS)


def cropped(row: Row, width: int) -> Row:
    """Return a row of at most `width` cells."""
    if row_len(row) <= width:
        return row
    kept: Row = []
    for text, ink in row:
        room = width - row_len(kept)
        if row_len([(text, ink)]) > room:
            return [*kept, (fit(text, room), ink)]
        kept.append((text, ink))
    return kept


def columns(cells: Iterable[tuple[str, str, int]], width: int, view: View, *, gap: int = 2) -> Row:
    """Return cells side by side, each `(text, ink, cells)`; a width of 0 takes what the others leave."""
    cells = list(cells)
    fixed = sum(size for _, _, size in cells if size) + gap * (len(cells) - 1)
    rest = max(0, width - fixed)
    row: Row = []
    for number, (text, ink, size) in enumerate(cells):
        if number:
            row.append((" " * gap, "faint"))
        room = size or rest
        row.append((fit(shorten(text, room, view.glyphs.ellipsis), room), ink))
    return row

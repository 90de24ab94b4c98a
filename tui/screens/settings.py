"""Settings: every one with its sentence and value, changed in place, checked, and written to the settings file."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len
from textual.binding import Binding
from textual.containers import Vertical
from textual.widgets import Input
from voicetui.engine.errors import UsageError
from voicetui.tui.screens.sheet import Sheet
from voicetui.tui.screens.words import counts_from, fault, rule, sentence
from voicetui.tui.settings import DEFAULTS, PARTS, POLICY, SENTENCES, Settings, as_toml, choices, load, typed
from voicetui.tui.settings_file import reset, write
from voicetui.tui.text import one_line, wrap_runs
from voicetui.tui.view import Hint
from voicetui.tui.widgets.block import Block
from voicetui.tui.widgets.picker import GUTTER, Item, Picker, columns, item, remark
from voicetui.tui.widgets.signs import signs_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from textual import events
    from textual.widget import Widget
    from voicetui.tui.text import Row
    from voicetui.tui.view import View

HEADS = {"Parts": PARTS, "Conversation": POLICY}
NAME_WIDTH = max(map(len, SENTENCES))
VALUE_WIDTH = 20
MARK_WIDTH = 7
SENTENCE_FROM = 96
"""Columns from which a sentence has room beside its setting."""


def accepted(name: str) -> str:
    """Return what values a setting takes, in words."""
    named = choices(name)
    if named:
        return " or ".join(map(_bare, named))
    try:
        typed(name, "\0")
    except UsageError as error:
        return error.message.rpartition("it must be ")[2]
    return "text"


def _bare(value: object) -> str:
    """Return a value as it is typed: text without its quotes."""
    return one_line(value) if isinstance(value, str) else as_toml(value)


def setting_items(settings: Settings, width: int, view: View) -> list[Item]:
    """Return the rows: headings, a row a setting, and what in the file could not be used."""
    listed: list[Item] = []
    for head, names in HEADS.items():
        listed += [remark([])] * bool(listed) + [remark([(head, "title")])]
        listed += [item(name, setting_row(name, settings, width, view)) for name in names]
    if settings.complaints:
        listed += [remark([]), remark([("Not understood in the file", "title")])]
        listed += [remark(row) for line in settings.complaints for row in wrap_runs([(one_line(line), "cut")], width)]
    return listed


def setting_row(name: str, settings: Settings, width: int, view: View) -> Row:
    """Return a setting's row: its name, its value, whether that is the default, and its sentence where it fits."""
    own = name in settings.values
    value = _bare(settings.value(name)) or view.glyphs.dash
    room = min(VALUE_WIDTH, width - NAME_WIDTH - MARK_WIDTH - 4)
    cells = [
        (name, "label", NAME_WIDTH),
        (value, "words" if own else "faint", room),
        ("set" if own else "default", "key" if own else "faint", MARK_WIDTH),
    ]
    if width >= SENTENCE_FROM:
        cells.append((SENTENCES[name], "faint", 0))
    return columns(cells, width, view)


class SettingsScreen(Sheet[frozenset[str]]):
    """Closed with the names of the settings that were written."""

    TITLE = "Settings"
    CSS_PATH: ClassVar = ["sheet.tcss", "settings.tcss"]
    BINDINGS: ClassVar = [
        Binding("right", "turn(1)", "Next value", id="settings.next", show=False),
        Binding("left", "turn(-1)", "Value before", id="settings.before", show=False),
        Binding("delete,backspace", "default", "Default", id="settings.default", show=False),
    ]

    def __init__(self, path: Path | None = None) -> None:
        super().__init__()
        self._path = path
        self._written: set[str] = set()
        self._error: UsageError | None = None
        self._said = ""

    def body(self) -> Iterable[Widget]:
        """Return the list, the box that a value is typed in, and the words on the setting under the cursor."""
        self._settings = load(self._path)
        self._picker = Picker(self.talk, id="settings-list")
        self._box = Input(id="settings-box", compact=True, select_on_focus=False)
        self._box.display = False
        self._detail = Block(self.talk, self._words, id="settings-detail")
        yield Vertical(self._picker, self._box, id="settings-area")
        yield self._detail

    def hints(self) -> list[Hint]:
        """Return the keys."""
        signs = signs_of(self.talk)
        if self._box.display:
            return [Hint(signs.enter, "Keep", "keep", 0)]
        name = self._picker.cursor
        change = Hint(signs.enter, "Next value" if name and choices(name) else "Change", "change", 0)
        return [change, Hint("Del", "Default", "default", 0)]

    def closing_word(self) -> str:
        """Return what Escape does."""
        return "Leave it" if self._box.display else "Close"

    def result(self) -> frozenset[str]:
        """Return the names of the settings that were written."""
        return frozenset(self._written)

    def show(self) -> None:
        """Draw what may have changed."""
        width = max(1, self._picker.size.width - GUTTER - 2)
        self._picker.put(setting_items(self._settings, width, self.talk))
        self._detail.show()
        self.show_keys()

    def _words(self, width: int, _height: int) -> list[Row]:
        """Return the words on the setting under the cursor."""
        name = self._picker.cursor
        rows = [rule(width, self.talk)]
        if not name:
            return rows
        rows += wrap_runs([(name, "title"), ("  ", "faint"), (sentence(SENTENCES[name]), "words")], width)
        takes: Row = [("takes ", "faint"), (accepted(name), "label"), ("; the default is ", "faint")]
        rows += wrap_runs([*takes, (_bare(DEFAULTS[name]) or "empty", "label")], width)
        if self._error is not None:
            return rows + fault(self._error, width, self.talk)
        if self._said:
            return rows + wrap_runs([(self._said, "notice")], width)
        return rows + wrap_runs([(self._where(name), "faint")], width)

    def _where(self, name: str) -> str:
        line = self._settings.lines.get(name)
        path = one_line(str(self._settings.path))
        return f"set in line {line} of {path}" if line else f"not set in {path}"

    # -- changing ----------------------------------------------------------------------------------------------------

    def on_picker_moved(self, _: Picker.Moved) -> None:
        """Say what the setting under the cursor is."""
        self._error, self._said = None, ""
        self._detail.show()
        self.show_keys()

    def on_picker_chosen(self, _: Picker.Chosen) -> None:
        """Change the setting."""
        self.action_change()

    def action_change(self) -> None:
        """Take the next value, or open the box for one."""
        name = self._picker.cursor
        if choices(name):
            self.action_turn(1)
        elif name:
            self._open_box(name)

    def action_turn(self, step: int) -> None:
        """Take the value that comes `step` after this one."""
        name = self._picker.cursor
        named = choices(name) if name else ()
        if named and not self._box.display:
            at = named.index(self._settings.value(name))
            self._write(name, named[(at + step) % len(named)])

    def action_default(self) -> None:
        """Give the setting its default."""
        if self._picker.cursor and not self._box.display:
            self._write(self._picker.cursor, None)

    def _write(self, name: str, value: object) -> None:
        try:
            if value is None:
                reset(name, self._path)
            else:
                write(name, value, self._path)
        except UsageError as error:
            self._error = error
        else:
            self._error = None
            self._written.add(name)
            self._said = f"written; {counts_from(name)}"
        self._settings = load(self._path)
        self.show()

    # -- typing ------------------------------------------------------------------------------------------------------

    def _open_box(self, name: str) -> None:
        row = self._picker.row_of(name)
        if row is None:
            return
        value = _bare(self._settings.value(name))
        left = GUTTER + NAME_WIDTH + 2
        room = self._picker.size.width - left - 1
        self._box.styles.offset = (left, row)
        self._box.styles.width = min(room, max(VALUE_WIDTH, cell_len(value) + 8))
        self._box.value = value
        self._box.cursor_position = len(value)
        self._box.display = True
        self._box.focus()
        self._error, self._said = None, ""
        self.show()

    def action_keep(self) -> None:
        """Take what was typed, if it is accepted; else say what is."""
        name = self._picker.cursor
        try:
            value = typed(name, self._box.value)
        except UsageError as error:
            self._error = error
            self._detail.show()
            return
        self._close_box()
        self._write(name, value)

    def on_input_submitted(self, _: Input.Submitted) -> None:
        """Take what was typed."""
        self.action_keep()

    def on_input_changed(self, _: Input.Changed) -> None:
        """Forget the complaint about what was typed before."""
        if self._error is not None:
            self._error = None
            self._detail.show()

    def action_close(self) -> None:
        """Leave the box, or the screen."""
        if not self._box.display:
            super().action_close()
            return
        self._close_box()
        self._error = None
        self.show()

    def _close_box(self) -> None:
        self._box.display = False
        self._picker.focus()

    def on_resize(self, _: events.Resize) -> None:
        """Close the box, which would stand in the wrong place."""
        if self._box.display:
            self._close_box()

"""A sheet in front of the talk: a frame with a title, what the screen shows, and its keys in the last row.

The talk goes on behind it, and the interrupt key works here as it does there; only Escape closes the sheet first.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, TypeVar

from textual.binding import Binding
from textual.containers import Vertical
from textual.screen import ModalScreen
from voicetui.tui.keys import ALWAYS_INTERRUPTS, INTERRUPT, TALK_KEYS, normal
from voicetui.tui.view import Hint, View
from voicetui.tui.widgets.keybar import KeyBar

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import PurePath

    from textual import events
    from textual.app import ComposeResult
    from textual.widget import Widget
    from voicetui.tui.app import TalkApp

T = TypeVar("T")
FPS = 30


class Sheet(ModalScreen[T]):
    """The base of the screens beside the talk. A subclass gives `body` and `hints`, and `result` where it has one."""

    CSS_PATH: ClassVar[list[str | PurePath]] = ["sheet.tcss"]
    BINDINGS: ClassVar = [
        Binding("escape,q", "close", "Close", id="sheet.close", show=False),
        Binding("f1,question_mark", "help", "Help", id="sheet.help", show=False),
    ]
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012 - Textual's own way

    app: TalkApp

    def compose(self) -> ComposeResult:
        """Place the frame, what is in it, and the keys."""
        self.talk = self.app.view
        self.keys = View(glyphs=self.talk.glyphs)
        with Vertical(id="sheet") as sheet:
            sheet.border_title = str(self.TITLE)
            yield from self.body()
            yield KeyBar(self.keys, id="sheet-keys")
        self.set_class(bool(self.talk.glyphs.encoding), "-ascii")
        self._suit_theme()

    def _suit_theme(self) -> None:
        self.set_class(self.app.current_theme.ansi, "-flat")

    def body(self) -> Iterable[Widget]:
        """Return the widgets in the frame."""
        raise NotImplementedError

    def hints(self) -> list[Hint]:
        """Return the keys to show; Escape is added."""
        return []

    def result(self) -> T | None:
        """Return what the screen is closed with."""
        return None

    def on_mount(self) -> None:
        """Draw, once it is known how much room there is."""
        self.app.theme_changed_signal.subscribe(self, lambda _: self._suit_theme())
        self.call_after_refresh(self.show)

    def on_resize(self, _: events.Resize) -> None:
        """Lay everything out anew."""
        self.call_after_refresh(self.show)

    def show(self) -> None:
        """Draw what may have changed."""
        self.show_keys()

    def show_keys(self) -> None:
        """Show the keys that matter now; the earlier, the later they give way."""
        hints = [*self.hints(), Hint("Esc", self.closing_word(), "close", 0)]
        self.keys.hints = [replace(hint, rank=rank) for rank, hint in enumerate(hints)]
        self.keys.hints[-1] = replace(hints[-1], rank=0)
        self.query_one(KeyBar).show()

    def closing_word(self) -> str:
        """Return what Escape does."""
        return "Close"

    def action_close(self) -> None:
        """Close the sheet."""
        self.dismiss(self.result())

    def action_help(self) -> None:
        """Open the help."""
        self.app.action_open("help")

    def on_key(self, event: events.Key) -> None:
        """Let the interrupt key interrupt, whatever screen is in front."""
        usual = next(key.keys for key in TALK_KEYS if key.id == INTERRUPT)
        keys = {normal(key) for key in self.app.session.keymap.get(INTERRUPT, usual).split(",")}
        if event.key in keys - {ALWAYS_INTERRUPTS}:
            event.stop()
            self.app.bridge.interrupt()

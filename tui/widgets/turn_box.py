"""Where a turn is typed: several lines, pasted ones too; Enter sends them as one turn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.binding import Binding
from textual.message import Message
from textual.widgets import TextArea
from voicetui.engine.words import words_of
from voicetui.tui.text import plain

if TYPE_CHECKING:
    from textual import events

LIMIT = 20_000
"""Characters in a typed turn: some ten pages. A paste that goes beyond is refused as a whole."""
PASTE_TAIL_S = 0.03
"""Characters that follow a paste or each other so closely are not typed: the rest of a paste that was cut in two."""


class TurnBox(TextArea):
    """A text area that sends its text. Hidden until a turn is to be typed."""

    BINDINGS = [  # noqa: RUF012 - Textual's own way
        Binding("enter", "send", "Send the turn", show=False, priority=True),
        Binding("shift+enter,ctrl+j,alt+enter", "newline", "New line", show=False, priority=True),
        Binding("escape", "leave", "Back, or cut in", show=False, priority=True),
        Binding("ctrl+c", "clear_or_quit", "Clear, or quit", show=False, priority=True),
    ]

    class Sent(Message):
        """A turn was typed."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class Left(Message):
        """Nothing is to be typed after all."""

    class Refused(Message):
        """What was pasted is too long."""

        def __init__(self, characters: int, limit: int) -> None:
            super().__init__()
            self.characters, self.limit = characters, limit

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name
        super().__init__(id=id, soft_wrap=True, show_line_numbers=False, compact=True, tab_behavior="focus")
        self.border_title = "your turn"
        self.border_subtitle = "Enter sends, Esc goes back"
        self._pasted_at_s = 0.0
        self._tail = False

    def add(self, text: str) -> bool:
        """Insert text at the cursor, all of it or, where it is too long, nothing; return whether it was inserted."""
        text = plain(text)
        if len(self.text) + len(text) > LIMIT:
            self.post_message(self.Refused(len(text), LIMIT))
            return False
        self.insert(text)
        return True

    # -- keys --------------------------------------------------------------------------------------------------------

    async def _on_key(self, event: events.Key) -> None:
        self._follow_paste(event)
        if event.is_printable and len(self.text) >= LIMIT:
            event.stop()
            event.prevent_default()
            self.post_message(self.Refused(1, LIMIT))
            return
        await super()._on_key(event)

    def _follow_paste(self, event: events.Key) -> None:
        """Note characters that come on the heels of a paste: they belong to it."""
        self._tail = event.is_printable and event.time - self._pasted_at_s < PASTE_TAIL_S
        if self._tail:
            self._pasted_at_s = event.time

    async def _on_paste(self, event: events.Paste) -> None:
        event.stop()
        event.prevent_default()
        self.take_paste(event)

    def take_paste(self, event: events.Paste) -> None:
        """Insert what was pasted, and note when."""
        self.add(event.text)
        self._pasted_at_s = event.time

    def action_send(self) -> None:
        """Send the turn, unless this Enter is a part of what was pasted."""
        if self._tail:
            self.insert("\n")
            return
        text = self.text.strip()
        if not words_of(text):
            self.action_leave()
            return
        self.clear()
        self.post_message(self.Sent(text))

    def action_newline(self) -> None:
        """Begin a new line."""
        self.insert("\n")

    def action_leave(self) -> None:
        """Leave the box; what was typed stays in it."""
        self.post_message(self.Left())

    async def action_clear_or_quit(self) -> None:
        """Clear the box, or quit if it is empty: Ctrl-C as in a shell."""
        if self.text:
            self.clear()
        else:
            await self.run_action("app.quit")

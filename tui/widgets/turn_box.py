"""Where a turn is typed: several lines, pasted ones too; Enter sends them as one turn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.message import Message
from textual.widgets import TextArea
from voicetui.engine.words import words_of
from voicetui.tui.text import plain

if TYPE_CHECKING:
    from textual import events

LIMIT = 20_000
"""Characters in a typed turn: some ten pages. A paste that goes beyond is refused as a whole."""
PASTE_TAIL_S = 0.01
"""Characters that follow a paste or each other so closely are not typed: the rest of a paste that was cut in two."""


class TurnBox(TextArea):
    """A text area that sends its text. Hidden until a turn is to be typed."""

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
        self._tail = self._refused = False

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
        """Take the keys that are no text, in their order among those that are; the base class takes the rest."""
        self._follow_paste(event)
        match event.key:
            case _ if self._tail and self._refused:
                pass  # the rest of a paste of which the beginning was refused
            case "enter":
                self._send()
            case "shift+enter" | "alt+enter" | "ctrl+j":
                self.insert("\n")
            case "escape":
                self.post_message(self.Left())
            case _ if event.is_printable and len(self.text) >= LIMIT:
                self.post_message(self.Refused(1, LIMIT))
            case _:
                return
        event.stop()
        event.prevent_default()

    def _follow_paste(self, event: events.Key) -> None:
        """Note what comes on the heels of a paste: after its first character, an Enter, too, belongs to it."""
        follows = event.time - self._pasted_at_s < PASTE_TAIL_S
        self._tail = follows and (event.is_printable or self._tail)
        if self._tail:
            self._pasted_at_s = event.time

    async def _on_paste(self, event: events.Paste) -> None:
        event.stop()
        event.prevent_default()
        self.take_paste(event)

    def take_paste(self, event: events.Paste) -> None:
        """Insert what was pasted, and note when."""
        self._refused = not self.add(event.text)
        self._pasted_at_s = event.time

    def _send(self) -> None:
        """Send the turn, unless this Enter is a part of what was pasted."""
        if self._tail:
            self.insert("\n")
            return
        text = self.text.strip()
        if not words_of(text):
            self.post_message(self.Left())
            return
        self.clear()
        self.post_message(self.Sent(text))

    def clear_typed(self) -> bool:
        """Clear the box; return whether anything was in it."""
        typed = bool(self.text)
        self.clear()
        return typed

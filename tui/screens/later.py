"""A panel in front of the talk, for screens that are not there yet."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.screen import ModalScreen
from textual.widgets import Static

if TYPE_CHECKING:
    from textual.app import ComposeResult


class LaterScreen(ModalScreen[None]):
    """One text; any of the usual keys closes it."""

    TEXT: ClassVar[str] = ""
    CSS_PATH = "later.tcss"
    BINDINGS = [("escape,q,enter,space", "dismiss", "Close")]  # noqa: RUF012 - Textual's own way

    def compose(self) -> ComposeResult:
        """Show the text."""
        panel = Static(self.TEXT, id="panel", markup=False)
        panel.border_title = str(self.TITLE)
        panel.border_subtitle = "Esc closes"
        yield panel

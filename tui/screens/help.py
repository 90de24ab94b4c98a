"""Help: the keys as they are set now, and what the signs on the screen mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from voicetui.tui.keys import ALL_KEYS
from voicetui.tui.widgets.pairs import Pairs

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from voicetui.tui.app import TalkApp

SIGNS = (
    ("{0} {0}", "words between these were made but never heard; the model is told so"),
    ("{1}", "still being said"),
    ("{2}", "a reply that you cut; how much of it you heard, and how soon it was silent"),
    ("{3}", "the 800 ms that people forgive between their last word and the answer"),
    ("{4}", "the stage that took longest"),
    ("{5}", "nobody spoke though an answer was due"),
)


class HelpScreen(ModalScreen[None]):
    """A list of keys and signs."""

    CSS_PATH = "help.tcss"
    BINDINGS = [("escape,q,f1,question_mark", "dismiss", "Close")]  # noqa: RUF012 - Textual's own way

    app: TalkApp

    def compose(self) -> ComposeResult:
        """Show the lists."""
        view = self.app.view
        with VerticalScroll(id="panel") as panel:
            panel.border_title = "Help"
            panel.border_subtitle = "Esc closes"
            yield Pairs(view, [(self.app.key_names(key.id), key.what) for key in ALL_KEYS if key.id != "quit-here"])
            glyphs = view.glyphs
            signs = (glyphs.unheard, glyphs.live, glyphs.cut, glyphs.budget, glyphs.worst, glyphs.dead_air)
            yield Pairs(view, [(name.format(*signs), what.format(*signs)) for name, what in SIGNS])

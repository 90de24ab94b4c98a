"""Help: the keys as they are set now, what the screen means, and where the files are."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding
from voicetui.engine.models.store import config_folder, models_folder
from voicetui.engine.timing import BUDGET_S
from voicetui.tui.keys import ALL_KEYS, SECTION, shown
from voicetui.tui.screens.sheet import Sheet
from voicetui.tui.settings import config_file
from voicetui.tui.state import Shown
from voicetui.tui.terminal import log_file
from voicetui.tui.text import one_line, wrap_runs
from voicetui.tui.view import Hint
from voicetui.tui.widgets.block import Page

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual.widget import Widget
    from voicetui.tui.text import Row
    from voicetui.tui.view import View

FLOOR = {
    Shown.IDLE: "the conversation has not begun, or is over",
    Shown.LISTENING: "you have the floor: it hears you",
    Shown.THINKING: "the agent has the floor and prepares its answer",
    Shown.SPEAKING: "the agent is heard",
    Shown.GIVING_WAY: "a sound over the agent: it waits until it knows what that was",
    Shown.INTERRUPTED: "you cut in, the agent fell silent; the floor is yours",
}
STAGES = {
    "endpointing": "from your last sound until it was sure that you had finished",
    "recognition": "until your words were written down",
    "first token": "until the model began to answer",
    "first audio": "until the answer was heard",
}
TWICE = ("quit-here",)
"""Actions that another key of the list does, too."""


def keys_in_use(keymap: dict[str, str]) -> list[tuple[str, str]]:
    """Return each key as it is set now, with what it does."""
    rows = []
    for key in ALL_KEYS:
        if key.id in TWICE:
            continue
        keys = keymap.get(key.id, key.keys).split(",")
        rows.append((" ".join(shown(name) for name in keys), key.what))
    return rows


def signs_in_use(view: View) -> list[tuple[str, str]]:
    """Return the signs of the transcript and the figures, with what they mean."""
    glyphs = view.glyphs
    return [
        (f"{glyphs.unheard} words {glyphs.unheard}", "made, but never heard; the model is told so"),
        (glyphs.live, "still being said"),
        (glyphs.cut, "a reply that you cut: how much of it you heard, and how soon it was silent"),
        (glyphs.budget, f"{BUDGET_S * 1000:.0f} ms, which people forgive between their last word and the answer"),
        (glyphs.growing, "time that is still passing"),
        (glyphs.worst, "the stage that took longest"),
        (f"{glyphs.user} {glyphs.agent} {glyphs.both}", "the last minute: you, the agent, both at once"),
        (glyphs.dead_air, "nobody spoke though an answer was due"),
        ("p50 p95", "half of the answers, and 95 of 100, came within so many ms"),
    ]


def places() -> list[tuple[str, str]]:
    """Return where the files are."""
    return [
        ("settings", str(config_file())),
        ("keys", f'there, under [{SECTION}]: mute = "x"'),
        ("themes", str(config_folder() / "themes")),
        ("models", str(models_folder())),
        ("log", str(log_file())),
    ]


def help_rows(view: View, keymap: dict[str, str], width: int) -> list[Row]:
    """Return the whole help."""
    floor = [(f"{view.glyphs.floor[word]} {word}", what) for word, what in FLOOR.items()]
    parts = [
        ("Keys", keys_in_use(keymap)),
        ("Who has the floor", floor),
        ("Where the time goes", list(STAGES.items())),
        ("Signs", signs_in_use(view)),
        ("Files", places()),
    ]
    names = max(len(name) for _, table in parts for name, _ in table) + 2
    rows: list[Row] = []
    for head, table in parts:
        rows += [[]] * bool(rows) + [[(head, "title")]]
        for name, what in table:
            rows += _entry(name, what, names, width)
    return rows


def _entry(name: str, what: str, names: int, width: int) -> list[Row]:
    first, *rest = wrap_runs([(one_line(what), "words")], max(10, width - names))
    return [[(f"{name:<{names}}", "key"), *first], *([(" " * names, "faint"), *row] for row in rest)]


class HelpScreen(Sheet[None]):
    """A page to read."""

    TITLE = "Help"
    BINDINGS: ClassVar = [Binding("f1,question_mark", "close", "Close", id="help.close", show=False)]

    def body(self) -> Iterable[Widget]:
        """Return the page."""
        yield Page(self.talk, lambda width: help_rows(self.talk, self.app.session.keymap, width), id="help-page")

    def hints(self) -> list[Hint]:
        """Return the keys."""
        arrows = "Up/Down" if self.talk.glyphs.encoding else "↑↓"
        return [Hint(arrows, "Scroll", "scroll_page", 0)]

    def action_scroll_page(self) -> None:
        """Go on by a page, for a click on the key."""
        self.query_one(Page).action_page(1)

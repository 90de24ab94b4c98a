"""Rows and words that the screens beside the talk have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING

from voicetui.tui.text import one_line, wrap_runs
from voicetui.tui.widgets.signs import signs_of

if TYPE_CHECKING:
    from voicetui.engine.errors import VoicetuiError
    from voicetui.tui.text import Row
    from voicetui.tui.view import View


def fault(error: VoicetuiError, width: int, view: View) -> list[Row]:
    """Return the rows of an error: what and why, and the command that mends it."""
    rows = wrap_runs([(f"{signs_of(view).bad} ", "cut"), (one_line(error.message), "words")], width)
    if error.fix:
        rows += wrap_runs([("mend it: ", "faint"), (one_line(error.fix), "key")], width)
    return rows


def rule(width: int, view: View) -> Row:
    """Return a line across."""
    return [(view.glyphs.across * width, "frame")]


def sentence(text: str) -> str:
    """Return words as a sentence."""
    return f"{text[:1].upper()}{text[1:]}."


def counts_from(name: str) -> str:
    """Return when a setting that was just written begins to count."""
    del name  # all of them are read when the parts are built
    return "it counts from the next start of voicetui"

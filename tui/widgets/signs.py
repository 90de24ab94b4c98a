"""The signs of the screens beside the talk: for Unicode terminals, and for those without."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from voicetui.tui.text import Row
    from voicetui.tui.view import View


@dataclass(frozen=True, slots=True)
class Signs:
    """Each stands beside a word that says the same."""

    cursor: str
    chosen: str
    here: str
    absent: str
    bad: str
    coming: str
    bar: str
    rest: str
    thumb: str
    enter: str
    left_right: str


UNICODE = Signs("❯", "✓", "●", "○", "✕", "↓", "█", "░", "▐", "↵", "←→")
ASCII = Signs(">", "*", "+", "-", "x", "v", "#", ".", "|", "Enter", "Left/Right")


def signs_of(view: View) -> Signs:
    """Return the signs that the terminal of this view can show."""
    return ASCII if view.glyphs.encoding else UNICODE


def progress_row(share: float | None, width: int, signs: Signs) -> Row:
    """Return a bar of `width` cells; where the share is not known it is empty."""
    full = round((share or 0.0) * width)
    return [(signs.bar * full, "level-on"), (signs.rest * (width - full), "level-off")]

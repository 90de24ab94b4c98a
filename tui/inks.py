"""The inks that rows are drawn in: each a theme variable and attributes, so that no colour stands in Python.

`VARIABLES` is the one place with the defaults: a theme that does not set a variable gets a role of its own palette.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rich.style import Style
from textual.color import Color

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual.theme import Theme


class Shade(NamedTuple):
    """A role of the theme, and how much of it shows over the background (0 to 1)."""

    role: str
    share: float = 1.0


VARIABLES = {
    "floor-idle": Shade("foreground", 0.72),
    "floor-listening": Shade("primary"),
    "floor-thinking": Shade("warning"),
    "floor-speaking": Shade("success"),
    "floor-giving-way": Shade("accent"),
    "floor-interrupted": Shade("error"),
    "talk-you": Shade("primary"),
    "talk-it": Shade("success"),
    "talk-words": Shade("foreground"),
    "talk-draft": Shade("foreground", 0.8),
    "talk-unheard": Shade("foreground", 0.66),
    "talk-faint": Shade("foreground", 0.72),
    "talk-frame": Shade("foreground", 0.3),
    "talk-title": Shade("foreground", 0.85),
    "talk-key": Shade("accent"),
    "level-on": Shade("success"),
    "level-hot": Shade("warning"),
    "level-off": Shade("foreground", 0.3),
    "stage-endpoint": Shade("primary"),
    "stage-recognise": Shade("secondary"),
    "stage-think": Shade("warning"),
    "stage-speak": Shade("success"),
    "budget-line": Shade("foreground", 0.66),
    "budget-kept": Shade("success"),
    "budget-missed": Shade("error"),
    "dead-air": Shade("warning"),
    "overlap": Shade("accent"),
}


class Ink(NamedTuple):
    """A theme variable and attributes; `faint` inks are dim where the palette has no shades of its own."""

    variable: str
    attributes: str = ""
    faint: bool = False


INKS = {
    "floor-idle": Ink("floor-idle", "bold"),
    "floor-listening": Ink("floor-listening", "bold"),
    "floor-thinking": Ink("floor-thinking", "bold"),
    "floor-speaking": Ink("floor-speaking", "bold"),
    "floor-giving-way": Ink("floor-giving-way", "bold"),
    "floor-interrupted": Ink("floor-interrupted", "bold reverse"),
    "you": Ink("talk-you", "bold"),
    "it": Ink("talk-it", "bold"),
    "words": Ink("talk-words"),
    "draft": Ink("talk-draft", "italic"),
    "coming": Ink("talk-unheard", faint=True),
    "unheard": Ink("talk-unheard", "italic", faint=True),
    "gutter": Ink("floor-interrupted"),
    "cut": Ink("floor-interrupted"),
    "live": Ink("talk-key", "bold"),
    "faint": Ink("talk-faint", faint=True),
    "frame": Ink("talk-frame", faint=True),
    "title": Ink("talk-title", "bold"),
    "key": Ink("talk-key", "bold"),
    "label": Ink("talk-title"),
    "notice": Ink("talk-key"),
    "level-on": Ink("level-on"),
    "level-hot": Ink("level-hot", "bold"),
    "level-off": Ink("level-off", faint=True),
    "stage-endpoint": Ink("stage-endpoint"),
    "stage-recognise": Ink("stage-recognise"),
    "stage-think": Ink("stage-think"),
    "stage-speak": Ink("stage-speak"),
    "budget": Ink("budget-line", faint=True),
    "kept": Ink("budget-kept"),
    "missed": Ink("budget-missed", "bold"),
    "sound-you": Ink("talk-you"),
    "sound-it": Ink("talk-it"),
    "dead-air": Ink("dead-air"),
    "overlap": Ink("overlap", "bold"),
}


def defaults(theme: Theme) -> dict[str, str]:
    """Return a value for every variable, from the theme's own palette."""
    palette = theme.to_color_system().generate()
    own = {name: _mixed(palette, shade) for name, shade in VARIABLES.items()}
    if theme.ansi:  # Textual's own style sheet asks for these
        own |= {"ansi-background": palette["background"], "ansi-foreground": palette["foreground"]}
    return own


def styles(variables: Mapping[str, str], *, flat: bool) -> dict[str, Style]:
    """Return the style of each ink; `flat` where there are no shades: few colours, or none."""
    made = {}
    for name, ink in INKS.items():
        colour = Color.parse(variables[ink.variable]).rich_color
        faint = "dim " if flat and ink.faint else ""
        made[name] = Style(color=colour) + Style.parse(f"{faint}{ink.attributes}" or "none")
    return made


def _mixed(palette: Mapping[str, str], shade: Shade) -> str:
    """Return a role's colour as it shows over the background; the terminal's own colours cannot be mixed."""
    colour, background = Color.parse(palette[shade.role]), Color.parse(palette["background"])
    if colour.ansi is not None or background.ansi is not None:
        return colour.hex
    return background.blend(colour, shade.share).hex

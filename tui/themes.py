"""Themes: files of colours, those that come with voicetui and the user's own in `themes/` of the settings folder.

A file that cannot be used is passed over, with a line that says why; a colour is tried before it can reach the screen.
"""

from __future__ import annotations

import os
import tomllib
from dataclasses import dataclass, field, fields
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from textual.color import Color, ColorParseError
from textual.theme import Theme
from voicetui.engine.models.store import config_folder
from voicetui.tui.inks import VARIABLES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from importlib.resources.abc import Traversable

DARK, LIGHT, FEW_COLOURS = "night", "day", "terminal"
"""The theme to begin with on a dark terminal, on a light one, and where there are 16 colours or none."""

_COLOURS = {f.name for f in fields(Theme) if f.type in ("str", "str | None")} - {"name"}
_NEEDED = ("background", "foreground", "primary")
_FLAGS = ("dark", "ansi")


class ThemeError(Exception):
    """A theme that cannot be used, and why."""


@dataclass(slots=True)
class Themes:
    """The themes by name, in the order of the files, and what could not be used."""

    by_name: dict[str, Theme] = field(default_factory=dict)
    complaints: list[str] = field(default_factory=list)


def load() -> Themes:
    """Read the themes of voicetui, then the user's; one of the user's with a known name takes its place."""
    themes = Themes()
    _read_all(themes, sorted(files("voicetui.themes").iterdir(), key=lambda file: file.name))
    own = config_folder() / "themes"
    if own.is_dir():
        _read_all(themes, sorted(own.iterdir()))
    return themes


def first_choice(wanted: str, themes: Themes, *, few_colours: bool, environ: Mapping[str, str] = os.environ) -> str:
    """Return the theme to begin with: the one that is wanted, else one that suits the terminal."""
    if wanted and wanted not in themes.by_name:
        themes.complaints.append(f"there is no theme {wanted!r}; there are {', '.join(themes.by_name)}")
    if wanted in themes.by_name:
        return wanted
    if few_colours:
        return FEW_COLOURS
    ground = environ.get("COLORFGBG", "").rpartition(";")[2]  # set by terminals that tell their background
    return LIGHT if ground in ("7", "15") else DARK


def parse_theme(text: str) -> Theme:
    """Return the theme that a file holds. Raises `ThemeError` on whatever would fail on the screen."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ThemeError(f"no TOML: {error}") from error
    name = data.pop("name", None)
    if not isinstance(name, str) or not name:
        raise ThemeError("it needs a name")
    variables = data.pop("variables", {})
    if not isinstance(variables, dict):
        raise ThemeError("variables is a table: [variables]")
    for key in _NEEDED:
        if key not in data:
            raise ThemeError(f"it needs {key}")
    for key, value in data.items():
        _check(key, value, known=key in _COLOURS)
    for key, value in variables.items():
        _check(key, value, known=key in VARIABLES)
    return Theme(name=name, variables=variables, **data)


def _check(key: str, value: Any, *, known: bool) -> None:  # noqa: ANN401 - whatever TOML holds
    if key in _FLAGS:
        if not isinstance(value, bool):
            raise ThemeError(f"{key} is {value!r}, it must be true or false")
        return
    if not known:
        raise ThemeError(f"there is no colour {key!r}")
    try:
        Color.parse(value)
    except (ColorParseError, TypeError, AttributeError) as error:
        raise ThemeError(f"{key} is {value!r}, which is no colour") from error


def _read_all(themes: Themes, found: Iterable[Traversable]) -> None:
    for file in found:
        if not file.name.endswith(".toml"):
            continue
        try:
            theme = parse_theme(file.read_text("utf-8"))
        except (ThemeError, OSError, UnicodeError) as error:
            themes.complaints.append(f"themes/{file.name} is passed over: {error}")
            continue
        themes.by_name[theme.name] = theme

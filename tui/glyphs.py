"""The signs that the screen is drawn with: one set for Unicode terminals, one for those without."""

from __future__ import annotations

import locale
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from voicetui.tui.state import Shown

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Glyphs:
    """Every sign that is drawn; `encoding` is set where the terminal cannot show more letters than that has."""

    floor: dict[Shown, str]
    level_on: str
    level_off: str
    bar: str
    growing: str
    budget: str
    worst: str
    gutter: str
    unheard: str
    """Stands before and after words that were never heard."""
    live: str
    cut: str
    dot: str
    dash: str
    user: str
    agent: str
    both: str
    dead_air: str
    quiet: str
    ellipsis: str
    more: str
    corners: str
    """Top left, top right, bottom left, bottom right."""
    across: str
    down: str
    border: str
    """The name of Textual's border that looks like `corners`."""
    encoding: str = ""


UNICODE = Glyphs(
    floor={
        Shown.IDLE: "○",
        Shown.LISTENING: "◉",
        Shown.THINKING: "◌",
        Shown.SPEAKING: "▶",
        Shown.GIVING_WAY: "‖",
        Shown.INTERRUPTED: "✕",
    },
    level_on="▮",
    level_off="▯",
    bar="█",
    growing="▒",
    budget="┊",
    worst="◀",
    gutter="▌",
    unheard="╌╌",
    live="⋯",
    cut="✕",
    dot="·",
    dash="–",
    user="▀",
    agent="▄",
    both="█",
    dead_air="┈",
    quiet=" ",
    ellipsis="…",
    more="▼",
    corners="╭╮╰╯",
    across="─",
    down="│",
    border="round",
)
ASCII = Glyphs(
    floor={
        Shown.IDLE: "o",
        Shown.LISTENING: "@",
        Shown.THINKING: "~",
        Shown.SPEAKING: ">",
        Shown.GIVING_WAY: "=",
        Shown.INTERRUPTED: "x",
    },
    level_on="#",
    level_off="-",
    bar="#",
    growing="+",
    budget="|",
    worst="<",
    gutter="|",
    unheard="--",
    live="...",
    cut="x",
    dot="-",
    dash="-",
    user="'",
    agent=",",
    both="#",
    dead_air=".",
    quiet=" ",
    ellipsis="~",
    more="v",
    corners="++++",
    across="-",
    down="|",
    border="ascii",
    encoding="ascii",
)


def glyphs_for(environ: Mapping[str, str] = os.environ, encoding: str | None = None) -> Glyphs:
    """Return the signs that a terminal can show: the kernel's console and encodings other than UTF-8 get letters."""
    encoding = encoding or locale.getpreferredencoding(do_setlocale=False)
    unicode = encoding.lower().replace("-", "").replace("_", "") == "utf8" and environ.get("TERM") != "linux"
    return UNICODE if unicode else ASCII

"""The last step before the voice: a piece of text as a speaker would read it, and what nobody can pronounce.

Numbers, prices, times and abbreviations are left as they are: expanding them is the voice's business, which knows its
language. Thousands get a plain space, because espeak reads "1 234" as one number only with that.
"""

from __future__ import annotations

import re
from typing import Final

_EMOJI = re.compile(
    "[\u2139\u200b-\u200f\u2028-\u202e\u2060-\u206f\u20e3\u231a-\u23ff\u25a0-\u2775\u2794-\u27bf\u2900-\u297f\u2b00-\u2bff"
    "\u3030\u303d\u3164\u115f\u1160\uffa0\u3297\u3299\ufe00-\ufe0f\ufeff\ue000-\uf8ff\ufffc\ufffd\xad\xae\xa9\u2122\u2800"
    "\U0001f000-\U0001faff\U000e0000-\U000e0fff\U000f0000-\U0010ffff]"
)
_URL = re.compile(
    r"(?:https?|ftp)://(?:www\.)?([^\s/?#<>\"'()]*)[^\s<>\"()]*?(?=[.,;:!?…]*(?:[\s<>\"()]|$))", re.IGNORECASE
)
_LATEX_TEXT: Final = re.compile(r"\\(?:boxed|text|textbf|mathrm|mathbf)\{([^{}]*)\}")
_LATEX_FRACTION: Final = re.compile(r"\\d?frac\{([^{}]*)\}\{([^{}]*)\}")
_LATEX_SIGNS: Final = {
    "times": "×", "cdot": "×", "div": "÷", "pm": "±", "leq": "≤", "geq": "≥", "neq": "≠", "approx": "≈", "pi": "π",
    "sqrt": "√", "degree": "°", "circ": "°", "rightarrow": ", ", "to": ", ", "Rightarrow": ", ",
}  # fmt: skip
_STEPS: Final = (
    (re.compile(r"(?<!\w)<[/!]?([A-Za-z][^<>]*?)/?>"), r"\1"),
    (re.compile(r"(?<!\w)<[/!]?(?=[A-Za-z])"), ""),
    (re.compile(r"\s*(?:[→⇒➜➔]|[-=]>)\s*"), ", "),
    (re.compile(r"(?<=[\d)])\s*\*\s*(?=[\d(])|(?<=\s)\*(?=\s)"), " × "),
    (re.compile(r"[*`~\[\]{}\\]+|\${2,}"), " "),
    (re.compile(r"_+"), " "),
    (re.compile(r"(?<!\w)#+(?=[^\W\d_])|#{2,}"), ""),
    (re.compile(r"(?<!\S)-{2,}(?=\w)"), ""),
    (re.compile(r"\s*-{2,}\s*"), " — "),
    (re.compile(r"={2,}"), " = "),
    (re.compile(r"^[\s|]+|[\s|]+$"), ""),
    (re.compile(r"(?:\s*\|)+\s*"), ", "),
    (re.compile(r"\s+"), " "),
    (re.compile(r"^(?:[\s,;:!?…)}»”’|•·—–。！？、，」』）=/]|\.(?!\d)|-(?!\d)|[\"'](?!\w))+"), ""),
)
"""Placeholders, arrows, factors, Markdown that was no mark-up, cells of a table, white space, marks at the front."""


def is_silent(char: str) -> bool:
    """Whether this character is shown but never spoken: emoji and their joiners, invisible and private characters."""
    return char > "\xa8" and _EMOJI.match(char) is not None


def has_words(text: str) -> bool:
    """Whether anything in it can be pronounced: a letter or digit of any script."""
    return any(char.isalnum() and not is_silent(char) for char in text)


def speakable(text: str) -> str:
    """Return the text as the voice gets it, on one line; "" where there is nothing to pronounce."""
    if "://" in text:
        text = _URL.sub(r"\1", text)
    if "\\" in text:
        text = _plain_latex(text)
    for pattern, replacement in _STEPS:
        text = pattern.sub(replacement, text)
    text = text.strip()
    return text if has_words(text) else ""


def _plain_latex(text: str) -> str:
    text = _LATEX_FRACTION.sub(r"\1 / \2", _LATEX_TEXT.sub(r"\1", text))
    return re.sub(r"\\([A-Za-z]+)", lambda command: _LATEX_SIGNS.get(command[1], f" {command[1]} "), text)

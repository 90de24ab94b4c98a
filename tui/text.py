"""Text as terminal cells: what a user or a model wrote, made harmless, measured and wrapped.

Text is never markup here. A row is a list of runs, each a text and the name of the ink that it is drawn in.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import TypeAlias

from rich.cells import cell_len, chop_cells, set_cell_size

Run: TypeAlias = tuple[str, str]
"""A piece of text and the name of its ink (`widgets/ink.py`)."""
Row: TypeAlias = list[Run]

MARKS_AT_MOST = 8
"""Combining marks on one letter; more of them would paint over the rows above."""

_KEPT_FORMATS = "\u200c\u200d"
_VARIATION = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]")
_SKIN_TONE = re.compile("(?<=.)[\U0001f3fb-\U0001f3ff]")
_MARKS = re.compile(rf"([\u0300-\u036f\u20d0-\u20ff]{{{MARKS_AT_MOST}}})[\u0300-\u036f\u20d0-\u20ff]+")
_WIDE = (
    "\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\U0001f300-\U0003fffd"
)
_NARROW = re.compile("[ -~\xa0-\xac\xae-\u02ff\u0370-\u0482\u1e00-\u1eff\u2010-\u2027\u2030-\u205e]*")
"""Letters of one cell each, nothing else."""
_TOKEN = re.compile(rf"[{_WIDE}][\u0300-\u036f\u3099\u309a]*|[^\s{_WIDE}]+|\s+")


def plain(text: str) -> str:
    """Return text that every terminal draws alike: no control characters, nothing whose width is disputed.

    Lines stay apart, tabs become spaces. Variation selectors, skin tones and the joiners between emoji are dropped:
    terminals differ by two cells on them, and what remains is the same sign. Direction overrides are dropped, lone
    surrogates replaced.
    """
    if text.isascii() and text.isprintable():
        return text
    text = unicodedata.normalize("NFC", text.replace("\r\n", "\n").replace("\r", "\n").expandtabs(4))
    text = _SKIN_TONE.sub("", _VARIATION.sub("", text))
    return _MARKS.sub(r"\1", "".join(_kept(text, index, char) for index, char in enumerate(text)))


def one_line(text: str) -> str:
    """Return `plain` text on one line."""
    return " ".join(plain(text).split())


def _kept(text: str, index: int, char: str) -> str:
    if char == "\n" or (char.isascii() and char.isprintable()):
        return char
    match unicodedata.category(char):
        case "Cc":
            return ""
        case "Cf":
            return char if char in _KEPT_FORMATS and _between_letters(text, index) else ""
        case "Cs":
            return "\ufffd"
        case "Zl" | "Zp":
            return "\n"
        case _:
            return char


def _between_letters(text: str, index: int) -> bool:
    """Tell whether a joiner shapes a script, rather than an emoji."""
    around = (text[index - 1 : index], text[index + 1 : index + 2])
    return all(char and unicodedata.category(char)[0] in "LM" for char in around)


def fit(text: str, width: int) -> str:
    """Return text cropped or padded to exactly `width` cells."""
    return set_cell_size(text, max(0, width))


def shorten(text: str, width: int, ellipsis: str = "…") -> str:
    """Return text of at most `width` cells, with an ellipsis where it was cropped."""
    if cell_len(text) <= width:
        return text
    return fit(text, width - cell_len(ellipsis)).rstrip() + ellipsis if width > cell_len(ellipsis) else fit(text, width)


def row_len(row: Row) -> int:
    """Return the width of a row in cells."""
    return sum(cell_len(text) for text, _ in row)


def wrap(text: str, width: int) -> list[tuple[int, int]]:
    """Return the span of each line of `text`, at most `width` cells wide, broken between words where that is possible.

    Spaces at a break belong to no line. There is at least one line.
    """
    width = max(2, width)
    spans: list[tuple[int, int]] = []
    for paragraph in re.finditer(r"[^\n]*(?:\n|\Z)", text):
        if paragraph.group() or not spans:
            _wrap_one(text, paragraph.start(), paragraph.end() - paragraph.group().endswith("\n"), width, spans)
    return spans


def _wrap_one(text: str, start: int, end: int, width: int, spans: list[tuple[int, int]]) -> None:
    if _NARROW.fullmatch(text, start, end):
        spans.extend(_wrap_narrow(text, start, end, width))
        return
    begin = stop = start  # the line under way
    used = 0
    for token in _TOKEN.finditer(text, start, end):
        word = token.group()
        cells = cell_len(word)
        if used + cells <= width:
            used += cells
            stop = stop if word.isspace() else token.end()
            continue
        if word.isspace():
            used += cells  # a break comes here, if a word follows
            continue
        if stop > begin:
            spans.append((begin, stop))
        begin = token.start()
        pieces = chop_cells(word, width) if cells > width else [word]
        for piece in pieces[:-1]:
            spans.append((begin, begin + len(piece)))
            begin += len(piece)
        used, stop = cell_len(pieces[-1]), token.end()
    spans.append((begin, stop))


@lru_cache(8)
def _narrow_line(width: int) -> re.Pattern[str]:
    """Return what matches a line and the spaces after it: as many words as fit, else the start of a word too long."""
    return re.compile(rf"(?:(.{{0,{width - 1}}}\S)(?!\S)|(\S{{{width}}}))\s*")


def _wrap_narrow(text: str, start: int, end: int, width: int) -> list[tuple[int, int]]:
    """Wrap a paragraph of one-cell letters: the same as `_wrap_one`, fifty times as fast."""
    line, spans = _narrow_line(width), []
    while start < end:
        found = line.match(text, start, end)
        if found is None:  # more spaces than fit
            start = end if text[start:end].isspace() else start + len(text[start:end]) - len(text[start:end].lstrip())
            continue
        spans.append(found.span(found.lastindex or 0))
        start = found.end()
    return spans or [(start, start)]


def wrap_runs(runs: Row, width: int) -> list[Row]:
    """Return the rows of a paragraph of runs, each at most `width` cells wide."""
    text = "".join(run for run, _ in runs)
    rows: list[Row] = []
    index, offset = 0, 0  # the run that is being cut, and where it begins
    for start, end in wrap(text, width):
        row: Row = []
        while index < len(runs) and offset + len(runs[index][0]) <= start:
            offset += len(runs[index][0])
            index += 1
        at, here = offset, index
        while here < len(runs) and at < end:
            piece, ink = runs[here]
            cut = piece[max(0, start - at) : end - at]
            if cut:
                row.append((cut, ink))
            at += len(piece)
            here += 1
        rows.append(row)
    return rows

"""Which words of a sentence were heard, from how much of its sound was."""

from __future__ import annotations

import re

_IDEOGRAPH = "぀-ヿ㐀-䶿一-鿿豈-﫿"
_WORD = re.compile(rf"(?:[{_IDEOGRAPH}]|[^\s{_IDEOGRAPH}]+)\s*")
"""A word and the space after it; in scripts without spaces, a character."""


def heard_words(text: str, fraction: float) -> str:
    """Return the longest prefix of whole words within `fraction` (0 … 1) of the text's length.

    Speech time is taken as proportional to characters, each word's following space included: without a voice's own
    alignment that is the usual estimate, right to about a word.
    """
    if fraction >= 1:
        return text
    budget = fraction * len(text) + 1e-9
    heard = ""
    for word in _WORD.finditer(text):
        if word.end() > budget:
            break
        heard = text[: word.end()]
    return heard.rstrip()


def word_start(text: str, fraction: float) -> float:
    """Return where the word under way at `fraction` (0 … 1) of the text begins, as a fraction too."""
    starts = [word.start() for word in _WORD.finditer(text)]
    return max((start for start in starts if start <= fraction * len(text)), default=0) / max(1, len(text))


Span = tuple[float, float]
"""When a word is heard: its begin and its end, in seconds from the first sample of its sentence."""


def words_in(text: str) -> list[str]:
    """Return the words that are heard or not as a whole: those between white space, or each ideograph."""
    return [word.group().rstrip() for word in _WORD.finditer(text)]


def spans_by_length(text: str, begin_s: float, end_s: float) -> list[Span]:
    """Return the span of each word if speech takes the same time for every character (see `heard_words`)."""
    pace = (end_s - begin_s) / max(1, len(text.strip()) + 1)
    offset = len(text) - len(text.lstrip())
    found = [(word.start() - offset, word.start() - offset + len(word.group())) for word in _WORD.finditer(text)]
    return [(begin_s + pace * start, begin_s + pace * end) for start, end in found]


def heard_by(text: str, spans: list[Span], played_s: float) -> str:
    """Return the longest prefix of whole words that end within the seconds played; `spans` may lack the last words."""
    heard = ""
    for word, (_, end_s) in zip(_WORD.finditer(text), spans, strict=False):
        if end_s > played_s:
            break
        heard = text[: word.end()]
    return heard.rstrip()


def begin_of_word(spans: list[Span], at_s: float) -> float:
    """Return when the word begins that is under way at a moment, or was the last before it."""
    return max((begin_s for begin_s, _ in spans if begin_s <= at_s), default=0.0)

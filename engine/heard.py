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

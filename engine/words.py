"""What short utterances mean to the floor: stop words, backchannels, question words, and the agent's own echo."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

STOP_WORDS = frozenset(
    """stop wait hold pause quiet silence enough
    arrête arrêtez arrete stoppe attends attendez tais-toi chut""".split()  # noqa: SIM905 - a list of words reads best so
)
"""One of these among the first three words takes the floor at once."""

BACKCHANNELS = frozenset(
    """mm mhm mmhm mm-hm mmhmm mm-hmm hm hmm hmmm uh-huh uhhuh uh huh um
    yeah yep yes yup ok okay right sure aha ah oh wow
    i see got it really great cool nice fine indeed exactly
    hein ouais oui d'accord daccord voilà voila bien sûr ah bon oh là euh hum tout à fait""".split()  # noqa: SIM905
)
"""Words that, alone, acknowledge and do not take the floor."""

QUESTION_WORDS = frozenset(
    """what who whom whose when where why how which
    quoi que qui quand où pourquoi comment combien quel quelle quels quelles""".split()  # noqa: SIM905
)

ECHO_SHARE = 0.75
"""A turn is the agent's own echo when so many of its words stand, in order, in what the agent was just saying."""
ECHO_MIN_WORDS = 2

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")


def words_of(text: str) -> list[str]:
    """Return the words of a text: lower case, compatibility forms folded, no punctuation."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text).replace("’", "'")
    return _WORD.findall(text.lower())


def same_words(one: str, other: str) -> bool:
    """Tell whether two texts differ in nothing but case, punctuation and white space."""
    return words_of(one) == words_of(other)


def is_backchannel(text: str) -> bool:
    """Tell whether every word is an acknowledgement ("mm-hm", "yeah", "d'accord"); False of no words."""
    words = words_of(text)
    return 0 < len(words) <= 4 and all(word in BACKCHANNELS for word in words)


def has_stop_word(text: str) -> bool:
    """Tell whether a stop word is among the first three words."""
    return any(word in STOP_WORDS for word in words_of(text)[:3])


def claims_floor(text: str) -> bool:
    """Tell whether a draft is clearly a turn: a stop word, a question word and another, or two words with a meaning.

    One word may still become a backchannel or be the recogniser's invention, so it waits for more.
    """
    words = words_of(text)
    if has_stop_word(text):
        return True
    if len(words) >= 2 and words[0] in QUESTION_WORDS:
        return True
    return sum(word not in BACKCHANNELS for word in words) >= 2


def is_echo(heard: list[str], sentences: Sequence[list[str]]) -> bool:
    """Tell whether a turn repeats, in order, what the agent was saying (longest common subsequence of words).

    Both are words as `words_of` gives them. A single word is an echo of a sentence of that word alone.
    """
    if len(heard) < ECHO_MIN_WORDS:
        return len(heard) > 0 and heard in sentences
    said = [word for sentence in sentences for word in sentence]
    enough = ECHO_SHARE * len(heard)
    if sum(word in said for word in heard) < enough:
        return False
    return _common_in_order(heard, said) >= enough


def _common_in_order(one: list[str], other: list[str]) -> int:
    row = [0] * (len(other) + 1)
    for word in one:
        diagonal = 0
        for i, candidate in enumerate(other, 1):
            diagonal, row[i] = row[i], diagonal + 1 if word == candidate else max(row[i], row[i - 1])
    return row[-1]

"""How long a silence ends a turn, by what was said: people who dictate numbers pause between the groups.

The rule, until real turn taking comes: no question, and at its end three or more digits in a row, or any digit or an
announcement ("my number is", "mon code est") where the turn names a number.
"""

from __future__ import annotations

from voicetui.engine.words import QUESTION_WORDS, words_of

_ENGLISH_DIGITS = "zero oh one two three four five six seven eight nine ten double triple"
_FRENCH_DIGITS = "zéro un deux trois quatre cinq six sept huit neuf dix"
DIGIT_WORDS = frozenset(f"{_ENGLISH_DIGITS} {_FRENCH_DIGITS}".split())
_ENGLISH_NUMBERS = "number phone telephone mobile code zip pin postcode card account digits"
_FRENCH_NUMBERS = "numéro téléphone portable carte compte chiffres"
NUMBER_NAMES = frozenset(f"{_ENGLISH_NUMBERS} {_FRENCH_NUMBERS}".split())
ANNOUNCING = frozenset(["is", "are", "it's", "its", "est", "c'est", "sont", "number", "code", "numéro"])
ENOUGH_DIGITS = 3


def is_dictating(text: str) -> bool:
    """Tell whether a turn breaks off where more digits are likely to follow."""
    words = words_of(text)
    if not words or "?" in text or words[0] in QUESTION_WORDS:
        return False
    digits = _digits_at_end(words)
    if digits >= ENOUGH_DIGITS:
        return True
    names_a_number = not NUMBER_NAMES.isdisjoint(words)
    return names_a_number and (digits > 0 or words[-1] in ANNOUNCING)


def _digits_at_end(words: list[str]) -> int:
    digits = 0
    for word in reversed(words):
        figures = "".join(part for part in word.replace("-", "") if part.isdigit())
        if figures and figures == word.replace("-", ""):
            digits += len(figures)
        elif word in DIGIT_WORDS:
            digits += 1
        else:
            break
    return digits

"""Whether a mark ends the sentence, and what must be seen after it to know: pure functions on the words around it."""

from __future__ import annotations

import re
import unicodedata
from enum import Enum, auto

from voicetui.engine.speech_text import lexicon

OPENERS = "([{“„«‹「『（《〈【\"'‘¿¡*_"
CLOSERS = ")]}”»›」』）》〉】\"'’“"


class Stop(Enum):
    """What must follow a mark for the sentence to end with it."""

    NOW = auto()
    """Nothing: it ends with the mark itself."""
    ANY = auto()
    """Any character that is not a further mark or a closing quote."""
    SPACE = auto()
    """White space."""
    NOT_LOWER = auto()
    """White space, then anything but a small letter."""
    TRAILS_OFF = auto()
    """The same, and the pronoun "I" is a small letter too."""
    CAPITAL = auto()
    """White space, then a word with a capital that does not tell a day, month or time zone."""
    STARTER = auto()
    """White space, then a word that often begins a sentence."""
    NOT_NUMBER = auto()
    """White space, then neither a small letter nor a number, in digits or Roman."""
    CLAUSE = auto()
    """White space, then no digit: what ends is a clause."""
    NEVER = auto()
    """It does not end here."""


_CJK = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_AFTER_CJK = re.compile(rf".*[{_CJK}](?=[^{_CJK}])")
_PLAIN = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_ROMAN = re.compile(r"[IVXLC]+")
_LAST_PART = re.compile(r"[-—–/’']")
_SURE_MARKS = ')]”»"%€£¥°′」』）'


def is_cjk(char: str) -> bool:
    """Whether this is a letter of a script that leaves no space between words (Han, kana)."""
    return "\u3040" <= char <= "\ufaff" and re.match(f"[{_CJK}]", char) is not None


def after_dot(run: str, previous: str, words: int, language: str) -> Stop:
    """Judge a full stop.

    `run` is what stands before it without white space, `previous` the run before that, `words` how many words the
    sentence has so far. `NOW` supposes that no quote, bracket or emphasis is open.
    """
    bare = _AFTER_CJK.sub("", run.lstrip(OPENERS))
    if not bare:
        return Stop.SPACE
    if bare[-1] in ".…":
        return Stop.TRAILS_OFF
    listed = _listed(bare, previous, language)
    if listed is not None:
        return listed
    if bare[-1].isdigit():
        return _after_number(bare, previous, words, language)
    if "." in bare:
        return _after_dotted(bare)
    if len(bare) == 1 and bare.isalpha():
        return _after_letter(bare, previous, words)
    if not bare[-1].isalpha():
        return Stop.NOW if bare[-1] in _SURE_MARKS and "(" not in bare else Stop.SPACE
    return _after_word(bare, previous, words)


def _in(words: frozenset[str], word: str) -> bool:
    return word in words or word.lower() in words


def _listed(bare: str, previous: str, language: str) -> Stop | None:
    """Look the word up, and the last part of a compound ("mid-Sept.")."""
    last = _LAST_PART.split(bare)[-1]
    for word in (bare, last) if len(last) > 1 else (bare,):
        if _in(lexicon.UNITS, word) and previous[-1:].isdigit():
            return Stop.CAPITAL
        if word in lexicon.MONTHS and previous[-1:].isdigit():
            return Stop.STARTER
        for words, stop in _LISTS:
            if _in(words, word):
                return stop
    if bare.lower().endswith("str"):
        return Stop.STARTER
    if bare == "Me" and language == "fr":
        return Stop.NEVER
    if bare == "ex" and previous.lower() in ("p.", "par"):
        return Stop.NEVER
    return None


_LISTS = (
    (lexicon.NEVER_LAST, Stop.NEVER),
    (lexicon.BEFORE_CAPITAL, Stop.CAPITAL),
    (lexicon.BEFORE_STARTER, Stop.STARTER),
    (lexicon.BEFORE_NUMBER, Stop.NOT_NUMBER),
)


def _after_number(bare: str, previous: str, words: int, language: str) -> Stop:
    """Judge "29." (a decimal may go on), "1." (an item of a list), "3." (in German, third)."""
    short = bare.isdigit() and len(bare) <= 2
    if short and (words <= 1 or previous.endswith(":")):
        return Stop.NEVER
    if short and (language in lexicon.ORDINAL_LANGUAGES or previous.lower() in lexicon.BEFORE_ORDINAL):
        return Stop.STARTER
    return Stop.NOT_LOWER


def _after_dotted(bare: str) -> Stop:
    """Judge "U.S.", "Ph.D." and "J.-C.", which may be followed by a name, apart from "main.py." and "v2.0.1a."."""
    parts = [part.strip("-") for part in bare.split(".")]
    return Stop.STARTER if all(part.isalpha() and len(part) <= 2 for part in parts) else Stop.NOT_LOWER


def _after_letter(letter: str, previous: str, words: int) -> Stop:
    """Judge an initial ("J. R. Hale"), the pronoun ("you and I."), a variable ("solve for x.") or "vitamin C."."""
    if letter.lower() == letter.upper():
        return Stop.SPACE
    if letter == "I" and words > 1:
        return Stop.NOT_LOWER
    if letter in "xyznk" or previous.lower() in lexicon.LETTER_NOUNS:
        return Stop.CAPITAL
    return Stop.STARTER


def _after_word(bare: str, previous: str, words: int) -> Stop:
    """Judge a word: most end the sentence at once, some may go on as an ellipsis, a host or a file name."""
    lower = bare.lower()
    if not _PLAIN.fullmatch(bare):
        return Stop.NOT_LOWER if any(char.isdigit() for char in bare) else Stop.SPACE
    if _ROMAN.fullmatch(bare) or not (_has_vowel(lower) or bare.isupper()):
        return Stop.NOT_LOWER
    return Stop.SPACE if _may_go_on(bare, lower, previous, words) else Stop.NOW


def _may_go_on(bare: str, lower: str, previous: str, words: int) -> bool:
    parts = bare.replace("’", "'").split("-")
    spelled_oddly = any(part[1:] != part[1:].lower() and part != part.upper() for part in parts)
    too_short = len(bare) < 3 and not bare.isupper() and lower not in lexicon.SHORT_WORDS and not is_cjk(bare[-1])
    alone = words < 2 and lower not in lexicon.WHOLE_REPLIES
    named = {lower, parts[-1].lower()} & lexicon.DOTTED_NAMES or bare in lexicon.GIVEN_NAMES
    named = named or previous.lower() in lexicon.BEFORE_NAME
    return spelled_oddly or too_short or alone or bool(named) or lower in lexicon.GOES_ON


def _has_vowel(lower: str) -> bool:
    """Whether a Latin word can be pronounced; a word of another script always can."""
    base = unicodedata.normalize("NFD", lower)
    return not base[0].isascii() or any(char in "aeiouyæœøı" for char in base)


_FREE_STOPS = (Stop.SPACE, Stop.NOT_LOWER, Stop.TRAILS_OFF)


def verdict(stop: Stop, following: str, ender: str) -> bool | None:
    """Say whether the sentence ended, now that white space and then `following` have come; None: not known yet.

    `ender` is the character after `following`'s word, "" while the word may still grow.
    """
    word = following.lstrip(OPENERS)
    if not word:
        return _before_mark(stop, ender) if ender else None
    if stop in _FREE_STOPS:
        return _not_small(stop, word, ender)
    if word[0].isdigit():
        return False
    if stop is Stop.CLAUSE:
        return True
    return _not_roman(word, ender) if stop is Stop.NOT_NUMBER else _capital(stop, word, ender)


def _not_small(stop: Stop, word: str, ender: str) -> bool | None:
    """Say whether the word does not go on with a sentence; "I" after dots ("Well... I think so.") may."""
    if stop is Stop.TRAILS_OFF and word[0] == "I":
        return None if len(word) == 1 and not ender else len(word) > 1 and word[1] not in "'’"
    return not word[0].islower()


def _capital(stop: Stop, word: str, ender: str) -> bool | None:
    """Say whether the word begins a sentence after an abbreviation; scripts without capitals always do."""
    if word[0].islower() or word[0].upper() == word[0].lower():
        return not word[0].islower()
    if not ender:
        return None
    if stop is Stop.CAPITAL:
        return word.lower() not in lexicon.AFTER_CLOCK and not (len(word) == 1 and ender == ".")
    return ender != "." and _starts_sentence(word)


def _before_mark(stop: Stop, mark: str) -> bool:
    """Say whether a sentence ended before white space and a mark that is no word."""
    return mark not in ",;:!?…؟！？%)" and stop in (*_FREE_STOPS, Stop.NOT_NUMBER, Stop.CLAUSE)


def _not_roman(word: str, ender: str) -> bool | None:
    """Say whether the word begins a sentence after what may be followed by a number."""
    if word[0].islower():
        return False
    if not _ROMAN.fullmatch(word):
        return True
    return word == "I" if ender else None


def _starts_sentence(word: str) -> bool:
    lower = word.lower().replace("’", "'")
    return lower in lexicon.STARTERS or ("'" in lower and lower.split("'")[0] in lexicon.STARTERS)

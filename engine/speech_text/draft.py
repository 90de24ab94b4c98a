"""The piece under way: its text as shown and as spoken, its last words, its open quotes."""

from __future__ import annotations

from dataclasses import dataclass, field

from voicetui.engine.speech_text.ends import is_cjk
from voicetui.engine.speech_text.quotes import Quotes
from voicetui.engine.speech_text.speakable import speakable
from voicetui.engine.speech_text.units import Guard, Unit

_LONGEST_RUN = 64
_TIGHT = tuple(".,!?;:…")
"""Marks that lose the space before them when only an emoji or the like stood between."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a reply to show and to speak.

    `shown` is the text as the model wrote it, without outer white space; `spoken` what the voice gets, "" when there
    is nothing to pronounce; `ends_sentence` whether a spoken sentence ends with it: False for an early clause, part of
    an endless one and what is only shown. `gap` is the white space that stood before `shown`, so the text exactly
    as it was written is `"".join(piece.gap + piece.shown for piece in pieces)`.
    """

    shown: str
    spoken: str
    ends_sentence: bool
    gap: str = field(default=" ", compare=False)


class Draft:
    """Collects units until a piece is cut."""

    def __init__(self) -> None:
        self.quotes = Quotes()
        self.run = ""
        """The characters since the last white space."""
        self.previous = ""
        """The run before that."""
        self.sealed = False
        """Whether part of the run is code, a link's text or the like."""
        self.length = 0
        """How many characters there are to speak."""
        self.last = ""
        """The last character to speak, "" at the start of a line."""
        self._shown: list[str] = []
        self._blank = True
        self._spoken: list[str] = []
        self._words = 0
        self._in_word = False
        self._cjk = 0
        self._after_mark = False

    @property
    def words(self) -> int:
        """Return how many words there are to speak; two Han or kana characters count as one."""
        return self._words + (self._cjk + 1) // 2

    def add(self, unit: Unit) -> None:
        """Append a unit."""
        self.add_shown(unit.shown)
        if self._after_mark and unit.spoken in _TIGHT and self._spoken[-1:] == [" "]:
            self._spoken.pop()
        self._after_mark = not unit.spoken
        for char in unit.spoken:
            self._speak(char, unit.guard)

    def add_shown(self, text: str) -> None:
        """Append what is only shown."""
        self._shown.append(text)
        self._blank = self._blank and (not text or text.isspace())

    def end_line(self) -> None:
        """Forget what only concerns a line."""
        self.quotes.end_line()
        self.last = ""

    def cut(self, *, ends_sentence: bool) -> Piece | None:
        """Return everything collected as a piece and begin the next one; None where there is nothing to show."""
        if self._blank:
            self._spoken.clear()
            return None
        written, spoken = "".join(self._shown), speakable("".join(self._spoken))
        shown = written.strip()
        start = written.index(shown)
        self._shown = [written[start + len(shown) :]]
        self._blank = True
        self._spoken.clear()
        self.run = self.previous = ""
        self.sealed = self._in_word = False
        self.length = self._words = self._cjk = 0
        if ends_sentence:
            self.quotes.end_sentence()
        return Piece(shown, spoken, ends_sentence and bool(spoken), written[:start])

    def _speak(self, char: str, guard: Guard) -> None:
        before, self.last = self.last, char
        if char.isspace():
            if self.run:
                self.previous, self.run, self.sealed, self._in_word = self.run, "", False, False
            if before.isspace():
                return
            char = " "
        else:
            self._extend(char, guard)
            self.quotes.feed(char, before)
        self._spoken.append(char)
        self.length += 1

    def _extend(self, char: str, guard: Guard) -> None:
        self.sealed = self.sealed or guard is Guard.SEALED or len(self.run) == _LONGEST_RUN
        self.run = (self.run + char)[-_LONGEST_RUN:]
        if is_cjk(char):
            self._cjk += 1
        elif char.isalnum() and not self._in_word:
            self._in_word = True
            self._words += 1

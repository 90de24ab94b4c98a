"""Markdown as it streams in: which characters are words and which are marks.

An incremental reader, character by character, of what models write: emphasis, code, links, headings, lists, quotes,
tables, rules, fences. It never waits for more than the mark under way, so an unclosed one can hold nothing up.
(CommonMark parsers want the whole document: whether `*` opens anything is decided by what comes later.) Every character
comes out again as shown; marks are just not spoken. Code blocks are shown and not spoken at all.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable

from voicetui.engine.speech_text import html
from voicetui.engine.speech_text.speakable import is_silent
from voicetui.engine.speech_text.units import Guard, Unit

_WAIT = -1
"""What a reading step returns when the next character decides; else it returns how many characters it used."""
_LONGEST_RUN = 16

_HEAD_BEGUN = re.compile(
    r"#{1,6}|[-*+•‣◦▪●–—]|\d{1,3}[.)]?|(?:[ivx]{1,4}|[IVX]{1,4}|[A-Za-z])[.)]?"
    r"|`{1,2}|~{1,2}|`{3,16}[^`\n]{0,100}|~{3,16}[^\n]{0,100}|\[[^\]\n]{0,40}\]?"
)
_FENCE = re.compile(r"(?:(`{3,16})[^`\n]*|(~{3,16})[^\n]*)(?=\n|$)")
_LATE_FENCE_BEGUN = re.compile(r"`{3,16}[^`\n]{0,40}")
_BULLET = re.compile(r"(?:[-*+•‣◦▪●–—]|#{1,6}|\[[ xX]\])(?=[ \t\n]|$)")
_NUMBER = re.compile(r"(\d{1,3}|[ivx]{1,4}|[IVX]{1,4}|[A-Za-z])[.)](?=[ \t])")
_DEFINITION = re.compile(r"\[[^\]\n]+\]:")
_NOTE_BEGUN = re.compile(r"\[(?:\^[^\]\s]{0,20}|\d{0,3})\]?")
_NOTE = re.compile(r"\[(?:\^[^\]\s]{1,20}|\d{1,3})\](?!\()")
_BLOCK_LINE_BEGUN = re.compile(r"[ \t>]{0,40}[`~]{0,40}[ \t]{0,40}")

_Step = Callable[[], int]


class Markdown:
    """Visible characters in, units out."""

    def __init__(self) -> None:
        self._units: list[Unit] = []
        self._held = ""
        self._final = False
        self._before = ""
        self._step: _Step = self._head
        self._emphasis: set[str] = set()
        self._in_link = False
        self._depth = 0
        self._fence = ""
        self._special: dict[str, _Step] = {
            "\n": self._newline, "\\": self._backslash, "`": self._ticks, "[": self._bracket, "]": self._bracket_end,
            "!": self._exclamation, "<": self._angle, "&": self._ampersand,
            "*": self._emphasis_run, "_": self._emphasis_run, "~": self._emphasis_run,
        }  # fmt: skip

    def feed(self, char: str) -> list[Unit]:
        """Take one visible character and return the units that are certain now."""
        self._held += char
        return self._read()

    def flush(self) -> list[Unit]:
        """Return what was held back when the stream ends."""
        self._final = True
        return self._read()

    def _read(self) -> list[Unit]:
        while self._held:
            used = self._step()
            if used == _WAIT:
                break
            self._held = self._held[used:]
        units, self._units = self._units, []
        return units

    # -- what comes out ----------------------------------------------------------------------------------------------

    def _put(self, shown: str, spoken: str, guard: Guard | None = None) -> int:
        if guard is None:
            guard = Guard.MARKED if self._in_link or self._emphasis else Guard.FREE
        self._units.append(Unit(shown, spoken, guard))
        self._before = shown[-1]
        return len(shown)

    def _mark(self, shown: str) -> int:
        return self._put(shown, "")

    def _plain(self, text: str) -> int:
        for char in text:
            self._put(char, "" if is_silent(char) else char)
        return len(text)

    def _newline(self) -> int:
        self._units.append(Unit("\n", "\n"))
        self._before, self._in_link, self._step = "", False, self._head
        self._emphasis.clear()
        return 1

    # -- at the start of a line --------------------------------------------------------------------------------------

    def _head(self) -> int:
        held = self._held
        if held[0] in " \t":
            self._units.append(Unit(held[0], " "))
            return 1
        if held[0] == ">":
            return self._mark(">")
        if not self._final and _HEAD_BEGUN.fullmatch(held):
            return _WAIT
        if fence := _FENCE.match(held):
            return self._open_fence(fence)
        if bullet := _BULLET.match(held):
            return self._mark(bullet[0])
        self._step = self._text
        if number := _NUMBER.match(held):
            spoken = number[1] + "," if number[1].isdigit() else number[0]
            return self._put(number[0], spoken, Guard.SEALED)
        if definition := _DEFINITION.match(held):
            self._step = self._rest_of_line
            return self._mark(definition[0])
        return 0

    def _rest_of_line(self) -> int:
        """Read what is shown and not spoken up to the end of the line."""
        return self._newline() if self._held[0] == "\n" else self._mark(self._held[0])

    # -- code blocks -------------------------------------------------------------------------------------------------

    def _open_fence(self, fence: re.Match[str]) -> int:
        self._fence = fence[1] or fence[2]
        self._step = self._block_tail
        return self._mark(fence[0])

    def _block_head(self) -> int:
        """Read the start of a line inside a code block, which may be the closing fence."""
        held = self._held
        if not self._final and _BLOCK_LINE_BEGUN.fullmatch(held):
            return _WAIT
        if re.match(rf"[ \t>]*{self._fence}{self._fence[0]}*[ \t]*(?:\n|$)", held):
            self._step = self._rest_of_line
            return 0
        self._step = self._block_tail
        return 0

    def _block_tail(self) -> int:
        if self._held[0] != "\n":
            return self._mark(self._held[0])
        self._step = self._block_head
        self._units.append(Unit("\n", "\n"))
        return 1

    # -- inside a line -----------------------------------------------------------------------------------------------

    def _text(self) -> int:
        special = self._special.get(self._held[0])
        return special() if special is not None else self._plain(self._held[0])

    def _run(self) -> int:
        """Return how often the first character is repeated, or `_WAIT` while it may be repeated more."""
        run = len(self._held) - len(self._held.lstrip(self._held[0]))
        return _WAIT if run == len(self._held) < _LONGEST_RUN and not self._final else run

    def _emphasis_run(self) -> int:
        run = self._run()
        if run == _WAIT:
            return _WAIT
        char, before, after = self._held[0], self._before, self._held[run : run + 1]
        opens = bool(after) and not after.isspace()
        closes = bool(before) and not before.isspace()
        if char == "*":
            literal = run == 1 and before.isdigit() and after.isdigit()
        elif char == "_":
            literal = before.isalnum() and after.isalnum()
        else:
            literal = run == 1
        if literal or not (opens or closes):
            return self._plain(self._held[:run])
        if opens and not (closes and char in self._emphasis):
            self._emphasis.add(char)
        else:
            self._emphasis.discard(char)
        return self._mark(self._held[:run])

    def _ticks(self) -> int:
        run = self._run()
        if run == _WAIT or (run >= 3 and not self._final and _LATE_FENCE_BEGUN.fullmatch(self._held)):
            return _WAIT
        if fence := _FENCE.match(self._held):
            return self._open_fence(fence)
        self._depth, self._step = run, self._code
        return self._mark(self._held[:run])

    def _code(self) -> int:
        char = self._held[0]
        if char == "\n":
            return self._newline()
        if char != "`":
            spoken = " <" if char == "<" else "" if is_silent(char) else char
            return self._put(char, spoken, Guard.SEALED)
        run = self._run()
        if run == _WAIT:
            return _WAIT
        if run != self._depth:
            return self._put(self._held[:run], " ", Guard.SEALED)
        self._step = self._text
        return self._mark(self._held[:run])

    def _bracket(self) -> int:
        if not self._final and _NOTE_BEGUN.fullmatch(self._held):
            return _WAIT
        note = _NOTE.match(self._held)
        if note and (note[0][1] == "^" or self._before.strip()):
            return self._mark(note[0])
        self._in_link = True
        return self._mark("[")

    def _bracket_end(self) -> int:
        after = self._held[1:2]
        if not after and not self._final:
            return _WAIT
        was_link, self._in_link = self._in_link, False
        if was_link and after in ("(", "["):
            self._depth, self._step = 1, self._target if after == "(" else self._reference
            return self._mark("]" + after)
        return self._mark("]")

    def _target(self) -> int:
        char = self._held[0]
        if char == "\n":
            return self._newline()
        self._depth += (char == "(") - (char == ")")
        if not self._depth:
            self._step = self._text
        return self._mark(char)

    def _reference(self) -> int:
        char = self._held[0]
        if char == "\n":
            return self._newline()
        if char == "]":
            self._step = self._text
        return self._mark(char)

    def _exclamation(self) -> int:
        if self._before.strip():
            return self._plain("!")
        if len(self._held) == 1 and not self._final:
            return _WAIT
        return self._mark("!") if self._held[1:2] == "[" else self._plain("!")

    def _angle(self) -> int:
        if not self._final and html.may_be_markup(self._held):
            return _WAIT
        found = html.markup_at(self._held)
        if found is None:
            return self._plain("<")
        length, spoken = found
        return self._put(self._held[:length], spoken, Guard.SEALED if spoken.strip() else None)

    def _ampersand(self) -> int:
        if not self._final and html.may_be_entity(self._held):
            return _WAIT
        found = html.entity_at(self._held)
        if found is None:
            return self._plain("&")
        length, text = found
        return self._put(self._held[:length], "".join(char for char in text if not is_silent(char)))

    def _backslash(self) -> int:
        after = self._held[1:2]
        if not after and not self._final:
            return _WAIT
        if after in ("(", ")", "[", "]"):
            return self._mark("\\" + after)
        if after and after in string.punctuation:
            return self._put("\\" + after, after)
        return self._mark("\\") if after in ("", "\n") else self._put("\\", "\\")

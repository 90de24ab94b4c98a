"""What of a model's raw text anybody may see: no hidden reasoning, no control characters, no leaked template tokens.

One character goes in, the characters that are certainly visible come out, so the result cannot depend on how the stream
was cut. Nothing is held back but the beginning of something that may turn out to be a tag.
"""

from __future__ import annotations

import re

REASONING_TAGS = ("think", "thinking", "thought", "thoughts", "reasoning", "reflection", "scratchpad", "think_intent")
"""Tags whose content is the model talking to itself."""

_LONGEST_TAG = 120
_LONGEST_ESCAPE = 256
_TAG = re.compile(rf"<(/?)({'|'.join(REASONING_TAGS)})(?:\s[^<>]*)?>", re.IGNORECASE)
_NAME_THEN_REST = re.compile(rf"</?(?:{'|'.join(REASONING_TAGS)})\s[^<>]*", re.IGNORECASE)
_TOKEN = re.compile(r"<[|｜][^|｜<>\n]+[|｜]>")
_TOKEN_BEGUN = re.compile(r"<[|｜][^|｜<>\n]*[|｜]?")

_LINE_ENDS = "\x0b\x0c\x85\u2028\u2029"
_DROPPED = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb]")


class Visible:
    """Characters of the raw stream in, visible characters out. `hidden` is True inside hidden reasoning."""

    def __init__(self) -> None:
        self._open: list[str] = []
        self._held = ""
        self._before = ""
        self._controls = _Controls()

    @property
    def hidden(self) -> bool:
        """Return whether the stream is inside hidden reasoning."""
        return bool(self._open)

    def feed(self, char: str) -> str:
        """Take one character and return what is visible of the stream up to here and was not returned before."""
        clean = self._controls.feed(char)
        return self._take(clean) if clean else ""

    def flush(self) -> str:
        """Return what was held back when the stream ends; a reasoning tag that is cut off there stays hidden."""
        held, self._held = self._held, ""
        return "" if self.hidden or len(held) > 2 else held

    def _take(self, char: str) -> str:
        if not self._held:
            if char != "<" or self._opens_code():
                return self._show(char)
            self._held = char
            return ""
        held = self._held + char
        if _may_become_tag(held):
            self._held = held
            return ""
        self._held = ""
        if tag := _TAG.fullmatch(held):
            self._enter_or_leave(tag[2].lower(), closing=bool(tag[1]))
            return ""
        if _TOKEN.fullmatch(held):
            return ""
        return self._show(held[:-1]) + self._take(char)

    def _enter_or_leave(self, name: str, *, closing: bool) -> None:
        """Keep the stack of open tags: a closing tag closes its own and all that were opened inside it."""
        if not closing:
            self._open.append(name)
        elif name in self._open:
            while self._open.pop() != name:
                pass

    def _opens_code(self) -> bool:
        """Whether what stands before is a backtick that begins code: a tag quoted in prose is no tag."""
        return not self.hidden and self._before[-1:] == "`" and (len(self._before) < 2 or self._before[0] in " \n(")

    def _show(self, text: str) -> str:
        if self.hidden:
            return ""
        self._before = (self._before + text)[-2:]
        return text


def _may_become_tag(held: str) -> bool:
    if len(held) > _LONGEST_TAG:
        return False
    lower = held.lower()
    stem = "</" if lower.startswith("</") else "<"
    if any(name.startswith(lower[len(stem) :]) for name in REASONING_TAGS):
        return True
    return bool(_NAME_THEN_REST.fullmatch(held) or _TOKEN_BEGUN.fullmatch(held))


class _Controls:
    """Drops control characters and terminal escape sequences; every kind of line end becomes a newline."""

    def __init__(self) -> None:
        self._escape = ""
        self._after_return = False

    def feed(self, char: str) -> str:
        if self._escape:
            return self._in_escape(char)
        if char == "\n" and self._after_return:
            self._after_return = False
            return ""
        self._after_return = char == "\r"
        if char in "\x1b\x9b":
            self._escape = "\x1b[" if char == "\x9b" else char
            return ""
        if self._after_return or char in _LINE_ENDS:
            return "\n"
        return "" if _DROPPED.match(char) else char

    def _in_escape(self, char: str) -> str:
        """Swallow a sequence: two characters, or `[` up to a letter, or a string up to its end or the end of line."""
        escape = self._escape
        if char == "\n" or len(escape) > _LONGEST_ESCAPE:
            self._escape = ""
            return self.feed(char)
        self._escape += char
        kind = self._escape[1]
        if kind == "[":
            over = "@" <= char <= "~" and len(self._escape) > 2
        elif kind in "]PX^_":
            over = char in "\x07\x9c" or self._escape.endswith("\x1b\\")
        else:
            over = not " " <= char <= "/"
        if over:
            self._escape = ""
        return ""

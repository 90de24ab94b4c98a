"""Which quotes and brackets are open: inside them the end of a sentence may be followed by their closing mark."""

from __future__ import annotations

_CLOSING = {
    "(": ")", "[": "]", "{": "}", "“": "”", "„": "“", "«": "»", "‹": "›", "‘": "’",
    "「": "」", "『": "』", "（": "）", "《": "》", "〈": "〉", "【": "】",
}  # fmt: skip
_DEEPEST = 8


class Quotes:
    """A stack of the closing marks that are awaited. A mark that fits nothing is ignored."""

    def __init__(self) -> None:
        self._awaited: list[str] = []

    def __bool__(self) -> bool:
        return bool(self._awaited)

    @property
    def french(self) -> bool:
        """Return whether « is open: its closing mark stands after a space."""
        return bool(self._awaited) and self._awaited[-1] in "»›"

    def awaits(self, char: str) -> bool:
        """Return whether this mark closes what is open."""
        return char in self._awaited

    def feed(self, char: str, before: str) -> None:
        """Take one character; `before` is the one before it, "" at the start of a line."""
        outside = not before or before.isspace() or before in "([{“„«—-"
        if char in self._awaited:
            while self._awaited.pop() != char:
                pass
        elif char == '"' and not before.isdigit():
            self._open('"')
        elif char == "'" and outside:
            self._open("'")
        elif char == "»" and outside:
            self._open("«")
        elif char in _CLOSING:
            self._open(_CLOSING[char])

    def end_sentence(self) -> None:
        """Forget single quotes, which may have been apostrophes."""
        self._awaited = [char for char in self._awaited if char not in "'’"]

    def end_line(self) -> None:
        """Forget everything."""
        self._awaited.clear()

    def _open(self, closing: str) -> None:
        if len(self._awaited) < _DEEPEST:
            self._awaited.append(closing)

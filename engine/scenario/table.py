"""One table of a scenario file: hands out its keys, and says in one line what is wrong with one."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from voicetui.engine.errors import UsageError
from voicetui.engine.words import words_of

if TYPE_CHECKING:
    from collections.abc import Iterable

D = TypeVar("D")
_HEADER = re.compile(r"\s*\[\[?\s*([A-Za-z0-9_.-]+)\s*\]\]?\s*(?:#.*)?$")


@dataclass(frozen=True, slots=True)
class Source:
    """A scenario file's name and text, for lines in messages."""

    name: str
    text: str = ""

    def line(self, table: str, number: int, count: int, key: str = "") -> int | None:
        """Return the line of the `number`-th (from 1) of `count` tables of that name, or of a key in it, from 1.

        None where it cannot be told for certain: inline tables, or a header inside a text.
        """
        lines = self.text.splitlines()
        headers = [(n, found[1]) for n, line in enumerate(lines) if (found := _HEADER.match(line))]
        if not table:
            own = [n for n, name in headers if name == key]
            starts = own[:1] or [-1]
        else:
            starts = [n for n, name in headers if name == table]
            if not starts or len(starts) != count:
                return None
        start = starts[number - 1]
        end = next((n for n, _ in headers if n > start), len(lines))
        at = [n for n in range(start + 1, end) if re.match(rf"\s*{re.escape(key)}\s*[.=]", lines[n])] if key else []
        return (at[0] if len(at) == 1 else max(start, 0)) + 1


@dataclass(slots=True)
class Table:
    """A table: each accessor takes one key and checks its value; `finish` complains about keys that nobody took."""

    source: Source
    name: str
    data: dict[str, Any]
    number: int = 1
    """Which of the tables of this name it is, from 1."""
    count: int = 1
    listed: bool = False
    """Whether there may be more than one: `[[user]]`."""
    asked: list[str] = field(default_factory=list)

    def place(self, key: str = "") -> str:
        """Return file, line and table."""
        line = self.source.line(self.name, self.number, self.count, key)
        where = self.source.name if line is None else f"{self.source.name}:{line}"
        if not self.name:
            return where
        return f"{where}: [[{self.name}]] {self.number}" if self.listed else f"{where}: [{self.name}]"

    def fail(self, message: str, key: str = "") -> NoReturn:
        """Raise `UsageError`: file, line, table and the message."""
        raise UsageError(f"{self.place(key)}: {message}")

    def take(self, key: str) -> Any:  # noqa: ANN401 - whatever stands there
        """Return a key's value as it stands, None where there is none."""
        self.asked.append(key)
        return self.data.get(key)

    def wrong(self, key: str, wanted: str) -> NoReturn:
        """Raise `UsageError`: the key's value is not what it must be."""
        if key not in self.data:
            self.fail(f"it needs {key}: {wanted}")
        self.fail(f"{key} is {_brief(self.data[key])}, it must be {wanted}", key)

    def finish(self) -> None:
        """Raise `UsageError` where the table has keys that mean nothing here."""
        for key in self.data:
            if key not in self.asked:
                self.fail(f"{key!r} means nothing here; what does: {', '.join(self.asked)}", key)

    def seconds(self, key: str, default: D) -> float | D:
        """Return seconds, 0 or more."""
        value = self.take(key)
        if value is None:
            return default
        if not _is_number(value) or not 0 <= value < math.inf:
            self.wrong(key, "seconds, 0 or more")
        return float(value)

    def whole(self, key: str, least: int, default: D) -> int | D:
        """Return a whole number."""
        value = self.take(key)
        if value is None:
            return default
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            self.wrong(key, f"a whole number, {least} or more")
        return value

    def text(self, key: str, default: D, *, spoken: bool = False) -> str | D:
        """Return a text; a spoken one holds at least one word."""
        value = self.take(key)
        if value is None:
            return default
        if not isinstance(value, str) or (spoken and not words_of(value)):
            self.wrong(key, "a text with at least one word" if spoken else "a text")
        return value

    def flag(self, key: str, *, default: bool = False) -> bool:
        """Return true or false."""
        value = self.take(key)
        if value is None:
            return default
        if not isinstance(value, bool):
            self.wrong(key, "true or false")
        return value

    def choice(self, key: str, options: Iterable[str]) -> str | None:
        """Return one of the options."""
        value = self.take(key)
        if value is not None and value not in [*options]:
            self.wrong(key, f"one of {', '.join(options)}")
        return value if value is None else str(value)

    def texts(self, key: str, *, spoken: bool = False) -> tuple[str, ...] | None:
        """Return a list of texts; one text stands for a list of one."""
        value = self.take(key)
        if value is None:
            return None
        many = [value] if isinstance(value, str) else value
        if not isinstance(many, list) or not all(isinstance(t, str) and (words_of(t) or not spoken) for t in many):
            self.wrong(key, "a text with at least one word, or a list of such" if spoken else "a list of texts")
        if spoken and not many:
            self.wrong(key, "a text with at least one word, or a list of such")
        return tuple(many)

    def many_seconds(self, key: str) -> tuple[float, ...] | None:
        """Return a list of seconds; a number stands for a list of one."""
        value = self.take(key)
        if value is None:
            return None
        many = value if isinstance(value, list) else [value]
        if not all(_is_number(s) and 0 <= s < math.inf for s in many):
            self.wrong(key, "seconds, 0 or more, or a list of such")
        return tuple(float(s) for s in many)

    def numbers(self, key: str) -> frozenset[int]:
        """Return a set of whole numbers from 1."""
        value = self.take(key)
        if value is None:
            return frozenset()
        if not isinstance(value, list) or not all(
            isinstance(n, int) and not isinstance(n, bool) and n > 0 for n in value
        ):
            self.wrong(key, "a list of whole numbers from 1")
        return frozenset(value)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _brief(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"

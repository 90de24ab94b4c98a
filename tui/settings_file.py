"""Writing the settings file: one line is changed, every other line and comment stays as the user left it."""

from __future__ import annotations

import contextlib
import re
import shutil
import tomllib
from typing import TYPE_CHECKING

from voicetui.engine.errors import UsageError
from voicetui.tui.settings import DEFAULTS, SENTENCES, Settings, as_file, as_toml, checked, config_file

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def write(name: str, value: object, path: Path | None = None) -> None:
    """Set a setting in the file. Raises `UsageError` on a value that is not accepted or a file that cannot be written.

    The setting's line is changed where there is one, and what is a comment behind it stays; else its commented default
    takes the value, else a line is added. A file that is not there is made, with every setting as a commented default.
    """
    value = checked(name, value)
    _change(path or config_file(), lambda lines: _set(lines, name, f"{name} = {as_toml(value)}"))


def reset(name: str, path: Path | None = None) -> None:
    """Give a setting its default again: its lines become comments. Raises `UsageError` as `write`."""
    _change(path or config_file(), lambda lines: _unset(lines, name))


def _change(file: Path, change: Callable[[list[str]], None]) -> None:
    try:
        before = file.read_bytes().decode("utf-8") if file.exists() else as_file(Settings(file))
        lines = before.splitlines(keepends=True)
        change(lines)
        after = "".join(lines)
        if after == before and file.exists():
            return
        target = file.resolve()  # a link stays a link
        target.parent.mkdir(parents=True, exist_ok=True)
        fresh = target.with_name(f".{target.name}.new")
        fresh.write_bytes(after.encode("utf-8"))
        with contextlib.suppress(FileNotFoundError):
            shutil.copymode(target, fresh)
        fresh.replace(target)
    except (OSError, UnicodeError) as error:
        why = getattr(error, "strerror", None) or error
        raise UsageError(f"{file} cannot be written: {why}", fix="voicetui config path") from error


def _set(lines: list[str], name: str, text: str) -> None:
    places = _places(lines, name)
    if not places:
        places = [n for n in range(_sections_begin(lines)) if _is_default(lines[n], name)][-1:]
    if places:
        place = places[-1]  # where there are several, the last one counts
        comment = "" if _is_default(lines[place], name) else _comment(lines[place])
        lines[place] = text + (f"  {comment}" if comment else "") + _ending(lines, place)
        return
    place = _sections_begin(lines)
    while place and not lines[place - 1].strip():
        place -= 1
    ending = _ending(lines, 0)
    if place and not lines[place - 1].endswith(("\n", "\r")):
        lines[place - 1] += ending
    lines[place:place] = [*([ending] if place else []), f"# {SENTENCES[name]}{ending}", f"{text}{ending}"]


def _unset(lines: list[str], name: str) -> None:
    for place in _places(lines, name):
        lines[place] = f"# {name} = {as_toml(DEFAULTS[name])}{_ending(lines, place)}"


def _places(lines: list[str], name: str) -> list[int]:
    """Return the lines that set a setting, well or badly."""
    sets = re.compile(rf"\s*[\"']?{re.escape(name)}[\"']?\s*=")
    return [n for n in range(_sections_begin(lines)) if sets.match(lines[n])]


def _is_default(line: str, name: str) -> bool:
    """Tell whether a line is a setting that is commented out, and not prose about it."""
    if not line.lstrip().startswith("#"):
        return False
    try:
        return list(tomllib.loads(line.lstrip(" \t#"))) == [name]
    except tomllib.TOMLDecodeError:
        return False


def _comment(line: str) -> str:
    """Return the comment behind a value."""
    line = line.rstrip()
    for place in (n for n, char in enumerate(line) if char == "#"):
        try:
            tomllib.loads(line[:place])
        except tomllib.TOMLDecodeError:
            continue  # this # is part of the text in quotes
        return line[place:]
    return ""


def _sections_begin(lines: list[str]) -> int:
    return next((n for n, line in enumerate(lines) if line.lstrip().startswith("[")), len(lines))


def _ending(lines: list[str], place: int) -> str:
    """Return how a line ends, as the file has it."""
    line = lines[place] if place < len(lines) else ""
    return line[len(line.rstrip("\r\n")) :] or ("\r\n" if lines and lines[0].endswith("\r\n") else "\n")

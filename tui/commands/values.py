"""What a flag's value may be: each function takes the text and returns the value, or says what is wrong with it.

Imported for `--help` too, so nothing heavy here: the error class is imported when there is an error.
"""

from __future__ import annotations

import math
import os
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def refuse(message: str) -> NoReturn:
    """Raise `UsageError`, which argparse lets through: the command line prints that one line and exits with 2."""
    from voicetui.engine.errors import UsageError

    raise UsageError(message)


def seconds(flag: str) -> Callable[[str], float]:
    """Seconds, 0 or more, finite."""

    def read(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not (math.isfinite(value) and value >= 0):
            refuse(f"{flag} is {text!r}, it must be seconds, 0 or more")
        return value

    return read


def whole_number(flag: str, least: int = 0, most: int | None = None) -> Callable[[str], int]:
    """Return a reader of whole numbers from `least` to `most`."""
    allowed = f"{least} or more" if most is None else f"{least} to {most}"

    def read(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = least - 1
        if value < least or (most is not None and value > most):
            refuse(f"{flag} is {text!r}, it must be a whole number, {allowed}")
        return value

    return read


def readable_file(flag: str) -> Callable[[str], Path]:
    """Return a reader of names of files that can be opened."""

    def read(text: str) -> Path:
        _first_bytes(flag, text, 1)
        return _path(text)

    return read


def scenario_file(flag: str) -> Callable[[str], Path]:
    """Return a reader of names of files that can be opened, or else of scenarios that come with the package."""

    def read(text: str) -> Path:
        from voicetui.engine.scenario import find_scenario, shipped

        path = find_scenario(text)
        if not path.suffix and not path.exists():
            refuse(
                f"{flag} {text}: there is no such file, nor a scenario of that name; there are {', '.join(shipped())}"
            )
        return readable_file(flag)(str(path))

    return read


def wav_file(flag: str) -> Callable[[str], Path]:
    """Return a reader of names of WAV files; what is in them is looked at when they are played."""

    def read(text: str) -> Path:
        start = _first_bytes(flag, text, 12)
        if start[:4] not in (b"RIFF", b"RF64") or start[8:12] != b"WAVE":
            refuse(f"{flag} {text}: this is not a WAV file")
        return _path(text)

    return read


def _path(text: str) -> Path:
    from pathlib import Path  # which `--help` does without

    return Path(text)


def _first_bytes(flag: str, text: str, count: int) -> bytes:
    try:
        with _path(text).open("rb") as file:
            return file.read(count)
    except (OSError, ValueError) as error:  # ValueError: a name with a NUL in it
        refuse(f"{flag} {text}: {getattr(error, 'strerror', None) or error}")


def loudspeaker(flag: str) -> Callable[[str], str]:
    """Return a reader of a device's name, `none`, or a WAV file to write, whose folder must be there."""

    def read(text: str) -> str:
        if text.lower().endswith(".wav"):
            folder = _path(text).parent
            if not folder.is_dir():
                refuse(f"{flag} {text}: there is no folder {folder}")
            if _path(text).is_dir() or not os.access(folder, os.W_OK):
                refuse(f"{flag} {text}: this file cannot be written")
        return text

    return read

"""What the Markdown reader hands to the sentence splitter."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple


class Guard(IntEnum):
    """How freely a sentence may end at this place."""

    FREE = 0
    MARKED = 1
    """Inside bold, italics or a link: it may end, but the closing mark belongs to it."""
    SEALED = 2
    """Inside code, an address or a list number: it never ends here."""


class Unit(NamedTuple):
    """A stretch of visible text, mostly one character, and what of it is to be spoken.

    All `shown` put together are the visible text, character by character. `spoken` is "" for mark-up and emoji, and a
    newline where a line ends.
    """

    shown: str
    spoken: str
    guard: Guard = Guard.FREE

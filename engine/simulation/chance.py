"""Seeded chance: every draw of a simulated conversation, the same on every machine and Python version."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence

T = TypeVar("T")


class Chance:
    """A stream of draws for one actor; what another actor draws does not shift it.

    Only `random.Random.random` is used, whose sequence Python guarantees, seeded with a text, which it hashes itself.
    """

    def __init__(self, seed: int, actor: str) -> None:
        self._random = random.Random(f"{seed}/{actor}").random

    def maybe(self, share: float) -> bool:
        """Return True in `share` (0 … 1) of the cases."""
        return self._random() < share

    def count(self, low: int, high: int) -> int:
        """Return a whole number from `low` to `high`, both included."""
        return low + int(self._random() * (high - low + 1))

    def pick(self, options: Sequence[T]) -> T:
        """Return one of the options."""
        return options[int(self._random() * len(options))]

    def seconds(self, most: float) -> float:
        """Return 0 to `most` seconds in steps of 10 ms, 0 often: things that happen at the same moment find races."""
        return 0.0 if self.maybe(0.15) else round(self._random() * most, 2)

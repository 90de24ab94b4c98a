"""Long sentences in parts, cut where a speaker would breathe: the first is heard early, and none needs much memory."""

from __future__ import annotations

import re

LONG = 100
"""A sentence of so many characters is spoken in parts."""
SHORTEST = 25
"""No part is shorter: too little to carry a melody."""

_BREATH = re.compile(r"(?<=[,;:—–])\s+(?=\w)|\s+(?=[(—–])|(?<=\))\s+|(?<=[、，；])")


def clauses(text: str) -> list[str]:
    """Return a sentence in parts that begin and end at its words; a short one, or one without a pause, whole.

    Numbers such as "1 234,50" are never cut, as a clause mark between digits is not followed by white space.
    """
    parts: list[str] = []
    rest = text.strip()
    while len(rest) > LONG:
        cuts = [m for m in _BREATH.finditer(rest) if m.start() >= SHORTEST and len(rest) - m.end() >= SHORTEST]
        if not cuts:
            break
        cut = cuts[0] if not parts else max((c for c in cuts if c.start() <= LONG), key=re.Match.start, default=cuts[0])
        parts.append(rest[: cut.start()])
        rest = rest[cut.end() :]
    return [*parts, rest]

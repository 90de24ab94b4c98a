"""What was audible of the agent, and when: what the microphone may echo."""

from __future__ import annotations

from collections import deque

from voicetui.engine.words import words_of

AUDIBLE_KEPT = 16
"""No echo holds more sentences."""


class Audible:
    """The last sentences that became audible, of whatever reply; `exact` if the voice itself says when."""

    def __init__(self, *, exact: bool) -> None:
        self.exact = exact
        self.last_s: float | None = None
        """When the voice was last heard, as far as is known."""
        self._began: deque[tuple[float, list[str]]] = deque(maxlen=AUDIBLE_KEPT)

    def began(self, text: str, at_s: float) -> None:
        """Note that a sentence became audible."""
        self._began.append((at_s, words_of(text)))

    def since(self, moment_s: float) -> list[list[str]]:
        """Return the words of each sentence audible at a moment and since; if not exact, of all that are kept."""
        since: list[list[str]] = []
        for began_s, words in reversed(self._began):
            since.insert(0, words)
            if self.exact and began_s <= moment_s:
                break
        return since

"""The watchdog of a reply: a part that is waited for and gives no sign of life for too long hangs.

Runs on the discussion's loop.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from voicetui.engine.policy import Policy
    from voicetui.engine.ports import Clock

SLOWEST_WORD_S = 1.0
"""No voice takes longer for a word; a sentence that does is stuck."""
LEAST_WATCH_S = 0.1
"""A reply is not looked at more often than this for parts that hang."""


def model_limit_s(policy: Policy, *, begun: bool) -> float:
    """Return how long a model may say nothing, before its first text and after it."""
    return policy.token_limit_s if begun else policy.first_token_limit_s


def voice_limit_s(policy: Policy, words: int) -> float:
    """Return how long nothing may be heard of a voice whose longest sentence has so many words."""
    return policy.voice_limit_s + SLOWEST_WORD_S * words


class Watchdog:
    """Looks again and again how long ago the reply last moved on.

    `limit_s()` is how long that may be, by the part that is waited for now. Beyond it `stuck(limit_s)` is called, and
    returns whether to look on. The time does not count while `waits()`: for something else than a part.
    """

    def __init__(
        self,
        policy: Policy,
        clock: Clock,
        *,
        limit_s: Callable[[], float],
        waits: Callable[[], bool],
        stuck: Callable[[float], bool],
    ) -> None:
        self._clock, self._limit_s, self._waits, self._stuck = clock, limit_s, waits, stuck
        self._often_s = max(LEAST_WATCH_S, min(policy.token_limit_s, policy.voice_limit_s))
        self._moved_s = clock.now()
        self._timer: asyncio.TimerHandle | None = None

    def moved_on(self) -> float:
        """Note a sign of life; return its moment."""
        self._moved_s = self._clock.now()
        return self._moved_s

    def watch(self) -> None:
        """Look again at the deadline, or earlier: the next part that is waited for may have a shorter limit."""
        at = min(self._moved_s + self._limit_s(), self._clock.now() + self._often_s)
        self._timer = asyncio.get_running_loop().call_at(at, self._look)

    def wait_for(self, limit_s: float, then: Callable[[], None]) -> None:
        """Look no more; do something after a limit instead."""
        self.end()
        self._timer = asyncio.get_running_loop().call_later(limit_s, then)

    def end(self) -> None:
        """Look no more."""
        if self._timer is not None:
            self._timer.cancel()

    def _look(self) -> None:
        limit_s, now = self._limit_s(), self._clock.now()
        if self._waits():
            self._moved_s = now
        elif now >= self._moved_s + limit_s and not self._stuck(limit_s):
            return
        self.watch()

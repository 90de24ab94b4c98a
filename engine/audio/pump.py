"""Time for audio that no sound card paces: a thread that steps every 10 ms without drift, and a shared start."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

BLOCK_S = 0.01
"""Audio moves in blocks of 10 ms."""
_JOIN_S = 2.0


class StartLine:
    """The moment at which the files of one conversation begin: the first sample of each of them.

    Given to a `WavIn` and a `WavOut`, the microphone's start draws the line and the loudspeaker's file waits for it. So
    the two files laid over each other from their first samples show what happened when.
    """

    def __init__(self) -> None:
        self.at_s = 0.0
        self._drawn = threading.Event()

    def draw(self) -> float:
        """Make now the start, if it is not drawn yet, and return it."""
        if not self._drawn.is_set():
            self.at_s = time.monotonic()
            self._drawn.set()
        return self.at_s

    @property
    def drawn(self) -> bool:
        """Whether the start is known."""
        return self._drawn.is_set()

    def wait(self, timeout_s: float) -> bool:
        """Wait until the start is known; return whether it is."""
        return self._drawn.wait(timeout_s)


class Pump:
    """A thread that calls `step(k)` when block `k` is due, until it returns False or `close` is called.

    Block `k` is due at `start + (k + ahead) · 10 ms`, however late an earlier step was; with `realtime=False` it is due
    at once. `done(error)` is called at the end of the thread, with what a step raised; not after `close`.
    """

    def __init__(
        self,
        name: str,
        step: Callable[[int, float], bool],
        done: Callable[[Exception | None], None],
        *,
        start: StartLine | None = None,
        waits: bool = False,
        ahead: int = 0,
        realtime: bool = True,
    ) -> None:
        self._step, self._done = step, done
        self._line = start or StartLine()
        self._waits, self._ahead, self._realtime = waits and start is not None, ahead, realtime
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        """Start the thread; unless it waits for somebody else's start, block 0 begins now."""
        if not self._waits:
            self._line.draw()
        self._thread.start()

    def close(self) -> None:
        """Stop; no step is taken after this returns; idempotent."""
        self._stop.set()
        if self._thread.is_alive() and threading.current_thread() is not self._thread:
            self._thread.join(_JOIN_S)

    def _run(self) -> None:
        error: Exception | None = None
        try:
            self._take_steps()
        except Exception as raised:  # noqa: BLE001 - the top of the thread: the owner is told
            error = raised
        if not self._stop.is_set():
            self._done(error)

    def _take_steps(self) -> None:
        while not self._line.wait(BLOCK_S):
            if self._stop.is_set():
                return
        begin, k = self._line.at_s, 0
        while not self._stop.is_set():
            due = begin + (k + self._ahead) * BLOCK_S
            wait = due - time.monotonic()
            if self._realtime and wait > 0 and self._stop.wait(wait):
                return
            if not self._step(k, due if self._realtime else time.monotonic()):
                return
            k += 1

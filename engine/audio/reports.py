"""What a playback tells: by a thread of its own, since an audio callback must not run anybody's code."""

from __future__ import annotations

import threading
import time
from queue import SimpleQueue
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_JOIN_S = 2.0


class Reporter:
    """Calls `on_audible` at once and `on_ended` when the moment of the end has come, in the order of the reports."""

    def __init__(
        self,
        on_audible: Callable[[object, float], None] | None,
        on_ended: Callable[[object, float, bool], None] | None,
    ) -> None:
        self._on_audible, self._on_ended = on_audible, on_ended
        self._queue: SimpleQueue[tuple[float, Callable[[], None]] | None] = SimpleQueue()
        self._hurry = threading.Event()
        self._thread = threading.Thread(target=self._run, name="voicetui-playback", daemon=True)
        self._thread.start()

    def audible(self, key: object, at_s: float) -> None:
        """Report that a sentence is first heard at `at_s`."""
        if (tell := self._on_audible) is not None:
            self._queue.put((0.0, lambda: tell(key, at_s)))

    def ended(self, key: object, played_s: float, *, cut: bool = False, at_s: float = 0.0) -> None:
        """Report that a sentence ends at `at_s`."""
        if (tell := self._on_ended) is not None:
            self._queue.put((at_s, lambda: tell(key, played_s, cut)))

    def close(self) -> None:
        """Report what is left at once and end the thread; idempotent."""
        self._hurry.set()
        self._queue.put(None)
        if threading.current_thread() is not self._thread:
            self._thread.join(_JOIN_S)

    def _run(self) -> None:
        while (report := self._queue.get()) is not None:
            at_s, tell = report
            wait = at_s - time.monotonic()
            if wait > 0:
                self._hurry.wait(wait)
            tell()

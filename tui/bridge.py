"""Between the engine's thread and Textual's: events over, calls back.

The engine's thread appends each event to a queue and posts one message for however many wait there; Textual's thread
takes them all. So a burst costs one message, order is kept and nothing is lost.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections import deque
from typing import TYPE_CHECKING

from textual.message import Message
from voicetui.engine.events import Event, Source
from voicetui.engine.runner import Engine

if TYPE_CHECKING:
    from collections.abc import Callable

    from voicetui.engine.discussion import Discussion
    from voicetui.engine.errors import PartError

ENGINE_THREAD = "voicetui-engine"


class News(Message, bubble=False):
    """Events wait to be taken."""


class Bridge:
    """Owns the engine. `post` is called on the engine's thread, everything else on Textual's."""

    def __init__(
        self,
        make: Callable[[], Discussion],
        post: Callable[[Message], object],
        hear: Callable[[Event], object] = bool,
    ) -> None:
        self.engine = Engine(make, self.tell)
        self._post, self._hear = post, hear
        self._waiting: deque[Event] = deque()
        self._posted = False
        self._began_s = time.monotonic()

    def start(self) -> None:
        """Start the engine: its parts are built and warmed on its own thread."""
        self.engine.start()

    def tell(self, event: Event) -> None:
        """Take an event, on the engine's thread."""
        self._began_s = time.monotonic() - event.at_s
        self._hear(event)
        self._waiting.append(event)
        if self._posted:
            return  # a message is on its way; whoever takes it finds this event, too
        self._posted = True
        with contextlib.suppress(RuntimeError):  # the application is gone: its last look finds the event
            self._post(News())

    def take(self) -> list[Event]:
        """Return the events that wait, in order."""
        self._posted = False  # before looking: what comes from now on posts again
        taken = []
        while self._waiting:
            taken.append(self._waiting.popleft())
        return taken

    def now_s(self) -> float:
        """Return the present moment in seconds since the conversation began, as the events count."""
        return time.monotonic() - self._began_s

    @property
    def error(self) -> PartError | None:
        """Return why the engine could not start or broke off."""
        return self.engine.error

    def interrupt(self) -> bool:
        """Silence the agent now: the very same stop as the voice's."""
        return self.engine.interrupt(Source.KEY)

    def say(self, text: str) -> None:
        """Take a typed turn. Raises `UsageError` on one without a word."""
        self.engine.say(text, Source.KEY)

    def close(self, timeout_s: float) -> bool:
        """End the conversation and wait for the engine; return whether nothing of it is left."""
        return self.engine.close(timeout_s)


class CpuShare:
    """The share of a core that the engine's thread takes, from one reading to the next."""

    def __init__(self) -> None:
        self._last: tuple[float, float] | None = None

    def read(self) -> float | None:
        """Return the share since the last reading, 0 … 1; None where the system does not tell."""
        ident = next((t.ident for t in threading.enumerate() if t.name == ENGINE_THREAD), None)
        if ident is None or not hasattr(time, "pthread_getcpuclockid"):
            return None
        try:
            now = (time.monotonic(), time.clock_gettime(time.pthread_getcpuclockid(ident)))
        except OSError:  # the thread has just ended
            return None
        last, self._last = self._last, now
        if last is None or now[0] <= last[0]:
            return None
        return (now[1] - last[1]) / (now[0] - last[0])

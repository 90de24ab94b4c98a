"""Models on their way to this machine: fetched one after another on a thread, whatever screen is in front.

What is known of each is read by the screens as plain values; nothing here waits for a screen, or a screen for it.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import threading
from collections import deque
from contextvars import copy_context
from enum import StrEnum
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary, ref

from voicetui.engine.errors import PartError, VoicetuiError
from voicetui.engine.models import Progress, fetch

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from voicetui.engine.models import Model
    from voicetui.tui.app import TalkApp

    Fetcher = Callable[[Model, Callable[[Progress], None]], Path]

CLOSE_LIMIT_S = 1.0
NOTE_S = 8.0
"""How long the status line tells how a fetch ended."""


class Stage(StrEnum):
    """Where a fetch is."""

    QUEUED = "queued"
    FETCHING = "fetching"
    CHECKING = "checking"
    WAITING = "waiting"
    DONE = "done"
    STOPPED = "stopped"
    FAILED = "failed"


_STAGES = {"fetch": Stage.FETCHING, "check": Stage.CHECKING, "wait": Stage.WAITING}


class _StopError(Exception):
    """Raised in the progress report to stop a fetch."""


class Fetch:
    """One model on its way. Written by the fetching thread, read by any."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.stage = Stage.QUEUED
        self.done = 0
        """Bytes fetched."""
        self.total = 0
        """Bytes to fetch; 0 where it is not known."""
        self.text = ""
        """What comes from where."""
        self.note = ""
        """Something that the user should read."""
        self.error: VoicetuiError | None = None
        self._stop = threading.Event()

    @property
    def over(self) -> bool:
        """Return whether it is done, stopped or failed."""
        return self.stage in (Stage.DONE, Stage.STOPPED, Stage.FAILED)

    @property
    def stopping(self) -> bool:
        """Return whether it was asked to stop and has not yet."""
        return self._stop.is_set() and not self.over

    @property
    def share(self) -> float | None:
        """Return how much of it is here, 0 … 1; None where that is not known."""
        return min(1.0, self.done / self.total) if self.total else None

    def stop(self) -> None:
        """Ask it to stop; what is fetched is kept, and a later fetch goes on from there."""
        self._stop.set()

    def run(self, fetcher: Fetcher) -> None:
        """Fetch; never raises."""
        try:
            self._report(Progress(self.model, "fetch", 0, 0))
            fetcher(self.model, self._report)
        except _StopError:
            self.stage = Stage.STOPPED
        except VoicetuiError as error:
            self._fail(error)
        except Exception as error:  # noqa: BLE001 - the top of the thread: the screen shows it
            self._fail(PartError(self.model.part, f"{self.model.id}: {type(error).__name__}: {error}"))
        else:
            self.stage = Stage.DONE

    def _fail(self, error: VoicetuiError) -> None:
        self.error, self.stage = error, Stage.FAILED

    def _report(self, progress: Progress) -> None:
        if self._stop.is_set():
            raise _StopError
        if progress.stage == "note":
            self.note = progress.text
            return
        if progress.stage == "fetch":
            self.done, self.total = progress.done, progress.total
        self.text, self.stage = progress.text, _STAGES.get(progress.stage, self.stage)


class Fetches:
    """The models that are or were on their way in this run, by id. `told` hears of each that is over, on the thread."""

    def __init__(self, fetcher: Fetcher = fetch, told: Callable[[Fetch], object] | None = None) -> None:
        self.by_id: dict[str, Fetch] = {}
        self._fetcher, self._told = fetcher, told
        self._queue: deque[Fetch] = deque()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._closed = False

    def get(self, model: Model) -> Fetch:
        """Fetch a model, or return the fetch that is already on its way."""
        with self._lock:
            known = self.by_id.get(model.id)
            if known is not None and not known.over and not known.stopping:
                return known
            made = self.by_id[model.id] = Fetch(model)
            self._queue.append(made)
            if self._thread is None and not self._closed:
                self._thread = threading.Thread(target=self._work, name="voicetui-fetch", daemon=True)
                self._thread.start()
            return made

    def under_way(self) -> list[Fetch]:
        """Return those that are not over, in the order in which they come."""
        return [known for known in list(self.by_id.values()) if not known.over]

    def stop(self) -> None:
        """Ask all of them to stop."""
        for known in self.under_way():
            known.stop()

    def close(self, timeout_s: float = CLOSE_LIMIT_S) -> bool:
        """Stop all and wait for the thread; return whether it is gone. An installer under way is ended by it."""
        self._closed = True
        self.stop()
        return self.wait(timeout_s)

    def wait(self, timeout_s: float) -> bool:
        """Wait until nothing is on its way any more; return whether that is so."""
        thread = self._thread
        if thread is not None:
            thread.join(timeout_s)
        return thread is None or not thread.is_alive()

    def _work(self) -> None:
        while (current := self._next()) is not None:
            current.run(self._fetcher)
            if self._told is not None:
                self._told(current)

    def _next(self) -> Fetch | None:
        with self._lock:
            if self._queue:
                return self._queue.popleft()
            self._thread = None
            return None


_of_app: WeakKeyDictionary[TalkApp, Fetches] = WeakKeyDictionary()


def fetches_of(app: TalkApp) -> Fetches:
    """Return the application's fetches: they go on whatever screen is in front, and the status line tells of their end.

    They are closed when the program ends, so that no installer is left behind.
    """
    if app not in _of_app:
        loop, context, whose = asyncio.get_running_loop(), copy_context(), ref(app)

        def note(over: Fetch) -> None:
            if (alive := whose()) is not None and alive.is_running:
                alive.note(outcome(over), for_s=NOTE_S)

        def told(over: Fetch) -> None:
            with contextlib.suppress(RuntimeError):  # the loop is closed: nobody to tell
                loop.call_soon_threadsafe(note, over, context=context)

        _of_app[app] = Fetches(told=told)
        atexit.register(_of_app[app].close)
    return _of_app[app]


def outcome(over: Fetch) -> str:
    """Return how a fetch ended, in a line."""
    name = over.model.id
    match over.stage:
        case Stage.DONE:
            return f"{name} is here"
        case Stage.STOPPED:
            return f"{name}: stopped"
        case _:
            return over.error.message if over.error is not None else f"{name}: failed"

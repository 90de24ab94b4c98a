"""A discussion on its own thread, for an application that has a loop of its own.

Every public method may be called from any thread and none of them blocks, `close` apart.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
import threading
from typing import TYPE_CHECKING

from voicetui.engine import events as ev
from voicetui.engine.errors import PartError, UsageError
from voicetui.engine.ports import optional
from voicetui.engine.words import words_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from voicetui.engine.conversation import Conversation
    from voicetui.engine.discussion import Discussion

SWITCH_INTERVAL_S = 0.001
"""How long a busy thread may keep the others waiting; Python's own 5 ms made a key late by 6 ms."""


class Engine:
    """Runs one discussion. `make()` builds it on the engine's thread; `tell(event)` hears every event there.

    `Ended` is always told, also when a part could not start or the engine itself failed.
    """

    def __init__(self, make: Callable[[], Discussion], tell: Callable[[ev.Event], None]) -> None:
        self._make, self._tell = make, tell
        self._talk: Discussion | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread = threading.Thread(target=self._work, name="voicetui-engine", daemon=True)
        self._closing = threading.Event()
        self._ended = False
        self._result: Conversation | None = None
        self.error: PartError | None = None
        """Why the discussion could not start, if it could not."""

    def start(self) -> None:
        """Start the thread; the parts are built and warmed there."""
        sys.setswitchinterval(SWITCH_INTERVAL_S)
        self._thread.start()

    @property
    def running(self) -> bool:
        """Return whether the engine's thread lives."""
        return self._thread.is_alive()

    @property
    def conversation(self) -> Conversation | None:
        """Return the conversation so far; None before there is one."""
        return self._talk.conversation if self._talk is not None else self._result

    def interrupt(self, source: ev.Source = ev.Source.API) -> bool:
        """Silence the agent now; return whether there was anything to stop. The only stop there is."""
        talk = self._talk
        return talk is not None and talk.interrupt(source)

    def say(self, text: str, source: ev.Source = ev.Source.API) -> None:
        """Take a typed turn. Raises `UsageError` on one without a word."""
        if not words_of(text):
            raise UsageError("a turn needs at least one word")
        self._call(lambda talk: talk.say(text, source))

    @property
    def can_mute(self) -> bool:
        """Return whether the ears can be told to stop hearing."""
        talk = self._talk
        return talk is not None and optional(talk.listener, "mute") is not None

    def mute(self, on: bool) -> None:
        """Stop hearing, or hear again, where the ears can."""
        self._call(lambda talk: (act := optional(talk.listener, "mute")) is not None and act(on))

    def allow_barge_in(self, on: bool) -> None:
        """Let speech over the agent stop it from now on, or not; `interrupt` always does."""
        self._call(lambda talk: talk.allow_barge_in(on))

    def repeat(self) -> None:
        """Say the agent's last turn again, if the user has the floor."""
        self._call(lambda talk: talk.repeat())

    def end(self, reason: str = "ended") -> None:
        """End the conversation; what was heard of a reply under way is kept."""
        self._call(lambda talk: talk.end(reason))

    def close(self, timeout_s: float = 5.0) -> bool:
        """End the conversation, release everything, and wait for the thread; return whether it is gone."""
        self._closing.set()
        self.end("closed")
        if self._thread.ident is None:
            return True
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def _call(self, act: Callable[[Discussion], object]) -> None:
        loop, talk = self._loop, self._talk
        if loop is None or talk is None:
            return
        with contextlib.suppress(RuntimeError):  # the loop may have closed since
            loop.call_soon_threadsafe(act, talk)

    def _work(self) -> None:
        try:
            asyncio.run(self._hold())
        except PartError as err:
            self.error = err
            self._failed(err)
        except UsageError as err:
            self.error = PartError("engine", err.message, code="usage")
            self._failed(self.error)
        except Exception as err:  # noqa: BLE001 - the top of this thread: everything is reported
            self.error = PartError("engine", f"the engine failed: {type(err).__name__}: {err}", code="engine")
            self._failed(self.error)

    async def _hold(self) -> None:
        self._loop = asyncio.get_running_loop()
        async with self._make() as talk:
            self._talk = talk
            talk.subscribe(self._follow)
            try:
                if not self._closing.is_set():
                    self._result = await talk.run()
            finally:
                self._result, self._talk = talk.conversation, None

    def _follow(self, event: ev.Event) -> None:
        self._ended = self._ended or isinstance(event, ev.Ended)
        if not self._ended or isinstance(event, ev.Ended):
            self._tell(event)

    def _failed(self, err: PartError) -> None:
        self._tell(ev.PartFailed(part=err.part, message=err.message, fix=err.fix))
        if not self._ended:
            self._tell(ev.Ended(reason=err.message))

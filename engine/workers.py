"""Heavy models in child processes: started, warmed, streamed from, cancelled, and replaced when they hang or die.

Everything here runs on the asyncio loop that awaits it. A `Worker` keeps one warmed child process alive
(`worker_process.py`; `worker_child.py` runs at the other end of its pipes) and gives it requests one at a time.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import AsyncGenerator, Callable
from typing import Any

from voicetui.engine import worker_child
from voicetui.engine.errors import PartError
from voicetui.engine.worker_child import Frame, Header
from voicetui.engine.worker_process import Answers, ChildProcess, process_name, spawn_options

STALL_S = 20.0
"""A child from which nothing comes for so long in the middle of a request has hung."""
BACK_OFF_S = (0.0, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0)
"""The wait before the next start, by the number of children in a row that were of no use."""


class Worker:
    """One heavy model in a child process of its own.

    `target` is `"package.module:function"`, a factory that is called in the child with `config` (anything that JSON can
    say): it loads and warms the model and returns the handler of requests (see `worker_child.Handler`). A child that
    dies or hangs is replaced and warmed at once; requests made meanwhile wait for the new one. `on_replaced` is called
    with the reason when the new one is ready. All methods belong to one asyncio loop.
    """

    def __init__(self, part: str, target: str, config: dict[str, Any], *, start_limit_s: float = 60.0) -> None:
        self.on_replaced: Callable[[PartError], None] | None = None
        self._part = part
        self._hello = {"target": target, "config": config}
        self._start_limit_s = start_limit_s
        self._child: ChildProcess | None = None
        self._coming: asyncio.Future[ChildProcess | PartError] | None = None
        self._keeper: asyncio.Task[None] | None = None
        self._turn = asyncio.Lock()
        self._closed = False

    @property
    def pid(self) -> int | None:
        """The child's process id, or None while there is no child."""
        return self._child.pid if self._child is not None and not self._child.lost.done() else None

    async def start(self) -> None:
        """Start the child and wait until its model is warm; a no-op on a running worker.

        Raises `PartError` with the child's own reason or its last words; then it may be tried again.
        """
        await self._ready_child()

    async def stream(self, request: Header, payload: bytes = b"", *, stall_s: float = STALL_S) -> AsyncGenerator[Frame]:
        """Yield the answers to a request as they come; closing the iterator cancels the request in the child at once.

        Raises `PartError`: `stalled` when no answer came for `stall_s` (the child is replaced), `died` when the child
        ended (replaced too), `closed` after `aclose`, or what the request's handler raised (the child lives on).
        """
        async with self._turn:
            child = await self._free_child()
            answers = child.ask(request, payload)
            try:
                while (answer := await self._next(child, answers, stall_s)) is not None:
                    yield answer
            finally:
                child.cancel()

    async def call(self, request: Header, payload: bytes = b"", *, stall_s: float = STALL_S) -> Frame:
        """Return the first answer to a request; errors as for `stream`."""
        async with contextlib.aclosing(self.stream(request, payload, stall_s=stall_s)) as answers:
            async for answer in answers:
                return answer
        raise self._error("gave no answer", "no-answer")

    async def aclose(self) -> None:
        """End the child; idempotent, from any state. Requests under way raise `PartError` with the code `closed`."""
        self._closed = True
        if self._child is not None:
            self._child.give_up(self._error("was closed", "closed"))
        if self._keeper is not None:
            self._keeper.cancel()
            await asyncio.wait([self._keeper])
        if self._coming is not None and not self._coming.done():
            self._coming.set_result(self._error("was closed", "closed"))

    def _error(self, what: str, code: str) -> PartError:
        return PartError(self._part, f"{process_name(self._part)} {what}", code=code)

    async def _next(self, child: ChildProcess, answers: Answers, stall_s: float) -> Frame | None:
        try:
            async with asyncio.timeout(stall_s):
                answer = await answers.get()
        except TimeoutError:
            answer = self._error(f"gave no answer for {stall_s:g} s", "stalled")
            child.kill(answer)
        if isinstance(answer, PartError):
            raise _again(answer)
        return answer

    async def _free_child(self) -> ChildProcess:
        """Return a child that is warm and has done with the request before, cancelled or not."""
        while True:
            child = await self._ready_child()
            await child.idle.wait()
            if not child.lost.done():
                return child

    async def _ready_child(self) -> ChildProcess:
        while True:
            if self._closed:
                raise self._error("was closed", "closed")
            if self._keeper is None or self._keeper.done():
                self._coming = asyncio.get_running_loop().create_future()
                self._keeper = asyncio.create_task(self._keep(), name=f"worker {self._part}")
            assert self._coming is not None
            outcome = await asyncio.shield(self._coming)
            if isinstance(outcome, PartError):
                raise _again(outcome)
            if not outcome.lost.done():
                return outcome
            await asyncio.sleep(0)  # it has just died: the keeper takes note in this turn of the loop

    async def _keep(self) -> None:
        """Keep one warm child alive until closed. A first start that fails is over; later ones are tried again."""
        loop = asyncio.get_running_loop()
        reason: PartError | None = None
        useless = 0
        while True:
            outcome = await self._spawn()
            assert self._coming is not None
            self._coming.set_result(outcome)
            if isinstance(outcome, ChildProcess):
                if reason is not None and self.on_replaced is not None:
                    loop.call_soon(self.on_replaced, reason)
                reason = await self._outlive(outcome)
                useless = 0 if outcome.served else useless + 1
            elif reason is None:
                return
            else:
                useless += 1
            self._coming = loop.create_future()
            if wait_s := BACK_OFF_S[min(max(useless - 1, 0), len(BACK_OFF_S) - 1)]:
                self._coming.set_result(outcome if isinstance(outcome, PartError) else reason)
                await asyncio.sleep(wait_s)
                self._coming = loop.create_future()

    async def _spawn(self) -> ChildProcess | PartError:
        """Start a child and wait until it is warm: return it, or why it is of no use (then nothing is left of it)."""
        child = ChildProcess(self._part)
        command = [sys.executable, "-P", worker_child.__file__, self._part]
        try:
            await asyncio.get_running_loop().subprocess_exec(lambda: child, *command, **spawn_options())
        except OSError as error:
            return self._error(f"cannot be started: {error}", "died")
        self._child = child
        try:
            child.send({**self._hello, "path": sys.path})
            async with asyncio.timeout(self._start_limit_s):
                failure = await asyncio.shield(child.ready)
        except TimeoutError:
            failure = self._error(f"was not ready after {self._start_limit_s:g} s", "stalled")
        except asyncio.CancelledError:
            await child.end()
            raise
        if failure is None:
            return child
        await child.end()
        return failure

    async def _outlive(self, child: ChildProcess) -> PartError:
        """Wait until a child is lost and return why; end it when this task is cancelled."""
        try:
            return await asyncio.shield(child.lost)
        except asyncio.CancelledError:
            await child.end()
            raise


def _again(error: PartError) -> PartError:
    """Return a copy to raise: one instance raised in several places collects all their tracebacks."""
    return PartError(error.part, error.message, fix=error.fix, code=error.code)

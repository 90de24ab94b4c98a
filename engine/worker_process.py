"""One child process of a worker, as the parent sees it: its pipes, the request under way, its death.

`workers.py` keeps one of these alive; `worker_child.py` runs at the other end. All on one asyncio loop.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
from collections import deque
from typing import Any

from voicetui.engine.errors import PartError
from voicetui.engine.worker_child import HEAD, Frame, Header, pack

CANCEL_LIMIT_S = 3.0
"""How long a child may go on with a request that is no longer wanted; then it is killed (and replaced)."""
TERMINATE_S = 0.5
"""How long a child may take to end when told to; then it is killed."""

_NAMES = {"listen": "the recogniser's process", "think": "the model's process", "speak": "the voice's process"}

Answers = asyncio.Queue[Frame | PartError | None]
"""The answers to one request as they arrive, then None, or a `PartError` that ends them."""


class ChildProcess(asyncio.SubprocessProtocol):
    """One child process, from its start to the end of its last pipe.

    `ready` is settled when its model is warm (None) or why it will never be; `lost` when nothing is left of it, with
    the reason; `idle` is set while it works on nothing; `served` says whether it ever finished a request.
    """

    def __init__(self, part: str) -> None:
        loop = asyncio.get_running_loop()
        self.ready: asyncio.Future[PartError | None] = loop.create_future()
        self.lost: asyncio.Future[PartError] = loop.create_future()
        self.idle = asyncio.Event()
        self.idle.set()
        self.served = False
        self.pid: int | None = None
        self._part = part
        self._transport: asyncio.SubprocessTransport | None = None
        self._reason: PartError | None = None
        self._number = 0
        self._answers: Answers | None = None
        self._cancel_limit: asyncio.TimerHandle | None = None
        self._inbox = bytearray()
        self._words = b""
        self._lines: deque[bytes] = deque(maxlen=20)

    def send(self, header: Header, payload: bytes = b"") -> None:
        """Write a frame; to a child that is gone, nothing."""
        pipe = self._transport.get_pipe_transport(0) if self._transport is not None else None
        if isinstance(pipe, asyncio.WriteTransport) and not pipe.is_closing():
            pipe.write(pack(header, payload))

    def ask(self, request: Header, payload: bytes) -> Answers:
        """Send a request; it must be idle."""
        self._number += 1
        self._answers = answers = Answers()
        self.idle.clear()
        self.send({"id": self._number, "request": request}, payload)
        return answers

    def cancel(self) -> None:
        """Drop the request under way, if there is one: what it still answers is thrown away."""
        self._answers = None
        if self.idle.is_set():
            return
        self.send({"cancel": self._number})
        error = PartError(self._part, f"{process_name(self._part)} did not stop when told to", code="stalled")
        self._cancel_limit = asyncio.get_running_loop().call_later(CANCEL_LIMIT_S, self.kill, error)

    def give_up(self, reason: PartError) -> None:
        """Note why this child is to be lost, and tell the request under way."""
        self._reason = self._reason or reason
        if self._answers is not None:
            self._answers.put_nowait(reason)

    def kill(self, reason: PartError) -> None:
        """Kill it now."""
        self._reason = self._reason or reason
        if self._transport is not None:
            with contextlib.suppress(ProcessLookupError):
                self._transport.kill()

    async def end(self) -> None:
        """Terminate it, or kill it if that is not enough; returns when nothing is left of it."""
        if self._transport is None:
            return
        with contextlib.suppress(ProcessLookupError):
            self._transport.terminate()
        try:
            # Not asyncio.timeout: in a cancelled task, as here, it raises no TimeoutError on Python 3.11.2.
            await asyncio.wait([self.lost], timeout=TERMINATE_S)
        finally:
            if not self.lost.done():
                self._transport.close()  # kills what still runs and closes the pipes
        await asyncio.shield(self.lost)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport (called by the loop)."""
        assert isinstance(transport, asyncio.SubprocessTransport)
        self._transport = transport
        self.pid = transport.get_pid()

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """Take in answers (1) or what the libraries print (2)."""
        if fd == 2:
            *lines, self._words = (self._words + data).split(b"\n")
            self._lines.extend(line for line in lines if line.strip())
            self._words = self._words[-4096:]
            return
        self._inbox += data
        while (frame := _take(self._inbox)) is not None:
            self._receive(*frame)

    def process_exited(self) -> None:
        """Close what is left, a moment later: a process that the child started may hold the pipes open for ever."""
        if self._transport is not None:
            asyncio.get_running_loop().call_later(TERMINATE_S, self._transport.close)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - asyncio's signature
        """Settle everything: the process has ended and its pipes are read to their ends."""
        reason = self._reason or self._obituary()
        if self._transport is not None:
            self._transport.close()  # else it warns of being unclosed when it is freed
        if not self.ready.done():
            self.ready.set_result(reason)
        self.lost.set_result(reason)
        self._finish(reason)

    def _receive(self, header: Header, payload: bytes) -> None:
        error = PartError(self._part, **header["error"]) if "error" in header else None
        if "id" not in header:
            self._reason = self._reason or error
            if not self.ready.done():
                self.ready.set_result(error)
        elif "answer" not in header:
            self.served = True
            self._finish(error)
        elif self._answers is not None:
            self._answers.put_nowait((header["answer"], payload))

    def _finish(self, last: PartError | None) -> None:
        """End the request under way, if there is one."""
        if self._answers is not None:
            self._answers.put_nowait(last)
        self._answers = None
        self.idle.set()
        if self._cancel_limit is not None:
            self._cancel_limit.cancel()
            self._cancel_limit = None

    def _obituary(self) -> PartError:
        code = self._transport.get_returncode() if self._transport is not None else None
        try:
            how = f"killed by {signal.Signals(-(code or 0)).name}"
        except ValueError:
            how = f"exit code {code}"
        last = next((line for line in (self._words, *reversed(self._lines)) if line.strip()), b"")
        words = last.decode(errors="replace").strip()[:300]
        message = f"{process_name(self._part)} died ({how})"
        return PartError(self._part, f"{message}: {words}" if words else message, code="died")


def process_name(part: str) -> str:
    """Return what a user calls the process of a part."""
    return _NAMES.get(part, f"the process of {part}")


def spawn_options() -> dict[str, Any]:
    """Return how a child is spawned: in a session of its own, so that Ctrl-C reaches only this process."""
    options: dict[str, Any] = {"env": {"MALLOC_ARENA_MAX": "2", **os.environ}}
    if sys.platform == "win32":
        options["creationflags"] = subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW
    else:
        options["start_new_session"] = True
    return options


def _take(inbox: bytearray) -> Frame | None:
    """Take the first whole frame out of `inbox`; None while there is none."""
    if len(inbox) < HEAD.size:
        return None
    json_length, length = HEAD.unpack_from(inbox)
    start = HEAD.size + json_length
    if len(inbox) < start + length:
        return None
    header: Header = json.loads(inbox[HEAD.size : start])
    with memoryview(inbox) as view:
        payload = bytes(view[start : start + length])
    del inbox[: start + length]
    return header, payload

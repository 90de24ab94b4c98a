"""What a test must not leave behind: threads, child processes and pending asyncio tasks."""

from __future__ import annotations

import asyncio.runners
import os
import threading
import time
from pathlib import Path

GRACE_S = 5.0
"""What is already on its way out may take so long to end."""

_pending: list[str] = []


def watch_tasks():
    """Note each task that is still pending when `asyncio.run` or a `Runner` ends: they would cancel it silently."""
    cancel_all = asyncio.runners._cancel_all_tasks

    def noting(loop):
        _pending.extend(repr(task) for task in asyncio.all_tasks(loop))
        cancel_all(loop)

    asyncio.runners._cancel_all_tasks = noting


def take_pending_tasks() -> list[str]:
    taken = _pending[:]
    _pending.clear()
    return taken


def children() -> dict[int, str]:
    """Return the command line of each child process by its id; nothing where there is no /proc."""
    found = {}
    for listing in Path("/proc/self/task").glob("*/children"):
        try:
            pids = listing.read_text().split()
        except OSError:
            continue
        for pid in map(int, pids):
            try:
                line = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode().strip()
            except OSError:
                continue
            found[pid] = line or "(ended, but nobody has asked how)"
    return {pid: line for pid, line in found.items() if "multiprocessing.resource_tracker" not in line}


class Before:
    """What there is now; `left()` says what has come since and does not go."""

    def __init__(self) -> None:
        self.threads = set(threading.enumerate())
        self.children = children()

    def left(self) -> list[str]:
        end = time.monotonic() + GRACE_S
        for thread in set(threading.enumerate()) - self.threads:
            thread.join(max(0, end - time.monotonic()))
        while self._new_children() and time.monotonic() < end:
            time.sleep(0.01)  # nothing tells when a grandchild has ended
        threads = [f"thread {t.name}" for t in set(threading.enumerate()) - self.threads]
        processes = [f"process {pid}: {line}" for pid, line in self._new_children().items()]
        return threads + processes + [f"task {task}" for task in take_pending_tasks()]

    def _new_children(self) -> dict[int, str]:
        return {pid: line for pid, line in children().items() if pid not in self.children and pid != os.getpid()}

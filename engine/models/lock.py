"""One process at a time: a lock file that the operating system lets go of when its holder ends, however it ends."""

from __future__ import annotations

import os
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

LOOK_AGAIN_S = 0.2


@contextmanager
def only_one(path: Path, *, waiting: Callable[[], None] | None = None) -> Iterator[None]:
    """Hold the lock file `path`, waiting for another process that holds it; `waiting()` is called at each look."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fd = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        while not _take(fd):
            if waiting:
                waiting()
            time.sleep(LOOK_AGAIN_S)
        yield
    finally:
        os.close(fd)  # which also lets go of the lock; the file stays, so that all look at the same one


if sys.platform == "win32":
    import msvcrt

    def _take(fd: int) -> bool:
        try:
            msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _take(fd: int) -> bool:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

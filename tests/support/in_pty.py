"""A program in a pseudo-terminal: what it draws, what it is sent, and how it leaves the terminal."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time

PATIENCE_S = 60.0
"""Whatever does not happen within this time does not happen: it bounds a wait and measures nothing."""
RESTORED = (b"\x1b[?1000l", b"\x1b[?1003l", b"\x1b[?1006l", b"\x1b[?2004l", b"\x1b[?1049l", b"\x1b[?25h")
"""Mouse off (three), paste reports off, main screen, cursor shown."""


class InPty:
    """A context manager; standard error is a pipe of its own, so that what is said there can be told apart."""

    def __init__(self, *command, size=(80, 24), controlling=True, **environ):
        self.master, self._slave = pty.openpty()
        self.resize(*size)
        self.before = termios.tcgetattr(self._slave)
        env = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "COLORTERM")}
        env |= {"TERM": "xterm-256color", "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "PYTHONUNBUFFERED": "1"} | environ
        env.pop("PYTHONDONTWRITEBYTECODE", None)
        env["PYTHONPYCACHEPREFIX"] = f"{env['XDG_CACHE_HOME']}/compiled"  # compiled once for all of these tests
        take = (lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0)) if controlling else None
        self.process = subprocess.Popen(
            [sys.executable, *command],
            stdin=self._slave,
            stdout=self._slave,
            stderr=subprocess.PIPE,
            env=env,
            start_new_session=True,
            preexec_fn=take,  # noqa: PLW1509 - it takes no lock
        )
        self.drawn = b""
        self.mark = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.process.pid, signal.SIGKILL)
        self.process.communicate()
        for descriptor in (self.master, self._slave):
            with contextlib.suppress(OSError):
                os.close(descriptor)

    # -- what happens ------------------------------------------------------------------------------------------------

    def read(self, seconds=0.05):
        """Take what is drawn within this time; return whether there was anything."""
        if not select.select([self.master], [], [], seconds)[0]:
            return False
        with contextlib.suppress(OSError):
            self.drawn += os.read(self.master, 1 << 16)
        return True

    def until(self, *words):
        """Read until all of these were drawn since the last `send`, `signal` or `since`."""
        end = time.monotonic() + PATIENCE_S
        wanted = [word.encode() if isinstance(word, str) else word for word in words]
        while not all(word in self.drawn[self.mark :] for word in wanted):
            assert time.monotonic() < end, (words, self.drawn[self.mark :][-2000:])
            assert self.process.poll() is None, (self.process.returncode, self.process.stderr.read())
            self.read()

    def since(self):
        """Forget what was drawn before now."""
        self.mark = len(self.drawn)

    def ended(self, within_s=PATIENCE_S):
        """Read until the process has ended; return its exit code."""
        end = time.monotonic() + within_s
        while self.process.poll() is None:
            assert time.monotonic() < end, "it does not end"
            self.read()
        while self.read(0.0):
            pass
        return self.process.returncode

    @property
    def said(self):
        """What stood on standard error at the end."""
        return self.process.stderr.read().decode()

    # -- what is done ------------------------------------------------------------------------------------------------

    def send(self, keys):
        self.since()
        os.write(self.master, keys.encode() if isinstance(keys, str) else keys)

    def signal(self, number):
        self.since()
        os.kill(self.process.pid, number)

    def resize(self, columns, rows):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def hang_up(self):
        """Take the terminal away."""
        os.close(self._slave)
        os.close(self.master)
        self.master = self._slave = -1

    # -- how it is left ----------------------------------------------------------------------------------------------

    def assert_restored(self):
        """Assert that the terminal is as it was, by what was written last and by its attributes."""
        tail = self.drawn[self.mark :]
        missing = [mode for mode in RESTORED if mode not in tail]
        assert not missing, (missing, tail[-500:])
        assert tail.rindex(b"\x1b[?1049l") > tail.rfind(b"\x1b[?1049h")
        assert termios.tcgetattr(self._slave) == self.before


def events(path):
    """Return the events that the child has written."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []

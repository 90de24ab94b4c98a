"""The terminal: taken over for the screen, and given back as it was, however the application ends.

Descriptors 1 and 2 go to the log while the screen is up, because libraries write to them and would ruin it; Textual
draws on a copy of the real terminal. Enter this before Textual is imported. Runs on the main thread.
"""

from __future__ import annotations

import contextlib
import io
import os
import select
import signal
import sys
import threading
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Self

from voicetui.engine.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType, TracebackType

try:
    import termios
except ImportError:  # Windows has none
    termios = None  # type: ignore[assignment]

LAST_RESORT_S = 4.0
"""Whoever was asked to stop and has not after so long is ended."""
_OFF = ("?1000l", "?1002l", "?1003l", "?1006l", "?1015l", "?2004l", "?1004l", "?7h", "<u", "?1049l", "?25h", "0m")
RESET = "".join(f"\x1b[{code}" for code in _OFF)
"""Mouse, paste and focus reports off, wrapping on, keyboard protocol off, main screen, cursor shown."""
LOG_LIMIT_BYTES = 1_000_000
_STOPPING = ("SIGINT", "SIGTERM", "SIGHUP")


def refusal() -> str:
    """Return why the full screen cannot be shown here, or "" where it can."""
    if os.environ.get("TERM", "") == "dumb":
        return "TERM is dumb"
    for stream, name in ((sys.__stdin__, "standard input"), (sys.__stdout__, "standard output")):
        if stream is None or not stream.isatty():
            return f"{name} is no terminal"
    return ""


def require() -> None:
    """Raise `UsageError` where the full screen cannot be shown."""
    if reason := refusal():
        raise UsageError(f"the full screen needs a terminal, and {reason}", fix="voicetui talk --plain")


def log_file() -> Path:
    """Return the file that libraries write to while the screen is up."""
    from platformdirs import user_log_path

    return user_log_path("voicetui", appauthor=False) / "screen.log"


class TerminalStream(io.TextIOWrapper):
    """Text to the terminal; one that has vanished swallows it, and `gone` says so."""

    def __init__(self, descriptor: int, encoding: str) -> None:
        super().__init__(io.BufferedWriter(io.FileIO(descriptor, "w")), encoding=encoding, errors="replace", newline="")
        self.gone = False

    def write(self, text: str) -> int:
        """Write, or note that nobody reads any more."""
        try:
            return super().write(text)
        except (OSError, ValueError):
            self.gone = True
            return len(text)

    def flush(self) -> None:
        """Flush, or note that nobody reads any more."""
        try:
            super().flush()
        except (OSError, ValueError):
            self.gone = True


class Terminal:
    """A context manager. `stop` is called with the number of the first signal that asks the application to end."""

    def __init__(self, log: Path | None = None) -> None:
        self.stop: Callable[[int], object] | None = None
        self.signal = 0
        """The signal that ended the application, 0 for none."""
        self.raw = False
        """Whether the screen is up; the driver says so."""
        self._log = log or log_file()
        self._saved: dict[int, int] = {}
        self._attributes: list[Any] | None = None
        self._handlers: dict[int, Any] = {}

    def __enter__(self) -> Self:
        """Take the terminal over."""
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError, AttributeError):
                stream.flush()
        self._attributes = _attributes()
        self._streams = (sys.__stdout__, sys.__stderr__)
        self._saved = {descriptor: os.dup(descriptor) for descriptor in (1, 2)}
        self.stream = TerminalStream(os.dup(1), getattr(sys.stdout, "encoding", None) or "utf-8")
        with _open_log(self._log) as log:
            for descriptor in (1, 2):
                os.dup2(log.fileno(), descriptor)
        sys.__stdout__ = sys.__stderr__ = self.stream  # type: ignore[misc] # where Textual draws
        for name in _STOPPING:
            if hasattr(signal, name):
                number = getattr(signal, name)
                self._handlers[number] = signal.signal(number, self._asked)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Give the terminal back."""
        self.restore()
        for descriptor, saved in self._saved.items():
            with contextlib.suppress(OSError):
                os.dup2(saved, descriptor)
        sys.__stdout__, sys.__stderr__ = self._streams  # type: ignore[misc]
        with contextlib.suppress(OSError, ValueError):
            self.stream.close()
        for saved in self._saved.values():
            os.close(saved)
        for number, handler in self._handlers.items():
            signal.signal(number, handler)

    @property
    def gone(self) -> bool:
        """Return whether the terminal has vanished: nobody reads what is drawn, no key can come."""
        if self.stream.gone:
            return True
        if not hasattr(select, "poll"):
            return False
        poll = select.poll()
        poll.register(0, 0)
        return any(event & (select.POLLHUP | select.POLLERR | select.POLLNVAL) for _, event in poll.poll(0))

    def restore(self) -> None:
        """Put the terminal right if the screen is still up. Idempotent."""
        if self.raw:
            self.raw = False
            self.stream.write(RESET)
            self.stream.flush()
        if self._attributes is not None and termios is not None:
            with contextlib.suppress(termios.error):
                termios.tcsetattr(0, termios.TCSANOW, self._attributes)

    def _asked(self, number: int, _: FrameType | None) -> None:
        """End the application; asked twice, or before there is one, end at once."""
        if self.signal or self.stop is None:
            self.signal = self.signal or number
            self._end_now()
            return
        self.signal = number
        watchdog = threading.Timer(LAST_RESORT_S, self._end_now)
        watchdog.daemon = True
        watchdog.start()
        self.stop(number)

    def _end_now(self) -> None:
        self.restore()
        os._exit(exit_code(self.signal))


def exit_code(number: int) -> int:
    """Return the exit code after a signal: 0 for Ctrl-C, which is how a conversation is ended."""
    return 0 if number in (0, signal.SIGINT) else 128 + number


def _attributes() -> list[Any] | None:
    if termios is None:
        return None
    try:
        return termios.tcgetattr(0)
    except termios.error:
        return None


def _open_log(path: Path) -> IO[bytes]:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and path.stat().st_size > LOG_LIMIT_BYTES:
            path.replace(path.with_suffix(".old.log"))
        return path.open("ab", buffering=0)
    except OSError:
        return Path(os.devnull).open("ab", buffering=0)

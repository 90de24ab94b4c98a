"""Textual's driver, made to survive what a terminal may send, and to say when the screen is up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.drivers.linux_driver import LinuxDriver

if TYPE_CHECKING:
    from voicetui.tui.terminal import Terminal


def driver_for(terminal: Terminal) -> type[LinuxDriver]:
    """Return the driver for this terminal."""

    class TalkDriver(LinuxDriver):
        """Reads keys on its own thread, as its base does."""

        def start_application_mode(self) -> None:
            """Bring the screen up."""
            terminal.raw = True
            super().start_application_mode()  # type: ignore[no-untyped-call] # Textual's

        def stop_application_mode(self) -> None:
            """Take the screen down."""
            super().stop_application_mode()
            if self._writer_thread is not None:
                self._writer_thread.stop()  # what is still to be written is written before anything else is
                self._writer_thread = None
            terminal.raw = False

        def write(self, data: str) -> None:
            """Write to the screen while it is up."""
            if self._writer_thread is not None:
                super().write(data)

        def run_input_thread(self) -> None:
            """Read until the end: bytes that are no text, such as an old mouse report, are passed over."""
            while not self.exit_event.is_set():
                try:
                    super().run_input_thread()
                except UnicodeDecodeError:
                    continue
                except OSError:  # the terminal has vanished; the application looks out for that
                    return

    return TalkDriver

"""Run the application on this terminal, and end it with the right exit code whatever happens.

Imports Textual only once the terminal is taken over.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from voicetui.tui.terminal import Terminal, exit_code, log_file, require

if TYPE_CHECKING:
    from voicetui.tui.app import TalkApp
    from voicetui.tui.session import Session

CLOSE_LIMIT_S = 1.5
"""How long the parts may take to release what they hold; what then still blocks ends with the process."""


def run_app(session: Session) -> int:
    """Hold a conversation on the full screen; return the exit code.

    0 after a clean end, 1 when a part is missing or failed or the screen did, 128 + n after signal n. Raises
    `UsageError` where there is no terminal to draw on. What went wrong is said in a line on standard error.
    """
    require()
    with Terminal() as terminal:
        app, error = _hold(session, terminal)
        closed = app.bridge.close(CLOSE_LIMIT_S) if app is not None else True
    code = _report(app, error) or exit_code(terminal.signal)
    if not closed:
        _leave_now(code)
    return code


def _hold(session: Session, terminal: Terminal) -> tuple[TalkApp | None, BaseException | None]:
    """Run the application to its end; return it and what broke it."""
    app = None
    try:
        from voicetui.tui.app import TalkApp
        from voicetui.tui.keys import read_keymap
        from voicetui.tui.settings import config_file

        session.keymap, complaints = read_keymap(config_file())
        session.complaints.extend(complaints)
        app = TalkApp(session, terminal)
        app.run()
    except Exception as error:  # noqa: BLE001 - the top of the screen's thread: everything is reported
        return app, error
    return app, app._exception  # noqa: SLF001 - Textual keeps it and says it nowhere else


def _report(app: TalkApp | None, error: BaseException | None) -> int:
    """Say what went wrong; return 1 if anything did."""
    if error is not None:
        from voicetui.tui.commands.crash import write_details

        what = " ".join(f"{type(error).__name__}: {error}".split())
        _say(f"voicetui: the screen failed: {what}; {write_details(error)}")
        return 1
    broken = app.bridge.error if app is not None else None
    if broken is None:
        return app.return_code or 0 if app is not None else 1
    _say(f"voicetui: {broken.message}" + (f"; mend it: {broken.fix}" if broken.fix else ""))
    if broken.code == "engine":
        _say(f"voicetui: what libraries said meanwhile is in {log_file()}")
    return 2 if broken.code == "usage" else 1


def _say(line: str) -> None:
    try:
        sys.stderr.write(f"{line}\n")
        sys.stderr.flush()
    except (OSError, ValueError):  # the terminal has vanished: nobody to tell
        return


def _leave_now(code: int) -> None:
    """End this process though a part still runs: nothing of it is worth waiting for."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None and not stream.closed:
            stream.flush()
    os._exit(code)

"""Where the details of an unexpected error go: a log file in the user's state folder; the screen shows one line."""

from __future__ import annotations

import platform
import sys
import time
import traceback
from pathlib import Path

from voicetui.tui.commands.version import version

LIMIT_BYTES = 1_000_000


def log_file() -> Path:
    """Return the log file's path."""
    from platformdirs import user_log_path

    return user_log_path("voicetui", appauthor=False) / "errors.log"


def write_details(error: BaseException) -> str:
    """Append an error's traceback to the log file; return the words that say where it is, or why it could not be."""
    try:
        path = log_file()
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and path.stat().st_size > LIMIT_BYTES:
            path.replace(path.with_suffix(".old.log"))
        with path.open("a", encoding="utf-8", errors="replace") as file:
            file.write(f"{time.strftime('%Y-%m-%d %H:%M:%S %z')} voicetui {version()}, ")
            file.write(f"Python {platform.python_version()}, {platform.platform()}: {sys.argv}\n")
            file.write("".join(traceback.format_exception(error)) + "\n")
    except (OSError, ImportError) as trouble:
        return f"the details could not be written ({trouble}): see them with VOICETUI_DEBUG=1"
    return f"the details are in {path}"

"""`voicetui config`: where the settings file is, what holds, and editing it."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from typing import TYPE_CHECKING

from voicetui.engine.errors import UsageError
from voicetui.tui.settings import as_file, config_file, load

if TYPE_CHECKING:
    import argparse


def run(args: argparse.Namespace) -> int:
    """Print the path, print every setting, or open the file in the user's editor."""
    match args.action:
        case "path":
            print(config_file())
            return 0
        case "edit":
            return _edit()
        case _:
            settings = load()
            print(as_file(settings), end="")
            for complaint in settings.complaints:
                print(f"voicetui: {complaint}", file=sys.stderr)
            return 0


def _edit() -> int:
    path = config_file()
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    if not editor:
        raise UsageError(f"config edit opens $VISUAL or $EDITOR, and neither is set; the file is {path}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            path.write_text(as_file(load(path)), "utf-8")
        code = subprocess.run([*shlex.split(editor), str(path)], check=False).returncode
    except (OSError, ValueError) as error:
        raise UsageError(f"config edit: {error}") from error
    for complaint in load().complaints:
        print(f"voicetui: {complaint}", file=sys.stderr)
    return 1 if code else 0

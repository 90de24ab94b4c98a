"""Trying whether libraries really work here, each in a child process of its own.

That a package can be found says nothing: its native library may be missing, may not suit this processor or may end the
process that loads it. And no library that is only looked at stays in this one.
"""

from __future__ import annotations

import signal
import subprocess
import sys
from importlib.util import find_spec

LIMIT_S = 30.0
IMPORT = "import importlib, sys\nfor name in sys.argv[1:]: importlib.import_module(name)"


def try_import(*modules: str) -> str:
    """Import modules in a child process; return why that fails, in one line, or "" where it works."""
    missing = [module for module in modules if not is_installed(module)]
    return f"{', '.join(missing)} not installed" if missing else run_child(IMPORT, *modules)[1]


def is_installed(module: str) -> bool:
    """Whether a top-level module can be found; whether it also works is another question."""
    try:
        return find_spec(module) is not None
    except (ImportError, ValueError):
        return False


def run_child(code: str, *arguments: str) -> tuple[str, str]:
    """Run Python code in a child; return its standard output and, where it failed, the reason in one line."""
    try:
        # -P: a file in the folder that voicetui is started in is not taken for a library.
        child = subprocess.run(
            [sys.executable, "-P", "-c", code, *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=LIMIT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return "", f"no answer within {LIMIT_S:.0f} s"
    except OSError as error:
        return "", f"cannot start Python: {error}"
    if child.returncode < 0:
        return child.stdout, f"it ends the process ({signal.Signals(-child.returncode).name})"
    lines = [line.strip() for line in child.stderr.splitlines() if line.strip()]
    return child.stdout, (lines[-1] if lines else "it fails without a word") if child.returncode else ""

"""What an import and a `--help` load: nothing heavy, and the engine nothing of the screen."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

PRINT_NEW = (
    "import json, sys; print(json.dumps(sorted({name.partition('.')[0] for name in set(sys.modules) - before})))"
)


def modules_of(code):
    """Return the top-level modules that running `code` in a fresh interpreter loads."""
    program = f"import sys; before = set(sys.modules)\n{code}\n{PRINT_NEW}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stdout.splitlines()[-1]))


def outside_the_standard_library(modules):
    return {name for name in modules if name not in sys.stdlib_module_names and not name.startswith("__editable__")}


def test_the_engine_needs_only_the_standard_library():
    assert outside_the_standard_library(modules_of("import voicetui.engine")) == {"voicetui"}


def test_the_public_names_need_only_the_standard_library():
    code = "import voicetui, voicetui.engine\nfor name in voicetui.engine.__all__: getattr(voicetui, name)"
    assert outside_the_standard_library(modules_of(code)) == {"voicetui"}


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_help_loads_nothing_heavy(option):
    code = f"""
from voicetui.tui.__main__ import main
try:
    raise SystemExit(main([{option!r}]))
except SystemExit as end:
    assert not end.code, end.code
"""
    loaded = outside_the_standard_library(modules_of(code))
    assert loaded <= {"voicetui", "platformdirs"}

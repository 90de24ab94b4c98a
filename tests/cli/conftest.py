"""The command line in this process and in one of its own, with folders of the test's own."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass

import pytest
from voicetui.engine.models.catalogue import catalogue
from voicetui.tui.__main__ import main


@dataclass
class Said:
    code: int
    out: str
    err: str


@pytest.fixture(autouse=True)
def folders(tmp_path, monkeypatch):
    """Models, settings and logs in the test's own folder; nothing that the developer has set counts."""
    monkeypatch.setenv("VOICETUI_MODELS", str(tmp_path / "models"))
    for name in ("CONFIG", "DATA", "STATE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    for name in ("VOICETUI_DEBUG", "VOICETUI_YES", "VISUAL", "EDITOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OLLAMA_HOST", "http://127.0.0.1:9")
    monkeypatch.chdir(tmp_path)
    catalogue.cache_clear()
    yield tmp_path
    catalogue.cache_clear()


@pytest.fixture
def voicetui(capsys):
    """Run the command line here; returns its exit code and what it said."""

    def run(*arguments: str) -> Said:
        code = main(list(arguments))
        said = capsys.readouterr()
        return Said(code, said.out, said.err)

    return run


@pytest.fixture
def start():
    """Start the command line in a process of its own."""
    started = []

    def run(*arguments: str, **options) -> subprocess.Popen:
        given = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        command = [sys.executable, "-m", "voicetui.tui", *arguments]
        started.append(subprocess.Popen(command, **(given | {"env": dict(os.environ)} | options)))
        return started[-1]

    yield run
    for process in started:
        process.kill()
        process.communicate()


@pytest.fixture
def own_models(folders):
    """Write the user's own `models.toml`."""

    def write(text: str) -> None:
        folder = folders / "config" / "voicetui"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "models.toml").write_text(text)
        catalogue.cache_clear()

    return write

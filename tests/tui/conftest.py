"""The screen as on one terminal, whatever the one is that the tests run on."""

from __future__ import annotations

import pytest
from support.snapshots import Snapshots


@pytest.fixture(autouse=True)
def one_terminal(monkeypatch, tmp_path):
    """Many colours, UTF-8, no settings of the user's."""
    for name in ("NO_COLOR", "COLORFGBG", "TEXTUAL", "TEXTUAL_COLOR_SYSTEM", "TEXTUAL_THEME", "TEXTUAL_ANIMATIONS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLORTERM", "truecolor")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


@pytest.fixture(scope="session")
def snapshots(request):
    """Compare pictures with those in `snapshots/`."""
    return Snapshots(update=request.config.getoption("--update-snapshots"))

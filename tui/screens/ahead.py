"""Loading the other screens ahead, so that opening one for the first time does not hold the talk screen up."""

from __future__ import annotations

from importlib import import_module

SCREENS = ("devices", "models", "sessions", "settings", "help")


def load_ahead() -> None:
    """Import the screens; a fifth of a second, so call it on a thread of its own once the first frame is drawn."""
    for name in SCREENS:
        import_module(f"voicetui.tui.screens.{name}")

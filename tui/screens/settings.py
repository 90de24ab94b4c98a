"""Settings: not there yet; says so."""

from __future__ import annotations

from voicetui.tui.screens.later import LaterScreen


class SettingsScreen(LaterScreen):
    """A line on what there is instead."""

    TITLE = "Settings"
    TEXT = "Settings are not part of this screen yet: voicetui config edit"

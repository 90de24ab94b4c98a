"""Sessions: not there yet; says so."""

from __future__ import annotations

from voicetui.tui.screens.later import LaterScreen


class SessionsScreen(LaterScreen):
    """A line on what there is instead."""

    TITLE = "Sessions"
    TEXT = "Earlier conversations are not kept by this version yet."

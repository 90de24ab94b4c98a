"""Models: not there yet; says so."""

from __future__ import annotations

from voicetui.tui.screens.later import LaterScreen


class ModelsScreen(LaterScreen):
    """A line on what there is instead."""

    TITLE = "Models"
    TEXT = "Choosing models is not part of this version yet: voicetui models list"

"""Devices: not there yet; says so."""

from __future__ import annotations

from voicetui.tui.screens.later import LaterScreen


class DevicesScreen(LaterScreen):
    """A line on what there is instead."""

    TITLE = "Devices"
    TEXT = "Choosing them here is not part of this version yet: voicetui talk --device NAME --speaker NAME"

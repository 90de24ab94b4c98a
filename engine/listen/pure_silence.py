"""A microphone that delivers nothing but exact zeros: muted, or not allowed to be heard. No room is that quiet."""

from __future__ import annotations

from voicetui.engine.events import DeviceChanged

LIMIT_S = 5.0


class PureSilence:
    """Hints once after 5 s of exact zeros, and again when sound arrives. A hint, not an error: it may be a mute key.

    A source that is not `live`, a file, may well be silent between its sounds: there only zeros from the start count.
    """

    def __init__(self, *, live: bool) -> None:
        self._live = live
        self._silent_s = 0.0
        self._hinted = False
        self._sound = False

    def step(self, *, silent: bool, length_s: float) -> DeviceChanged | None:
        """Take whether the next `length_s` seconds are all zeros; return the hint, or that it is over."""
        if not silent:
            self._silent_s, self._sound = 0.0, True
            if not self._hinted:
                return None
            self._hinted = False
            return DeviceChanged(part="listen", message="the microphone is heard now", recovered=True)
        self._silent_s += length_s
        if self._hinted or self._silent_s < LIMIT_S - 1e-6 or (self._sound and not self._live):
            return None
        self._hinted = True
        return DeviceChanged(
            part="listen",
            message=f"the microphone gives pure silence ({LIMIT_S:g} s of zeros)",
            fix="check that it is not muted and that this program is allowed to use it",
        )

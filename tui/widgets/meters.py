"""The level meters of both sides: plain floats read thirty times a second, drawn only when a cell changes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from voicetui.tui.widgets.lines import Lines

if TYPE_CHECKING:
    from voicetui.tui.text import Row
    from voicetui.tui.view import View

CELLS = 10
FLOOR_DB = -50.0
"""The level at which the meter is empty; each cell is 5 dB."""
HOT_CELLS = 2
"""The last cells, within 10 dB of what a device can take."""
FALL_DB = 1.2
"""How far a meter falls in one reading at most: 36 dB a second, which an eye can follow."""
DB_WIDTH = 8


def decibels(level: float | None) -> float | None:
    """Return a root mean square of 0 … 1 in dB below full scale; None stays None."""
    if level is None:
        return None
    return 20 * math.log10(level) if level > 1e-5 else -100.0


class Needle:
    """One meter's needle: up at once, down slowly."""

    def __init__(self) -> None:
        self._db: float | None = None

    def follow(self, level: float | None) -> float | None:
        """Take a reading; return where the needle stands, in dB."""
        db = decibels(level)
        if db is None or self._db is None:
            self._db = db
        else:
            self._db = max(db, self._db - FALL_DB)
        return self._db


def meter(name: str, db: float | None, view: View, *, muted: bool = False) -> Row:
    """Return a meter: its name, then ten cells, or a word where there is nothing to measure."""
    if muted:
        return [(f"{name} ", "faint"), (f"{'muted':<{CELLS}}", "notice")]
    if db is None:
        return [(f"{name} ", "faint"), (f"{'none':<{CELLS}}", "faint")]
    on = max(0, min(CELLS, math.ceil((db - FLOOR_DB) / (-FLOOR_DB / CELLS))))
    hot = max(0, on - (CELLS - HOT_CELLS))
    return [
        (f"{name} ", "faint"),
        (view.glyphs.level_on * (on - hot), "level-on"),
        (view.glyphs.level_on * hot, "level-hot"),
        (view.glyphs.level_off * (CELLS - on), "level-off"),
    ]


class Meters(Lines):
    """Both meters on one row, the microphone's figure where there is room."""

    def __init__(self, view: View, *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name
        super().__init__(view, id=id)
        self._out, self._mic = Needle(), Needle()
        self._out_db: float | None = None
        self._mic_db: float | None = None

    def poll(self) -> bool:
        """Read the gauges and move the needles; return whether that is to be seen."""
        self._out_db = self._out.follow(self.view.gauges.out_level())
        self._mic_db = self._mic.follow(self.view.gauges.mic_level())
        return self.show()

    def rows(self, width: int, height: int) -> list[Row]:  # noqa: ARG002 - it is one row high
        """Return the row."""
        muted = self.view.muted
        mic = meter("mic", self._mic_db, self.view, muted=muted)
        row = [*meter("out", self._out_db, self.view), ("  ", "faint"), *mic]
        if width >= 2 * (CELLS + 4) + 3 + DB_WIDTH:
            db = "" if self._mic_db is None or muted or self._mic_db < FLOOR_DB else f"{self._mic_db:.0f} dB"
            row.append((f"{db:>{DB_WIDTH}}", "faint"))
        return [[*row, (" ", "faint")]]

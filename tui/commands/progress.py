"""How a fetch is shown: one line that is rewritten on a terminal, plain lines anywhere else. On standard error."""

from __future__ import annotations

import os
import shutil
import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from voicetui.engine.models import Progress

REDRAW_S = 0.1
BAR_CELLS = 20
PLAIN_STEPS = 4
"""A plain log gets a line at each quarter."""


def megabytes(size: int) -> str:
    """Return a size in bytes as people read it: `98 MB`, `4.8 kB`."""
    if size >= 1_000_000:
        return f"{size / 1e6:.0f} MB"
    return f"{size / 1e3:.1f} kB" if size >= 1000 else f"{size} bytes"


class ProgressLine:
    """Takes the reports of `fetch`, for one model after another; call `end()` when a model is done or failed."""

    def __init__(self) -> None:
        self._live = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
        self._drawn = False
        self._drawn_at_s = 0.0
        self._step = -1
        self._stage = ""

    def __call__(self, progress: Progress) -> None:
        """Show how far it is."""
        if progress.stage == "note":
            self.end()
            self._line(f"  {progress.text}")
        elif progress.stage == "fetch":
            self._show_fetch(progress)
        elif progress.stage == "wait" and self._stage != "wait":
            self._line(f"{progress.model.id}: {progress.text}, waiting for it")
        self._stage = progress.stage

    def end(self) -> None:
        """Finish the line that is being rewritten."""
        if self._drawn:
            sys.stderr.write("\n")
            sys.stderr.flush()
        self._drawn, self._step, self._stage = False, -1, ""

    def _show_fetch(self, progress: Progress) -> None:
        share = min(progress.done / progress.total, 1.0) if progress.total else 0.0
        whole = f" of {megabytes(progress.total)}" if progress.total else ""
        if not self._live:
            step = int(share * PLAIN_STEPS)
            if step != self._step:
                where = f" ({progress.text})" if self._step < 0 else ""
                self._line(f"{progress.model.id}: {megabytes(progress.done)}{whole}{where}")
                self._step = step
            return
        now_s = time.monotonic()
        if now_s - self._drawn_at_s < REDRAW_S and share < 1.0:
            return
        self._drawn_at_s, self._drawn = now_s, True
        bar = ("#" * round(share * BAR_CELLS)).ljust(BAR_CELLS, ".") if progress.total else "…"
        width = shutil.get_terminal_size().columns
        line = f"{progress.model.id} [{bar}] {share:4.0%} {megabytes(progress.done)}{whole}"
        sys.stderr.write(f"\r{line[: width - 1].ljust(width - 1)}")
        sys.stderr.flush()

    def _line(self, text: str) -> None:
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()

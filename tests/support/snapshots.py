"""Pictures of the screen, compared with those in `snapshots/`: SVG text, so a difference can be read.

`pytest --update-snapshots` writes them anew. What differs is kept side by side in `build/snapshots/report.html`.
"""

from __future__ import annotations

import html
import re

from support.checkout import ROOT

FOLDER = ROOT / "snapshots"
REPORT = ROOT / "build" / "snapshots" / "report.html"
_FONT = re.compile(r"@font-face\s*\{.*?\}\s*", re.DOTALL)
_ID = re.compile(r"terminal-\d+-")


def normal(svg):
    """Return a picture without what differs from run to run (an id) and what it would fetch (fonts)."""
    lines = _ID.sub("terminal-", _FONT.sub("", svg)).splitlines()
    return "\n".join(line.rstrip() for line in lines).strip() + "\n"


class Snapshots:
    """Compares pictures by name; `update` writes them instead."""

    def __init__(self, *, update):
        self.update = update
        self.differing = []

    def check(self, name, svg):
        """Compare a picture with the one that is kept. Raises `AssertionError` where they differ."""
        kept, new = FOLDER / f"{name}.svg", normal(svg)
        if self.update:
            FOLDER.mkdir(exist_ok=True)
            kept.write_text(new, "utf-8")
            return
        old = kept.read_text("utf-8") if kept.exists() else ""
        if old != new:
            self.differing.append((name, old, new))
            raise AssertionError(f"{name} differs from snapshots/{name}.svg: see {self.report().relative_to(ROOT)}")

    def report(self):
        """Write the pictures that differ side by side; return where."""
        REPORT.parent.mkdir(parents=True, exist_ok=True)
        pairs = "".join(
            f"<h2>{html.escape(name)}</h2><table><tr><td>{old or 'none yet'}</td><td>{new}</td></tr></table>"
            for name, old, new in self.differing
        )
        REPORT.write_text(f'<!doctype html><meta charset="utf-8"><h1>kept, and now</h1>{pairs}', "utf-8")
        return REPORT

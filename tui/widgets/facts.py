"""The engine: the parts and devices in use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from voicetui.tui.text import one_line
from voicetui.tui.widgets.lines import Lines, framed

if TYPE_CHECKING:
    from voicetui.tui.text import Row


class EngineFacts(Lines):
    """A row a part."""

    def rows(self, width: int, height: int) -> list[Row]:  # noqa: ARG002 - framed rows are cropped below
        """Return the framed rows."""
        view, facts = self.view, self.view.facts
        named = {"mic": facts.mic, "out": facts.out, "hear": facts.hear, "think": facts.think, "speak": facts.speak}
        rows: list[Row] = [
            [(f"{name:<7}", "faint"), (one_line(what) or view.glyphs.dash, "words")] for name, what in named.items()
        ]
        return framed(rows, "engine", self._course(), width, view.glyphs)

    def _course(self) -> str:
        state = self.view.state
        if state.ended is not None:
            return "ended"
        return "running" if state.begun else "starting"

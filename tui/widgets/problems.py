"""What does not work: the part, what failed and why, and the command that mends it. Hidden while all is well."""

from __future__ import annotations

from typing import TYPE_CHECKING

from voicetui.tui.text import one_line, wrap_runs
from voicetui.tui.widgets.lines import Lines, framed

if TYPE_CHECKING:
    from voicetui.tui.text import Row

PARTS = {
    "listen": "the ears",
    "think": "the model",
    "speak": "the voice",
    "play": "the loudspeaker",
    "engine": "the engine",
}
ROWS_AT_MOST = 6


class Problems(Lines):
    """The problems there are, the newest first, in a frame as high as they need."""

    def show(self) -> bool:
        """Come and go with the problems; only then is anything laid out again."""
        problems = self.view.state.problems
        if self.display is not bool(problems):
            self.display = bool(problems)
        if problems:
            height = min(ROWS_AT_MOST, len(self._words(self.app.size.width - 4))) + 2
            if self.styles.height is None or self.styles.height.value != height:
                self.styles.height = height
        return super().show()

    def rows(self, width: int, height: int) -> list[Row]:
        """Return the framed rows."""
        problems = self.view.state.problems
        title = PARTS.get(problems[-1].part, problems[-1].part) if problems else ""
        more = f"{len(problems)} problems" if len(problems) > 1 else "you can still type: /"
        return framed(self._words(width - 4)[: height - 2], title, more, width, self.view.glyphs)

    def _words(self, width: int) -> list[Row]:
        rows: list[Row] = []
        for problem in reversed(self.view.state.problems):
            rows += wrap_runs([(f"{self.view.glyphs.cut} ", "cut"), (one_line(problem.message), "words")], width)
            if problem.fix:
                rows += wrap_runs([("mend it: ", "faint"), (one_line(problem.fix), "key")], width)
        return rows

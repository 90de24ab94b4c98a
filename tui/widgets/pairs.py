"""A list of names and what is said of each, wrapped under itself: for help and the like."""

from __future__ import annotations

from typing import TYPE_CHECKING

from voicetui.tui.text import Row, fit, wrap_runs
from voicetui.tui.widgets.lines import Lines

if TYPE_CHECKING:
    from textual.geometry import Size
    from voicetui.tui.view import View


class Pairs(Lines):
    """As high as its rows are."""

    def __init__(self, view: View, pairs: list[tuple[str, str]], *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(view, id=id)
        self._pairs = pairs

    def rows(self, width: int, height: int) -> list[Row]:  # noqa: ARG002 - it is as high as it needs
        """Return the rows."""
        margin = max((len(name) for name, _ in self._pairs), default=0) + 2
        rows: list[Row] = []
        for name, what in self._pairs:
            for number, row in enumerate(wrap_runs([(what, "words")], width - margin)):
                rows.append([(fit(name if number == 0 else "", margin), "key"), *row])
        return rows

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002 - Textual's own
        """Return how many rows there are in this width."""
        return len(self.rows(width, 0))

"""The last row: the keys that matter here, as many as fit; a click on one is as good as the key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len
from voicetui.tui.widgets.lines import Lines

if TYPE_CHECKING:
    from textual.events import Click
    from voicetui.tui.text import Row
    from voicetui.tui.view import Hint

GAP = 2


class KeyBar(Lines):
    """Keys and what they do, the view's hints in their order; the last of them stands at the right."""

    def rows(self, width: int, height: int) -> list[Row]:  # noqa: ARG002 - it is one row high
        """Return the row."""
        row: Row = [(" ", "faint")]
        used = 1
        for x, hint in self._placed(width):
            row += [(" " * (x - used), "faint"), (hint.key, "key"), (f" {hint.what}", "label")]
            used = x + _cells(hint)
        return [row]

    def _placed(self, width: int) -> list[tuple[int, Hint]]:
        """Return the hints that fit, each with the column that it begins in."""
        hints = self.view.hints
        room = width - 2 + GAP
        chosen: set[Hint] = set()
        for hint in sorted(hints, key=lambda hint: hint.rank):
            if _cells(hint) + GAP <= room:
                chosen.add(hint)
                room -= _cells(hint) + GAP
        placed, x = [], 1
        for hint in hints:
            if hint in chosen:
                placed.append((x, hint))
                x += _cells(hint) + GAP
        if placed and placed[-1][1] is hints[-1]:
            placed[-1] = (width - 1 - _cells(hints[-1]), hints[-1])
        return placed

    async def on_click(self, event: Click) -> None:
        """Do what the key under the mouse does."""
        for x, hint in self._placed(self.size.width):
            if x <= event.x < x + _cells(hint):
                await self.screen.run_action(hint.action)


def _cells(hint: Hint) -> int:
    return cell_len(hint.key) + 1 + cell_len(hint.what)

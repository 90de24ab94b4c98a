"""The command palette: every action by its name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.command import DiscoveryHit, Hit, Provider
from voicetui.tui.keys import ALL_KEYS

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from voicetui.tui.keys import Key

HIDDEN = ("palette", "quit-here", "up", "down", "page-up", "page-down", "suspend", "cancel")


class Actions(Provider):
    """All actions, with what they do."""

    def _run(self, key: Key) -> object:
        async def run() -> None:
            await self.screen.run_action(key.action)

        return run

    async def discover(self) -> AsyncIterator[DiscoveryHit]:
        """Yield all of them."""
        for key in ALL_KEYS:
            if key.id not in HIDDEN:
                yield DiscoveryHit(self._name(key), self._run(key), help=key.what)  # type: ignore[arg-type]

    async def search(self, query: str) -> AsyncIterator[Hit]:
        """Yield those that match."""
        matcher = self.matcher(query)
        for key in ALL_KEYS:
            score = matcher.match(f"{self._name(key)} {key.what}")
            if score > 0 and key.id not in HIDDEN:
                name = matcher.highlight(self._name(key))
                yield Hit(score, name, self._run(key), help=key.what)  # type: ignore[arg-type]

    @staticmethod
    def _name(key: Key) -> str:
        return key.label or key.what

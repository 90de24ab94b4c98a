"""What a voice needs of a speech synthesiser."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from voicetui.engine.errors import PartError
    from voicetui.engine.ports import Samples


class Synthesiser(Protocol):
    """Turns text into samples, one request at a time, in the order of the requests."""

    name: str
    on_replaced: Callable[[PartError], None] | None
    """Called, with the reason, when a synthesiser that failed was replaced."""

    async def start(self) -> None:
        """Load and warm the model. Raises `PartError`."""

    def synthesise(self, text: str) -> AsyncGenerator[tuple[Samples, int]]:
        """Yield chunks as they are ready: shape (n,) float32 mono, and their rate in Hz.

        Closing the iterator cancels the work. Raises `PartError`.
        """

    async def aclose(self) -> None:
        """Release everything."""

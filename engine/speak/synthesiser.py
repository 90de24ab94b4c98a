"""What a voice needs of a speech synthesiser."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable

    from voicetui.engine.errors import PartError
    from voicetui.engine.heard import Span
    from voicetui.engine.ports import Samples


class Chunk(NamedTuple):
    """A stretch of speech: `samples`, shape (n,) float32 mono at `rate_hz`, and the words that it says.

    `spans` has each word of `text` (see `heard.words_in`) with its begin and end in seconds from the first sample.
    """

    text: str
    samples: Samples
    rate_hz: int
    spans: list[Span]


class Synthesiser(Protocol):
    """Turns text into speech, one request at a time, in the order of the requests."""

    name: str
    on_replaced: Callable[[PartError], None] | None
    """Called with the reason when a synthesiser that died or hung was replaced."""

    async def start(self) -> None:
        """Load and warm the model. Raises `PartError`."""

    def synthesise(self, text: str) -> AsyncGenerator[Chunk]:
        """Yield chunks as they are ready; together they say the words of the text, the same ones in every call.

        Closing the iterator cancels the work. Raises `PartError`; `died` and `stalled` are worth another try.
        """

    async def aclose(self) -> None:
        """Release everything."""

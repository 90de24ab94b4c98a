"""Saying a reply again: a responder that asks no model."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from voicetui.engine.ports import Message


class Again:
    """A `Responder` that gives one text, whatever it is asked."""

    def __init__(self, text: str) -> None:
        self._text = text

    async def reply(self, messages: list[Message]) -> AsyncIterator[str]:
        """Yield the text."""
        del messages
        yield self._text

    async def aclose(self) -> None:
        """Nothing to release."""

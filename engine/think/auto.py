"""Ollama where it answers, the embedded model where it does not."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING

from voicetui.engine.errors import PartError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable

    from voicetui.engine.ports import Message
    from voicetui.engine.think.embedded import EmbeddedResponder
    from voicetui.engine.think.ollama import OllamaResponder


class AutoResponder:
    """Implements `Responder`: decides at warm-up, within about a second, and stays with it.

    `make_embedded` builds the embedded model when it is needed; it may raise `PartError`. `name` says which model
    answers, `note` why.
    """

    def __init__(self, ollama: OllamaResponder, make_embedded: Callable[[], EmbeddedResponder]) -> None:
        self._ollama, self._make_embedded = ollama, make_embedded
        self._chosen: OllamaResponder | EmbeddedResponder | None = None
        self._choice = asyncio.Lock()
        self._reason = ""
        self._on_replaced: Callable[[PartError], None] | None = None

    @property
    def name(self) -> str:
        """The model that answers, once that is decided."""
        return self._chosen.name if self._chosen is not None else "Ollama or the embedded model"

    @property
    def note(self) -> str:
        """Where it runs, and why not elsewhere."""
        return "; ".join(filter(None, (self._reason, self._chosen.note if self._chosen is not None else "")))

    @property
    def on_replaced(self) -> Callable[[PartError], None] | None:
        """What is called, with the reason, when the embedded model's child was replaced."""
        return self._on_replaced

    @on_replaced.setter
    def on_replaced(self, call: Callable[[PartError], None] | None) -> None:
        self._on_replaced = call
        if self._chosen is not None and self._chosen is not self._ollama:
            self._chosen.on_replaced = call  # type: ignore[union-attr]  # it is the embedded one

    async def warmup(self) -> None:
        """Decide, and load the model."""
        await self._decide()

    async def reply(self, messages: list[Message]) -> AsyncGenerator[str]:
        """Yield the reply of whichever model was chosen."""
        chosen = await self._decide()
        async with contextlib.aclosing(chosen.reply(messages)) as tokens:
            async for token in tokens:
                yield token

    async def aclose(self) -> None:
        """Release both."""
        await self._ollama.aclose()
        if self._chosen is not None:
            await self._chosen.aclose()

    async def _decide(self) -> OllamaResponder | EmbeddedResponder:
        async with self._choice:
            if self._chosen is None:
                self._chosen = await self._try_ollama() or await self._embedded()
            return self._chosen

    async def _try_ollama(self) -> OllamaResponder | None:
        from voicetui.engine.parts.ask_ollama import ollama_models

        names = await asyncio.to_thread(ollama_models, self._ollama.address)
        if names is None:
            self._reason = f"Ollama does not answer at {self._ollama.address}"
            return None
        try:
            await self._ollama.warmup()
        except PartError as error:
            self._reason = str(error)
            return None
        return self._ollama

    async def _embedded(self) -> EmbeddedResponder:
        try:
            embedded = self._make_embedded()
            embedded.on_replaced = self._on_replaced
            await embedded.warmup()
        except PartError as error:
            raise PartError("think", f"{self._reason}; {error.message}", fix=error.fix, code=error.code) from error
        return embedded

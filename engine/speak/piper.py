"""Piper as a synthesiser. `piper-tts` is GPL-3.0-or-later: it is imported in a child process only (`piper_child`)."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from voicetui.engine.speak.synthesiser import Chunk
from voicetui.engine.workers import Worker

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable
    from pathlib import Path

    from voicetui.engine.errors import PartError


class PiperSynthesiser:
    """A Piper voice (`.onnx`, its `.onnx.json` beside it) in a child process of its own.

    Inside a clause it cannot be interrupted; a request that is no longer wanted ends after the clause under way.
    """

    def __init__(self, model: Path) -> None:
        from platformdirs import user_cache_dir

        self.name = model.stem
        config = {"model": str(model), "cache": user_cache_dir("voicetui", appauthor=False)}
        self._worker = Worker("speak", "voicetui.engine.speak.piper_child:load", config)

    @property
    def pid(self) -> int | None:
        """The child's process id."""
        return self._worker.pid

    @property
    def on_replaced(self) -> Callable[[PartError], None] | None:
        """What is called, with the reason, when the child was replaced."""
        return self._worker.on_replaced

    @on_replaced.setter
    def on_replaced(self, call: Callable[[PartError], None] | None) -> None:
        self._worker.on_replaced = call

    async def start(self) -> None:
        """Load the voice and say a word to nobody, so that the first sentence is not slower than the others."""
        await self._worker.start()

    async def synthesise(self, text: str) -> AsyncGenerator[Chunk]:
        """Yield the clauses of a sentence as they are ready (see `Synthesiser`)."""
        import numpy as np

        async with contextlib.aclosing(self._worker.stream({"text": text})) as answers:
            async for said, audio in answers:
                spans = [(begin_s, end_s) for begin_s, end_s in said["spans"]]
                yield Chunk(said["text"], np.frombuffer(audio, np.float32), said["rate_hz"], spans)

    async def aclose(self) -> None:
        """End the child."""
        await self._worker.aclose()

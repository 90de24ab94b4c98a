"""The synthesis of one sentence: it runs by itself, and whoever plays it follows."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING

from voicetui.engine.errors import PartError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from voicetui.engine.speak.synthesiser import Chunk, Synthesiser

ANOTHER_TRY = ("died", "stalled")
"""Faults after which the synthesiser is a new one: it may do better, and says only what is missing."""


class Synthesis:
    """Collects the chunks of a sentence at `rate_hz`, in a task of its own.

    `track` is the gate's number of the reply that it is for; None while it is only prepared.
    """

    def __init__(self, text: str, synthesiser: Synthesiser, rate_hz: int, track: int | None = None) -> None:
        self.text, self.track = text, track
        self._synthesiser, self._rate_hz = synthesiser, rate_hz
        self._chunks: list[Chunk] = []
        self._news = asyncio.Event()
        self.task = asyncio.create_task(self._run(), name="voice-synthesis")
        self.task.add_done_callback(self._done)

    async def chunks(self) -> AsyncGenerator[Chunk]:
        """Yield the chunks that there are and those that come; ends early if it is cancelled. Raises `PartError`."""
        number = 0
        while True:
            self._news.clear()
            for chunk in self._chunks[number:]:
                number += 1
                yield chunk
            if self.task.done() and number == len(self._chunks):
                if not self.task.cancelled():
                    self.task.result()
                return
            if number == len(self._chunks):
                await self._news.wait()

    @property
    def failed(self) -> bool:
        """Whether it ended without the whole sentence."""
        return self.task.done() and (self.task.cancelled() or self.task.exception() is not None)

    def cancel(self) -> None:
        """Give it up."""
        self.task.cancel()

    async def _run(self) -> None:
        try:
            await self._collect()
        except PartError as error:
            if error.code not in ANOTHER_TRY:
                raise
            await self._collect()

    async def _collect(self) -> None:
        from voicetui.engine.audio.resample import resample

        missing = len(self._chunks)
        async with contextlib.aclosing(self._synthesiser.synthesise(self.text)) as stream:
            async for chunk in stream:
                if missing:  # an earlier try got so far
                    missing -= 1
                    continue
                samples = resample(chunk.samples, chunk.rate_hz, self._rate_hz)
                self._chunks.append(chunk._replace(samples=samples, rate_hz=self._rate_hz))
                self._news.set()

    def _done(self, task: asyncio.Task[None]) -> None:
        self._news.set()
        if not task.cancelled():
            task.exception()  # whoever follows raises it; nobody need follow

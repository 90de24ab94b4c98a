"""Settling: a reply that was cut is written down once its parts have let go, after those cut before it.

Runs on the discussion's loop.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from voicetui.engine.record import Exchange, Record


class Settling:
    """One task for each exchange whose reply was cut, in order; `settled()` is called on the loop after each."""

    def __init__(self, record: Record, settled: Callable[[], None]) -> None:
        self.last: asyncio.Task[None] | None = None
        """The exchange cut last, until it is written down."""
        self._record, self._settled = record, settled
        self._then: dict[asyncio.Task[None], Callable[[], None]] = {}

    def settle(self, exchange: Exchange, *, withdrawn: bool = False) -> None:
        """Write a cut exchange down once it can be; of one that was withdrawn nothing was heard."""
        earlier = self.last

        async def settle() -> None:
            if earlier is not None:
                await asyncio.wait({earlier})
            await exchange.reply.settle()
            if not withdrawn:
                for said in exchange.reply.said:
                    self._record.sentence_over(exchange, said)
                self._record.measured(exchange)
            self._record.agent_turn(exchange.reply)
            here = asyncio.current_task()
            if here is not None and (begin := self._then.pop(here, None)) is not None:
                begin()
            if self.last is here:
                self.last = None
            asyncio.get_running_loop().call_soon(self._settled)

        self.last = asyncio.create_task(settle(), name=f"exchange-{exchange.number}-settle")

    def after(self, earlier: asyncio.Task[None] | None, begin: Callable[[], None]) -> None:
        """Begin when an exchange is written down, in the same step, so that turns stay in order; at once after none."""
        if earlier is None:
            begin()
        else:
            self._then[earlier] = begin

    async def over(self) -> None:
        """Wait until every cut exchange is written down."""
        if self.last is not None:
            await asyncio.wait({self.last})

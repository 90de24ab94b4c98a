"""A random model: fast, slow, failing or hanging at any point, hanging when told to stop, empty, with odd cuts."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from voicetui.engine.errors import PartError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from voicetui.engine.ports import Message
    from voicetui.engine.simulation.chance import Chance

SHORT_S = 0.3
"""No pause of a model that works is longer."""
LET_GO_S = 0.8
"""How long a model may hang when its reply is closed."""


@dataclass(slots=True)
class Call:
    """One request to the model; `number` is in every word of its reply, `a<number>x<word>`."""

    number: int
    at_s: float
    messages: list[Message]
    text: str = ""
    fault: str = ""
    ended_s: float | None = None


class ChanceModel:
    """A fake `Responder` that answers in words that tell which call they come from."""

    def __init__(self, chance: Chance) -> None:
        self._chance = chance
        self.calls: list[Call] = []
        self.warmup: Callable[[], Awaitable[None]] | None = None
        self.faulty = chance.maybe(0.3)
        self._slow_s = chance.pick((0.0, 0.02, 0.1, SHORT_S))
        self._whole = chance.maybe(0.3)
        """Whether it hands over whole sentences rather than odd cuts."""
        self.let_go_s = chance.seconds(LET_GO_S) if chance.maybe(0.25) else 0.0
        self.fails_on_close = chance.maybe(0.02)

    def reply(self, messages: list[Message]) -> AsyncIterator[str]:
        """Answer, or fail at once."""
        loop = asyncio.get_running_loop()
        call = Call(len(self.calls), loop.time(), [dict(message) for message in messages])
        self.calls.append(call)
        if self.faulty:
            call.fault = self._chance.pick(("", "", "", "raise", "raise", "hang", "hang", "early", "crash"))
        if call.fault == "early":
            call.ended_s = loop.time()
            raise PartError("think", "simulated: refused at once")
        return self._tokens(call)

    async def _tokens(self, call: Call) -> AsyncIterator[str]:
        chance = self._chance
        call.text = text = self._text(call.number)
        cuts = self._cuts(text)
        fails_at = chance.count(0, len(cuts)) if call.fault else -1
        try:
            for number, token in enumerate([*cuts, ""]):
                if number == fails_at:
                    await self._fail(call.fault)
                if pause := chance.seconds(self._slow_s):
                    await asyncio.sleep(pause)
                if token:
                    yield token
        except (asyncio.CancelledError, GeneratorExit):
            await self._cling()
            raise
        finally:
            call.ended_s = asyncio.get_running_loop().time()
            if self.fails_on_close:
                raise RuntimeError("simulated: failed while closing")

    @staticmethod
    async def _fail(fault: str) -> None:
        if fault == "raise":
            raise PartError("think", "simulated: the model failed")
        if fault == "crash":
            raise ZeroDivisionError("simulated: a fault in a user's own model")
        await asyncio.Event().wait()

    async def _cling(self) -> None:
        """Do not let go for a while, in which even cancelling does not help."""
        until = asyncio.get_running_loop().time() + self.let_go_s
        while (left := until - asyncio.get_running_loop().time()) > 1e-9:
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.sleep(left)

    def _text(self, number: int) -> str:
        """Return a reply, now and then empty, of hidden reasoning only, or with signs that no voice can say."""
        chance = self._chance
        kind = chance.count(0, 19)
        if kind == 0:
            return chance.pick(("", "  \n", "\n\n"))
        hidden = f"<think>h{number}x0 h{number}x1.</think>" if kind in (1, 2) else ""
        if kind == 1:
            return hidden if chance.maybe(0.5) else hidden.removesuffix("</think>")
        if kind == 3:
            return "👍"
        spoken, word = [], 0
        for _ in range(chance.count(6, 9) if kind == 4 else chance.count(1, 4)):
            length = chance.count(1, 5)
            words = " ".join(f"a{number}x{n}" for n in range(word, word + length))
            spoken.append(words.capitalize() + chance.pick((".", "!", "?")))
            word += length
        if chance.maybe(0.1):
            spoken[0] = f"**{spoken[0]}**"
        return hidden + chance.pick((" ", " ", "\n")).join(spoken)

    def _cuts(self, text: str) -> list[str]:
        """Return the text as tokens: by sentence, or cut anywhere."""
        if self._whole:
            parts = text.split(". ")
            return [part + ". " if n < len(parts) - 1 else part for n, part in enumerate(parts)]
        tokens, at = [], 0
        while at < len(text):
            size = self._chance.count(1, 24)
            tokens.append(text[at : at + size])
            at += size
        return tokens

    async def aclose(self) -> None:
        """Release nothing."""

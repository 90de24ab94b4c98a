"""Scripted minds: replies that are given, and an echo."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

    from voicetui.engine.ports import Message

_TOKEN = re.compile(r"\s*\S+|\s+$")


class ScriptedResponder:
    """A fake `Responder`: answers with the given replies in turn (the last one again and again), token by token.

    A reply is a text, or a sequence of what happens: text is a token, a number a pause in seconds, an exception is
    raised. `asked` records the messages of each call, `closed` counts calls ended early, `open_calls` those open.
    """

    def __init__(
        self,
        replies: Sequence[str | Sequence[str | float | Exception]] | Callable[[list[Message]], str],
        *,
        first_token_s: float = 0.1,
        token_s: float = 0.02,
    ) -> None:
        self._replies = replies
        self.first_token_s, self.token_s = first_token_s, token_s
        self.asked: list[list[Message]] = []
        self.given: list[list[str]] = []
        self.closed = 0
        self.open_calls = 0

    async def reply(self, messages: list[Message]) -> AsyncIterator[str]:
        """Yield the next scripted reply."""
        self.asked.append(messages)
        given: list[str] = []
        self.given.append(given)
        script = self._script(messages, len(self.asked) - 1)
        self.open_calls += 1
        done = False
        try:
            await asyncio.sleep(self.first_token_s)
            for number, step in enumerate(script):
                if isinstance(step, Exception):
                    raise step
                if isinstance(step, int | float):
                    await asyncio.sleep(step)
                    continue
                if number and self.token_s:
                    await asyncio.sleep(self.token_s)
                given.append(step)
                yield step
            done = True
        finally:
            self.open_calls -= 1
            self.closed += not done

    def _script(self, messages: list[Message], index: int) -> Sequence[str | float | Exception]:
        if callable(self._replies):
            reply: str | Sequence[str | float | Exception] = self._replies(messages)
        else:
            reply = self._replies[min(index, len(self._replies) - 1)]
        return _TOKEN.findall(reply) if isinstance(reply, str) else reply

    async def aclose(self) -> None:
        """Nothing to release."""


class EchoResponder(ScriptedResponder):
    """A fake `Responder` that says the user's words back, `sentences` times."""

    def __init__(self, sentences: int = 3, *, first_token_s: float = 0.1, token_s: float = 0.02) -> None:
        super().__init__(self._echo, first_token_s=first_token_s, token_s=token_s)
        self.sentences = sentences

    def _echo(self, messages: list[Message]) -> str:
        words = messages[-1]["content"].strip().rstrip(".!?…。！？ ")
        words = words[:1].upper() + words[1:]
        return "\n".join(f"{words}." if n == 1 else f"{words} ({n})." for n in range(1, self.sentences + 1))

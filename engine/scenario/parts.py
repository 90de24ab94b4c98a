"""The scripted mind and voice of a scenario, with the faults that real ones have. They make no sound."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from voicetui.engine.errors import PartError
from voicetui.engine.fakes import EchoResponder, ScriptedResponder, SilentVoice

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence

    from voicetui.engine.ports import Message, Sentence
    from voicetui.engine.scenario.script import ReplyScript, VoiceScript


@dataclass(slots=True)
class Request:
    """One call of the model: when, in seconds of the conversation, for which exchange, and what became of it."""

    at_s: float
    exchange: int
    messages: list[Message]
    complete: bool = False
    cancelled: bool = False


class ScenarioMind:
    """A fake `Responder` that follows a scenario: late, slow, failing, hanging, empty or thinking aloud.

    `exchange()` tells the number of the exchange that is being answered or prepared, from 1, and `since_s()` the
    seconds since the conversation began. `requests` is the record.
    """

    def __init__(
        self, replies: Sequence[ReplyScript], exchange: Callable[[], int], since_s: Callable[[], float]
    ) -> None:
        self._replies, self._exchange, self._since_s = replies, exchange, since_s
        self.requests: list[Request] = []

    async def reply(self, messages: list[Message]) -> AsyncIterator[str]:
        """Yield the reply of this exchange, token by token."""
        request = Request(self._since_s(), self._exchange(), messages)
        self.requests.append(request)
        script = self._replies[min(request.exchange, len(self._replies)) - 1]
        try:
            async with contextlib.aclosing(self._play(script, messages)) as tokens:
                async for token in tokens:
                    yield token
            request.complete = True
        except (asyncio.CancelledError, GeneratorExit):
            request.cancelled = True
            raise

    @staticmethod
    async def _play(script: ReplyScript, messages: list[Message]) -> AsyncGenerator[str, None]:
        tokens = await _tokens(script, messages)
        failing = None if script.fail_after_tokens is None else min(script.fail_after_tokens, len(tokens))
        hanging = None if script.hang_after_tokens is None else min(script.hang_after_tokens, len(tokens))
        await asyncio.sleep(script.first_token_s)
        for number in range(len(tokens) + 1):
            if number == failing:
                raise PartError("think", script.failure, code="died")
            if number == hanging:
                await asyncio.Event().wait()
            if number == len(tokens):
                return
            if number:
                await asyncio.sleep(script.token_s)
            yield tokens[number]

    async def aclose(self) -> None:
        """Nothing to release."""


async def _tokens(script: ReplyScript, messages: list[Message]) -> list[str]:
    thought = f"<think>{script.thinking}</think>\n" if script.thinking else ""
    minds: list[ScriptedResponder] = [ScriptedResponder([thought + (script.text or "")], first_token_s=0, token_s=0)]
    if script.text is None:
        minds.append(EchoResponder(script.echo, first_token_s=0, token_s=0))
    return [token for mind in minds async for token in mind.reply(messages)]


class ScenarioVoice(SilentVoice):
    """A fake `Voice` that follows a scenario: slow, failing, or giving not one sample of a sentence."""

    def __init__(self, script: VoiceScript) -> None:
        super().__init__(first_pcm_s=script.first_pcm_s, word_s=script.word_s, sentence_s=script.sentence_s)
        self._script = script
        self._sentences = 0
        self._stopped = asyncio.Event()

    async def synthesise(self, sentence: Sentence) -> None:
        """Take the time to the first sample, or fail, or wait until this sentence is discarded."""
        self._sentences += 1
        number = self._sentences
        if number in self._script.silent_sentences:
            self._stopped.clear()
            await self._stopped.wait()
            return
        await super().synthesise(sentence)
        if number in self._script.failing_sentences:
            raise PartError("speak", self._script.failure, code="died")

    def stop(self) -> float | None:
        """Discard everything; a sentence that never gave a sample is given up."""
        self._stopped.set()
        return super().stop()

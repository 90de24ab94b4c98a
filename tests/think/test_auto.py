"""Ollama where it answers, the embedded model where it does not. Both are fakes."""

import asyncio

import pytest
from think.fake_ollama import FakeOllama
from voicetui.engine.errors import PartError
from voicetui.engine.think.auto import AutoResponder
from voicetui.engine.think.ollama import OllamaResponder

ASK = [{"role": "user", "content": "Hello?"}]
NOBODY = "127.0.0.1:9"


class FakeEmbedded:
    name, note = "tiny", "demo model"

    def __init__(self):
        self.warm = self.closed = False
        self.on_replaced = None

    async def warmup(self):
        self.warm = True

    async def reply(self, messages):
        assert self.warm
        yield "embedded"

    async def aclose(self):
        self.closed = True


def no_embedded():
    raise PartError("think", "the model tiny is not on this machine", fix="voicetui models get tiny", code="no-model")


async def says_ollama(connection, body):
    await connection.begin()
    await connection.say("ollama")
    await connection.done()


async def ask(auto):
    return [piece async for piece in auto.reply(ASK)]


def test_ollama_is_taken_where_it_answers():
    async def main():
        async with FakeOllama(says_ollama) as server:
            auto = AutoResponder(OllamaResponder(host=server.host), no_embedded)
            await auto.warmup()
            assert auto.name == "llama3.2:latest"
            assert auto.note == f"Ollama at http://{server.host}"
            assert await ask(auto) == ["ollama"]
            await auto.aclose()

    asyncio.run(main())


def test_the_embedded_model_is_taken_where_ollama_does_not_answer():
    async def main():
        embedded = FakeEmbedded()
        auto = AutoResponder(OllamaResponder(host=NOBODY), lambda: embedded)
        auto.on_replaced = print
        await auto.warmup()
        assert auto.name == "tiny"
        assert auto.note == f"Ollama does not answer at http://{NOBODY}; demo model"
        assert await ask(auto) == ["embedded"]
        assert embedded.on_replaced is print
        await auto.aclose()
        assert embedded.closed

    asyncio.run(main())


def test_the_embedded_model_is_taken_where_ollama_has_none():
    async def main():
        async with FakeOllama(says_ollama, tags={"models": []}) as server:
            auto = AutoResponder(OllamaResponder(host=server.host), FakeEmbedded)
            assert await ask(auto) == ["embedded"]  # decided at the first reply, too
            assert "ollama pull llama3.2" in auto.note
            await auto.aclose()

    asyncio.run(main())


def test_where_neither_is_there_both_are_named():
    async def main():
        auto = AutoResponder(OllamaResponder(host=NOBODY), no_embedded)
        with pytest.raises(PartError) as caught:
            await auto.warmup()
        assert caught.value.message == (
            f"Ollama does not answer at http://{NOBODY}; the model tiny is not on this machine"
        )
        assert caught.value.fix == "voicetui models get tiny"
        await auto.aclose()

    asyncio.run(main())

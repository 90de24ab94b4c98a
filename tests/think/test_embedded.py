"""The embedded model, for real; and the real Ollama client in conversation with it, over the loopback."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest
from voicetui.engine.errors import PartError
from voicetui.engine.models import catalogue
from voicetui.engine.think.embedded import EmbeddedResponder
from voicetui.engine.think.ollama import OllamaResponder

GUARD_S = 300  # no assertion: a test that waits for ever is ended
SHIM = Path(__file__).with_name("ollama_shim.py")


@pytest.fixture
def model():
    path = catalogue().find("smollm2-135m-instruct").locate()
    if path is None:
        pytest.skip("needs the demo model: voicetui models get smollm2-135m-instruct")
    return path


def run(test, *make):
    async def main():
        responder = make[0](*make[1:])
        try:
            async with asyncio.timeout(GUARD_S):
                await test(responder)
        finally:
            await responder.aclose()

    asyncio.run(main())


async def ask(responder, *turns):
    """Ask one question after the other; return the messages of the whole conversation."""
    messages = []
    for turn in turns:
        messages.append({"role": "user", "content": turn})
        messages.append({"role": "assistant", "content": "".join([piece async for piece in responder.reply(messages)])})
    return messages


@pytest.mark.real
def test_it_holds_a_conversation_and_a_closed_reply_leaves_it_free_for_the_next(model):
    async def test(responder):
        messages = await ask(responder, "What is the capital of France?", "And the capital of Spain?")
        assert "Paris" in messages[1]["content"]
        assert "Madrid" in messages[3]["content"]
        assert "often wrong" in responder.note
        pid = responder.pid
        reply = responder.reply([{"role": "user", "content": "Why is the sky blue?"}])
        await anext(reply)
        await reply.aclose()
        assert "Paris" in (await ask(responder, "What is the capital of France?"))[1]["content"]
        assert responder.pid == pid
        assert not open_ports(pid)

    run(test, EmbeddedResponder, model)


@pytest.mark.real
def test_a_conversation_longer_than_the_context_goes_on_but_one_message_cannot_be(model):
    async def test(responder):
        said = [{"role": "user", "content": "Do you like long questions with many words in them, my friend?"}]
        said += [{"role": "assistant", "content": "I do not know that, but I like all of your questions."}]
        messages = [*said * 60, {"role": "user", "content": "What is the capital of France?"}]
        assert "Paris" in "".join([piece async for piece in responder.reply(messages)])
        with pytest.raises(PartError) as caught:
            await ask(responder, "word " * 2000)
        assert caught.value.code == "too-long"

    run(test, EmbeddedResponder, model)


@pytest.mark.real
@pytest.mark.parametrize("state", ["whole", "cut", "garbage", "none"])
def test_the_evaluated_prompt_is_kept_and_a_damaged_one_made_again(model, tmp_path, monkeypatch, state):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))

    def kept():
        file, checksum = sorted((tmp_path / "voicetui" / "llama").iterdir())  # and no socket
        assert (file.suffix, checksum.suffix) == (".kv", ".sha256")
        return file

    async def test(responder):
        assert "Paris" in (await ask(responder, "What is the capital of France?"))[1]["content"]

    if state != "none":
        run(test, EmbeddedResponder, model)
        content = kept().read_bytes()
        damaged = {"whole": content, "cut": content[: len(content) // 2], "garbage": b"garbage" * 1000}[state]
        kept().write_bytes(damaged)
    run(test, EmbeddedResponder, model)
    assert kept().stat().st_size > 1_000_000


def open_ports(pid):
    """Return the TCP sockets of a process, where there is /proc: the model's library opens one if it can."""
    folder = Path(f"/proc/{pid}/fd")
    tables = [path for path in (Path("/proc/net/tcp"), Path("/proc/net/tcp6")) if path.exists()]
    sockets = {str(fd.readlink()) for fd in folder.iterdir()} if tables else set()
    rows = [row.split() for table in tables for row in table.read_text().splitlines()[1:]]
    return [row for row in rows if f"socket:[{row[9]}]" in sockets]


def test_a_missing_model_names_the_command_that_gets_it():
    async def test(responder):
        with pytest.raises(PartError, match=r"there is no model .*nowhere\.gguf"):
            await responder.warmup()

    pytest.importorskip("xllamacpp", reason="needs llama.cpp: pip install 'voicetui[embedded]'")
    run(test, EmbeddedResponder, "nowhere.gguf")


@pytest.fixture
def shim(model):
    with subprocess.Popen([sys.executable, SHIM, model], stdout=subprocess.PIPE, text=True) as process:
        yield process.stdout.readline().strip()
        process.terminate()


@pytest.mark.real
def test_the_ollama_client_holds_a_conversation_with_a_real_model(shim):
    async def test(responder):
        await responder.warmup()
        assert responder.name == "demo:latest"
        messages = await ask(responder, "What is the capital of France?", "And the capital of Spain?")
        assert "Paris" in messages[1]["content"]
        assert "Madrid" in messages[3]["content"]
        reply = responder.reply([{"role": "user", "content": "Why is the sky blue?"}])
        await anext(reply)
        await reply.aclose()
        assert "Paris" in (await ask(responder, "What is the capital of France?"))[1]["content"]

    run(test, OllamaResponder, "", shim)


@pytest.mark.real
def test_the_ollama_client_is_told_of_a_missing_model(shim):
    async def test(responder):
        with pytest.raises(PartError) as caught:
            await responder.warmup()
        assert caught.value.fix == "ollama pull no-such-model"

    run(test, OllamaResponder, "no-such-model", shim)

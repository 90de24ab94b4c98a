"""The Ollama client against a fake server that speaks the protocol byte by byte."""

import asyncio
import json

import pytest
from think.fake_ollama import FakeOllama
from voicetui.engine.errors import PartError, UsageError
from voicetui.engine.think.ollama import OllamaResponder

GUARD_S = 30  # no assertion: a test that waits for ever is ended
ASK = [{"role": "user", "content": "Hello?"}]


def run(chat, test, *, model="llama3.2", **server_options):
    """Run `test(responder, server)` against a server whose chat requests are answered by `chat`."""

    async def main():
        async with asyncio.timeout(GUARD_S), FakeOllama(chat, **server_options) as server:
            responder = OllamaResponder(model, server.host)
            try:
                await test(responder, server)
            finally:
                await responder.aclose()

    asyncio.run(main())


async def reply(responder, messages=ASK):
    return [piece async for piece in responder.reply(messages)]


async def reply_and_error(responder):
    pieces = []
    try:
        async for piece in responder.reply(ASK):
            pieces += [piece]
    except PartError as error:
        return pieces, error
    raise AssertionError("no error")


async def hello(connection, body):
    await connection.begin()
    await connection.say("Hello")
    await connection.say(" there.")
    await connection.done()


def test_pieces_come_as_the_server_sends_them():
    async def test(responder, server):
        assert await reply(responder) == ["Hello", " there."]

    run(hello, test)


def test_a_stream_cut_at_every_byte_is_the_same():
    async def dribble(connection, body):
        await connection.begin()
        lines = [
            {"model": "m", "message": {"role": "assistant", "content": "Où "}, "done": False},
            {"model": "m", "message": {"role": "assistant", "content": "ça ? 👍"}, "done": True},
        ]
        for byte in "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines).encode():
            await connection.raw(bytes([byte]))
        await connection.end()

    async def test(responder, server):
        assert await reply(responder) == ["Où ", "ça ? 👍"]

    run(dribble, test)


def test_ms01_reasoning_in_its_own_field_and_null_content_are_ignored():
    async def think(connection, body):
        await connection.begin()
        for _ in range(3):
            await connection.say("", thinking="hm")
        await connection.say(None)
        await connection.say("Hi.")
        await connection.done()

    async def test(responder, server):
        assert await reply(responder) == ["Hi."]

    run(think, test)


def test_reasoning_is_switched_off():
    async def test(responder, server):
        await reply(responder)
        assert server.chats()[0]["think"] is False

    run(hello, test)


def test_a_model_without_that_switch_is_asked_again_without_it():
    async def refuse(connection, body):
        if "think" in body:
            await connection.answer(400, {"error": '"llama3.2" does not support thinking'})
        else:
            await hello(connection, body)

    async def test(responder, server):
        assert await reply(responder) == ["Hello", " there."]
        assert await reply(responder) == ["Hello", " there."]
        assert ["think" in body for body in server.chats()] == [True, False, False]

    run(refuse, test)


def test_ms02_closing_a_reply_closes_the_connection_and_the_next_request_is_sent_at_once():
    gone = []

    async def endless(connection, body):
        gone.append(connection.gone)
        await connection.begin()
        await connection.say("one ")
        await connection.gone.wait()

    async def chat(connection, body):
        await (hello if gone else endless)(connection, body)

    async def test(responder, server):
        answers = responder.reply(ASK)
        assert await anext(answers) == "one "
        await answers.aclose()
        await gone[0].wait()
        assert await reply(responder) == ["Hello", " there."]
        assert server.most_open == 1

    run(chat, test)


@pytest.mark.parametrize("pieces", [0, 1])
def test_ms02_cancelling_a_task_that_waits_for_the_model_closes_the_connection(pieces):
    closed, asked = asyncio.Event(), asyncio.Event()

    async def silent(connection, body):
        if pieces:
            await connection.begin()
            await connection.say("one ")
        asked.set()
        await connection.gone.wait()
        closed.set()

    async def test(responder, server):
        reading = asyncio.create_task(reply(responder))
        await asked.wait()
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading
        await closed.wait()

    run(silent, test)


def test_closing_the_responder_closes_its_connections():
    closed = asyncio.Event()

    async def silent(connection, body):
        await connection.begin()
        await connection.say("one ")
        await connection.gone.wait()
        closed.set()

    async def test(responder, server):
        answers = responder.reply(ASK)
        await anext(answers)
        await responder.aclose()
        await closed.wait()
        await answers.aclose()

    run(silent, test)


async def ends_without_done(connection, body):
    await connection.begin()
    await connection.say("The answer is for")
    await connection.end()


async def breaks_off(connection, body):
    await connection.begin()
    await connection.say("The answer is for")


async def fails_in_mid_stream(connection, body):
    await connection.begin()
    await connection.say("First. ")
    await connection.say("Second. ")
    await connection.line(error="out of memory")
    await connection.end()


async def cut_in_mid_line(connection, body):
    await connection.begin()
    await connection.say("The answer")
    await connection.raw(b'{"model":"llama3.2","mess')
    await connection.end()


@pytest.mark.parametrize(
    ("chat", "pieces", "code", "message"),
    [
        (ends_without_done, ["The answer is for"], "incomplete", "the reply of llama3.2 broke off before its end"),
        (breaks_off, ["The answer is for"], "incomplete", "the connection to Ollama"),
        (fails_in_mid_stream, ["First. ", "Second. "], "failed", "Ollama failed (in mid-reply): out of memory"),
        (cut_in_mid_line, ["The answer"], "incomplete", "the reply of llama3.2 broke off in mid-line"),
    ],
)
def test_ms03_a_reply_that_breaks_off_is_an_error_after_what_came(chat, pieces, code, message):
    calls = []

    async def once(connection, body):
        calls.append(body)
        await (chat if len(calls) == 1 else hello)(connection, body)

    async def test(responder, server):
        came, error = await reply_and_error(responder)
        assert came == pieces
        assert error.part == "think"
        assert error.code == code
        assert error.message.startswith(message)
        assert await reply(responder) == ["Hello", " there."]

    run(once, test)


def test_ms04_a_missing_server_is_named_with_the_command_that_starts_it(monkeypatch):
    monkeypatch.setenv("OLLAMA_HOST", "http://127.0.0.1:9")

    async def main():
        responder = OllamaResponder("llama3.2")
        for call in (lambda: reply(responder), responder.warmup, responder.models):
            with pytest.raises(PartError) as caught:
                await call()
            error = caught.value
            assert (error.message, error.fix) == ("Ollama does not answer at http://127.0.0.1:9", "ollama serve")
            assert error.code == "no-answer"
        await responder.aclose()

    asyncio.run(main())


def test_ms04_a_server_that_never_answers_is_waited_for_and_can_be_cancelled_at_once():
    asked, closed = asyncio.Event(), asyncio.Event()

    async def silent(connection, body):
        asked.set()
        await connection.gone.wait()
        closed.set()

    async def test(responder, server):
        answers = responder.reply(ASK)
        waiting = asyncio.ensure_future(anext(answers))
        await asked.wait()
        assert not waiting.done()
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        await closed.wait()

    run(silent, test)


def test_ms04_a_server_that_never_answers_does_not_hold_up_the_start(monkeypatch):
    monkeypatch.setattr("voicetui.engine.think.ollama.LIST_S", 0.05)

    async def test(responder, server):
        server.list.clear()
        server.load.clear()
        await responder.warmup()
        server.list.set()

    run(hello, test)


def test_there_is_no_time_out_between_two_pieces():
    async def test(responder, server):
        await responder.models()
        timeout = responder._client._client.timeout
        assert (timeout.read, timeout.write, timeout.pool) == (None, None, None)
        assert timeout.connect < 5

    run(hello, test)


def test_ms04_a_missing_model_is_named_with_the_command_that_gets_it():
    async def missing(connection, body):
        await connection.answer(404, {"error": "model 'llama3.2' not found"})

    async def test(responder, server):
        with pytest.raises(PartError) as caught:
            await reply(responder)
        error = caught.value
        assert (error.message, error.fix) == ("Ollama has no model llama3.2", "ollama pull llama3.2")
        assert error.code == "no-model"

    run(missing, test)


def test_ms04_a_server_that_fails_once_fails_one_turn():
    calls = []

    async def fails_once(connection, body):
        calls.append(body)
        if len(calls) == 1:
            await connection.answer(500, {"error": "llama runner process has terminated"})
        else:
            await hello(connection, body)

    async def test(responder, server):
        with pytest.raises(PartError) as caught:
            await reply(responder)
        assert caught.value.message == "Ollama failed (HTTP 500): llama runner process has terminated"
        assert await reply(responder) == ["Hello", " there."]

    run(fails_once, test)


@pytest.mark.parametrize("body", [b"<html>a proxy's page</html>\n", b'{"unknown":1}\n'])
def test_a_server_that_is_not_ollama_is_an_error_in_words(body):
    async def other(connection, _):
        await connection.begin()
        await connection.raw(body)
        await connection.end()

    async def test(responder, server):
        with pytest.raises(PartError):
            await reply(responder)

    run(other, test)


def test_a_proxy_of_the_environment_does_not_capture_the_loopback(monkeypatch):
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")

    async def test(responder, server):
        assert await reply(responder) == ["Hello", " there."]

    run(hello, test)


def test_the_model_is_given_a_prompt_for_speech_before_the_conversation():
    async def test(responder, server):
        await reply(responder, [*ASK, {"role": "assistant", "content": "Hi."}, {"role": "user", "content": "Go on."}])
        messages = server.chats()[0]["messages"]
        assert [m["role"] for m in messages] == ["system", "user", "assistant", "user"]
        assert "read aloud" in messages[0]["content"]
        assert [m["content"] for m in messages[1:]] == ["Hello?", "Hi.", "Go on."]

    run(hello, test)


def test_a_conversation_may_bring_its_own_prompt():
    async def test(responder, server):
        await reply(responder, [{"role": "system", "content": "Be rude."}, *ASK])
        assert [m["content"] for m in server.chats()[0]["messages"]] == ["Be rude.", "Hello?"]

    run(hello, test)


def test_warming_up_makes_sure_of_the_model_and_has_it_loaded_meanwhile():
    async def test(responder, server):
        await responder.warmup()
        assert server.asked == [("/api/tags", {})]
        assert await reply(responder) == ["Hello", " there."]
        paths = [path for path, _ in server.asked]
        assert paths == ["/api/tags", "/api/generate", "/api/chat"]
        assert server.most_open == 1

    run(hello, test)


def test_a_slow_load_holds_up_the_reply_but_neither_the_start_nor_the_end():
    async def test(responder, server):
        server.load.clear()
        await responder.warmup()
        waiting = asyncio.ensure_future(reply(responder))
        await server.loading.wait()
        assert not waiting.done()
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        server.load.set()
        assert await reply(responder) == ["Hello", " there."]

    run(hello, test)


def test_a_model_that_the_server_does_not_have_is_told_before_the_conversation():
    async def test(responder, server):
        with pytest.raises(PartError) as caught:
            await responder.warmup()
        assert (caught.value.code, caught.value.fix) == ("no-model", "ollama pull gemma3")

    run(hello, test, model="gemma3")


def models(*names, family="llama"):
    return {"models": [{"model": name, "name": name, "details": {"family": family}} for name in names]}


@pytest.mark.parametrize(
    ("installed", "chosen"),
    [
        (("mistral:7b", "gemma3:4b", "llama3.2:3b"), "llama3.2:3b"),
        (("unheard-of:1b", "mistral:7b"), "mistral:7b"),
        (("unheard-of:1b", "other:1b"), "unheard-of:1b"),
        (("nomic-embed-text:latest", "gpt-oss:120b-cloud", "other:1b"), "other:1b"),
    ],
)
def test_without_a_name_the_best_installed_model_is_taken(installed, chosen):
    async def test(responder, server):
        assert await responder.models() == list(installed)
        await responder.warmup()
        assert responder.name == chosen
        await reply(responder)
        assert server.chats()[0]["model"] == chosen

    run(hello, test, model="", tags=models(*installed))


@pytest.mark.parametrize("tags", [{"models": []}, models("all-minilm:latest", family="bert")])
def test_a_server_without_a_model_names_one_to_get(tags):
    async def test(responder, server):
        with pytest.raises(PartError) as caught:
            await reply(responder)
        assert (caught.value.code, caught.value.fix) == ("no-model", "ollama pull llama3.2")

    run(hello, test, model="", tags=tags)


def test_an_address_that_is_none_is_a_usage_error():
    with pytest.raises(UsageError, match="host:port"):
        OllamaResponder("llama3.2", "127.0.0.1:many")


def test_a_missing_client_library_names_its_install_command(monkeypatch):
    def no_module(name):
        raise ImportError(f"No module named {name!r}")

    monkeypatch.setattr("voicetui.engine.think.ollama.import_module", no_module)
    with pytest.raises(PartError) as caught:
        asyncio.run(OllamaResponder("llama3.2").warmup())
    assert (caught.value.code, caught.value.fix) == ("missing", "pip install 'voicetui[think]'")

"""Which model a part would use, and what has to be fetched for it."""

from __future__ import annotations

import pytest
from voicetui.engine.errors import PartError, UsageError
from voicetui.engine.parts import TalkOptions, needed_models
from voicetui.engine.parts.ask_ollama import has_model, ollama_address
from voicetui.engine.parts.selection import names_embedded, pick_embedded, pick_recogniser, pick_voice


def test_vosk_is_the_recogniser_where_a_model_for_the_language_is_here(machine):
    assert pick_recogniser(TalkOptions()).runtime == "moonshine"
    machine.models.add("vosk-model-small-fr-0.22")
    assert pick_recogniser(TalkOptions()).runtime == "moonshine"
    machine.models.add("vosk-model-small-en-us-0.15")
    assert pick_recogniser(TalkOptions()).runtime == "vosk"
    assert pick_recogniser(TalkOptions(language="fr-CA")).name == "vosk-model-small-fr-0.22"


def test_where_none_is_here_the_first_that_could_run_is_to_be_fetched(machine):
    choice = pick_recogniser(TalkOptions(language="de"))
    assert (choice.name, choice.path) == ("vosk-model-small-de-0.15", None)
    with pytest.raises(PartError, match=r"vosk-model-small-de-0\.15 is not on this machine") as caught:
        choice.require("listen")
    assert caught.value.fix == "voicetui models get vosk-model-small-de-0.15"


def test_a_recogniser_without_its_library_is_not_chosen(machine):
    del machine.libraries["moonshine"], machine.libraries["vosk"]
    with pytest.raises(PartError) as caught:
        pick_recogniser(TalkOptions())
    assert (caught.value.code, caught.value.fix) == ("missing", "pip install 'voicetui[listen]'")


@pytest.mark.parametrize("voice", ["", "joe", "en_US-joe-medium", "EN_us-JOE-medium"])
def test_a_voice_is_named_by_its_id_or_its_speaker(machine, voice):
    assert pick_voice(TalkOptions(voice=voice)).name == "en_US-joe-medium"


def test_a_named_voice_may_be_of_another_language(machine):
    assert pick_voice(TalkOptions(language="fr")).name == "fr_FR-siwis-medium"
    assert pick_voice(TalkOptions(language="fr", voice="joe")).name == "en_US-joe-medium"


def test_a_voice_that_is_not_in_the_catalogue(machine):
    with pytest.raises(PartError, match="there is no voice 'bob'"):
        pick_voice(TalkOptions(voice="bob"))
    with pytest.raises(PartError, match="the catalogue has no voice for 'ko'") as caught:
        pick_voice(TalkOptions(language="ko"))
    assert "--voice" in caught.value.fix


def test_a_voice_and_a_model_may_be_the_users_own_files(machine, tmp_path):
    own = tmp_path / "me.onnx"
    own.write_bytes(b"")
    with pytest.raises(PartError, match=r"there is no file .*me\.onnx\.json"):
        pick_voice(TalkOptions(voice=str(own)))
    own.with_name("me.onnx.json").write_text("{}")
    assert pick_voice(TalkOptions(voice=str(own))).path == own
    (tmp_path / "m.gguf").write_bytes(b"")
    assert pick_embedded(TalkOptions(model=str(tmp_path / "m.gguf"))).path == tmp_path / "m.gguf"


def test_which_models_are_not_ollamas(machine):
    assert names_embedded(TalkOptions(model="smollm2-135m-instruct"))
    assert names_embedded(TalkOptions(model="some/where.gguf"))
    assert not names_embedded(TalkOptions(model="qwen3"))
    assert not names_embedded(TalkOptions())


def test_nothing_is_needed_where_all_is_here(machine):
    assert needed_models(TalkOptions()) == []


def test_what_is_needed_comes_in_the_order_of_the_parts(machine):
    machine.models.clear()
    needed = [m.id for m in needed_models(TalkOptions(language="fr"))]
    assert needed == ["silero-vad", "vosk-model-small-fr-0.22", "smollm2-135m-instruct", "fr_FR-siwis-medium"]


def test_a_part_without_its_library_needs_no_model(machine):
    machine.models.clear()
    for name in ("piper", "llama"):
        del machine.libraries[name]
    assert [m.purpose for m in needed_models(TalkOptions())] == ["detect", "hear"]


def test_with_ollama_answering_no_embedded_model_is_needed(machine):
    machine.models.remove("smollm2-135m-instruct")
    assert [m.id for m in needed_models(TalkOptions())] == ["smollm2-135m-instruct"]
    assert needed_models(TalkOptions(model="qwen3")) == []
    machine.ollama = ["qwen3:4b"]
    assert needed_models(TalkOptions()) == []
    machine.ollama = []
    assert [m.id for m in needed_models(TalkOptions())] == ["smollm2-135m-instruct"]


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("", "http://127.0.0.1:11434"),
        ("192.168.1.5", "http://192.168.1.5:11434"),
        ("box:8080", "http://box:8080"),
        (":8080", "http://127.0.0.1:8080"),
        ("0.0.0.0", "http://127.0.0.1:11434"),
        ("http://box", "http://box:80"),
        ("https://box/ollama/", "https://box:443/ollama"),
        ("[::1]:8080", "http://[::1]:8080"),
    ],
)
def test_the_address_of_ollama_as_ollama_itself_takes_it(monkeypatch, host, address):
    monkeypatch.delenv("OLLAMA_HOST", raising=False)
    assert ollama_address(host) == address
    monkeypatch.setenv("OLLAMA_HOST", host)
    assert ollama_address() == address


def test_a_wrong_address_is_named():
    with pytest.raises(UsageError, match="the address of Ollama is 'box:http', it must be host:port"):
        ollama_address("box:http")


def test_a_model_without_a_tag_is_the_latest():
    assert has_model(["llama3.2:latest"], "llama3.2")
    assert has_model(["qwen3:4b"], "qwen3:4b")
    assert not has_model(["qwen3:4b"], "qwen3")

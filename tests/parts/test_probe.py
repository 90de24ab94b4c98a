"""What can run here: said truly for each part, with the one command that mends what cannot."""

from __future__ import annotations

import os

import pytest
from voicetui.engine.parts import PartState, TalkOptions, probe
from voicetui.engine.parts.sound import Answer, Sound, ask_sound
from voicetui.engine.parts.trial import try_import


def test_where_all_is_here_each_part_says_what_would_run(machine):
    states = probe()
    assert list(states) == ["microphone", "detect", "recognise", "listen", "think", "speak", "play"]
    assert all(state.available for state in states.values())
    assert states["recognise"] == states["listen"] == PartState(True, "moonshine-tiny-en", "moonshine")
    assert states["speak"] == PartState(True, "en_US-joe-medium", "piper")
    assert states["microphone"] == PartState(True, "USB", "48000 Hz")


def test_a_library_that_is_not_installed_names_its_extra(machine):
    machine.libraries.clear()
    states = probe()
    assert not any(states[name].available for name in ("detect", "recognise", "listen", "think", "speak"))
    assert states["detect"].fix == "pip install 'voicetui[listen]'"
    assert states["think"].fix == "pip install 'voicetui[embedded]'"
    assert states["speak"].fix == "pip install 'voicetui[speak]'"


def test_a_library_that_is_installed_and_does_not_work_is_no_part(machine):
    machine.libraries["piper"] = "OSError: libespeak-ng.so: cannot open shared object file"
    speak = probe()["speak"]
    assert not speak.available
    assert speak.detail == "piper: OSError: libespeak-ng.so: cannot open shared object file"
    assert speak.fix == "pip install 'voicetui[speak]'"


def test_a_system_library_that_is_missing_is_what_mends_it(machine):
    machine.libraries["llama"] = "ImportError: libgomp.so.1: cannot open shared object file: No such file or directory"
    assert probe()["think"].fix == "sudo apt-get install libgomp1"


def test_a_recogniser_that_does_not_work_gives_way_to_the_next(machine):
    machine.models.add("vosk-model-small-en-us-0.15")
    machine.libraries["vosk"] = "it ends the process (SIGILL)"
    assert probe()["recognise"].name == "moonshine-tiny-en"


def test_a_library_that_would_not_run_is_not_loaded(machine):
    machine.ollama = ["qwen3:4b"]
    probe()
    assert sorted(machine.tried) == ["moonshine", "onnx", "piper"]


def test_a_model_that_is_not_here_names_the_command_that_fetches_it(machine):
    machine.models.remove("smollm2-135m-instruct")
    think = probe()["think"]
    assert (think.available, think.fix) == (False, "voicetui models get smollm2-135m-instruct")
    assert "Ollama does not answer at http://127.0.0.1:11434" in think.detail


def test_ollama_is_preferred_where_it_answers(machine):
    machine.ollama = ["qwen3:4b", "llama3.2:latest"]
    assert probe()["think"] == PartState(True, "llama3.2:latest", "Ollama at http://127.0.0.1:11434")
    assert probe(TalkOptions(model="qwen3:4b"))["think"].name == "qwen3:4b"


def test_a_model_that_ollama_has_not_names_how_to_get_it(machine):
    machine.ollama = ["qwen3:4b"]
    think = probe(TalkOptions(model="gemma3"))["think"]
    assert (think.available, think.fix) == (False, "ollama pull gemma3")
    assert "has no model gemma3" in think.detail


@pytest.mark.parametrize("names", [[], ["nomic-embed-text:latest"]])
def test_ollama_without_a_model_that_talks_leaves_it_to_the_embedded_one(machine, names):
    machine.ollama = names
    assert probe()["think"].name == "smollm2-135m-instruct"


def test_a_wrong_address_of_ollama_is_no_reason_to_fail(machine):
    think = probe(TalkOptions(ollama_host="http://[::1", model="qwen3"))["think"]
    assert not think.available
    assert "it must be host:port" in think.detail


def test_a_language_that_nobody_has_a_recogniser_for(machine):
    recognise = probe(TalkOptions(language="tlh"))["recognise"]
    assert (recognise.available, recognise.detail) == (False, "the catalogue has no recogniser for 'tlh'")


def test_without_a_microphone_listening_is_not_available_and_recognising_is(machine):
    silent = Answer(error="no input device", fix="connect a microphone", code="no-device")
    machine.sound = Sound(Answer([]), silent, machine.sound.output)
    states = probe()
    assert states["recognise"].available
    expected = PartState(False, "moonshine-tiny-en", "no input device", "connect a microphone", "no-device")
    assert states["listen"] == expected


@pytest.mark.parametrize("speaker", ["none", "reply.wav", "REPLY.WAV"])
def test_a_loudspeaker_that_is_none_is_available(machine, speaker):
    machine.sound = Sound(Answer([]), machine.sound.input, Answer(error="no output device"))
    assert probe(TalkOptions(speaker=speaker))["play"].available


def test_importing_is_tried_in_a_child_process(tmp_path, monkeypatch):
    for name, code in {
        "vt_works": "",
        "vt_raises": "raise OSError('library not found')",
        "vt_kills": "import os, signal; os.kill(os.getpid(), signal.SIGKILL)",
        "vt_exits": "raise SystemExit(3)",
        "vt_talks": "import sys; print('noise'); print('noise', file=sys.stderr)",
    }.items():
        (tmp_path / f"{name}.py").write_text(code)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.syspath_prepend(str(tmp_path))
    assert try_import("vt_works") == try_import("vt_talks") == ""
    assert try_import("vt_raises") == "OSError: library not found"
    assert try_import("vt_kills") == "it ends the process (SIGKILL)"
    assert try_import("vt_exits") == "it fails without a word"
    assert try_import("vt_works", "vt_is_not_there") == "vt_is_not_there not installed"


def test_a_file_in_the_working_folder_is_not_taken_for_a_library(tmp_path, monkeypatch):
    (tmp_path / "wave.py").write_text("raise RuntimeError")
    monkeypatch.chdir(tmp_path)
    assert try_import("wave") == ""


def test_ad04_without_portaudio_sound_is_not_available_and_says_what_to_install(tmp_path, monkeypatch):
    (tmp_path / "sounddevice.py").write_text("raise OSError('PortAudio library not found')")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]))
    sound = ask_sound()
    for answer in (sound.devices, sound.input, sound.output):
        assert (answer.error, answer.code) == ("sound devices need PortAudio: PortAudio library not found", "missing")
        assert answer.fix

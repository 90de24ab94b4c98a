"""Trying devices out, on a fake `sounddevice`: the list is looked at anew, a level is measured, a tone is played."""

from __future__ import annotations

import sys
import threading
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
from voicetui.engine.audio import sound_check
from voicetui.engine.audio.sound_check import TONE_HZ, TONE_PEAK, TONE_S, tone, try_device, watch
from voicetui.engine.errors import PartError

TIMES = SimpleNamespace(inputBufferAdcTime=0.0, currentTime=0.0, outputBufferDacTime=0.0)


class PortAudioError(Exception):
    pass


class FakeStream:
    """A fake stream whose own thread calls back: a microphone hears `level`, a loudspeaker is listened to."""

    latency = 0.01

    def __init__(self, sound, *, samplerate, blocksize, channels, callback, device, capture, **_):
        self.sound, self.callback, self.frames, self.channels = sound, callback, blocksize, channels
        self.capture, self.over = capture, threading.Event()
        sound.opened.append((device, samplerate))

    def start(self):
        self.thread = threading.Thread(target=self.run, name="fake-portaudio")
        self.thread.start()

    def run(self):
        while not self.over.is_set():
            block = np.full((self.frames, self.channels), self.sound.level if self.capture else 9.0, np.float32)
            self.callback(block, self.frames, TIMES, None)
            if not self.capture:
                self.sound.played.append(block[:, 0].copy())
            self.over.wait(0.0005)

    def abort(self):
        self.over.set()
        self.thread.join()

    def close(self):
        self.sound.closed += 1


class FakeSound(ModuleType):
    """A fake `sounddevice` that sees what is connected only when it is started anew."""

    PortAudioError = PortAudioError

    def __init__(self):
        super().__init__("sounddevice")
        self.connected, self.seen = [("Mic", 1, 0), ("Speaker", 0, 2)], []
        self.level, self.opened, self.played, self.closed = 0.25, [], [], 0
        self.default = SimpleNamespace(device=(0, 1))
        self.broken = False

    def _initialize(self):
        if self.broken:
            raise PortAudioError("no sound server")
        self.seen = list(self.connected)

    def _terminate(self):
        self.seen = []

    def query_devices(self):
        names = ("name", "max_input_channels", "max_output_channels")
        return [dict(zip(names, device, strict=True)) | {"default_samplerate": 16_000} for device in self.seen]

    def query_hostapis(self):
        return []

    def InputStream(self, **options):  # noqa: N802 - as the library names it
        return FakeStream(self, capture=True, **options)

    def OutputStream(self, **options):  # noqa: N802
        return FakeStream(self, capture=False, **options)


@pytest.fixture
def sound(monkeypatch):
    fake = FakeSound()
    monkeypatch.setitem(sys.modules, "sounddevice", fake)
    return fake


def never():
    return False


def test_devices_are_told_again_when_they_have_changed(sound):
    answers = watch({"every_s": 0.0})({}, b"", never)
    first, _ = next(answers)
    assert [device["name"] for device in first["devices"]] == ["Mic", "Speaker"]
    assert next(answers) == ({}, b"")
    sound.connected.insert(0, ("Headset", 1, 2))
    again, _ = next(answers)
    assert [device["name"] for device in again["devices"]] == ["Headset", "Mic", "Speaker"]
    answers.close()


def test_why_nothing_can_be_listed_is_told(sound, monkeypatch):
    sound.broken = True
    told, _ = next(watch({})({}, b"", never))
    assert told == {"devices": [], "error": "the sound system does not answer: no sound server", "fix": ""}
    monkeypatch.setitem(sys.modules, "sounddevice", None)
    told, _ = next(watch({})({}, b"", never))
    assert (told["error"], told["fix"]) == (
        "sound devices need the package sounddevice",
        "pip install 'voicetui[play]'",
    )


def test_a_level_is_the_root_mean_square_and_the_microphone_is_released(sound):
    answers = try_device({})({"listen": {"index": 0, "name": "Mic", "host_api": ""}}, b"", never)
    assert next(answers)[0]["level"] == pytest.approx(0.25)
    answers.close()
    assert (sound.opened[0][0], sound.closed) == (0, 1)


def test_a_device_is_found_by_its_name_when_its_number_has_changed(sound):
    sound.connected.insert(0, ("Headset", 1, 2))
    answers = try_device({})({"listen": {"index": 0, "name": "Mic", "host_api": ""}}, b"", never)
    next(answers)
    answers.close()
    assert sound.opened[0][0] == 1


def test_a_device_that_is_gone_is_named(sound):
    with pytest.raises(PartError, match="'Headset' is not connected any more"):
        next(try_device({})({"listen": {"index": 5, "name": "Headset", "host_api": ""}}, b"", never))


def test_the_tone_is_played_to_its_end(sound):
    list(try_device({})({"tone": None}, b"", never))
    assert sound.closed == 1
    heard = np.concatenate(sound.played)
    expected = tone(16_000)
    assert np.array_equal(heard[: len(expected)], expected)
    assert not heard[len(expected) :].any()


def test_the_tone_is_what_it_says():
    samples = tone(48_000)
    assert len(samples) == TONE_S * 48_000
    assert np.abs(samples).max() == pytest.approx(TONE_PEAK, rel=0.01)
    assert np.abs(samples[[0, -1]]).max() < 0.001  # no click
    strongest = np.argmax(np.abs(np.fft.rfft(samples))) / TONE_S
    assert strongest == pytest.approx(TONE_HZ, abs=1 / TONE_S)


def test_nothing_is_heard_once_nobody_wants_it(sound):
    assert list(try_device({})({"tone": None}, b"", lambda: True)) == []
    assert list(watch({})({}, b"", lambda: True)) == []
    assert sound.closed == len(sound.opened) == 1
    assert sound_check.STEP_S <= 0.1

"""Devices through a fake `sounddevice`: rates and channels that are refused, devices that are missing or vanish."""

from __future__ import annotations

import sys
import threading
import time
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
from voicetui.engine.audio import device as device_module
from voicetui.engine.audio.device import DeviceIn, DeviceOut, list_devices
from voicetui.engine.audio.devices import choose_device
from voicetui.engine.audio.stream_time import CaptureClock, capture_moment, heard_moment
from voicetui.engine.errors import PartError, UsageError

LIMIT_S = 20.0


class PortAudioError(Exception):
    pass


class FakeStream:
    """A fake PortAudio stream: the test calls its callback."""

    def __init__(self, sound: FakeSound, kind: str, kwargs: dict) -> None:
        if kwargs["samplerate"] not in sound.rates:
            raise PortAudioError("Error opening stream: Invalid sample rate", -9997)
        if kwargs["channels"] not in sound.channels:
            raise PortAudioError("Error opening stream: Invalid number of channels", -9998)
        if sound.busy:
            raise PortAudioError("Error opening stream: Device unavailable", -9985)
        self.__dict__.update(kwargs)
        self.latency = 0.02
        self.started = self.closed = False
        sound.streams.append(self)

    def start(self):
        self.started = True

    def abort(self):
        self.finished_callback()

    def close(self):
        self.closed = True

    def capture(self, audio: np.ndarray) -> None:
        """Deliver a block to every channel, as if it had been captured just now."""
        frames = np.repeat(audio[:, np.newaxis], self.channels, axis=1).astype(np.float32)
        times = SimpleNamespace(inputBufferAdcTime=0.0, currentTime=0.0, outputBufferDacTime=0.0)
        self.callback(frames, len(frames), times, None)

    def pull(self, frames: int) -> np.ndarray:
        out = np.full((frames, self.channels), 9.0, np.float32)
        times = SimpleNamespace(inputBufferAdcTime=0.0, currentTime=50.0, outputBufferDacTime=50.03)
        self.callback(out, frames, times, None)
        return out


class FakeSound(ModuleType):
    """A fake `sounddevice` module with one device, unless others are given."""

    PortAudioError = PortAudioError

    def __init__(self, *, rates=(16_000, 48_000), channels=(1, 2), devices=None, busy=False):
        super().__init__("sounddevice")
        self.rates, self.channels, self.busy = rates, channels, busy
        self.streams: list[FakeStream] = []
        found = ["USB Mic"] if devices is None else devices
        self.found = [
            {
                "name": name,
                "hostapi": 0,
                "max_input_channels": 2,
                "max_output_channels": 2,
                "default_samplerate": 48_000.0,
            }
            for name in found
        ]
        self.default = SimpleNamespace(device=(0, 0) if found else (-1, -1))

    def query_devices(self):
        return self.found

    def query_hostapis(self):
        return [{"name": "ALSA"}]

    def InputStream(self, **kwargs):  # noqa: N802 - the library's name
        return FakeStream(self, "input", kwargs)

    def OutputStream(self, **kwargs):  # noqa: N802 - the library's name
        return FakeStream(self, "output", kwargs)


@pytest.fixture
def sound(monkeypatch):
    def install(**kwargs) -> FakeSound:
        fake = FakeSound(**kwargs)
        monkeypatch.setitem(sys.modules, "sounddevice", fake)
        return fake

    return install


class Ear:
    """Collects what a microphone delivers."""

    def __init__(self) -> None:
        self.blocks: list[tuple[np.ndarray, float]] = []
        self.error: Exception | None = None
        self.over = threading.Event()
        self.enough = threading.Event()
        self.wanted = 10**9

    def deliver(self, block, at_s):
        self.blocks.append((block, at_s))
        if sum(len(block) for block, _ in self.blocks) >= self.wanted:
            self.enough.set()

    def ended(self, error):
        self.error = error
        self.over.set()


def test_a_device_that_takes_only_48_khz_stereo_is_mixed_down_and_resampled_ad03(sound):
    fake = sound(rates=(48_000,), channels=(2,))
    ear, mic = Ear(), DeviceIn()
    mic.start(ear.deliver, ear.ended)
    (stream,) = fake.streams
    assert (stream.samplerate, stream.channels, stream.blocksize, stream.latency) == (48_000, 2, 480, 0.02)
    tone = 0.5 * np.sin(2 * np.pi * 1000 * np.arange(3 * 48_000) / 48_000)
    ear.wanted = 3 * 16_000 - 800
    for n in range(0, len(tone), 480):
        stream.capture(tone[n : n + 480])
    assert ear.enough.wait(LIMIT_S)
    mic.close()
    heard = np.concatenate([block for block, _ in ear.blocks])
    assert {len(block) for block, _ in ear.blocks} == {160}
    assert len(heard) / 16_000 == pytest.approx(3.0, abs=0.05)
    spectrum = np.abs(np.fft.rfft(heard * np.hanning(len(heard))))
    assert spectrum.argmax() * 16_000 / len(heard) == pytest.approx(1000, abs=2)
    assert np.abs(heard[1600:-1600]).max() == pytest.approx(0.5, abs=0.01)
    assert stream.closed
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("voicetui-micro")]


def test_a_device_that_takes_no_rate_is_refused_in_one_line_ad03(sound):
    sound(rates=())
    with pytest.raises(PartError) as refused:
        DeviceIn().start(lambda *_: None, lambda *_: None)
    assert str(refused.value).startswith(
        "microphone 'USB Mic' cannot be opened at 16000, 48000, 44100 Hz: Error opening stream: Invalid sample rate"
    )
    assert "\n" not in str(refused.value)


def test_no_device_is_said_in_one_line_ad03(sound):
    sound(devices=[])
    with pytest.raises(PartError, match="no input device") as refused:
        DeviceIn().start(lambda *_: None, lambda *_: None)
    assert (refused.value.part, refused.value.code) == ("listen", "no-device")
    with pytest.raises(PartError, match="no output device"):
        DeviceOut()
    assert list_devices() == []


def test_a_busy_device_says_what_to_do(sound):
    sound(busy=True)
    with pytest.raises(PartError, match=r"Device unavailable.*close the program that uses it"):
        DeviceOut()


def test_the_library_may_be_missing_ad04(monkeypatch, tmp_path):
    (tmp_path / "sounddevice.py").write_text("raise OSError('PortAudio library not found')")
    monkeypatch.delitem(sys.modules, "sounddevice", raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(PartError, match="PortAudio library not found") as refused:
        list_devices()
    assert refused.value.code == "missing"
    assert "portaudio" in refused.value.fix or "sounddevice" in refused.value.fix


def test_the_package_may_be_missing_ad04(monkeypatch):
    monkeypatch.setitem(sys.modules, "sounddevice", None)
    with pytest.raises(PartError, match=r"pip install 'voicetui\[play\]'"):
        DeviceIn().start(lambda *_: None, lambda *_: None)


def test_devices_are_chosen_by_index_name_or_part_of_a_name(sound):
    sound(devices=["USB Mic", "USB Mic Pro", "HDMI"])
    assert choose_device("input", None).index == 0
    assert choose_device("input", 2).name == "HDMI"
    assert choose_device("input", "1").name == "USB Mic Pro"
    assert choose_device("input", "usb mic").index == 0
    assert choose_device("input", "pro").index == 1
    with pytest.raises(UsageError, match="several devices match microphone 'usb': choose from 0 USB Mic; 1 USB"):
        choose_device("input", "usb")
    with pytest.raises(UsageError, match="there is no loudspeaker 'x': choose from 0 USB Mic; 1 USB Mic Pro; 2 HDMI"):
        choose_device("output", "x")


def test_the_list_names_rates_and_defaults(sound):
    sound(devices=["A", "B"])
    first, second = list_devices()
    assert (first.name, first.host_api, first.rate_hz, first.default_input) == ("A", "ALSA", 48_000, True)
    assert not second.default_output


@pytest.mark.parametrize("part", ["in", "out"])
def test_a_device_whose_callbacks_stay_away_is_reported(sound, monkeypatch, part):
    monkeypatch.setattr(device_module, "LOST_S", 0.05)
    fake = sound()
    ear = Ear()
    device = DeviceIn() if part == "in" else DeviceOut()
    device.start(ear.deliver if part == "in" else lambda block, _: block.fill(0), ear.ended)
    if part == "in":
        fake.streams[0].capture(np.zeros(160))
    else:
        fake.streams[0].pull(480)
    assert ear.over.wait(LIMIT_S)
    assert isinstance(ear.error, PartError)
    assert ear.error.code == "device-lost"
    assert "'USB Mic' gives no sound any more" in str(ear.error)
    device.close()


def test_a_device_is_given_up_within_a_second_of_its_last_callback():
    assert device_module.LOST_S + device_module.WATCH_S < 1.0


@pytest.mark.parametrize("part", ["in", "out"])
def test_a_stream_that_finishes_by_itself_is_reported(sound, part):
    fake = sound()
    ear = Ear()
    device = DeviceIn() if part == "in" else DeviceOut()
    device.start(lambda *_: None, ear.ended)
    fake.streams[0].finished_callback()
    assert ear.over.wait(LIMIT_S)
    assert "has stopped" in str(ear.error)
    device.close()


def test_closing_is_no_loss(sound):
    sound()
    ear = Ear()
    mic, speaker = DeviceIn(), DeviceOut()
    mic.start(ear.deliver, ear.ended)
    speaker.start(lambda block, _: block.fill(0), ear.ended)
    for device in (mic, speaker, mic, speaker):
        device.close()
    assert ear.error is None
    assert not ear.over.is_set()


def test_the_loudspeaker_plays_at_its_own_rate_on_every_channel(sound):
    fake = sound(channels=(2,))
    speaker = DeviceOut()
    moments = []

    def fill(block, heard_at_s):
        moments.append(heard_at_s)
        block[:] = np.linspace(0, 1, len(block))

    speaker.start(fill, lambda _: None)
    begin = time.monotonic()
    out = fake.streams[0].pull(480)
    assert speaker.rate_hz == 48_000
    assert (out[:, 0] == out[:, 1]).all()
    assert begin + 0.03 <= moments[0] <= time.monotonic() + 0.031
    speaker.close()


def test_an_error_in_filling_is_silence_and_never_leaves_the_callback(sound, monkeypatch):
    monkeypatch.setattr(device_module, "FIRST_S", 1e9)
    fake = sound()
    ear, speaker = Ear(), DeviceOut(rate_hz=16_000)

    def fill(block, heard_at_s):
        raise ValueError("broken")

    speaker.start(fill, ear.ended)
    for _ in range(device_module.FAULTS):
        assert not fake.streams[0].pull(160).any()
    assert ear.over.wait(LIMIT_S)
    assert "'USB Mic' cannot be fed: broken" in str(ear.error)
    speaker.close()


def test_moments_come_from_the_stream_unless_they_make_no_sense():
    assert capture_moment(100.0, 7.97, 8.0, 0.01) == pytest.approx(99.98)
    assert capture_moment(100.0, 0.0, 8.0, 0.01) == pytest.approx(99.99)
    assert capture_moment(100.0, 3.0, 8.0, 0.01) == pytest.approx(99.99)
    assert capture_moment(100.0, 8.5, 8.0, 0.01) == pytest.approx(99.99)
    assert heard_moment(100.0, 8.03, 8.0, 0.2) == pytest.approx(100.03)
    assert heard_moment(100.0, 0.0, 8.0, 0.2) == pytest.approx(100.2)
    assert heard_moment(100.0, 7.0, 8.0, 0.2) == pytest.approx(100.2)
    assert heard_moment(100.0, float("nan"), 8.0, 9.0) == pytest.approx(100.5)


def test_blocks_that_come_late_in_a_burst_were_captured_steadily():
    clock = CaptureClock(16_000)
    steady = [clock.moment(10.0 + k * 0.01, 160, 10.0 + k * 0.01 + 0.01) for k in range(100)]
    burst = [clock.moment(11.2 + k * 0.0001, 160, 11.2 + k * 0.0001) for k in range(20)]
    assert np.diff(steady + burst) == pytest.approx(0.01, abs=0.0015)


def test_after_lost_audio_the_moments_are_right_again():
    clock = CaptureClock(16_000)
    for k in range(100):
        clock.moment(10.0 + k * 0.01, 160, 10.0 + k * 0.01)
    after = [clock.moment(12.0 + k * 0.01, 160, 12.0 + k * 0.01) for k in range(40)]
    assert after[-1] == pytest.approx(12.39, abs=0.001)

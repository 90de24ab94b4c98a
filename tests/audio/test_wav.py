"""WAV files as microphone and loudspeaker on the real time line, and both sides in one recording."""

from __future__ import annotations

import threading
import time
import wave

import numpy as np
import pytest
from voicetui.engine.audio.recorder import Recorder
from voicetui.engine.audio.wav import NullOut, StartLine, WavIn, WavOut, read_wav
from voicetui.engine.audio.wav_file import WavWriter
from voicetui.engine.errors import PartError, UsageError

LIMIT_S = 20.0


def write(path, seconds: float, rate: int = 16_000, channels: int = 1, value: float = 0.5):
    writer = WavWriter(path, rate, channels)
    writer.write(np.full((round(seconds * rate), channels), value, np.float32))
    writer.close()
    return path


def hear(source) -> list[tuple[np.ndarray, float]]:
    """Everything that a microphone delivers until it ends."""
    blocks: list[tuple[np.ndarray, float]] = []
    over = threading.Event()
    errors: list[Exception | None] = []

    def ended(error):
        errors.append(error)
        over.set()

    source.start(lambda block, at_s: blocks.append((block, at_s)), ended)
    assert over.wait(LIMIT_S)
    source.close()
    assert errors == [None]
    return blocks


def test_blocks_are_10_ms_on_a_time_line_without_drift(tmp_path):
    source = WavIn(write(tmp_path / "a.wav", 0.2), tail_s=0.1)
    begin = time.monotonic()
    blocks = hear(source)
    assert [len(block) for block, _ in blocks] == [160] * 30
    zero = blocks[0][1] - 0.01
    assert begin <= zero
    assert [round((at - zero) * 1000) for _, at in blocks] == list(range(10, 310, 10))


def test_a_block_is_never_delivered_before_its_moment(tmp_path):
    lead: list[float] = []
    over = threading.Event()
    source = WavIn(write(tmp_path / "a.wav", 0.1), tail_s=0)
    source.start(lambda _, at_s: lead.append(at_s - time.monotonic()), lambda _: over.set())
    assert over.wait(LIMIT_S)
    assert max(lead) <= 0.0005


@pytest.mark.parametrize("rate", [8_000, 16_000, 44_100, 48_000])
@pytest.mark.parametrize("channels", [1, 2])
def test_every_rate_lasts_as_long_at_the_recogniser_rl03(tmp_path, rate, channels):
    source = WavIn(write(tmp_path / "a.wav", 3.0, rate, channels), realtime=False, tail_s=0)
    audio = np.concatenate([block for block, _ in hear(source)])
    assert len(audio) / 16_000 == pytest.approx(3.0, rel=0.02)
    assert np.count_nonzero(audio > 0.4) / 16_000 == pytest.approx(3.0, rel=0.02)


def test_files_are_played_one_after_the_other_with_gaps_and_repeats(tmp_path):
    one, two = write(tmp_path / "1.wav", 0.1), write(tmp_path / "2.wav", 0.2)
    source = WavIn([one, two], realtime=False, gap_s=0.05, repeat=2, tail_s=0.3)
    audio = np.concatenate([block for block, _ in hear(source)])
    sound = np.abs(audio) > 0.1
    edges = np.flatnonzero(np.diff(sound.astype(int))) + 1
    assert [round(edge / 160) for edge in [0, *edges]] == [0, 10, 15, 35, 40, 50, 55, 75]
    assert len(audio) == 105 * 160


def test_a_file_without_sound_is_refused_with_both_rates_rl03(tmp_path):
    WavWriter(tmp_path / "empty.wav", 8_000).close()
    with pytest.raises(UsageError, match=r"empty\.wav holds no sound .*8000 Hz.*16000 Hz"):
        WavIn(tmp_path / "empty.wav")


def test_a_failing_consumer_is_told_as_a_part_error(tmp_path):
    told: list[Exception | None] = []
    over = threading.Event()

    def deliver(block, at_s):
        raise ValueError("no room")

    source = WavIn(write(tmp_path / "a.wav", 0.1))
    source.start(deliver, lambda error: (told.append(error), over.set()))
    assert over.wait(LIMIT_S)
    assert isinstance(told[0], PartError)
    assert "a.wav: no room" in str(told[0])


def test_nothing_is_delivered_after_close(tmp_path):
    blocks = []
    first = threading.Event()
    source = WavIn(write(tmp_path / "a.wav", 1.0))
    source.start(lambda block, _: (blocks.append(block), first.set()), lambda _: pytest.fail("ended"))
    assert first.wait(LIMIT_S)
    source.close()
    source.close()
    count = len(blocks)
    assert not [thread for thread in threading.enumerate() if thread.name == "voicetui-wav-in"]
    assert len(blocks) == count


@pytest.mark.parametrize("rate", [22_050, 24_000])
def test_the_written_file_is_the_time_line(tmp_path, rate):
    """A click that is heard at a moment stands at that moment after the file's first sample."""
    clicks: list[float] = []
    moments: list[float] = []
    done = threading.Event()

    def fill(block, heard_at_s):
        block[:] = 0.0
        moments.append(heard_at_s)
        if len(moments) in (5, 17, 30):
            block[3] = 0.9
            clicks.append(heard_at_s + 3 / rate)
        if len(moments) == 40:
            done.set()

    out = WavOut(tmp_path / "out.wav", rate_hz=rate)
    out.start(fill, lambda _: pytest.fail("ended"))
    assert done.wait(LIMIT_S)
    out.close()
    audio, read_hz = read_wav(tmp_path / "out.wav")
    assert read_hz == rate
    found = np.flatnonzero(audio > 0.5) / rate
    assert found == pytest.approx(np.array(clicks) - moments[0], abs=1.5 / rate)


def test_microphone_and_loudspeaker_files_share_their_first_moment(tmp_path):
    line = StartLine()
    out = WavOut(tmp_path / "out.wav", start=line)
    heard: list[float] = []
    filled: list[float] = []
    over = threading.Event()
    out.start(lambda block, at_s: filled.append(at_s), lambda _: None)
    assert filled == []
    source = WavIn(write(tmp_path / "a.wav", 0.1), tail_s=0, start=line)
    source.start(lambda block, at_s: heard.append(at_s), lambda _: over.set())
    assert over.wait(LIMIT_S)
    source.close()
    out.close()
    assert filled[0] == heard[0] - 0.01 == line.at_s


def test_a_file_that_cannot_be_written_is_refused_at_once(tmp_path):
    with pytest.raises(UsageError, match=r"cannot be written"):
        WavOut(tmp_path / "no" / "out.wav")


def test_null_out_is_paced_and_ends_with_close():
    moments: list[float] = []
    enough = threading.Event()
    out = NullOut(rate_hz=16_000)
    out.start(lambda block, at_s: (moments.append(at_s), len(moments) == 10 and enough.set()), lambda _: None)
    assert enough.wait(LIMIT_S)
    out.close()
    assert [round((at - moments[0]) * 1000) for at in moments[:10]] == list(range(0, 100, 10))
    assert not [thread for thread in threading.enumerate() if thread.name == "voicetui-wav-out"]


class HandMade:
    """A fake device: delivers or fills what the test says, when the test says."""

    name = "fake"

    def __init__(self, rate_hz: int):
        self.rate_hz = rate_hz

    def start(self, call, ended):
        self.call = call

    def close(self):
        pass


def test_a_recording_holds_both_sides_on_one_time_line(tmp_path):
    recorder = Recorder(tmp_path / "both.wav")
    mic, speaker = HandMade(16_000), HandMade(24_000)
    recorder.hear(mic).start(lambda block, at_s: None, lambda _: None)
    recorder.play(speaker).start(lambda block, at_s: block.fill(0.25), lambda _: None)
    begin = time.monotonic() - 100.0
    for k in range(100):
        mic.call(np.full(160, 0.5, np.float32), begin + (k + 1) * 0.01)
    for k in range(50):
        speaker.call(np.zeros(240, np.float32), begin + 0.3 + k * 0.01)
    recorder.close()
    recorder.close()
    with wave.open(str(tmp_path / "both.wav")) as file:
        assert (file.getnchannels(), file.getframerate()) == (2, 16_000)
        frames = np.frombuffer(file.readframes(10**6), "<i2").reshape(-1, 2) / 32767
    left, right = np.abs(frames[:, 0]) > 0.1, np.abs(frames[:, 1]) > 0.1
    assert left.sum() == 16_000
    assert right.sum() == pytest.approx(8_000, abs=40)
    assert np.flatnonzero(right)[0] == pytest.approx(4_800, abs=20)


def test_a_recording_in_a_folder_that_cannot_be_made_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot be made"):
        Recorder.in_folder(tmp_path / "file" / "folder")

"""WAV files as programs really write them: read whole, or refused in one line."""

from __future__ import annotations

import struct
import wave

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from voicetui.engine.audio.resample import resample
from voicetui.engine.audio.wav_file import WavWriter, decode_wav, read_wav
from voicetui.engine.errors import UsageError


def chunk(tag: bytes, body: bytes, size: int | None = None) -> bytes:
    return tag + struct.pack("<I", len(body) if size is None else size) + body + b"\0" * (len(body) % 2)


def fmt(rate: int, channels: int = 1, bits: int = 16, tag: int = 1, extra: bytes = b"") -> bytes:
    frame = channels * bits // 8
    return chunk(b"fmt ", struct.pack("<HHIIHH", tag, channels, rate, rate * frame, frame, bits) + extra)


def riff(*chunks: bytes) -> bytes:
    body = b"WAVE" + b"".join(chunks)
    return b"RIFF" + struct.pack("<I", len(body)) + body


def sine_pcm(rate: int, seconds: float = 1.0, peak: int = 8000) -> bytes:
    return (peak * np.sin(2 * np.pi * 440 * np.arange(round(rate * seconds)) / rate)).round().astype("<i2").tobytes()


def main_frequency(samples: np.ndarray, rate: int) -> float:
    return float(np.abs(np.fft.rfft(samples * np.hanning(len(samples)))).argmax() * rate / len(samples))


PB01 = {
    "18-byte fmt, fact before, LIST after": (
        24_000,
        riff(
            fmt(24_000, extra=b"\0\0"),
            chunk(b"fact", struct.pack("<I", 24_000)),
            chunk(b"data", sine_pcm(24_000)),
            chunk(b"LIST", b"\x7f" * 500),
        ),
    ),
    "16 kHz": (16_000, riff(fmt(16_000), chunk(b"data", sine_pcm(16_000)))),
    "22050 Hz": (22_050, riff(fmt(22_050), chunk(b"data", sine_pcm(22_050)))),
    "size unknown": (16_000, riff(fmt(16_000), chunk(b"data", sine_pcm(16_000), 0xFFFFFFFF))),
    "size 0 of a stream": (16_000, riff(fmt(16_000), chunk(b"data", sine_pcm(16_000), 0))),
}


@pytest.mark.parametrize("sink_hz", [48_000, 22_050])
@pytest.mark.parametrize("kind", PB01)
def test_only_the_sound_is_played_at_its_own_rate_pb01(kind, sink_hz):
    rate, data = PB01[kind]
    samples, read_hz = decode_wav(data)
    assert read_hz == rate
    played = resample(samples, read_hz, sink_hz)
    assert len(played) / sink_hz == pytest.approx(1.0, abs=0.01)
    assert main_frequency(played, sink_hz) == pytest.approx(440, abs=2)
    assert np.abs(played).max() * 32768 <= 8100


def test_odd_data_loses_the_half_sample_pb01():
    samples, _ = decode_wav(riff(fmt(16_000), chunk(b"data", sine_pcm(16_000)[:-1])))
    assert len(samples) == 15_999


def test_a_truncated_file_gives_what_is_there():
    whole = riff(fmt(16_000), chunk(b"data", sine_pcm(16_000)))
    samples, _ = decode_wav(whole[:-1000])
    assert len(samples) == 15_500


def test_data_of_no_length_is_no_sound_even_before_other_chunks():
    assert len(decode_wav(riff(fmt(16_000), chunk(b"data", b"")))[0]) == 0
    assert len(decode_wav(riff(fmt(16_000), chunk(b"data", b""), chunk(b"LIST", b"x" * 40)))[0]) == 0


VALUES = np.array([0.0, 0.5, -0.5, -1.0, 0.25])
ENCODINGS = {
    "u8": (8, 1, (VALUES * 128 + 128).astype(np.uint8).tobytes()),
    "s16": (16, 1, (VALUES * 2**15).astype("<i2").tobytes()),
    "s24": (24, 1, b"".join(int(v * 2**23).to_bytes(3, "little", signed=True) for v in VALUES)),
    "s32": (32, 1, (VALUES * 2**31).astype("<i4").tobytes()),
    "f32": (32, 3, VALUES.astype("<f4").tobytes()),
    "f64": (64, 3, VALUES.astype("<f8").tobytes()),
}


@pytest.mark.parametrize("extensible", [False, True])
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_every_encoding_gives_the_same_values(encoding, extensible):
    bits, tag, body = ENCODINGS[encoding]
    guid_tail = bytes.fromhex("000000001000800000aa00389b71")
    extra = struct.pack("<HHIH", 22, bits, 0, tag) + guid_tail if extensible else b""
    header = fmt(48_000, bits=bits, tag=0xFFFE if extensible else tag, extra=extra)
    samples, rate = decode_wav(riff(header, chunk(b"data", body)))
    assert rate == 48_000
    assert samples.dtype == np.float32
    assert samples.tolist() == VALUES.tolist()


def test_channels_are_mixed_down():
    body = np.array([[16384, 0], [0, -16384], [8192, 8192]], "<i2").tobytes()
    assert decode_wav(riff(fmt(8_000, channels=2), chunk(b"data", body)))[0].tolist() == [0.25, -0.25, 0.25]


def test_floats_that_are_no_numbers_become_silence():
    body = np.array([np.nan, np.inf, -np.inf, 0.5], "<f4").tobytes()
    assert decode_wav(riff(fmt(8_000, bits=32, tag=3), chunk(b"data", body)))[0].tolist() == [0.0, 1.0, -1.0, 0.5]


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"ID3\x04 some mp3", "is not a WAV file"),
        (b"", "is not a WAV file"),
        (riff(fmt(16_000)), "no data chunk"),
        (riff(chunk(b"data", b"\0\0")), "before any format"),
        (riff(fmt(16_000, bits=8, tag=7), chunk(b"data", b"\0" * 8)), "mu-law"),
        (riff(fmt(16_000, bits=4, tag=2), chunk(b"data", b"\0" * 8)), "ADPCM"),
        (riff(fmt(7), chunk(b"data", b"\0\0")), "7 Hz"),
        (riff(chunk(b"fmt ", b"\1\0"), chunk(b"data", b"\0\0")), "damaged format"),
    ],
)
def test_what_is_no_such_wav_is_refused_in_one_line_rl03(tmp_path, data, says):
    path = tmp_path / "question.wav"
    path.write_bytes(data)
    with pytest.raises(UsageError) as refused:
        read_wav(path)
    assert says in str(refused.value)
    assert str(path) in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(UsageError, match=r"gone\.wav cannot be read: No such file"):
        read_wav(tmp_path / "gone.wav")


@given(st.binary(max_size=200), st.integers(0, 120), st.binary(max_size=8))
def test_damage_never_raises_anything_but_a_usage_error(tail, at, damage):
    data = bytearray(riff(fmt(16_000), chunk(b"data", b"\1\2" * 20)) + tail)
    data[at : at + len(damage)] = damage
    try:
        samples, _ = decode_wav(bytes(data))
    except UsageError:
        return
    assert samples.dtype == np.float32


def test_written_files_are_read_by_the_standard_library(tmp_path):
    writer = WavWriter(tmp_path / "out.wav", 16_000, channels=2)
    writer.write(np.array([[0.5, -0.5], [2.0, -2.0]], np.float32))
    writer.close()
    writer.close()
    with wave.open(str(tmp_path / "out.wav")) as file:
        assert (file.getnchannels(), file.getframerate(), file.getsampwidth()) == (2, 16_000, 2)
        assert np.frombuffer(file.readframes(9), "<i2").tolist() == [16384, -16384, 32767, -32767]


def test_a_file_that_was_never_closed_is_valid_and_lacks_less_than_a_second(tmp_path):
    writer = WavWriter(tmp_path / "out.wav", 1_000)
    for _ in range(195):
        writer.write(np.full(10, 0.5, np.float32))
    with wave.open(str(tmp_path / "out.wav")) as file:
        assert 1_000 <= file.getnframes() <= 1_950
    writer.close()
    assert len(read_wav(tmp_path / "out.wav")[0]) == 1_950


def test_a_place_that_cannot_be_written_is_refused_in_one_line(tmp_path):
    with pytest.raises(UsageError, match=r"no/folder/out\.wav cannot be written: No such file or directory"):
        WavWriter(tmp_path / "no" / "folder" / "out.wav", 16_000)

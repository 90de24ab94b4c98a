"""WAV files: a reader that takes what programs really write, and a writer whose header is valid at any moment.

Pure functions and one small class; any thread, one at a time.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import numpy as np
from voicetui.engine.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from voicetui.engine.ports import Samples

RATES_HZ = (1_000, 768_000)
"""The lowest and highest sample rate that is believed; outside, the header is damaged."""
ACCEPTED = "WAV with 8, 16, 24 or 32-bit integers or 32 or 64-bit floats is accepted"

_PCM, _FLOAT, _EXTENSIBLE = 1, 3, 0xFFFE
_CODECS = {2: "ADPCM", 6: "A-law", 7: "mu-law", 17: "IMA ADPCM", 49: "GSM", 80: "MPEG", 85: "MP3"}
_UNKNOWN_SIZE = 0xFFFFFFFF
_HEADER = struct.Struct("<4sI4s4sIHHIIHH4sI")


def read_wav(path: str | Path) -> tuple[Samples, int]:
    """Return a WAV file's audio mixed down to mono, shape (n,), float32 in -1 … 1, and its rate in Hz.

    Extra chunks, padded and extensible headers, unknown or wrong data sizes and truncated files are read as far as
    there is sound. Raises `UsageError` naming the file where it cannot be read or is no such WAV.
    """
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}") from None
    return decode_wav(data, name=str(path))


def decode_wav(data: bytes, *, name: str = "the WAV data") -> tuple[Samples, int]:
    """Return the audio of a WAV file's bytes as `read_wav` does; `name` stands in the messages of `UsageError`."""
    if data[:4] not in (b"RIFF", b"RF64") or data[8:12] != b"WAVE":
        raise UsageError(f"{name} is not a WAV file; {ACCEPTED}")
    kind: tuple[int, int, int, int] | None = None
    at = 12
    while at + 8 <= len(data):
        tag, size = data[at : at + 4], int.from_bytes(data[at + 4 : at + 8], "little")
        body = at + 8
        if tag == b"fmt ":
            kind = _format(data[body : body + size], name)
        elif tag == b"data":
            if kind is None:
                raise UsageError(f"{name} has sound before any format chunk; {ACCEPTED}")
            return _samples(data[body : _data_end(data, body, size)], *kind[:3]), kind[3]
        at = body + size + size % 2
    raise UsageError(f"{name} is a WAV file without sound (no data chunk)")


def _format(chunk: bytes, name: str) -> tuple[int, int, int, int]:
    """Return (format, channels, bytes a sample, rate) of a format chunk of 16 bytes or more."""
    if len(chunk) < 16:
        raise UsageError(f"{name} has a damaged format chunk of {len(chunk)} bytes; {ACCEPTED}")
    tag, channels, rate, _, align, bits = struct.unpack_from("<HHIIHH", chunk)
    if tag == _EXTENSIBLE and len(chunk) >= 26:
        (tag,) = struct.unpack_from("<H", chunk, 24)
    width = align // channels if channels and align % channels == 0 and align else (bits + 7) // 8
    if (tag, width) not in {(_PCM, 1), (_PCM, 2), (_PCM, 3), (_PCM, 4), (_FLOAT, 4), (_FLOAT, 8)}:
        codec = _CODECS.get(tag, f"format {tag}" if tag not in (_PCM, _FLOAT) else "samples")
        raise UsageError(f"{name} holds {codec} of {bits} bits; {ACCEPTED}")
    if not channels or not RATES_HZ[0] <= rate <= RATES_HZ[1]:
        lowest, highest = RATES_HZ
        raise UsageError(
            f"{name} claims {channels} channels at {rate} Hz; 1 or more at {lowest} to {highest} Hz are read"
        )
    return tag, channels, width, rate


def _data_end(data: bytes, body: int, size: int) -> int:
    """Return where the sound ends: unknown and overlong sizes mean the end of the file, and so does 0 before sound."""
    end = body + size
    if size == _UNKNOWN_SIZE or end > len(data) or (size == 0 and not _only_chunks(data, body)):
        return len(data)
    return end


def _only_chunks(data: bytes, at: int) -> bool:
    """Tell whether nothing but whole chunks follows: then a data size of 0 was meant."""
    while at + 8 <= len(data):
        size = int.from_bytes(data[at + 4 : at + 8], "little")
        at += 8 + size + size % 2
    return at >= len(data) and at - len(data) <= 1


def _samples(raw: bytes, tag: int, channels: int, width: int) -> Samples:
    raw = raw[: len(raw) - len(raw) % (width * channels)]
    audio = _floats(raw, width) if tag == _FLOAT else _integers(raw, width)
    mono: NDArray[np.float32] = audio if channels == 1 else audio.reshape(-1, channels).mean(axis=1, dtype=np.float32)
    return mono


def _floats(raw: bytes, width: int) -> Samples:
    values = np.frombuffer(raw, "<f4" if width == 4 else "<f8")
    numbers: Samples = np.nan_to_num(values, posinf=1.0, neginf=-1.0).astype(np.float32)
    return numbers


def _integers(raw: bytes, width: int) -> Samples:
    zero = 128.0 if width == 1 else 0.0
    if width == 3:
        wide = np.zeros((len(raw) // 3, 4), np.uint8)
        wide[:, 1:] = np.frombuffer(raw, np.uint8).reshape(-1, 3)
        raw, width = wide.tobytes(), 4
    values = np.frombuffer(raw, {1: "u1", 2: "<i2", 4: "<i4"}[width]).astype(np.float32)
    scaled: Samples = (values - np.float32(zero)) * np.float32(2.0 ** (1 - 8 * width))
    return scaled


class WavWriter:
    """A 16-bit PCM WAV file being written; its sizes are brought up to date once a second and on `close`.

    So a file left by a killed process is valid and lacks a second at most. Raises `UsageError` where the path cannot
    be written. Samples outside -1 … 1 are clipped.
    """

    def __init__(self, path: str | Path, rate_hz: int, channels: int = 1) -> None:
        self.path = Path(path)
        self.rate_hz = rate_hz
        self._channels = channels
        self._bytes = 0
        self._told = 0
        try:
            self._file: BinaryIO = self.path.open("wb", buffering=0)
        except OSError as error:
            raise UsageError(f"{path} cannot be written: {error.strerror or error}") from None
        self._file.write(self._header())

    def write(self, samples: Samples) -> None:
        """Append samples: shape (n,), or (n, channels), float32 in -1 … 1."""
        pcm = (np.clip(samples, -1.0, 1.0) * 32767.0).round().astype("<i2").tobytes()
        self._file.write(pcm)
        self._bytes += len(pcm)
        if self._bytes - self._told >= 2 * self._channels * self.rate_hz:
            self._update()

    def close(self) -> None:
        """Bring the header up to date and close; idempotent."""
        if not self._file.closed:
            self._update()
            self._file.close()

    def _update(self) -> None:
        self._file.seek(0)
        self._file.write(self._header())
        self._file.seek(0, 2)
        self._told = self._bytes

    def _header(self) -> bytes:
        frame = 2 * self._channels
        size = min(self._bytes, _UNKNOWN_SIZE - 36)
        return _HEADER.pack(
            b"RIFF", 36 + size, b"WAVE", b"fmt ", 16, _PCM, self._channels, self.rate_hz,
            self.rate_hz * frame, frame, 16, b"data", size,
        )  # fmt: skip

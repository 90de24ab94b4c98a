"""Sample rates: a streaming converter on libsamplerate, and the whole-array form of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from voicetui.engine.errors import PartError

if TYPE_CHECKING:
    from voicetui.engine.ports import Samples

CONVERTER = "sinc_fastest"
"""97 dB signal to noise, about 10 ms held back (libsamplerate's own figures)."""


class Resampler:
    """Mono audio at one rate in, at another out, block by block; at equal rates blocks pass through untouched.

    What comes out is aligned with what went in: only its last few milliseconds are held back until more comes or
    `flush` is called. One thread at a time. Raises `PartError` (`missing`) without the package `samplerate`.
    """

    def __init__(self, from_hz: int, to_hz: int) -> None:
        self.from_hz, self.to_hz = from_hz, to_hz
        self._taken = 0
        self._given = 0
        self._converter = _converter() if from_hz != to_hz else None

    @property
    def held_back_s(self) -> float:
        """Seconds of audio that went in and have not come out yet."""
        return self._taken / self.from_hz - self._given / self.to_hz

    def process(self, block: Samples) -> Samples:
        """Return what the block, shape (n,) float32, makes available: shape (m,) float32, m may be 0."""
        return self._convert(block, last=False)

    def flush(self) -> Samples:
        """Return what is still held back and begin a new stream; in all, n samples in give n · to / from out."""
        rest = self._convert(np.zeros(0, np.float32), last=True)
        missing = round(self._taken * self.to_hz / self.from_hz) - self._given
        if missing > 0:  # the converter may end a sample short
            rest = np.concatenate([rest, np.zeros(missing, np.float32)])
        self._taken = self._given = 0
        if self._converter is not None:
            self._converter.reset()
        return rest

    def _convert(self, block: Samples, *, last: bool) -> Samples:
        self._taken += len(block)
        made = block
        if self._converter is not None:
            made = self._converter.process(block, self.to_hz / self.from_hz, end_of_input=last)
        limit = round(self._taken * self.to_hz / self.from_hz) - self._given
        made = made[: max(limit, 0)]
        self._given += len(made)
        return made


def resample(samples: Samples, from_hz: int, to_hz: int) -> Samples:
    """Return a whole recording, shape (n,) float32, at another rate."""
    converter = Resampler(from_hz, to_hz)
    return np.concatenate([converter.process(samples), converter.flush()])


def _converter() -> Any:  # noqa: ANN401 - an untyped package's class
    try:
        import samplerate
    except ImportError:
        raise PartError(
            "listen", "audio at another rate needs the package samplerate", fix="pip install samplerate", code="missing"
        ) from None
    return samplerate.Resampler(CONVERTER, channels=1)

"""Sound, microphones, detectors and recognisers made up for the tests of the ears."""

from __future__ import annotations

import numpy as np
from voicetui.engine.errors import PartError

RATE = 16_000
WORDS = ["", "ant", "bee", "cat", "dog", "elk", "fox", "gnu", "hen", "ibis"]
"""No number words: who dictates digits is given more time."""


def silence(seconds: float) -> np.ndarray:
    return np.zeros(round(seconds * RATE), np.float32)


def word(number: int, seconds: float = 0.4) -> np.ndarray:
    """A 500 Hz tone whose amplitude says which word it is."""
    return (number / 10 * np.sin(2 * np.pi * 500 * np.arange(round(seconds * RATE)) / RATE)).astype(np.float32)


def words_in(audio: np.ndarray) -> list[str]:
    """The words in a stretch of sound made of `word` and `silence`."""
    frames = np.abs(audio[: len(audio) - len(audio) % 160]).reshape(-1, 160).max(axis=1)
    found, last = [], 0
    for peak in frames:
        number = round(float(peak) * 10)
        if number and number != last:
            found.append(WORDS[number])
        last = number
    return found


class FakeMicrophone:
    """A fake `AudioIn`: delivers all its sound at once, then ends."""

    name = "fake"
    rate_hz = RATE
    realtime = False
    live = False

    def __init__(self, *pieces: np.ndarray, error: Exception | None = None, ends: bool = True) -> None:
        self.audio = np.concatenate(pieces) if pieces else silence(0)
        self.error, self.ends = error, ends
        self.closed = False

    def start(self, deliver, ended):
        for begin in range(0, len(self.audio), 160):
            block = self.audio[begin : begin + 160]
            deliver(block, 1000.0 + (begin + len(block)) / RATE)
        if self.ends:
            ended(self.error)

    def close(self):
        self.closed = True


class FakeDetector:
    """A fake speech detector: every sound is speech."""

    window = 512

    def probability(self, samples):
        return 0.99 if np.abs(samples).max() > 0.02 else 0.01


class FakeRecogniser:
    """A fake `Recogniser` that hears the words of `word`; it dies when told to, and then has forgotten everything."""

    name = "fake"

    def __init__(self, *, dies_at: tuple[int, ...] = (), dies_for_good: bool = False) -> None:
        self.audio = silence(0)
        self.calls = 0
        self.turns: list[np.ndarray] = []
        self.dies_at, self.dies_for_good = dies_at, dies_for_good
        self.closed = self.warm = False

    async def warmup(self):
        self.warm = True

    async def reset(self):
        self.audio = silence(0)

    async def accept(self, samples):
        self.calls += 1
        if self.dies_for_good or self.calls in self.dies_at:
            self.audio = silence(0)
            raise PartError("listen", "the recogniser's process died (killed by SIGKILL)", code="died")
        self.audio = np.concatenate([self.audio, samples])

    async def draft(self):
        return " ".join(words_in(self.audio))

    async def final(self):
        self.turns.append(self.audio)
        return " ".join(words_in(self.audio))

    async def aclose(self):
        self.closed = True

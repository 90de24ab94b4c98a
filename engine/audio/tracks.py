"""What a playback holds: the sentences of one reply, in order, with the samples that have come and how far they got.

A producer appends, the audio callback takes: every change that the other side sees is one attribute or one append.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from voicetui.engine.ports import Samples

AUDIBLE = 0.001
"""A sample of this size can be heard: -60 dBFS."""


class Line:
    """One sentence: its samples so far and the place of the next one to play."""

    def __init__(self, key: object, hold: int) -> None:
        self.key = key
        self.total = 0
        """Samples that have come."""
        self.played = 0
        """Samples that were handed to the loudspeaker; goes back with `seek`."""
        self.done = False
        """Whether no more will come."""
        self.audible_from: int | None = None
        """The first sample that can be heard, where it has come."""
        self.audible_told = False
        self.paused_at: int | None = None
        """Where a pause began."""
        self._hold = hold
        self._chunks: list[Samples] = []
        self._at = (0, 0)
        self._end_ticket = [True]

    @property
    def started(self) -> bool:
        """Whether any of it was handed to the loudspeaker."""
        return self.played > 0

    @property
    def over(self) -> bool:
        """Whether its last sample was handed over."""
        return self.done and self.played >= self.total

    def append(self, samples: Samples) -> None:
        """Add samples; the producer's side."""
        samples = np.ascontiguousarray(samples, np.float32)
        if self.audible_from is None:
            loud = np.abs(samples) > AUDIBLE
            if loud.any():
                self.audible_from = self.total + int(loud.argmax())
        self._chunks.append(samples)
        self.total += len(samples)

    def end_once(self) -> bool:
        """Return True to the first caller: whoever gets it reports the end."""
        try:
            return self._end_ticket.pop()
        except IndexError:
            return False

    def starved(self, *, resting: bool) -> bool:
        """Tell whether more samples must come first: enough is kept back to fade out with, twice that to begin."""
        if self.done:
            return False
        reserve = self._hold * 2 if resting or not self.started else self._hold
        return self.total - self.played <= reserve

    def take(self, room: Samples, *, to_the_last: bool) -> int:
        """Copy the next samples into `room` and return how many; what is kept back only with `to_the_last`."""
        there = self.total - self.played - (0 if self.done or to_the_last else self._hold)
        wanted = min(len(room), max(there, 0))
        n = 0
        index, offset = self._at
        while n < wanted:
            chunk = self._chunks[index]
            step = min(len(chunk) - offset, wanted - n)
            room[n : n + step] = chunk[offset : offset + step]
            n, offset = n + step, offset + step
            if offset == len(chunk):
                index, offset = index + 1, 0
        self._at = (index, offset)
        self.played += n
        return n

    def forget_audio(self) -> None:
        """Free the samples."""
        self._chunks = []

    def seek(self, sample: int) -> None:
        """Go to a sample that has come."""
        self.played = rest = min(max(sample, 0), self.total)
        index = 0
        while index < len(self._chunks) and rest >= len(self._chunks[index]):
            rest -= len(self._chunks[index])
            index += 1
        self._at = (index, rest)


class Track:
    """Everything that was appended between two cuts; a cut puts an empty one in its place."""

    def __init__(self, number: int, hold: int) -> None:
        self.number = number
        self.paused = False
        self.ducked = False
        self.back_to: int | None = None
        """Where to go on after a pause, in samples of the sentence under way."""
        self.lines: dict[object, Line] = {}
        self._order: deque[Line] = deque()
        self._last: Line | None = None
        self._hold = hold

    def find(self, key: object) -> Line | None:
        """Return a sentence that waits or plays, or the one that ended last."""
        line = self.lines.get(key)
        if line is None and self._last is not None and self._last.key == key:
            return self._last
        return line

    def line(self, key: object) -> Line:
        """Return a sentence, a new one at the end of the queue."""
        line = self.lines.get(key)
        if line is None:
            line = self.lines[key] = Line(key, self._hold)
            self._order.append(line)
        return line

    def next_line(self) -> Line | None:
        """Return the sentence to play from."""
        return self._order[0] if self._order else None

    def drop_first(self) -> None:
        """Forget the sentence that has ended, all but its figures."""
        self._last = line = self._order.popleft()
        self.lines.pop(line.key, None)
        line.forget_audio()

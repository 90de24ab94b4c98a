"""Both sides of a conversation in one stereo WAV file on one time line: left the user, right the agent.

Blocks are handed over by the audio threads through a queue and written by the thread `voicetui-recorder`.
"""

from __future__ import annotations

import threading
import time
from queue import SimpleQueue
from typing import TYPE_CHECKING

import numpy as np
from voicetui.engine.audio.resample import Resampler
from voicetui.engine.audio.wav_file import WavWriter
from voicetui.engine.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from voicetui.engine.ports import AudioIn, AudioOut, Samples

RATE_HZ = 16_000
SETTLE_S = 0.5
"""What lies this far in the past is written: no block comes that late, no loudspeaker is that far ahead."""
JITTER_S = 0.03
"""Blocks whose moment is this close to the end of the one before follow it without a gap."""
_EVERY_S = 0.2
_LEFT, _RIGHT = 0, 1


class Recorder:
    """Records what an `AudioIn` delivers and an `AudioOut` is filled with: wrap both, pass the wrapped ones on.

    The file begins with the first block of either; `RATE_HZ`, 16 bits, two channels. Raises `UsageError` where it
    cannot be written. `close` completes it; idempotent.
    """

    def __init__(self, path: str | Path) -> None:
        self._writer = WavWriter(path, RATE_HZ, channels=2)
        self._queue: SimpleQueue[tuple[int, Samples, float]] = SimpleQueue()
        self._sides: dict[int, _Side] = {}
        self._zero_s: float | None = None
        self._written = 0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="voicetui-recorder", daemon=True)
        self._thread.start()

    @classmethod
    def in_folder(cls, folder: Path) -> Recorder:
        """Return a recorder of a new file in a folder, made where it is missing, named by date and time."""
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"{folder} cannot be made: {error.strerror or error}") from None
        return cls(folder / time.strftime("conversation-%Y%m%d-%H%M%S.wav"))

    def hear(self, source: AudioIn) -> AudioIn:
        """Return the microphone, recorded on the left."""
        return _HeardIn(source, self._side(_LEFT, source.rate_hz))

    def play(self, out: AudioOut) -> AudioOut:
        """Return the loudspeaker, recorded on the right."""
        return _PlayedOut(out, self._side(_RIGHT, out.rate_hz))

    def close(self) -> None:
        """Write what is left and complete the file."""
        self._stop.set()
        self._thread.join(5.0)

    def _side(self, side: int, rate_hz: int) -> Callable[[Samples, float], None]:
        self._sides[side] = _Side(rate_hz)
        return lambda block, begins_s: self._queue.put((side, block.copy(), begins_s))

    def _run(self) -> None:
        stopped = False
        while not stopped:
            stopped = self._stop.wait(_EVERY_S)
            while not self._queue.empty():
                self._place(*self._queue.get())
            self._write(None if stopped else time.monotonic() - SETTLE_S)
        self._writer.close()

    def _place(self, side: int, block: Samples, begins_s: float) -> None:
        if self._zero_s is None:
            self._zero_s = begins_s
        self._sides[side].add(block, begins_s - self._zero_s)

    def _write(self, until_s: float | None) -> None:
        """Write up to a moment, or all that there is."""
        if self._zero_s is None:
            return
        end = max((side.end for side in self._sides.values()), default=0)
        if until_s is not None:
            end = min(end, int((until_s - self._zero_s) * RATE_HZ))
        if end <= self._written:
            return
        frames = np.zeros((end - self._written, 2), np.float32)
        for channel, side in self._sides.items():
            frames[:, channel] = side.take(self._written, end)
        self._writer.write(frames)
        self._written = end


class _Side:
    """One side's audio that is not written yet, placed by its moments on the common time line."""

    def __init__(self, rate_hz: int) -> None:
        self._resampler = Resampler(rate_hz, RATE_HZ)
        self._begin = 0
        self._audio = np.zeros(0, np.float32)

    @property
    def end(self) -> int:
        """The sample after the last one."""
        return self._begin + len(self._audio)

    def add(self, block: Samples, at_s: float) -> None:
        """Append a block, after silence where time has passed since the one before."""
        gap = round((at_s - self._resampler.held_back_s) * RATE_HZ) - self.end
        pieces = [self._audio, self._resampler.process(block)]
        if gap > JITTER_S * RATE_HZ:
            pieces.insert(1, np.zeros(gap, np.float32))
        self._audio = np.concatenate(pieces)

    def take(self, begin: int, end: int) -> Samples:
        """Return [begin, end) and forget it: silence where there is nothing."""
        taken = np.zeros(end - begin, np.float32)
        first, last = max(begin, self._begin), min(end, self.end)
        if last > first:
            taken[first - begin : last - begin] = self._audio[first - self._begin : last - self._begin]
        self._audio = self._audio[max(end - self._begin, 0) :]
        self._begin = max(self._begin, end)
        return taken


class _HeardIn:
    """A microphone whose blocks are recorded."""

    def __init__(self, source: AudioIn, record: Callable[[Samples, float], None]) -> None:
        self._source, self._record = source, record
        self.name, self.rate_hz = source.name, source.rate_hz
        self.realtime = bool(getattr(source, "realtime", True))
        self.live = bool(getattr(source, "live", False))

    def start(self, deliver: Callable[[Samples, float], None], ended: Callable[[Exception | None], None]) -> None:
        def both(block: Samples, at_s: float) -> None:
            self._record(block, at_s - len(block) / self.rate_hz)
            deliver(block, at_s)

        self._source.start(both, ended)

    def close(self) -> None:
        self._source.close()


class _PlayedOut:
    """A loudspeaker whose blocks are recorded."""

    def __init__(self, out: AudioOut, record: Callable[[Samples, float], None]) -> None:
        self._out, self._record = out, record
        self.name, self.rate_hz = out.name, out.rate_hz

    def start(self, fill: Callable[[Samples, float], None], ended: Callable[[Exception | None], None]) -> None:
        def both(block: Samples, heard_at_s: float) -> None:
            fill(block, heard_at_s)
            self._record(block, heard_at_s)

        self._out.start(both, ended)

    def close(self) -> None:
        self._out.close()

"""From a microphone's blocks of 10 ms to windows of 32 ms with their probability of speech.

The detector runs on the thread `voicetui-ears`, so that neither the microphone's thread nor the loop waits for it.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from queue import SimpleQueue
from typing import TYPE_CHECKING, Protocol

import numpy as np
from voicetui.engine.errors import PartError
from voicetui.engine.events import DeviceChanged
from voicetui.engine.listen.pure_silence import PureSilence

if TYPE_CHECKING:
    from collections.abc import Callable

    from voicetui.engine.ports import AudioIn, Samples

RATE_HZ = 16_000
_JOIN_S = 2.0


class Detector(Protocol):
    """Tells speech from other sound, window by window, on one thread."""

    window: int
    """Samples a window, at 16 kHz."""

    def probability(self, samples: Samples) -> float:
        """Return how probable speech is, 0 … 1, in the next window: shape (window,) float32."""


@dataclass(frozen=True, slots=True)
class Window:
    """A stretch of audio: shape (n,) float32 at 16 kHz, `at_s` the moment of its last sample's capture."""

    samples: Samples
    probability: float
    at_s: float


@dataclass(frozen=True, slots=True)
class EndOfAudio:
    """No more will come; `error` says why where it was no file's end."""

    error: Exception | None


Found = Window | DeviceChanged | EndOfAudio


class Windows:
    """Starts a microphone and tells, from its own thread, what is found in its sound, in order."""

    def __init__(self, source: AudioIn, detector: Detector, tell: Callable[[Found], None]) -> None:
        self.level = 0.0
        """RMS of the block last heard, 0 … 1: to be polled."""
        self.muted = False
        """While set, blocks count as silence; the time line goes on."""
        self._source, self._detector, self._tell = source, detector, tell
        self._blocks: SimpleQueue[tuple[Samples, float] | EndOfAudio | None] = SimpleQueue()
        self._pure_silence = PureSilence(live=bool(getattr(source, "live", True)))
        self._thread = threading.Thread(target=self._run, name="voicetui-ears", daemon=True)

    def start(self) -> None:
        """Start the thread and the microphone. Raises what the microphone's `start` raises."""
        self._thread.start()
        self._source.start(
            lambda block, at_s: self._blocks.put((block, at_s)), lambda error: self._blocks.put(EndOfAudio(error))
        )

    def close(self) -> None:
        """Release the microphone and end the thread; idempotent."""
        self._source.close()
        self._blocks.put(None)
        if self._thread.is_alive():
            self._thread.join(_JOIN_S)

    def _run(self) -> None:
        try:
            self._listen()
        except Exception as error:  # noqa: BLE001 - the top of the thread: the ears are told
            self._tell(EndOfAudio(PartError("listen", f"the speech detector failed: {error}")))

    def _listen(self) -> None:
        size = self._detector.window
        rest, at_s = np.zeros(0, np.float32), 0.0
        while (item := self._blocks.get()) is not None:
            if isinstance(item, EndOfAudio):
                if len(rest):
                    missing = size - len(rest)
                    self._window(np.concatenate([rest, np.zeros(missing, np.float32)]), at_s + missing / RATE_HZ)
                self._tell(item)
                return
            block, at_s = self._level(item[0]), item[1]
            rest = np.concatenate([rest, block])
            while len(rest) >= size:
                self._window(rest[:size], at_s - (len(rest) - size) / RATE_HZ)
                rest = rest[size:]

    def _level(self, block: Samples) -> Samples:
        if (change := self._pure_silence.step(silent=not block.any(), length_s=len(block) / RATE_HZ)) is not None:
            self._tell(change)
        if self.muted:
            block = np.zeros_like(block)
        self.level = float(np.sqrt(np.dot(block, block) / max(len(block), 1)))
        return block

    def _window(self, samples: Samples, at_s: float) -> None:
        self._tell(Window(samples, self._detector.probability(samples), at_s))

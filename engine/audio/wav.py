"""WAV files as microphone and loudspeaker, on the real time line: what a device does, without a device.

Each has its own thread (`voicetui-wav-in`, `voicetui-wav-out`), paced against `time.monotonic()` without drift.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from voicetui.engine.audio.pump import BLOCK_S, Pump, StartLine
from voicetui.engine.audio.resample import resample
from voicetui.engine.audio.wav_file import WavWriter, decode_wav, read_wav
from voicetui.engine.errors import PartError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from voicetui.engine.ports import Samples

__all__ = ["NullOut", "StartLine", "WavIn", "WavOut", "decode_wav", "read_wav"]

RATE_HZ = 16_000
"""What every microphone delivers."""
TAIL_S = 2.0
"""Silence after the last file: longer than any pause that the ears wait for, so the last turn ends as a live one."""
OUT_RATE_HZ = 24_000
_BLOCK = round(BLOCK_S * RATE_HZ)


class WavIn:
    """One or more WAV files as a microphone (`AudioIn`), each followed by `gap_s` of silence, all of it `repeat` times.

    In real time the block `k` of 10 ms is delivered at the start + (k + 1) · 10 ms; with `realtime=False` all of it at
    once, and the moments are those of delivery. After the last file come `tail_s` of silence, then `ended(None)`: the
    ears commit what is left, and the conversation ends after its last reply. Raises `UsageError` on a file that is no
    WAV or holds no sound.
    """

    def __init__(
        self,
        paths: str | Path | Iterable[str | Path],
        *,
        realtime: bool = True,
        gap_s: float = 0.0,
        repeat: int = 1,
        tail_s: float = TAIL_S,
        start: StartLine | None = None,
    ) -> None:
        names = [paths] if isinstance(paths, str | Path) else list(paths)
        self.name = ", ".join(Path(name).name for name in names)
        self.rate_hz = RATE_HZ
        self.realtime = realtime
        self.live = False
        gap = np.zeros(round(gap_s * RATE_HZ), np.float32)
        pieces = [piece for name in names for piece in (gap, _sound(name))][1:]
        audio = np.concatenate([*([*pieces, gap] * repeat)[:-1], np.zeros(round(tail_s * RATE_HZ), np.float32)])
        self._audio: Samples = np.concatenate([audio, np.zeros(-len(audio) % _BLOCK, np.float32)])
        self._start = start
        self._pump: Pump | None = None

    @property
    def duration_s(self) -> float:
        """How long it delivers, the silence at the end included."""
        return len(self._audio) / self.rate_hz

    def start(self, deliver: Callable[[Samples, float], None], ended: Callable[[Exception | None], None]) -> None:
        """Begin (see `AudioIn`); `deliver` is called on this microphone's own thread."""
        blocks = self._audio.reshape(-1, _BLOCK)

        def step(k: int, due_s: float) -> bool:
            if k < len(blocks):
                deliver(blocks[k].copy(), due_s)
            return k + 1 < len(blocks)

        def done(error: Exception | None) -> None:
            ended(PartError("listen", f"{self.name}: {error}") if error is not None else None)

        self._pump = Pump("voicetui-wav-in", step, done, start=self._start, ahead=1, realtime=self.realtime)
        self._pump.start()

    def close(self) -> None:
        """Stop; idempotent."""
        if self._pump is not None:
            self._pump.close()


class NullOut:
    """A loudspeaker that nobody hears (`AudioOut`): paced as a real one, so that timing and floor are real.

    The block `k` of 10 ms is filled, and heard, at the start + k · 10 ms.
    """

    def __init__(self, *, rate_hz: int = OUT_RATE_HZ, start: StartLine | None = None) -> None:
        self.name = "none"
        self.rate_hz = rate_hz
        self._start = start
        self._pump: Pump | None = None

    def start(self, fill: Callable[[Samples, float], None], ended: Callable[[Exception | None], None]) -> None:
        """Begin (see `AudioOut`); with a `StartLine`, when the microphone begins."""
        edges = self.rate_hz * BLOCK_S  # at 22,050 Hz blocks of 220 and 221 samples alternate

        def step(k: int, due_s: float) -> bool:
            block = np.zeros(round((k + 1) * edges) - round(k * edges), np.float32)
            fill(block, due_s)
            self._keep(block)
            return True

        def done(error: Exception | None) -> None:
            ended(PartError("play", f"{self.name}: {error}") if error is not None else None)

        self._pump = Pump("voicetui-wav-out", step, done, start=self._start, waits=True)
        self._pump.start()

    def close(self) -> None:
        """Stop; idempotent."""
        if self._pump is not None:
            self._pump.close()

    def _keep(self, block: Samples) -> None:
        """Do what there is to do with a block that was filled: here nothing."""


class WavOut(NullOut):
    """A WAV file as a loudspeaker (`AudioOut`): 16-bit mono, silence included, its first sample the start.

    Raises `UsageError` at once where the file cannot be written. A file left by a killed process is valid and lacks a
    second at most.
    """

    def __init__(self, path: str | Path, *, rate_hz: int = OUT_RATE_HZ, start: StartLine | None = None) -> None:
        super().__init__(rate_hz=rate_hz, start=start)
        self.name = Path(path).name
        self._writer = WavWriter(path, rate_hz)

    def close(self) -> None:
        """Stop and complete the file; idempotent."""
        super().close()
        self._writer.close()

    def _keep(self, block: Samples) -> None:
        self._writer.write(block)


def _sound(path: str | Path) -> Samples:
    samples, rate = read_wav(path)
    if not len(samples):
        raise UsageError(f"{path} holds no sound (0 samples at {rate} Hz; it would be heard at {RATE_HZ} Hz)")
    return resample(samples, rate, RATE_HZ)

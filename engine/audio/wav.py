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
    from collections.abc import Callable, Iterable, Iterator

    from voicetui.engine.ports import Samples

__all__ = ["NullOut", "StartLine", "WavIn", "WavOut", "decode_wav", "read_wav"]

RATE_HZ = 16_000
"""What every microphone delivers."""
TAIL_S = 2.0
"""Silence after the last file: longer than any pause that the ears wait for, so the last turn ends as a live one."""
FREE_S = 2.0
"""Longer than any silence within a turn."""
PATIENCE_S = 60.0
"""A file that waits for the conversation comes after so long a silence anyway."""
OUT_RATE_HZ = 24_000
_BLOCK = round(BLOCK_S * RATE_HZ)


class WavIn:
    """One or more WAV files as a microphone (`AudioIn`), each followed by `gap_s` of silence, all of it `repeat` times.

    In real time the block `k` of 10 ms is delivered at the start + (k + 1) · 10 ms; with `realtime=False` all of it at
    once, and the moments are those of delivery. After the last file come `tail_s` of silence, then `ended(None)`: the
    ears commit what is left, and the conversation ends after its last reply. With `waits` the silence between two files
    lasts until `free()` has been true for `FREE_S`, so that each file is a turn that is answered before the next one;
    after `PATIENCE_S` the next comes anyway. Raises `UsageError` on a file that is no WAV or holds no sound.
    """

    def __init__(
        self,
        paths: str | Path | Iterable[str | Path],
        *,
        realtime: bool = True,
        gap_s: float = 0.0,
        repeat: int = 1,
        tail_s: float = TAIL_S,
        waits: bool = False,
        start: StartLine | None = None,
    ) -> None:
        names = [paths] if isinstance(paths, str | Path) else list(paths)
        self.name = ", ".join(Path(name).name for name in names)
        self.rate_hz = RATE_HZ
        self.realtime = realtime
        self.live = False
        files = [_blocks(_sound(name)) for name in names]
        gap, tail = (_blocks(np.zeros(round(seconds * RATE_HZ), np.float32)) for seconds in (gap_s, tail_s))
        self._stretches = [*[stretch for file in files * repeat for stretch in (gap, file)][1:], tail]
        self._files_end = {2 * n for n in range(len(files) * repeat - 1)} if waits else set()
        self.free: Callable[[], bool] = lambda: True
        """Whether nobody has anything to say just now; asked on this microphone's thread."""
        self._start = start
        self._pump: Pump | None = None

    @property
    def duration_s(self) -> float:
        """How long it delivers, the silence at the end included, and without what it waits between files."""
        return sum(len(stretch) for stretch in self._stretches) * BLOCK_S

    def start(self, deliver: Callable[[Samples, float], None], ended: Callable[[Exception | None], None]) -> None:
        """Begin (see `AudioIn`); `deliver` is called on this microphone's own thread."""
        blocks = self._all_blocks()

        def step(_: int, due_s: float) -> bool:
            block = next(blocks, None)
            if block is not None:
                deliver(block, due_s)
            return block is not None

        def done(error: Exception | None) -> None:
            ended(PartError("listen", f"{self.name}: {error}") if error is not None else None)

        self._pump = Pump("voicetui-wav-in", step, done, start=self._start, ahead=1, realtime=self.realtime)
        self._pump.start()

    def _all_blocks(self) -> Iterator[Samples]:
        for number, stretch in enumerate(self._stretches):
            for block in stretch:
                yield block.copy()
            if number in self._files_end:
                yield from self._wait()

    def _wait(self) -> Iterator[Samples]:
        free = 0
        for _ in range(round(PATIENCE_S / BLOCK_S)):
            free = free + 1 if self.free() else 0
            if free * BLOCK_S >= FREE_S:
                return
            yield np.zeros(_BLOCK, np.float32)

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


def _blocks(audio: Samples) -> Samples:
    """Return audio as blocks of 10 ms, shape (n, 160), silence filling the last."""
    return np.concatenate([audio, np.zeros(-len(audio) % _BLOCK, np.float32)]).reshape(-1, _BLOCK)


def _sound(path: str | Path) -> Samples:
    samples, rate = read_wav(path)
    if not len(samples):
        raise UsageError(f"{path} holds no sound (0 samples at {rate} Hz; it would be heard at {RATE_HZ} Hz)")
    return resample(samples, rate, RATE_HZ)

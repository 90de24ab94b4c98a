"""Where exactly did the voice begin and end: the energy around the moment at which the detector changed its mind.

Silero changes it 20 to 110 ms after the first sample and 20 to 110 ms after the last one, but also before the burst of
a final t or p. The figures of this method are in docs/listening.md.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from voicetui.engine.ports import Samples

RATE_HZ = 16_000
FRAME = 80
"""5 ms."""
KEPT_S = 2.5
NOISE_S = 3.0
AUDIBLE_SHARE = 0.012
"""The voice's own fading ends at this share of its loud frames: -38 dB."""
OVER_NOISE = 1.5
"""A frame stands out from the noise at this multiple of its louder tenth."""
BURST_OVER_NOISE = 3.0
"""And so far above, for two frames in a row, after the detector has heard the end."""
LOOK_BACK_S = 0.25
GAP_S = 0.04
BACK_FROM_END_S = 0.4
OVERHANG_S = 0.07
"""How much too long the detector hears a voice, typically: what is known where noise hides its end."""


class Voicing:
    """The last seconds of audio with the levels of voice and noise in it. Samples are counted from the first one."""

    def __init__(self) -> None:
        self.end = 0
        """The sample after the last one."""
        self._recent: Samples = np.zeros(0, np.float32)
        self._noise: deque[float] = deque(maxlen=round(NOISE_S * RATE_HZ / FRAME))
        self._voice: list[float] = []

    def add(self, samples: Samples, *, voiced: bool) -> None:
        """Take the next samples, a multiple of 5 ms or so, and whether a turn is under way."""
        if voiced:
            self._voice.extend(_levels(samples).tolist())
        else:
            self._noise.extend(_levels(samples).tolist())
        self._recent = np.concatenate([self._recent, samples])[-round(KEPT_S * RATE_HZ) :]
        self.end += len(samples)

    def since(self, begin: int) -> Samples:
        """Return the audio from a sample on, as far back as it is kept."""
        return self._recent[max(begin - self.end + len(self._recent), 0) :].copy()

    def onset(self, window: int) -> int:
        """Return the first voiced sample of a speech that was detected in the last `window` samples."""
        self._voice = _levels(self._recent[-window:]).tolist()
        begin = max(self.end - round(LOOK_BACK_S * RATE_HZ), self.end - len(self._recent))
        loud = np.flatnonzero(_levels(self.since(begin)) > self._threshold(OVER_NOISE))
        if not len(loud):
            return self.end - window
        breaks = np.flatnonzero(np.diff(loud) * FRAME > GAP_S * RATE_HZ)
        first = loud[breaks[-1] + 1] if len(breaks) else loud[0]
        return int(begin + first * FRAME)

    def last_voice(self, silent_from: int) -> int:
        """Return the sample after the last voiced one, where the detector hears silence from `silent_from` on."""
        begin = max(silent_from - round(BACK_FROM_END_S * RATE_HZ), self.end - len(self._recent), 0)
        levels = _levels(self.since(begin))
        loud = levels > self._threshold(OVER_NOISE)
        after = (silent_from - begin) // FRAME
        burst = levels > self._threshold(BURST_OVER_NOISE)
        if self._floor() * BURST_OVER_NOISE > self._audible():
            burst[1:] &= burst[:-1].copy()
        loud[after:] = burst[after:]
        heard = np.flatnonzero(loud)
        found = int(begin + (heard[-1] + 1) * FRAME) if len(heard) else silent_from
        hidden = self._floor() * OVER_NOISE > 2 * self._audible()
        return max(found, silent_from - round(OVERHANG_S * RATE_HZ)) if hidden else found

    def _threshold(self, over_noise: float) -> float:
        return max(self._floor() * over_noise, self._audible())

    def _floor(self) -> float:
        return _share(self._noise, 0.9)

    def _audible(self) -> float:
        return AUDIBLE_SHARE * _share(self._voice, 0.95)


def _share(values: Sequence[float], share: float) -> float:
    """Return the value below which that share of all lies (`np.quantile` takes 0.1 s when it is first called)."""
    return sorted(values)[int(share * (len(values) - 1))] if values else 0.0


def _levels(samples: Samples) -> Samples:
    """Return the RMS of each whole frame of 5 ms."""
    whole = len(samples) - len(samples) % FRAME
    levels: Samples = np.sqrt(np.mean(samples[:whole].reshape(-1, FRAME) ** 2, axis=1, dtype=np.float32))
    return levels

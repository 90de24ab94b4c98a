"""When was a block captured, when is it heard: what drivers say about it, made fit for use. Pure."""

from __future__ import annotations

import math

AGREE_S = 0.05
"""Stated moments that are this close to the steady ones confirm them."""
JUMP_AFTER = 25
"""So many blocks in a row that disagree: audio was lost, the steady time line begins anew."""
EARLIER_S = 0.001
LATER_S = 0.0001
"""A block may move the time line so far: a stated moment is often too late, seldom too early."""


def capture_moment(now_s: float, adc_s: float, current_s: float, length_s: float) -> float:
    """Return when a block's last sample was captured, on the clock of `now_s`, from the stream's own times.

    Drivers report these times badly or not at all: what is not within 0.3 s before now is taken for 10 ms ago.
    """
    moment = now_s - (current_s - adc_s) + length_s if adc_s > 0 else math.nan
    return moment if now_s - 0.3 <= moment <= now_s else now_s - 0.01


def heard_moment(now_s: float, dac_s: float, current_s: float, latency_s: float) -> float:
    """Return when a block's first sample is heard, from the stream's own times, or else from its stated latency."""
    moment = now_s + (dac_s - current_s) if dac_s > 0 else math.nan
    return moment if now_s <= moment <= now_s + 0.5 else now_s + min(max(latency_s, 0.0), 0.5)


class CaptureClock:
    """A steady time line under the stated moments of capture: blocks that come in a burst were not captured in one."""

    def __init__(self, rate_hz: int) -> None:
        self._rate_hz = rate_hz
        self._count = 0
        self._zero_s = math.nan
        self._disagree = 0

    def moment(self, stated_s: float, frames: int, now_s: float) -> float:
        """Return when the last of the next `frames` samples was captured; never later than now."""
        self._count += frames
        zero_s = stated_s - self._count / self._rate_hz
        off = zero_s - self._zero_s
        self._disagree = 0 if abs(off) < AGREE_S else self._disagree + 1
        if math.isnan(off) or self._disagree >= JUMP_AFTER:
            self._zero_s, self._disagree = zero_s, 0
        else:
            self._zero_s += min(max(off, -EARLIER_S), LATER_S)
        return min(self._zero_s + self._count / self._rate_hz, now_s)

"""How much of a cut reply still leaves the gate: samples after the cut, and later, beside what is said next.

The gate is the one that plays, filled in blocks of 10 ms as a loudspeaker would; the device's own latency comes on top.
"""

from __future__ import annotations

import random

import numpy as np
from voicetui.engine.audio.playback import Playback
from voicetui.engine.bench.figure import Figure

RATE_HZ = 24_000
BLOCK = RATE_HZ // 100
SEED = 7
METHOD = "{} cuts between blocks of 10 ms, each of other noise and after another time; seed {}"
REPLY, NEXT = "reply", "next"
LATER_BLOCKS = 50


def run(cuts: int = 200, seed: int = SEED) -> list[Figure]:
    """Cut noise after so many random times and return what was heard of it."""
    chance = random.Random(seed)
    counted = [cut_once(chance.randrange(5, 150), chance.getrandbits(32)) for _ in range(cuts)]
    played, later = ([float(one[n]) for one in counted] for n in (0, 1))
    method = METHOD.format(cuts, seed)
    return [
        Figure(
            name="stop.samples-after-cut",
            value=max(played),
            unit=f"samples at {RATE_HZ} Hz",
            samples=played,
            method=method,
            goal=float(BLOCK),
        ),
        Figure(
            name="stop.samples-heard-later", value=sum(later), unit="samples", samples=later, method=method, goal=0.0
        ),
    ]


def cut_once(blocks: int, seed: int) -> tuple[int, int]:
    """Play noise for so many blocks, cut it, go on handing it over, and play a constant.

    Return the samples up to the last one heard in the first block after the cut, and the count of those heard later.
    """
    gate = Playback(RATE_HZ)
    try:
        noise = np.random.default_rng(seed).uniform(-0.3, 0.3, 2 * RATE_HZ).astype(np.float32)
        number = gate.reply
        gate.append(number, REPLY, noise)
        out = np.zeros(BLOCK, np.float32)
        for block in range(blocks):
            gate.fill(out, block * 0.01)
        gate.cut()
        gate.append(number, REPLY, noise)
        gate.fill(out, blocks * 0.01)
        first = int(np.max(np.flatnonzero(out), initial=-1)) + 1
        later = 0
        for block in range(LATER_BLOCKS):
            if block == LATER_BLOCKS // 2:
                gate.append(gate.reply, NEXT, np.full(RATE_HZ, 0.5, np.float32))
            gate.fill(out, (blocks + 1 + block) * 0.01)
            later += int(np.count_nonzero((out != 0.0) & (out != np.float32(0.5))))
        return first, later
    finally:
        gate.close()

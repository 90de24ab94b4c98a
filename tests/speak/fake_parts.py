"""Fakes: a synthesiser that makes a tone a word, and a loudspeaker that a test drives block by block."""

import asyncio

import numpy as np
from voicetui.engine.speak.synthesiser import Chunk

RATE_HZ = 8000
WORD_S = 0.5
BLOCK = 80
"""10 ms."""


class FakeSynthesiser:
    """Says each word for half a second, the last 0.1 s of it silent. `faults` are raised before a chunk, in turn.

    A text with "|" comes in several chunks. While `hold` is cleared nothing is made; `asked` lists every request.
    """

    name = "fake"

    def __init__(self, *faults, rate_hz=RATE_HZ):
        self.on_replaced = None
        self.faults = list(faults)
        self.rate_hz = rate_hz
        self.asked, self.closed = [], []
        self.hold = asyncio.Event()
        self.hold.set()
        self.began = asyncio.Event()

    async def start(self):
        pass

    async def synthesise(self, text):
        self.asked.append(text)
        try:
            for clause in text.split("|"):
                self.began.set()
                await self.hold.wait()
                if self.faults and (fault := self.faults.pop(0)) is not None:
                    raise fault
                yield self.said(clause.strip())
        except (asyncio.CancelledError, GeneratorExit):
            self.closed.append(text)
            raise

    def said(self, text):
        words = text.split()
        sound = np.full(round((WORD_S - 0.1) * self.rate_hz), 0.5, np.float32)
        word = np.concatenate([sound, np.zeros(round(0.1 * self.rate_hz), np.float32)])
        spans = [(n * WORD_S, (n + 1) * WORD_S - 0.1) for n in range(len(words))]
        return Chunk(text, np.tile(word, len(words)), self.rate_hz, spans)

    async def aclose(self):
        pass


class ArrayOut:
    """A loudspeaker whose blocks are asked for by `play`; what it was given is in `heard`."""

    name = "array"

    def __init__(self, rate_hz=RATE_HZ):
        self.rate_hz = rate_hz
        self.heard = np.zeros(0, np.float32)
        self.closed = False

    def start(self, fill, ended):
        self._fill, self.ended = fill, ended

    def close(self):
        self.closed = True

    def play(self, seconds):
        """Play so much and return it."""
        start = len(self.heard)
        for _ in range(round(seconds * self.rate_hz / BLOCK)):
            block = np.full(BLOCK, np.nan, np.float32)
            self._fill(block, len(self.heard) / self.rate_hz)
            self.heard = np.concatenate([self.heard, block])
        return self.heard[start:]

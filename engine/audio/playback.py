"""The gate between a voice and a loudspeaker: what is queued is heard, until one call makes it silent.

`fill` runs in the audio callback: it takes no lock and waits for nobody. A voice appends on one thread; `cut`, `pause`,
`resume` and `duck` may be called from any. They meet only in attributes that are swapped whole, and in `deque`s. What
happened is told by the thread `voicetui-playback`, never by the callback.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from voicetui.engine.audio.reports import Reporter
from voicetui.engine.audio.tracks import Line, Track

if TYPE_CHECKING:
    from collections.abc import Callable

    from voicetui.engine.ports import Samples

FADE_S = 0.005
"""Every silence begins with a fade of this length, and every return of the voice in mid-word with another."""
DUCK_GAIN = 0.25
"""A ducked voice plays 12 dB lower."""
DUCK_S = 0.03
"""How long the voice takes to get lower, and louder again."""
_SILENT = 0.001


class Playback:
    """Plays the sentences of one voice, in order and without a gap, as the blocks of an `AudioOut` at `rate_hz`.

    `on_audible(key, at_s)` is called when a sentence's first sample that can be heard (above -60 dBFS) reaches the ear,
    `on_ended(key, played_s, cut)` once for each sentence, when its last sample was heard or it was cut.
    """

    def __init__(
        self,
        rate_hz: int,
        *,
        on_audible: Callable[[object, float], None] | None = None,
        on_ended: Callable[[object, float, bool], None] | None = None,
    ) -> None:
        self.rate_hz = rate_hz
        self.level = 0.0
        """RMS of the block last filled, 0 … 1: to be polled."""
        self.gain = 1.0
        """What the voice was multiplied by at the end of the block last filled."""
        self.underruns = 0
        """How often the synthesis was slower than the speech, in the middle of a sentence."""
        self.last_sound_s: float | None = None
        """When the last sample that can be heard reaches the ear: after a cut, the moment of silence."""
        self._reporter = Reporter(on_audible, on_ended)
        self._fade = max(round(FADE_S * rate_hz), 1)
        self._track = Track(0, hold=self._fade)
        self._playing = self._track
        self._last_cut = self._track
        self._envelope = _Ramp(1.0, 1.0 / self._fade)
        self._duck = _Ramp(1.0, (1.0 - DUCK_GAIN) / max(DUCK_S * rate_hz, 1.0))
        self._starved = False

    # -- the voice's side --------------------------------------------------------------------------------------------

    @property
    def reply(self) -> int:
        """The number that chunks must carry to be heard; `cut` raises it."""
        return self._track.number

    def append(self, reply: int, sentence_key: object, samples: Samples) -> bool:
        """Queue samples, shape (n,) float32 at `rate_hz`, of a sentence; its first append decides its place.

        `reply` is what `Playback.reply` was when the sentence was begun: a chunk with an older number is dropped, and
        False returned.
        """
        track = self._track
        if reply != track.number:
            return False
        track.line(sentence_key).append(samples)
        return True

    def finish(self, sentence_key: object, reply: int | None = None) -> None:
        """Say that a sentence has no more samples; one without any ends as soon as its turn comes.

        Nothing happens where the sentence was cut, or `reply` is an older number.
        """
        track = self._track
        if reply in (None, track.number) and not self._was_cut(sentence_key):
            track.line(sentence_key).done = True

    def cut(self) -> float:
        """Fall silent with a fade of 5 ms, discard all that is queued, and return how many seconds that was.

        From now on nothing of it can be heard; pause and duck are over too. Idempotent, any thread, at once. All its
        sentences are reported as ended.
        """
        old = self._track
        self._last_cut = old if old.lines else self._last_cut
        self._track = Track(old.number + 1, hold=self._fade)
        discarded = 0
        for line in list(old.lines.values()):
            if line.end_once():
                discarded += line.total - line.played
                self._reporter.ended(line.key, line.played / self.rate_hz, cut=True)
        return discarded / self.rate_hz

    def pause(self) -> None:
        """Fall silent with a short fade and keep everything; any thread."""
        track = self._track
        track.back_to = None
        track.paused = True

    def resume(self, back_to: float | None = None) -> None:
        """Carry on from where the pause began, or from `back_to` seconds in the sentence under way; any thread."""
        track = self._track
        if back_to is not None and track.paused:
            track.back_to = round(back_to * self.rate_hz)
        track.paused = False

    def duck(self, on: bool) -> None:
        """Lower the voice by 12 dB, or let it speak up again; any thread."""
        self._track.ducked = on

    def position(self, sentence_key: object) -> float:
        """Return how many seconds of a sentence were handed to the loudspeaker: 0 of one that is unknown."""
        for track in (self._track, self._last_cut):
            if (line := track.find(sentence_key)) is not None:
                return line.played / self.rate_hz
        return 0.0

    def close(self) -> None:
        """Discard everything and end the thread; idempotent."""
        self.cut()
        self._reporter.close()

    def _was_cut(self, sentence_key: object) -> bool:
        return self._last_cut is not self._track and self._last_cut.find(sentence_key) is not None

    # -- the loudspeaker's side --------------------------------------------------------------------------------------

    def fill(self, out: Samples, heard_at_s: float) -> None:
        """Fill a block, shape (n,) float32, whose first sample is heard at `heard_at_s`; zeros where nothing plays."""
        out.fill(0.0)
        n = 0
        while n < len(out):
            step = self._render(out[n:], heard_at_s + n / self.rate_hz)
            if not step:
                break
            n += step
        self.level = float(np.sqrt(np.dot(out, out) / len(out))) if n else 0.0
        self.gain = self._envelope.now * self._duck.now
        if self.level > _SILENT:
            self.last_sound_s = heard_at_s + n / self.rate_hz

    def _render(self, room: Samples, at_s: float) -> int:
        """Write the next stretch of one sentence in one state; return its length, 0 where silence fills the rest."""
        track = self._playing
        line = track.next_line()
        cut = track is not self._track
        if cut and (line is None or self._envelope.now == 0.0 or not line.started):
            self._change_over()
            return self._render(room, at_s)
        if line is None:
            return 0
        self._seek(track, line)
        wanted = self._wanted(track, line, cut=cut)
        duck = DUCK_GAIN if track.ducked else 1.0
        if wanted == 0.0 and (self._envelope.now == 0.0 or not line.started):
            self._duck.now = duck
            return 0
        part = room[: self._envelope.samples_to(wanted) or len(room)]
        taken = line.take(part, to_the_last=wanted == 0.0)
        if not taken and not line.over:
            self._envelope.now = wanted  # nothing left to fade out with
            return 0
        self._envelope.apply(part[:taken], wanted)
        self._duck.apply(part[:taken], duck)
        self._report(line, taken, at_s)
        return taken or self._render(room, at_s)

    def _wanted(self, track: Track, line: Line, *, cut: bool) -> float:
        """Return where the envelope goes: 0 for a cut, a pause, and while the synthesis is behind; else 1."""
        starved = line.starved(resting=self._starved)
        if starved and not self._starved and line.started:
            self.underruns += 1
        self._starved = starved
        silent = cut or track.paused or starved
        if track.paused and line.paused_at is None:
            line.paused_at = line.played
        return 0.0 if silent else 1.0

    def _seek(self, track: Track, line: Line) -> None:
        """After a pause go back to where it began, or to where the voice said."""
        if track.paused or line.paused_at is None:
            return
        back_to, track.back_to = track.back_to, None
        line.seek(line.paused_at if back_to is None else min(back_to, line.paused_at))
        line.paused_at = None

    def _report(self, line: Line, taken: int, at_s: float) -> None:
        if line.audible_from is not None and not line.audible_told and line.played > line.audible_from:
            line.audible_told = True
            self._reporter.audible(line.key, at_s + (line.audible_from - line.played + taken) / self.rate_hz)
        if line.over:
            self._playing.drop_first()
            if line.end_once():
                self._reporter.ended(line.key, line.played / self.rate_hz, at_s=at_s + taken / self.rate_hz)

    def _change_over(self) -> None:
        """Go on to what was appended after the cut, at full gain."""
        self._playing = self._track
        self._envelope.now = self._duck.now = 1.0
        self._starved = False


class _Ramp:
    """A gain that moves to where it is wanted at a steady pace, sample by sample."""

    def __init__(self, start: float, pace: float) -> None:
        self.now = start
        self._pace = pace
        self._steps = np.arange(1, 4097, dtype=np.float32)

    def samples_to(self, wanted: float) -> int:
        """Return how many samples it takes to get there: 0 where it is there."""
        return int(np.ceil(abs(wanted - self.now) / self._pace - 1e-6))

    def apply(self, block: Samples, wanted: float) -> None:
        """Multiply a block in place and move on."""
        if self.now == wanted:
            if wanted != 1.0:
                block *= np.float32(wanted)
            return
        if len(block) > len(self._steps):
            self._steps = np.arange(1, len(block) + 1, dtype=np.float32)
        sign = 1.0 if wanted > self.now else -1.0
        gains = self.now + self._steps[: len(block)] * np.float32(sign * self._pace)
        np.clip(gains, min(self.now, wanted), max(self.now, wanted), out=gains)
        block *= gains
        if len(block):
            self.now = wanted if self.samples_to(wanted) <= len(block) else float(gains[-1])

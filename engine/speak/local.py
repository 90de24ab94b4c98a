"""A voice on this machine: a synthesiser, the playback gate, and a loudspeaker.

`speak` and `prepare` belong to the discussion's loop; `stop`, `pause`, `unpause` and `duck` may be called from any
thread, and the gate acts inside the call.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from typing import TYPE_CHECKING, Any

from voicetui.engine.errors import PartError
from voicetui.engine.heard import begin_of_word, heard_by
from voicetui.engine.ports import Sentence, Spoken
from voicetui.engine.speak.synthesis import Synthesis

if TYPE_CHECKING:
    from collections.abc import Callable

    from voicetui.engine.audio.playback import Playback
    from voicetui.engine.heard import Span
    from voicetui.engine.ports import AudioOut
    from voicetui.engine.speak.synthesiser import Chunk, Synthesiser

JUST_SOUNDED_S = 0.1
"""A loudspeaker that was filled with sound so lately was audible when it was told to fall silent."""
REPORT_S = 0.1
"""The gate tells within this time how much of a cut sentence was heard."""


class _Line:
    """One sentence with the gate: how much of it there is, and when each of its words is heard."""

    def __init__(self, sentence: Sentence, track: int) -> None:
        self.sentence, self.track = sentence, track
        self.made_s = 0.0
        self.whole = self.handed = False
        """Whether all of it was made, and whether the gate has any of it."""
        self.spans: list[Span] = []
        self.ended: asyncio.Future[tuple[float, bool]] = asyncio.get_running_loop().create_future()

    def add(self, chunk: Chunk) -> None:
        """Take note of samples that are on their way to the gate."""
        self.spans = [*self.spans, *((self.made_s + begin, self.made_s + end) for begin, end in chunk.spans)]
        self.made_s += len(chunk.samples) / chunk.rate_hz

    def over(self, played_s: float, cut: bool) -> None:
        """Take the gate's word that the sentence ended."""
        if not self.ended.done():
            self.ended.set_result((played_s, cut))

    def spoken(self, played_s: float, cut: bool) -> Spoken:
        """Return what became of it."""
        cut = cut and not (self.whole and played_s >= self.made_s)
        heard = heard_by(self.sentence, self.spans, played_s) if cut else str(self.sentence)
        return Spoken(heard, played_s, self.made_s if self.whole else None, cut)


class LocalVoice:
    """Implements `Voice`: sentences are synthesised one after the other, the next while one plays."""

    reports_audio = True

    def __init__(self, synthesiser: Synthesiser, out: AudioOut) -> None:
        self.name, self.out_name = synthesiser.name, out.name
        self._synthesiser, self._out = synthesiser, out
        self._gate: Playback | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._turn = asyncio.Lock()
        self._lines: list[_Line] = []
        self._working: set[Synthesis] = set()
        self._prepared: Synthesis | None = None
        self._failure: PartError | None = None
        self._loading: asyncio.Task[None] | None = None
        self._stops = 0

    @property
    def level(self) -> float:
        """RMS of what is heard now, 0 … 1: to be polled."""
        return self._gate.level if self._gate is not None else 0.0

    @property
    def underruns(self) -> int:
        """How often the synthesis was slower than the speech."""
        return self._gate.underruns if self._gate is not None else 0

    @property
    def on_replaced(self) -> Callable[[PartError], None] | None:
        """What is called, with the reason, when the synthesiser was replaced."""
        return self._synthesiser.on_replaced

    @on_replaced.setter
    def on_replaced(self, call: Callable[[PartError], None] | None) -> None:
        self._synthesiser.on_replaced = call

    async def warmup(self) -> None:
        """Open the loudspeaker, and have the synthesiser loaded meanwhile. Raises `PartError`.

        The first sentence waits for the synthesiser; the conversation, in which the user speaks first, need not. One
        that cannot be loaded is the failure of the first sentence.
        """
        from voicetui.engine.audio.playback import Playback

        self._loop = asyncio.get_running_loop()
        if self._loading is None:
            self._loading = asyncio.create_task(self._synthesiser.start(), name="voice-loading")
            self._loading.add_done_callback(lambda done: done.cancelled() or done.exception())
        if self._gate is None:
            self._gate = Playback(self._out.rate_hz, on_audible=self._audible, on_ended=self._ended)
            self._out.start(self._gate.fill, self._out_ended)

    async def speak(self, sentence: Sentence) -> Spoken:
        """Return when the last sample was heard, or when `stop` discarded it (see `Voice`)."""
        stops = self._stops
        if self._gate is None:
            await self.warmup()
        gate = self._gate
        assert gate is not None
        if self._failure is not None:
            raise self._failure
        line = _Line(sentence, gate.reply)
        if self._stops != stops:
            return line.spoken(0.0, cut=True)
        self._lines.append(line)
        try:
            async with self._turn:
                if gate.reply == line.track:
                    await self._hand_over(line, gate)
            if not line.handed:
                return line.spoken(0.0, cut=True)
            played_s, cut = await line.ended
        finally:
            self._lines.remove(line)
        if self._failure is not None and cut:
            raise self._failure
        return line.spoken(played_s, cut)

    async def prepare(self, sentence: Sentence) -> None:
        """Synthesise without playing; the next `speak` of the same text uses it. One sentence is kept."""
        self._forget_prepared()
        self._prepared = self._start(sentence)
        await asyncio.wait({self._prepared.task})

    def stop(self) -> float | None:
        """Fall silent and discard everything handed over so far (see `Voice`)."""
        self._stops += 1
        gate, loop = self._gate, self._loop
        if gate is None or loop is None:
            return None
        discarded = gate.cut()
        with contextlib.suppress(RuntimeError):  # the loop is closed: nothing is under way
            loop.call_soon_threadsafe(self._cancel_work)
        return discarded

    def pause(self) -> None:
        """Fall silent and keep what is left."""
        if self._gate is not None:
            self._gate.pause()

    def unpause(self) -> None:
        """Carry on from the beginning of the word that was cut."""
        gate = self._gate
        if gate is None:
            return
        line = next((line for line in self._lines[::-1] if gate.position(line) > 0), None)
        gate.resume(begin_of_word(line.spans, gate.position(line)) if line is not None else None)

    def duck(self, on: bool) -> None:
        """Lower the voice, or bring it back."""
        if self._gate is not None:
            self._gate.duck(on)

    def silent_at(self) -> float | None:
        """Return when the last audible sample is heard, having just been told to fall silent."""
        from voicetui.engine.audio.playback import FADE_S

        last = self._gate.last_sound_s if self._gate is not None else None
        if last is None:
            return None
        return last + FADE_S if last > time.monotonic() - JUST_SOUNDED_S else last

    async def aclose(self) -> None:
        """Fall silent, release the loudspeaker, end the synthesiser."""
        self.stop()
        self._forget_prepared()
        self._cancel_work()
        self._out.close()
        if self._gate is not None:
            self._gate.close()
        await self._synthesiser.aclose()
        tasks = [work.task for work in self._working]
        if left := [*tasks, self._loading] if self._loading is not None else tasks:
            await asyncio.wait(left)

    # -- synthesis ---------------------------------------------------------------------------------------------------

    async def _hand_over(self, line: _Line, gate: Playback) -> None:
        """Give a sentence's samples to the gate as they come, until it is stopped."""
        work = self._take_prepared(line) or self._start(line.sentence, line.track)
        try:
            async with contextlib.aclosing(work.chunks()) as chunks:
                async for chunk in chunks:
                    line.sentence.pcm()
                    line.add(chunk)
                    if not gate.append(line.track, line, chunk.samples):
                        return
                    line.handed = True
            line.whole = not work.task.cancelled()
            line.handed = line.handed or gate.reply == line.track
        finally:
            work.cancel()
            gate.finish(line, line.track)

    def _take_prepared(self, line: _Line) -> Synthesis | None:
        """Return what was prepared for this sentence; what was prepared for another is given up."""
        prepared, self._prepared = self._prepared, None
        if prepared is None:
            return None
        if prepared.text != line.sentence or prepared.failed:
            prepared.cancel()
            return None
        prepared.track = line.track
        return prepared

    def _start(self, text: str, track: int | None = None) -> Synthesis:
        work = Synthesis(str(text), self._synthesiser, self._out.rate_hz, track)
        self._working.add(work)
        work.task.add_done_callback(lambda _: self._working.discard(work))
        return work

    def _cancel_work(self) -> None:
        """Cancel the synthesis of what was stopped; what is prepared for the next turn goes on."""
        gate = self._gate
        for work in list(self._working):
            if work.track is not None and (gate is None or work.track != gate.reply):
                work.cancel()
        for line in self._lines:
            if gate is not None and line.track != gate.reply and self._loop is not None:
                # The gate says so itself, but for a sentence that came to it in the very moment of the cut.
                self._loop.call_later(REPORT_S, line.over, gate.position(line), True)

    def _forget_prepared(self) -> None:
        prepared, self._prepared = self._prepared, None
        if prepared is not None:
            prepared.cancel()

    # -- the gate's and the loudspeaker's reports, from their own threads --------------------------------------------

    def _audible(self, key: object, at_s: float) -> None:
        assert isinstance(key, _Line)
        key.sentence.audible(at_s)

    def _ended(self, key: object, played_s: float, cut: bool) -> None:
        assert isinstance(key, _Line)
        self._on_loop(key.over, played_s, cut)

    def _out_ended(self, error: Exception | None) -> None:
        """Let every sentence fail when the loudspeaker does."""
        if isinstance(error, PartError):
            self._failure = error
            self.stop()

    def _on_loop(self, call: Callable[..., Any], *args: Any) -> None:  # noqa: ANN401 - the callable's own
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits
                self._loop.call_soon_threadsafe(call, *args)

"""A voice on this machine: a synthesiser, the playback gate, and a loudspeaker.

`speak` and `prepare` belong to the discussion's loop; `stop`, `pause`, `unpause` and `duck` may be called from any
thread, and the gate acts inside the call.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from typing import TYPE_CHECKING

from voicetui.engine.errors import PartError
from voicetui.engine.heard import heard_words, word_start
from voicetui.engine.ports import Sentence, Spoken

if TYPE_CHECKING:
    from collections.abc import Callable

    from voicetui.engine.audio.playback import Playback
    from voicetui.engine.ports import AudioOut, Samples
    from voicetui.engine.speak.synthesiser import Synthesiser

JUST_SOUNDED_S = 0.1
"""A loudspeaker that was filled with sound so lately was audible when it was told to fall silent."""


class _Line:
    """One sentence with the gate."""

    def __init__(self, sentence: Sentence, track: int, loop: asyncio.AbstractEventLoop) -> None:
        self.sentence, self.track = sentence, track
        self.total_s = 0.0
        self.ended: asyncio.Future[tuple[float, bool]] = loop.create_future()

    def over(self, played_s: float, cut: bool) -> None:
        """Take the gate's word that the sentence ended."""
        if not self.ended.done():
            self.ended.set_result((played_s, cut))


class LocalVoice:
    """Implements `Voice`: sentences are synthesised one after the other, the next while one plays."""

    reports_audio = True

    def __init__(self, synthesiser: Synthesiser, out: AudioOut) -> None:
        self.name = synthesiser.name
        self._synthesiser, self._out = synthesiser, out
        self._gate: Playback | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._synthesis = asyncio.Lock()
        self._lines: list[_Line] = []
        self._working: dict[asyncio.Task[list[Samples]], int | None] = {}
        """Synthesis under way, and the gate's number of the reply that it is for; None: prepared for the next one."""
        self._prepared: tuple[str, asyncio.Task[list[Samples]]] | None = None
        self._failure: PartError | None = None
        self._loading: asyncio.Task[None] | None = None

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
        if self._gate is None:
            await self.warmup()
        gate = self._gate
        assert gate is not None
        if self._failure is not None:
            raise self._failure
        line = _Line(sentence, gate.reply, asyncio.get_running_loop())
        self._lines.append(line)
        try:
            async with self._synthesis:
                if gate.reply != line.track or not await self._synthesise(line, gate):
                    return Spoken("", 0.0, None, cut=True)
            played_s, cut = await line.ended
        finally:
            self._lines.remove(line)
        if self._failure is not None and cut:
            raise self._failure
        cut = cut and played_s < line.total_s
        heard = heard_words(sentence, played_s / line.total_s) if cut and line.total_s else str(sentence)
        return Spoken(heard, played_s, line.total_s, cut)

    async def prepare(self, sentence: Sentence) -> None:
        """Synthesise without playing; the next `speak` of the same text uses it. One sentence is kept."""
        self._forget_prepared()
        task = self._start(str(sentence), None)
        self._prepared = (str(sentence), task)
        await asyncio.wait({task})

    def stop(self) -> float | None:
        """Fall silent and discard everything handed over so far (see `Voice`)."""
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
        line = next((line for line in list(self._lines) if gate.position(line) > 0), None)
        if line is None or not line.total_s:
            gate.resume()
        else:
            gate.resume(word_start(line.sentence, gate.position(line) / line.total_s) * line.total_s)

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
        if left := [*self._working, *([self._loading] if self._loading is not None else [])]:
            await asyncio.wait(left)

    # -- synthesis ---------------------------------------------------------------------------------------------------

    async def _synthesise(self, line: _Line, gate: Playback) -> bool:
        """Give a sentence's samples to the gate, with a second try if the child died; False if it was stopped."""
        prepared, self._prepared = self._prepared, None
        if prepared is not None and prepared[0] == line.sentence:
            task = prepared[1]
            if task in self._working:
                self._working[task] = line.track
        else:
            if prepared is not None:
                prepared[1].cancel()
            task = self._start(str(line.sentence), line.track)
        for last in (False, True):
            await asyncio.wait({task})
            if task.cancelled() or gate.reply != line.track:
                return False
            error = task.exception()
            if error is None:
                break
            if last or not isinstance(error, PartError) or error.code not in ("died", "stalled"):
                raise error
            task = self._start(str(line.sentence), line.track)
        return self._hand_over(line, gate, task.result())

    def _hand_over(self, line: _Line, gate: Playback, chunks: list[Samples]) -> bool:
        line.total_s = sum(len(chunk) for chunk in chunks) / gate.rate_hz
        line.sentence.pcm()
        for chunk in chunks:
            if not gate.append(line.track, line, chunk):
                return False
        if not chunks:
            line.over(0.0, False)
        gate.finish(line, line.track)
        return True

    def _start(self, text: str, track: int | None) -> asyncio.Task[list[Samples]]:
        task = asyncio.create_task(self._samples(text), name="voice-synthesis")
        self._working[task] = track
        task.add_done_callback(lambda done: self._working.pop(done, None))
        task.add_done_callback(lambda done: done.cancelled() or done.exception())
        return task

    async def _samples(self, text: str) -> list[Samples]:
        from voicetui.engine.audio.resample import resample

        chunks = []
        async with contextlib.aclosing(self._synthesiser.synthesise(text)) as stream:
            async for samples, rate_hz in stream:
                chunks.append(resample(samples, rate_hz, self._out.rate_hz))
        return chunks

    def _cancel_work(self) -> None:
        """Cancel the synthesis of what was stopped; what is prepared for the next turn goes on."""
        for task, track in list(self._working.items()):
            if track is not None and (self._gate is None or track != self._gate.reply):
                task.cancel()

    def _forget_prepared(self) -> None:
        prepared, self._prepared = self._prepared, None
        if prepared is not None:
            prepared[1].cancel()

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

    def _on_loop(self, call: object, *args: object) -> None:
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits
                self._loop.call_soon_threadsafe(call, *args)  # type: ignore[arg-type]  # any callable

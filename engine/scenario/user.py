"""The scripted user of a scenario: a fake `Listener` that also types, presses the key and unplugs the microphone."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import replace
from typing import TYPE_CHECKING

from voicetui.engine import events as ev
from voicetui.engine.errors import PartError
from voicetui.engine.scenario import ears as sounds
from voicetui.engine.scenario import script

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from voicetui.engine.discussion import Discussion

UNPLUGGED = "the microphone is gone"
ON_TIME_S = 1e-6
"""A stimulus that comes so little late is on time."""


class ScriptedUser:
    """A fake `Listener` that plays stimuli in order, each when it is due. `attach` it to its discussion first.

    `waits_for` says what it waits for now, and `late` which stimuli were due before their turn came.
    """

    def __init__(self, stimuli: Sequence[script.Stimulus], ears: script.Ears, *, outlives_ears: bool = False) -> None:
        self._stimuli, self._ears, self._outlives_ears = stimuli, ears, outlives_ears
        self.waits_for = ""
        self.late: list[str] = []
        self._talk: Discussion | None = None
        self._began_s = 0.0
        self._turn_index = 0
        self._floor = ev.Floor.IDLE
        self._sentence = ""
        self._moved = asyncio.Event()
        self._heard: asyncio.Queue[ev.Heard | PartError | None] = asyncio.Queue()
        self._deaf = False
        self._playing: asyncio.Task[None] | None = None

    def attach(self, talk: Discussion) -> None:
        """Take the discussion whose floor is followed and in which turns are typed."""
        self._talk = talk

    async def listen(self) -> AsyncIterator[ev.Heard | str]:
        """Yield what the ears report of the stimuli."""
        if self._talk is None:
            raise RuntimeError("attach the scripted user to its discussion before it runs")
        loop = asyncio.get_running_loop()
        self._began_s, self._floor = loop.time(), self._talk.conversation.floor
        self._talk.subscribe(self._follow)
        self._playing = loop.create_task(self._play(self._talk), name="scripted-user")
        while (heard := await self._heard.get()) is not None:
            if isinstance(heard, PartError):
                raise heard
            yield heard
            self._heard.task_done()

    async def aclose(self) -> None:
        """Stop playing."""
        if self._playing is not None:
            self._playing.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._playing

    def _follow(self, event: ev.Event) -> None:
        match event:
            case ev.FloorPassed():
                self._floor = event.floor
            case ev.Speaking():
                self._sentence = event.text
            case ev.Ended() if self._playing is not None:
                self._playing.cancel()
            case _:
                return
        self._moved.set()

    # -- the time line -----------------------------------------------------------------------------------------------

    async def _play(self, talk: Discussion) -> None:
        for stimulus in self._stimuli:
            await self._due(stimulus)
            await self._act(stimulus.act, talk)
        if self._outlives_ears:
            await self._until(ev.Floor.LISTENING)
            talk.end("the scenario is over")
        else:
            self._heard.put_nowait(None)

    async def _due(self, stimulus: script.Stimulus) -> None:
        when = stimulus.when
        if when.floor is not None:
            self.waits_for = f"{stimulus.place} waits for the floor to be {when.floor}"
            await self._until(when.floor)
        self.waits_for = ""
        if when.at_s is None:
            await asyncio.sleep(when.wait_s)
            return
        left = self._began_s + when.at_s - self._now()
        if left < -ON_TIME_S:
            self.late.append(f"{stimulus.place}: at_s is {when.at_s:g}, but its turn came only {-left:.3f} s later")
        await asyncio.sleep(max(0.0, left))

    async def _until(self, floor: ev.Floor) -> None:
        """Wait until the floor has come to `floor` and stays there for this moment."""
        while True:
            while self._floor is not floor:
                self._moved.clear()
                await self._moved.wait()
            await asyncio.sleep(0)
            if self._floor is floor:
                return

    @staticmethod
    def _now() -> float:
        return asyncio.get_running_loop().time()

    async def _act(self, act: script.Act, talk: Discussion) -> None:
        match act:
            case script.Pause():
                await asyncio.sleep(act.length_s)
            case script.Typed():
                talk.say(act.text, act.source)
            case script.Interrupt():
                talk.interrupt(act.source)
            case script.End():
                talk.end(act.reason)
            case script.Microphone():
                fix = "" if act.back else "plug it in again"
                message = "the microphone is back" if act.back else UNPLUGGED
                await self._tell(ev.DeviceChanged(part="listen", message=message, fix=fix, recovered=act.back))
            case script.RecogniserError():
                await self._fail(act)
            case script.Hear():
                await self._tell_as_is(act.event)
            case _:
                await self._sound(act)

    # -- what the ears report ----------------------------------------------------------------------------------------

    async def _sound(self, act: script.Say | script.Cough | script.Backchannel | script.Echo | script.BargeIn) -> None:
        now = self._now()
        hearing = sounds.Hearing(self._ears, self._began_s, self._turn_index)
        match act:
            case script.Say():
                words_s = act.words_s or (self._ears.word_s,) * len(act.phrases)
                sounds.hear_speech(hearing, now, act.phrases, act.gaps_s, words_s)
            case script.Echo():
                word_s = self._ears.word_s if act.word_s is None else act.word_s
                sounds.hear_speech(hearing, now, [self._sentence], [], [word_s])
            case script.Backchannel():
                word_s = self._ears.word_s if act.word_s is None else act.word_s
                sounds.hear_acknowledgement(hearing, now, act.text, word_s)
            case script.Cough():
                sounds.hear_cough(hearing, now, act.length_s)
            case script.BargeIn():
                sounds.hear_barge_in(hearing, now, act.length_s)
        for at_s, heard in hearing.reports:
            await asyncio.sleep(max(0.0, at_s - self._now()))
            await self._tell(heard)
        self._turn_index = hearing.turn_index

    async def _tell_as_is(self, event: ev.Heard) -> None:
        if isinstance(event, ev.DeviceChanged | ev.PartFailed):
            await self._tell(event)
            return
        event = replace(event, turn_index=self._turn_index)
        if isinstance(event, ev.SpeechStart):
            event = replace(event, onset_s=self._now(), audio_ms=(self._now() - self._began_s) * 1000)
        if isinstance(event, ev.Committed):
            event = replace(event, marks=ev.HearingMarks(final_text=self._now()))
            self._turn_index += 1
        await self._tell(event)

    async def _fail(self, error: script.RecogniserError) -> None:
        if not error.fatal:
            await self._tell(ev.PartFailed(part="listen", message=error.message, recovered=True))
            return
        self._deaf = True
        self._heard.put_nowait(PartError("listen", error.message, code="died"))

    async def _tell(self, heard: ev.Heard) -> None:
        """Hand a report over and wait until it was acted on; deaf ears report nothing."""
        if not self._deaf:
            self._heard.put_nowait(heard)
            await self._heard.join()

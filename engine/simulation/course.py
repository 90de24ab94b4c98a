"""The course of one simulated conversation: random parts under a random policy, disturbed at random moments."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from voicetui.engine import events as ev
from voicetui.engine.discussion import CLOSE_LIMIT_S, Discussion
from voicetui.engine.errors import PartError, UsageError
from voicetui.engine.policy import History, OnSpeech, Policy
from voicetui.engine.simulation.chance import Chance
from voicetui.engine.simulation.model import ChanceModel
from voicetui.engine.simulation.seen import Cut, Seen, Told
from voicetui.engine.simulation.user import ChanceListener
from voicetui.engine.simulation.voice import ChanceVoice

PATIENCE_S = 240.0
"""No conversation here has a reason to last longer: every delay and limit in it is far shorter."""


def random_policy(chance: Chance) -> Policy:
    """Return a policy with every field drawn."""
    return Policy(
        allow_barge_in=chance.maybe(0.85),
        barge_in_grace_s=chance.pick((0.0, 0.0, 0.1, 0.35)),
        max_reply_sentences=chance.pick((0, 0, 0, 1, 2)),
        silence_timeout_s=chance.pick((0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 5.0, 5.0)),
        on_speech=chance.pick((OnSpeech.PAUSE, OnSpeech.PAUSE, OnSpeech.DUCK, OnSpeech.STOP)),
        resume_false_interruptions=chance.maybe(0.8),
        eager=chance.maybe(0.8),
        history=chance.pick((History.HEARD, History.HEARD, History.GENERATED)),
        verdict_s=chance.pick((0.1, 0.6, 1.0)),
        unclear_speech_limit_s=chance.pick((0.5, 2.0, 8.0)),
        first_token_limit_s=chance.pick((1.0, 5.0)),
        token_limit_s=chance.pick((0.5, 2.0)),
        voice_limit_s=chance.pick((1.0, 4.0)),
        settle_limit_s=chance.pick((0.1, 1.0, 1.0)),
    )


class Act(StrEnum):
    """What is done to a conversation from outside."""

    INTERRUPT = "interrupt"
    SAY = "say"
    END = "end"


@dataclass(frozen=True, slots=True)
class Disturbance:
    """Something done at a step of the loop: an odd one before all that is ready to run in it, an even one after."""

    act: Act
    step: int


class Course:
    """Builds the parts of a seed, disturbs the conversation, and watches."""

    def __init__(self, seed: int, disturbance: Disturbance | None) -> None:
        self._disturbance = disturbance
        chance = Chance(seed, "course")
        voice = ChanceVoice(Chance(seed, "voice"))
        user = ChanceListener(Chance(seed, "user"), lambda: voice.sounding)
        self.seen = Seen(seed, random_policy(Chance(seed, "policy")), user, ChanceModel(Chance(seed, "model")), voice)
        self.tasks: list[asyncio.Task[Any]] = []
        self._chance = chance
        self._talk: Discussion | None = None
        self._stay_open = self.seen.stays_open = chance.maybe(0.15)
        self._warms = chance.pick(("fails", "crashes", "hangs") if chance.maybe(0.06) else ("", "", "slow"))
        self._way_out = chance.pick(("close", "cancel")) if chance.maybe(0.15) else ""
        self._inside = chance.count(1, 30) if chance.maybe(0.15) else -1
        """The event at whose telling a follower does something."""
        self._left: asyncio.Future[None] | None = None

    def step(self, number: int) -> None:
        """Disturb the conversation at the step at which it is to be."""
        if self._disturbance is None or number != self._disturbance.step:
            return
        if number % 2:
            self._disturb(self._disturbance.act)
        else:
            asyncio.get_running_loop().call_soon(self._disturb, self._disturbance.act)

    def _disturb(self, act: Act) -> None:
        match act:
            case Act.INTERRUPT:
                self._interrupt()
            case Act.SAY:
                self._type("t8x0 t8x1")
            case Act.END:
                self._end()

    async def hold(self) -> None:
        """Hold the conversation."""
        seen = self.seen
        loop = asyncio.get_running_loop()
        if self._warms:
            parts: tuple[ChanceListener | ChanceModel | ChanceVoice, ...] = (seen.user, seen.model, seen.voice)
            part = self._chance.pick(parts)
            part.warmup = self._warmup
        timers = self._disturbances(loop)
        async with Discussion(seen.user, seen.model, seen.voice, seen.policy, stay_open=self._stay_open) as talk:
            self._talk = talk
            talk.subscribe(self._tell)
            talk.subscribe(seen.user.follow)
            follower = asyncio.create_task(self._follow(talk))
            await asyncio.sleep(0)
            run = asyncio.create_task(self._hold(talk), name="run")
            timers.append(loop.call_later(PATIENCE_S, self._lose_patience))
            if self._way_out:
                timers.append(loop.call_later(self._chance.seconds(6.0), self._leave, run))
            self._left = loop.create_future()
            run.add_done_callback(lambda _: self._go())
            await self._left
        await asyncio.wait({run, follower}, timeout=CLOSE_LIMIT_S)
        for timer in timers:
            timer.cancel()
        seen.conversation = talk.conversation
        faults = seen.faults
        faults += [] if run.done() else ["`run` goes on after the discussion was closed"]
        faults += [] if follower.done() else ["a follower of the events still waits"]
        here = asyncio.current_task()
        faults += [f"left behind: {task.get_name()}" for task in self.tasks if task is not here and not task.done()]
        faults += self._left_on_loop(loop)

    @staticmethod
    def _left_on_loop(loop: asyncio.AbstractEventLoop) -> list[str]:
        timers = [timer for timer in getattr(loop, "_scheduled", ()) if not timer.cancelled()]
        streams = [stream for stream in getattr(loop, "_asyncgens", ()) if stream.ag_frame is not None]
        return [f"left behind: {timer}" for timer in timers] + [f"left open: {stream}" for stream in streams]

    async def _hold(self, talk: Discussion) -> None:
        try:
            await talk.run()
            self.seen.ending = "returned"
        except asyncio.CancelledError:
            self.seen.ending = "cancelled"
        except PartError as err:
            self.seen.ending = f"PartError: {err}"
        except Exception as err:  # noqa: BLE001 - whatever escapes is what is looked for
            self.seen.ending = f"{type(err).__name__}: {err}"

    async def _follow(self, talk: Discussion) -> None:
        async for event in talk.events():
            self.seen.followed.append(event)

    def _tell(self, event: ev.Event) -> None:
        loop = asyncio.get_running_loop()
        self.seen.told.append(Told(event, loop.time(), len(self.seen.model.calls)))
        if len(self.seen.told) == self._inside:
            self._inside_act()

    def _inside_act(self) -> None:
        """Do as a follower what one may do, or fail."""
        match self._chance.count(0, 5):
            case 0:
                self._type("t9x0 t9x1")
            case 1:
                self._end()
            case 2:
                raise ZeroDivisionError("simulated: a fault in a user's own follower")
            case _:
                self._interrupt()

    async def _warmup(self) -> None:
        await asyncio.sleep(0.2)
        match self._warms:
            case "fails":
                raise PartError("speak", "simulated: cannot start")
            case "crashes":
                raise ZeroDivisionError("simulated: cannot start")
            case "hangs":
                await asyncio.Event().wait()

    # -- disturbances ------------------------------------------------------------------------------------------------

    def _disturbances(self, loop: asyncio.AbstractEventLoop) -> list[asyncio.TimerHandle]:
        chance = self._chance
        times = chance.pick((0, 0, 0, 1, 1, 2, 5))
        timers = [loop.call_later(chance.seconds(10.0), self._interrupt) for _ in range(times)]
        turns = [f"t{number}x0 t{number}x1" for number in range(chance.pick((0, 0, 0, 1, 2)))]
        timers += [loop.call_later(chance.seconds(8.0), self._type, turn) for turn in turns]
        repeats = chance.pick((0, 0, 0, 0, 0, 1, 3))
        timers += [loop.call_later(chance.seconds(10.0), self._repeat) for _ in range(repeats)]
        if chance.maybe(0.1):
            timers.append(loop.call_later(chance.seconds(6.0), self._switch))
        if chance.maybe(0.1) or self._stay_open or self._warms == "hangs":
            timers.append(loop.call_later(chance.seconds(15.0), self._end))
        return timers

    def _interrupt(self) -> None:
        talk = self._talk
        if talk is None:
            return
        cut = Cut(asyncio.get_running_loop().time(), talk.conversation.floor, len(self.seen.model.calls))
        self.seen.cuts.append(cut)
        cut.returned = talk.interrupt(self._chance.pick(tuple(ev.Source)))

    def _type(self, text: str) -> None:
        if self._talk is None:
            return
        if self._chance.maybe(0.2):
            try:
                self._talk.say(" ... ")
            except UsageError:
                pass
            else:
                self.seen.faults.append("a typed turn without a word was taken")
        with contextlib.suppress(UsageError):  # that it is over
            self._talk.say(text, ev.Source.KEY)
            self.seen.typed.append(text)

    def _repeat(self) -> None:
        begun = len(self.seen.told)
        if self._talk is not None and self._talk.repeat():
            self.seen.repeats.append(begun)

    def _switch(self) -> None:
        if self._talk is not None:
            self.seen.switched = True
            self._talk.allow_barge_in(not self._talk.policy.allow_barge_in)

    def _end(self) -> None:
        if self._talk is not None:
            self.seen.ended_early = True
            self._talk.end("the simulation ended it")

    def _leave(self, run: asyncio.Task[None]) -> None:
        """Cancel the conversation, or leave it without waiting for it."""
        self.seen.ended_early = True
        if self._way_out == "cancel":
            run.cancel()
        else:
            self._go()

    def _go(self) -> None:
        if self._left is not None and not self._left.done():
            self._left.set_result(None)

    def _lose_patience(self) -> None:
        if self._talk is not None:
            self.seen.overdue = str(self._talk.conversation.floor)
            self._talk.end("overdue")

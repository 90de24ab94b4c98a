"""Plays a scenario: the loop itself with scripted parts, on the virtual clock or in real time, and keeps the record."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from voicetui.engine import events as ev
from voicetui.engine.clock import run_virtual
from voicetui.engine.discussion import Discussion
from voicetui.engine.scenario.parts import Request, ScenarioMind, ScenarioVoice
from voicetui.engine.scenario.user import ScriptedUser

if TYPE_CHECKING:
    from collections.abc import Callable

    from voicetui.engine.conversation import Conversation
    from voicetui.engine.fakes import Played
    from voicetui.engine.scenario.script import Scenario

OVERTIME = "the scenario's time limit"


@dataclass(frozen=True, slots=True)
class Record:
    """What came of a scenario. Times of `sounds` and `requests` are seconds since the conversation began."""

    conversation: Conversation
    events: list[ev.Event]
    sounds: list[Played]
    """Every stretch of the agent's speech that was audible, in order."""
    requests: list[Request]
    """Every call of the model, those for replies that were only prepared included."""
    faults: list[str] = field(default_factory=list)
    """What went wrong with the rehearsal itself: it did not end by itself, or a stimulus came too late."""


class Stage:
    """A discussion with the scripted parts of a scenario: `talk`, and what its `user`, `mind` and `voice` did."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.user = ScriptedUser(scenario.stimuli, scenario.ears, outlives_ears=scenario.outlives_ears)
        self.mind = ScenarioMind(scenario.replies, self._exchange, self._since_s)
        self.voice = ScenarioVoice(scenario.voice)
        self.talk = Discussion(self.user, self.mind, self.voice, scenario.policy, stay_open=scenario.outlives_ears)
        self.user.attach(self.talk)
        self._events: list[ev.Event] = []
        self._answered = 0
        self._floor = ev.Floor.IDLE
        self._began_s = 0.0

    async def play(self, tell: Callable[[ev.Event], None] | None = None) -> Record:
        """Hold the conversation on the running loop and return its record; `tell` hears every event."""
        loop = asyncio.get_running_loop()
        async with self.talk:
            self.talk.subscribe(self.follow)
            if tell is not None:
                self.talk.subscribe(tell)
            limit = loop.call_later(self.scenario.limit_s, self.talk.end, OVERTIME)
            try:
                conversation = await self.talk.run()
            finally:
                limit.cancel()
        return Record(conversation, self._events, self._sounds(), self.mind.requests, self._faults())

    def _exchange(self) -> int:
        """Return the number of the exchange that is being answered, or of the next one, which may be prepared."""
        return self._answered + (self._floor is ev.Floor.LISTENING)

    def _since_s(self) -> float:
        return asyncio.get_running_loop().time() - self._began_s

    def follow(self, event: ev.Event) -> None:
        """Note an event: `play` has every event told, and so must whoever runs `talk` without it."""
        self._events.append(event)
        if isinstance(event, ev.FloorPassed):
            if self._floor is ev.Floor.IDLE:
                self._began_s = asyncio.get_running_loop().time()
            self._floor = event.floor
            self._answered += event.floor is ev.Floor.THINKING

    def _sounds(self) -> list[Played]:
        began = self._began_s
        return [replace(p, from_s=p.from_s - began, to_s=p.to_s - began) for p in self.voice.played]

    def _faults(self) -> list[str]:
        faults = list(self.user.late)
        ended = self._events[-1]
        if isinstance(ended, ev.Ended) and ended.reason == OVERTIME:
            why = f": {self.user.waits_for}" if self.user.waits_for else ""
            faults.append(f"the conversation did not end within {self.scenario.limit_s:g} s{why}")
        return faults


def play(scenario: Scenario) -> Record:
    """Play a scenario on the virtual clock, which takes no time, and return what came of it."""

    async def main() -> Record:
        return await Stage(scenario).play()

    return run_virtual(main())

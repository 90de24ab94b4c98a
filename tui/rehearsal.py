"""A scenario in the application, in real time: scripted parts, and meters that are made up to suit them."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING

from voicetui.engine import events as ev
from voicetui.engine.scenario.stage import Stage
from voicetui.tui.run import run_app
from voicetui.tui.session import Session
from voicetui.tui.view import Facts

if TYPE_CHECKING:
    from voicetui.engine.discussion import Discussion
    from voicetui.engine.scenario.script import Scenario

FACTS = Facts(mic="scripted", out="scripted, silent", hear="a script", think="a script", speak="a script")


class FakeGauges:
    """Fake gauges: levels that rise and fall as speech does while the script says that somebody is audible."""

    def __init__(self) -> None:
        self._user = self._agent = False

    def follow(self, event: ev.Event) -> None:
        """Note who is audible; on the engine's thread."""
        match event:
            case ev.SpeechStart():
                self._user = True
            case ev.SpeechEnd() | ev.Committed():
                self._user = False
            case ev.Speaking():
                self._agent = True
            case ev.Yielding():
                self._agent = False
            case ev.YieldOver():
                self._agent = event.outcome == "resumed"
            case ev.Stop() | ev.FloorPassed() if not (
                isinstance(event, ev.FloorPassed) and event.floor is ev.Floor.SPEAKING
            ):
                self._agent = False
            case ev.Ended():
                self._user = self._agent = False
            case _:
                pass

    def mic_level(self) -> float | None:
        """Return a made-up level."""
        return _speech(time.monotonic() * 1.1 + 2) if self._user else 0.002

    def out_level(self) -> float | None:
        """Return a made-up level."""
        return _speech(time.monotonic()) if self._agent else 0.0

    def xruns(self) -> int:
        """Return 0: nothing is played, so nothing is lost."""
        return 0


def _speech(t: float) -> float:
    """Return a level that moves like syllables, four a second, in words and phrases."""
    syllable = 0.5 + 0.5 * math.sin(2 * math.pi * 4.1 * t)
    phrase = 0.7 + 0.3 * math.sin(2 * math.pi * 0.6 * t)
    return 0.01 + 0.25 * syllable**2 * phrase


def show(scenario: Scenario) -> int:
    """Play a scenario in the application until the user quits; return the exit code. Raises `UsageError`."""
    gauges = FakeGauges()
    stages: list[Stage] = []

    def make() -> Discussion:
        stages.append(Stage(scenario))
        return stages[-1].talk

    def hear(event: ev.Event) -> None:
        stages[-1].follow(event)
        gauges.follow(event)

    allowed = scenario.policy.allow_barge_in
    return run_app(Session(make=make, facts=lambda: FACTS, gauges=gauges, hear=hear, barge_in=allowed))

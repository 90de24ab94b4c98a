"""Scenarios: a conversation as a file, with what the user does on a time line and what must come of it.

`read_scenario` reads one, `rehearse` plays it on the virtual clock and judges it. `docs/scenarios.md` has the format.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from voicetui.engine.scenario.expect import failures
from voicetui.engine.scenario.invariants import broken
from voicetui.engine.scenario.reading import find_scenario, parse_scenario, read_scenario, shipped
from voicetui.engine.scenario.script import (
    BargeIn,
    Ears,
    ReplyScript,
    Say,
    Scenario,
    Stimulus,
    VoiceScript,
    When,
)
from voicetui.engine.scenario.stage import Record, Stage, play

if TYPE_CHECKING:
    from voicetui.engine.conversation import Conversation

__all__ = [
    "BargeIn",
    "Ears",
    "Record",
    "Rehearsed",
    "ReplyScript",
    "Say",
    "Scenario",
    "Stage",
    "Stimulus",
    "VoiceScript",
    "When",
    "find_scenario",
    "judge",
    "parse_scenario",
    "play",
    "read_scenario",
    "rehearse",
    "shipped",
]


@dataclass(frozen=True, slots=True)
class Rehearsed:
    """A scenario that was played: the record, and a line for everything that is not as it must be."""

    record: Record
    failures: list[str]

    @property
    def conversation(self) -> Conversation:
        """Return the conversation."""
        return self.record.conversation


def judge(scenario: Scenario, record: Record) -> list[str]:
    """Return a line for each fault of the rehearsal, expectation not met and invariant broken."""
    return [*record.faults, *failures(scenario.expectations, record), *broken(record)]


def rehearse(scenario: Scenario) -> Rehearsed:
    """Play a scenario on the virtual clock, which takes no time, and judge it. Not from within a running loop."""
    record = play(scenario)
    return Rehearsed(record, judge(scenario, record))

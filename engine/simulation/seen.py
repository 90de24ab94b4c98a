"""All that an observer sees of a simulated conversation."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from voicetui.engine import events as ev
    from voicetui.engine.conversation import Conversation
    from voicetui.engine.policy import Policy
    from voicetui.engine.simulation.model import ChanceModel
    from voicetui.engine.simulation.user import ChanceListener
    from voicetui.engine.simulation.voice import ChanceVoice, Sound


@dataclass(slots=True)
class Cut:
    """A call of `interrupt`: when, who had the floor, and what it returned."""

    at_s: float
    floor: ev.Floor
    calls: int
    """How many requests the model had got so far."""
    returned: bool = False


@dataclass(slots=True)
class Told:
    """An event as it was told: with the loop's time, and how many requests the model had got so far."""

    event: ev.Event
    at_s: float
    calls: int


@dataclass(slots=True)
class Seen:
    """All that an observer saw of one conversation; moments on the loop's clock."""

    seed: int
    policy: Policy
    user: ChanceListener
    model: ChanceModel
    voice: ChanceVoice
    told: list[Told] = field(default_factory=list)
    followed: list[ev.Event] = field(default_factory=list)
    cuts: list[Cut] = field(default_factory=list)
    typed: list[str] = field(default_factory=list)
    repeats: list[int] = field(default_factory=list)
    """How many events had been told when a reply was said again, each time that it was."""
    switched: bool = False
    """Whether barge-in was switched on or off on the way."""
    sounds: list[Sound] | None = None
    """The sounds to look at, where they are not all that the voice made."""
    all_told: list[Told] | None = None
    """All events, where `told` holds only some of them."""
    conversation: Conversation | None = None
    ending: str = ""
    """How `run` ended: `returned`, `cancelled`, `closed`, or what it raised."""
    ended_early: bool = False
    """Whether the conversation was ended from outside, with things perhaps left to do."""
    stays_open: bool = False
    overdue: str = ""
    """What the floor was when the simulation's patience ended, had it to."""
    steps: int = 0
    faults: list[str] = field(default_factory=list)
    """What asyncio complained of, and what was left behind."""

    @property
    def sink(self) -> list[Sound]:
        """Return the sounds that were heard."""
        return self.voice.sink if self.sounds is None else self.sounds

    @property
    def whole(self) -> list[Told]:
        """Return every event of the conversation."""
        return self.told if self.all_told is None else self.all_told

    @property
    def events(self) -> list[ev.Event]:
        """Return the events in the order in which they were told."""
        return [told.event for told in self.told]

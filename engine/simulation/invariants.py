"""All that must hold of any conversation, whatever its parts do: the invariants of the loop."""

from __future__ import annotations

from typing import TYPE_CHECKING

from voicetui.engine.simulation import of_events, of_sound, of_time
from voicetui.engine.simulation.again import repeats, without_repeats

if TYPE_CHECKING:
    from voicetui.engine.simulation.seen import Seen

OF_ALL = (
    of_events.journal,
    of_events.floor,
    of_events.interruptions,
    of_events.turns,
    of_events.errors,
    of_events.giving_way,
    of_sound.floor_and_sound,
    of_sound.giving_way,
    of_sound.requests,
    of_time.timings,
    repeats,
)
OF_WHAT_IS_NEW = (
    of_events.answers,
    of_events.causes,
    of_sound.silence,
    of_sound.exchanges,
    of_sound.record,
    of_sound.sentences,
    of_time.audible,
)


def broken(seen: Seen) -> list[str]:
    """Return what does not hold of a conversation, each with the rule that it breaks; nothing if all is well."""
    new = without_repeats(seen)
    faults = [f"{rule.__name__}: {fault}" for rule in OF_ALL for fault in rule(seen)]
    return faults + [f"{rule.__name__}: {fault}" for rule in OF_WHAT_IS_NEW for fault in rule(new)]

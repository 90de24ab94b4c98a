"""Replies that are said again: what is new in a conversation, told apart from what is not."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from voicetui.engine import events as ev
from voicetui.engine.events import Floor
from voicetui.engine.simulation.of_sound import call_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from voicetui.engine.simulation.seen import Seen, Told


def without_repeats(seen: Seen) -> Seen:
    """Return what was seen, without the exchanges in which a reply was said again: no turn led to them."""
    if not seen.repeats:
        return seen
    spans = [_span(seen, begun) for begun in seen.repeats]
    numbers = {_exchange(seen, begun) for begun in seen.repeats}
    passes = {id(told) for begun, end in spans for told in seen.told[begun:end] if _of_repeat(told.event)}
    told = [told for told in _once(seen.told) if id(told) not in passes and _number(told.event) not in numbers]
    times = [(seen.told[begun].at_s, seen.told[end - 1].at_s) for begun, end in spans]
    sounds = [s for s in seen.voice.sink if not any(begun <= s.from_s and s.to_s <= end for begun, end in times)]
    return replace(seen, told=told, sounds=sounds, all_told=seen.told)


def repeats(seen: Seen) -> Iterator[str]:
    """Nothing but the agent's last reply is said again, from its beginning."""
    for begun in seen.repeats:
        _, end = _span(seen, begun)
        from_s, to_s = seen.told[begun].at_s, seen.told[end - 1].at_s
        earlier = [t.event.text for t in seen.told[:begun] if _agents(t.event)]  # type: ignore[attr-defined]
        heard = [sound.text for sound in seen.voice.sink if from_s <= sound.from_s and sound.to_s <= to_s]
        if any(call_of(text) != call_of(earlier[-1]) for text in heard):
            yield f"at {from_s:.2f} {earlier[-1]!r} was to be said again, and {heard} was heard"


def _span(seen: Seen, begun: int) -> tuple[int, int]:
    """Return the events of a repeat: from that which gave the floor to the agent to that which gave it back."""
    for number, told in enumerate(seen.told[begun:], begun):
        if isinstance(told.event, ev.FloorPassed) and told.event.floor in (Floor.LISTENING, Floor.IDLE):
            return begun, number + 1
    return begun, len(seen.told)


def _exchange(seen: Seen, begun: int) -> int:
    """Return the number of the exchange that a repeat is: one for each time that the agent got the floor."""
    passes = [told.event for told in seen.told[: begun + 1] if isinstance(told.event, ev.FloorPassed)]
    return sum(event.cause == "committed" for event in passes)


def _of_repeat(event: ev.Event) -> bool:
    return isinstance(event, ev.FloorPassed | ev.Stop)


def _number(event: ev.Event) -> int:
    match event:
        case ev.ReplySentence() | ev.Speaking() | ev.SentenceSpoken():
            return event.exchange
        case _:
            return -1


def _agents(event: ev.Event) -> bool:
    return isinstance(event, ev.UtteranceAdded) and event.speaker == "agent"


def _once(told: list[Told]) -> Iterator[Told]:
    """Leave out what the agent is written down to have said again."""
    said: set[int] = set()
    for one in told:
        if isinstance(one.event, ev.UtteranceAdded) and one.event.speaker == "agent":
            call = call_of(one.event.text)
            if call >= 0 and call in said:
                continue
            said.add(call)
        yield one

"""What holds of every conversation, whatever the scenario: checked on each rehearsal beside its own expectations."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from voicetui.engine import events as ev
from voicetui.engine.floor import Cause, next_floor
from voicetui.engine.scenario.observed import AT_ONCE_S

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from voicetui.engine.fakes import Played
    from voicetui.engine.scenario.stage import Record


def broken(record: Record) -> list[str]:
    """Return a line for each invariant that this rehearsal breaks."""
    events = record.events
    return [*_numbering(events), *_floor(events), *_cut_replies(events, record.sounds), *_lost_turns(record)]


def _numbering(events: Sequence[ev.Event]) -> Iterator[str]:
    if [e.seq for e in events] != list(range(len(events))):
        yield f"events are numbered without gaps from 0: saw {[e.seq for e in events]}"
    times = [e.at_s for e in events]
    if times != sorted(times):
        yield "time never goes back: an event is earlier than the one before it"
    ends = [e.seq for e in events if isinstance(e, ev.Ended)]
    if not events or ends != [events[-1].seq]:
        yield f"`ended` comes once and last: saw it at {ends} of {len(events)} events"


def _floor(events: Sequence[ev.Event]) -> Iterator[str]:
    floor = ev.Floor.IDLE
    for event in events:
        if not isinstance(event, ev.FloorPassed):
            continue
        try:
            expected = next_floor(floor, Cause(event.cause))
        except ValueError as err:
            yield f"the floor at {event.at_s:.3f} s: {err}"
            return
        if event.floor is not expected:
            yield f"the floor passes from {floor} by {event.cause} to {expected}: saw {event.floor}"
        floor = event.floor
    if floor is not ev.Floor.IDLE:
        yield f"nobody has the floor in the end: saw {floor}"


def _cut_replies(events: Sequence[ev.Event], sounds: Sequence[Played]) -> Iterator[str]:
    """Check that nothing of a reply is heard after the stop that cut it, and that no two sounds overlap."""
    for stop in events:
        if not isinstance(stop, ev.Stop):
            continue
        cut = {s.reply for s in sounds if s.from_s < stop.at_s - AT_ONCE_S}
        for sound in sounds:
            if sound.reply in cut and sound.to_s > stop.at_s + AT_ONCE_S:
                until = f"{sound.to_s:.3f} s"
                yield f"nothing is heard of a reply cut at {stop.at_s:.3f} s: heard {sound.text!r} until {until}"
    for one, other in pairwise(sounds):
        if other.from_s < one.to_s - AT_ONCE_S:
            yield f"one sentence is heard at a time: {other.text!r} begins before {one.text!r} ends"


def _lost_turns(record: Record) -> Iterator[str]:
    """Check that every turn of the user is in the transcript, unless the conversation was ended before its turn."""
    ended = record.events[-1] if record.events else None
    if not isinstance(ended, ev.Ended) or ended.reason != "the listener ended":
        return
    said = [e.text for e in record.events if isinstance(e, ev.Committed) and e.user_turn]
    kept = [u.text for u in record.conversation.utterances if u.speaker == "user"]
    if said != kept:
        yield f"no turn of the user is lost: said {said}, in the transcript {kept}"

"""What must hold of the latency figures of any conversation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from voicetui.engine import events as ev
from voicetui.engine.simulation.of_events import SAME_S
from voicetui.engine.simulation.of_sound import call_of
from voicetui.engine.timing import Mark

if TYPE_CHECKING:
    from collections.abc import Iterator

    from voicetui.engine.simulation.seen import Seen
    from voicetui.engine.timing import Timing

MEASURES = {"endpoint_s": "decided", "recognise_s": "final_text", "think_s": "first_token", "speak_s": "first_audible"}


def timings(seen: Seen) -> Iterator[str]:
    """One timing an exchange; stages never negative, null where not measured, and adding up."""
    if seen.conversation is None:
        return
    numbers = [timing.exchange for timing in seen.conversation.timings]
    if numbers != sorted(set(numbers)):
        yield f"the timings are of the exchanges {numbers}"
    for timing in seen.conversation.timings:
        yield from _one(timing)
    events = [event.breakdown["exchange"] for event in seen.events if isinstance(event, ev.TimingMeasured)]
    if events != numbers:
        yield f"timings of {numbers}, but events of {events}"
    wanted = _closed(seen)
    if set(numbers) != wanted:
        yield f"timings of {numbers}, but the exchanges that were heard or ended are {sorted(wanted)}"


def _closed(seen: Seen) -> set[int]:
    """Return the numbers of the exchanges that were not withdrawn."""
    closed, number = set(), 0
    for event in seen.events:
        if not isinstance(event, ev.FloorPassed):
            continue
        if event.cause == "committed":
            number += 1
            closed.add(number)
        elif event.cause == "user_resumed":
            closed.discard(number)
    return closed


def _one(timing: Timing) -> Iterator[str]:
    told = timing.as_dict()
    marks = {str(mark): at for mark, at in timing.marks.items() if at is not None}
    shares = {name: told[name] for name in MEASURES}
    if any(share is not None and share < 0 for share in shares.values()):
        yield f"a stage of exchange {timing.exchange} is negative: {shares}"
    for name, mark in MEASURES.items():
        if shares[name] is not None and mark not in marks:
            yield f"exchange {timing.exchange}: {name} is {shares[name]}, but {mark} was not measured"
    total, audible = told["to_first_audio_s"], marks.get("first_audible")
    if (total is None) != (audible is None):
        yield f"exchange {timing.exchange}: first audible at {audible}, and to_first_audio_s is {total}"
    if total is None:
        return
    measured = [share for share in shares.values() if share is not None]
    if abs(sum(measured) - total) > SAME_S:
        yield f"exchange {timing.exchange}: {shares} do not add up to {total}"
    first = next(marks[mark] for mark in ("last_voice", *MEASURES.values()) if mark in marks)
    latest = max(marks[mark] for mark in ("last_voice", *MEASURES.values()) if mark in marks)
    if abs(latest - first - total) > SAME_S:
        yield f"exchange {timing.exchange}: {total} s to first audio, but the marks say {latest - first}"
    if shares[f"{told['slowest_stage']}_s"] != max(measured):
        yield f"exchange {timing.exchange}: {told['slowest_stage']} is not the slowest of {shares}"


def audible(seen: Seen) -> Iterator[str]:
    """Check the moment of the first sound against the loudspeaker's, where the voice can tell."""
    if not seen.voice.reports_audio or seen.conversation is None or not seen.told:
        return
    began = next((t.at_s - t.event.at_s for t in seen.told if isinstance(t.event, ev.FloorPassed)), 0.0)
    calls = {e.exchange: call_of(e.text) for e in seen.events if isinstance(e, ev.Speaking)}
    for timing in seen.conversation.timings:
        said = timing.marks[Mark.FIRST_AUDIBLE]
        if said is None:
            continue
        heard = [sound.from_s for sound in seen.sink if call_of(sound.text) == calls.get(timing.exchange)]
        late = seen.voice.report_late_s + SAME_S
        paused = any(isinstance(e, ev.Yielding) and abs(e.at_s - said) < late for e in seen.events)
        if heard and not paused and abs(min(heard) - began - said) > SAME_S:
            yield f"exchange {timing.exchange}: first audible at {said:.3f}, in truth at {min(heard) - began:.3f}"

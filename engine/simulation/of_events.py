"""What must hold of the events of any conversation: their order, the floor, the turns and their answers."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from voicetui.engine import events as ev
from voicetui.engine.events import Floor

if TYPE_CHECKING:
    from collections.abc import Iterator

    from voicetui.engine.simulation.seen import Seen

LONGEST_S = 60.0
"""The agent never has the floor longer: all delays and limits here together are shorter."""
SAME_S = 1e-6
"""Two moments that differ by less are one."""

PASSES = {
    (Floor.IDLE, "started", Floor.LISTENING),
    (Floor.LISTENING, "committed", Floor.THINKING),
    (Floor.LISTENING, "ended", Floor.IDLE),
    (Floor.THINKING, "first_audio", Floor.SPEAKING),
    (Floor.THINKING, "reply_empty", Floor.LISTENING),
    (Floor.THINKING, "user_resumed", Floor.LISTENING),
    (Floor.THINKING, "interrupted", Floor.LISTENING),
    (Floor.THINKING, "failed", Floor.LISTENING),
    (Floor.SPEAKING, "reply_spoken", Floor.LISTENING),
    (Floor.SPEAKING, "interrupted", Floor.LISTENING),
    (Floor.SPEAKING, "failed", Floor.LISTENING),
}
"""Every lawful pass of the floor, written down a second time. The floor is given back before a conversation ends."""

AGENT = (Floor.THINKING, Floor.SPEAKING)
OWN_WORD = re.compile(r"[ut]\d+x\d+")
AGENT_WORD = re.compile(r"a\d+x\d+")
HIDDEN_WORD = re.compile(r"h\d+x\d+")


def journal(seen: Seen) -> Iterator[str]:
    """Numbers without a gap, times that never go back, `ended` once and last, the same for every follower."""
    events = seen.events
    if [event.seq for event in events] != list(range(len(events))):
        yield f"the numbers of the events have gaps or repeat: {[event.seq for event in events]}"
    if any(later.at_s < earlier.at_s - SAME_S for earlier, later in pairwise(events[_begin(events) :])):
        yield "the time of an event is before that of the one before it"
    ends = [n for n, event in enumerate(events) if isinstance(event, ev.Ended)]
    if ends != [len(events) - 1]:
        yield f"`ended` must come once and last; it came as number {ends} of {len(events)}"
    if seen.followed != events:
        yield f"a follower saw {len(seen.followed)} events, another {len(events)}, or in another order"


def _begin(events: list[ev.Event]) -> int:
    """Return where the conversation's own time begins: after the parts are warm."""
    return next((n for n, event in enumerate(events) if isinstance(event, ev.FloorPassed)), 0)


def floor(seen: Seen) -> Iterator[str]:
    """One holder, every pass lawful and with a cause, and no agent that keeps the floor for ever."""
    holder, since = Floor.IDLE, 0.0
    for event in seen.events:
        if not isinstance(event, ev.FloorPassed):
            continue
        if (holder, event.cause, event.floor) not in PASSES:
            yield f"at {event.at_s:.2f} the floor passed from {holder} to {event.floor} by {event.cause!r}"
        if holder in AGENT and event.at_s - since > LONGEST_S:
            yield f"the agent was {holder} for {event.at_s - since:.0f} s"
        holder, since = event.floor, event.at_s
    if seen.conversation is not None and seen.conversation.floor is not Floor.IDLE:
        yield f"after the end the floor is {seen.conversation.floor}"
    if seen.overdue and (seen.overdue != Floor.LISTENING or (seen.user.done and not seen.stays_open)):
        yield f"the conversation did not end by itself: the floor was {seen.overdue}, ears done: {seen.user.done}"


def interruptions(seen: Seen) -> Iterator[str]:
    """`interrupt` gives the floor to the user in that very moment, and does nothing else."""
    passes = [told for told in seen.told if isinstance(told.event, ev.FloorPassed)]
    for cut in seen.cuts:
        then = [told for told in passes if abs(told.at_s - cut.at_s) < SAME_S]
        given_back = any(told.event.floor in (Floor.LISTENING, Floor.IDLE) for told in then)  # type: ignore[attr-defined]
        if cut.floor in AGENT and not given_back:
            yield f"interrupted at {cut.at_s:.2f} on the loop's clock while {cut.floor}, and the floor did not pass"
        if cut.floor not in AGENT and cut.returned:
            yield f"`interrupt` at {cut.at_s:.2f} said that it stopped something while {cut.floor}"


def turns(seen: Seen) -> Iterator[str]:
    """No word of the user is lost or taken for something else; every turn is in the transcript, in order."""
    committed = [event for event in seen.events if isinstance(event, ev.Committed)]
    real = [event.text for event in committed if event.user_turn]
    said = sorted(seen.user.said + seen.typed)
    taken = sorted(text for text in real if OWN_WORD.search(text.lower()))
    if said != taken:
        yield f"the user said {said} but the turns are {taken}"
    written = [event.text for event in seen.events if isinstance(event, ev.UtteranceAdded) and event.speaker == "user"]
    if written != real:
        yield f"the turns were {real} but the transcript has {written}"
    if not seen.voice.report_late_s and (echo := [text for text in real if AGENT_WORD.search(text.lower())]):
        yield f"the agent's own words are taken for the user's: {echo}"
    indexes = [event.turn_index for event in committed]
    if indexes != sorted(set(indexes)):
        yield f"turn_index does not rise: {indexes}"
    if any(not any(c.isalnum() for c in text) for text in real):
        yield f"a turn without a word: {real}"
    if any("<think>" in call.text for call in seen.model.calls):
        for event in seen.events:
            if HIDDEN_WORD.search(str(event.as_dict())):
                yield f"hidden reasoning in {event}"


def answers(seen: Seen) -> Iterator[str]:
    """Every turn gets its exchange, and none is left without an answer though its reply was withdrawn."""
    waiting, withdrawn, due = 0, False, None
    for event in seen.events:
        if due is not None and event.at_s > due + SAME_S:
            yield f"at {due:.2f} the user turned out to have said nothing, and the turn before is not answered"
            due = None
        match event:
            case ev.Committed(user_turn=True):
                waiting += 1
            case ev.Committed() if withdrawn and not waiting:
                due = event.at_s
            case ev.FloorPassed(cause="committed"):
                if not (waiting or withdrawn):
                    yield f"at {event.at_s:.2f} the agent answers nobody"
                waiting, withdrawn, due = max(0, waiting - 1), False, None
            case ev.FloorPassed(cause="user_resumed"):
                withdrawn = True
            case ev.Ended(reason="the listener ended" | "silence") if waiting or withdrawn:
                yield f"at the end {waiting} turns wait for an answer, one was withdrawn: {withdrawn}"


def causes(seen: Seen) -> Iterator[str]:
    """Every exchange ends as its cause says: a failure is shown, and so is a reply with nothing in it."""
    failed = empty = False
    for event in seen.events:
        match event:
            case ev.PartFailed(part="think", recovered=True):
                empty = True
            case ev.PartFailed(recovered=False):
                failed = True
            case ev.FloorPassed(cause="committed"):
                failed = empty = False
            case ev.FloorPassed(cause="failed") if not failed:
                yield f"at {event.at_s:.2f} the floor went back as `failed` and no error was shown"
            case ev.FloorPassed(cause="reply_empty") if not (empty or _unspeakable(seen, event)):
                yield f"at {event.at_s:.2f} a reply was `empty` and nothing was said about it"


def _unspeakable(seen: Seen, event: ev.Event) -> bool:
    """Tell whether the reply just over held only signs that no voice can say."""
    told = next(told for told in seen.told if told.event is event)
    return told.calls > 0 and any(call.text == "👍" for call in seen.model.calls[: told.calls][-2:])


def errors(seen: Seen) -> Iterator[str]:
    """Only faults that were simulated are shown, and a part that works is never called stuck."""
    for event in seen.events:
        if not isinstance(event, ev.PartFailed) or "simulated" in event.message or "empty" in event.message:
            continue
        if "the model said nothing" in event.message and any(call.fault == "hang" for call in seen.model.calls):
            continue
        if "nothing was heard of the voice" in event.message and seen.voice.faulty:
            continue
        yield f"an error that nothing here caused: {event.message}"
    if seen.ending not in ("returned", "cancelled") and "simulated" not in seen.ending:
        yield f"`run` ended with {seen.ending or 'nothing'}"
    yield from seen.faults


def giving_way(seen: Seen) -> Iterator[str]:
    """Whoever gives way comes back: `yielding` and `yield_over` alternate, in the same mode."""
    mode = ""
    for event in seen.events:
        match event:
            case ev.Yielding():
                if mode:
                    yield f"at {event.at_s:.2f} the agent gave way twice"
                mode = event.mode
            case ev.YieldOver():
                if event.mode != mode:
                    yield f"at {event.at_s:.2f} giving way ended ({event.mode}) but was {mode or 'not begun'}"
                mode = ""
            case ev.FloorPassed(floor=Floor.LISTENING | Floor.IDLE) if mode:
                yield f"at {event.at_s:.2f} the floor passed on while the agent still gave way"
                mode = ""
            case ev.UserTurnTaken(source=ev.Source.VOICE) if not (seen.policy.allow_barge_in or seen.switched):
                yield f"at {event.at_s:.2f} the user's voice cut the agent, which the policy forbids"

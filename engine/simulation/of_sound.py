"""What must hold between the sound that was made and all that is said about it."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

from voicetui.engine import events as ev
from voicetui.engine.events import Floor
from voicetui.engine.policy import History
from voicetui.engine.simulation.of_events import AGENT, SAME_S

if TYPE_CHECKING:
    from collections.abc import Iterator

    from voicetui.engine.simulation.model import Call
    from voicetui.engine.simulation.seen import Seen, Told
    from voicetui.engine.simulation.voice import Sound

WORD = re.compile(r"a(\d+)x(\d+)")
"""A word of the agent's: the number of the call to the model, and of the word in its reply."""


def call_of(text: str) -> int:
    """Return which call to the model a text comes from; -1 where it holds none of its words."""
    found = WORD.search(text.lower())
    return int(found[1]) if found else -1


def words_in(text: str) -> list[int]:
    """Return the numbers of the agent's words in a text, in order."""
    return [int(number) for _, number in WORD.findall(text.lower())]


def silence(seen: Seen) -> Iterator[str]:
    """After a stop not one sample of what was stopped is heard, nor of a reply prepared for a turn that went on."""
    dead: list[tuple[float, int, str]] = [(cut.at_s, cut.calls, "`interrupt`") for cut in seen.cuts if cut.returned]
    holder = Floor.IDLE
    for told in seen.told:
        match told.event:
            case ev.FloorPassed():
                holder = told.event.floor
                if holder not in AGENT:
                    dead.append((told.at_s, told.calls, f"the floor had passed by {told.event.cause}"))
            case ev.TurnResumed() if holder is Floor.LISTENING:
                dead.append((told.at_s, told.calls, "the user had gone on"))
            case ev.Stop() | ev.Ended():
                dead.append((told.at_s, told.calls, f"`{told.event.kind}`"))
    for sound in seen.sink:
        call = call_of(sound.text)
        for at, calls, why in dead:
            if call < calls and sound.to_s > at + SAME_S and (call >= 0 or sound.from_s < at):
                yield f"{sound.text!r} was heard until {sound.to_s:.3f}, after {why} at {at:.3f}"
                break


def floor_and_sound(seen: Seen) -> Iterator[str]:
    """Sound only while the agent has the floor; where the voice reports in time, only while it is speaking."""
    spans: list[tuple[float, float, Floor]] = []
    holder, since = Floor.IDLE, 0.0
    for told in seen.told:
        if isinstance(told.event, ev.FloorPassed):
            spans.append((since, told.at_s, holder))
            holder, since = told.event.floor, told.at_s
    allowed = {Floor.SPEAKING} if not seen.voice.report_late_s else set(AGENT)
    for sound in seen.sink:
        for begin, end, floor in spans:
            if floor not in allowed and min(end, sound.to_s) - max(begin, sound.from_s) > SAME_S:
                yield f"{sound.text!r} was heard from {sound.from_s:.3f} to {sound.to_s:.3f} while {floor}"


def giving_way(seen: Seen) -> Iterator[str]:
    """While the agent gives way it is silent, or lowered, and at no other time."""
    lowered = [sound for sound in seen.sink if sound.gain != 1]
    began, mode = 0.0, ""
    for told in seen.told:
        match told.event:
            case ev.Yielding():
                began, mode = told.at_s, told.event.mode
            case ev.YieldOver() if mode:
                for sound in seen.sink:
                    within = min(told.at_s, sound.to_s) - max(began, sound.from_s) > SAME_S
                    if within and mode == "duck" and sound in lowered:
                        lowered.remove(sound)
                    if within and (mode == "pause" or sound.gain == 1):
                        yield f"{sound.text!r} was heard at gain {sound.gain} while the agent gave way ({mode})"
                mode = ""
    if lowered:
        yield f"{lowered[0].text!r} was heard lowered and nobody spoke"


def exchanges(seen: Seen) -> Iterator[str]:
    """Of an exchange one reply is heard, to a request for just what the user had said by then."""
    of_exchange: dict[int, set[int]] = defaultdict(set)
    for event in seen.events:
        if isinstance(event, ev.ReplySentence | ev.Speaking | ev.SentenceSpoken):
            of_exchange[event.exchange].add(call_of(event.text))
    for number, calls in of_exchange.items():
        if len(calls - {-1}) > 1:
            yield f"exchange {number} mixes the replies to the requests {sorted(calls)}"
    for sound in seen.sink:
        call = call_of(sound.text)
        if call < 0:
            yield f"the voice was given words of nobody: {sound.text!r}"
            continue
        asked = _plain(seen.model.calls[call].messages)
        wanted = _plain(_project(seen, [told for told in seen.whole if told.at_s <= sound.from_s + SAME_S]))
        if asked[-1:] != wanted[-1:]:
            yield f"{sound.text!r} answers {asked[-1:]}, but the user had said {wanted[-1:]}"


def requests(seen: Seen) -> Iterator[str]:
    """Every request holds just what the transcript says at that moment, and the words to answer."""
    for call in seen.model.calls:
        before = [told for told in seen.told if told.calls <= call.number]
        holder = next((t.event.floor for t in reversed(before) if isinstance(t.event, ev.FloorPassed)), Floor.IDLE)
        wanted = _project(seen, before)
        if holder is Floor.LISTENING:
            eager = [told.event.text for told in before if isinstance(told.event, ev.EagerEndOfTurn)]
            if not eager:
                yield f"request {call.number} was made while the user had the floor and nobody had finished"
                continue
            _join_user(wanted, eager[-1])
        roles = [message["role"] for message in call.messages] == [message["role"] for message in wanted]
        if not roles or _plain(call.messages) != _plain(wanted):
            yield f"request {call.number} was {call.messages} but should be {wanted}"


def _project(seen: Seen, told: list[Told]) -> list[dict[str, str]]:
    """Return the messages that follow from the transcript so far: the contract, written down a second time."""
    messages: list[dict[str, str]] = []
    for event in (t.event for t in told):
        if not isinstance(event, ev.UtteranceAdded):
            continue
        if event.speaker == "user":
            _join_user(messages, event.text)
        elif seen.policy.history is History.GENERATED:
            _say(messages, event.text, cut=False)
        else:
            _say(messages, event.heard_text, cut=event.interrupted)
    return messages


def _say(messages: list[dict[str, str]], text: str, *, cut: bool) -> None:
    """Add what the agent said; when it said it again, what counts is the time of which more was heard."""
    before = [message["content"] for message in messages if message["role"] == "assistant"]
    again = messages[-1:] != [] and messages[-1]["role"] != "user"
    if again and len(before[-1]) > len(text):
        return
    while messages and messages[-1]["role"] != "user":
        messages.pop()
    messages.append({"role": "assistant", "content": text})
    if cut:
        messages.append({"role": "system", "content": "The user cut you off there and heard no more than that."})


def _join_user(messages: list[dict[str, str]], text: str) -> None:
    if messages and messages[-1]["role"] == "user":
        text = f"{messages.pop()['content']} {text}"
    messages.append({"role": "user", "content": text})


def _plain(messages: list[dict[str, str]]) -> list[str]:
    return [" ".join(re.findall(r"\w+", message["content"].lower())) for message in messages]


def record(seen: Seen) -> Iterator[str]:
    """Transcript and history hold what was heard of each reply, to a word."""
    told: dict[int, list[ev.UtteranceAdded]] = defaultdict(list)
    for event in seen.events:
        if isinstance(event, ev.UtteranceAdded) and event.speaker == "agent":
            told[call_of(event.text)].append(event)
    sink: dict[int, list[Sound]] = defaultdict(list)
    for sound in seen.sink:
        sink[call_of(sound.text)].append(sound)
    cut = _cut(seen)
    for call in seen.model.calls:
        entries, sounds = told.pop(call.number, []), sink[call.number]
        if entries and entries[0].interrupted is not (call.number in cut):
            yield f"the transcript says {entries[0].interrupted} of whether the reply to request {call.number} was cut"
        if len(entries) > 1:
            yield f"the reply to request {call.number} is {len(entries)} times in the transcript"
        yield from _entry(seen, call, entries[0] if entries else None, sounds)
    for number, entries in told.items():
        if any(entry.heard_text != "👍" for entry in entries):
            yield f"the transcript has words of nobody: {number}, {entries}"


def _cut(seen: Seen) -> set[int]:
    """Return the requests the replies to which were under way when the user cut in."""
    cut, call = set(), -1
    for event in seen.events:
        match event:
            case ev.ReplySentence():
                call = call_of(event.text)
            case ev.FloorPassed(cause="committed"):
                call = -1
            case ev.FloorPassed(cause="interrupted" | "user_resumed"):
                cut.add(call)
    return cut


def _entry(seen: Seen, call: Call, entry: ev.UtteranceAdded | None, sounds: list[Sound]) -> Iterator[str]:
    heard = heard_words(sounds)
    written = words_in(entry.heard_text) if entry is not None else []
    whole = words_in(entry.text) if entry is not None else []
    if entry is not None and not entry.heard_text.strip():
        yield f"a blank turn of the agent for request {call.number}"
    if len(set(written) - heard) > 1:
        yield f"request {call.number}: the transcript has the words {written}, only {sorted(heard)} were heard"
    doubtful = set().union(*(words_in(text) for text in seen.voice.faulty if call_of(text) == call.number))
    if seen.voice.answer_late_s >= seen.policy.settle_limit_s:
        doubtful |= set(words_in(sounds[-1].text)) if sounds else set()
    missing = heard - set(written)
    if len(missing) > 1 and not missing <= doubtful:
        yield f"request {call.number}: the words {sorted(heard)} were heard, the transcript has {written}"
    if whole != sorted(set(whole)) and not doubtful:
        yield f"request {call.number}: words repeat or are out of order: {whole}"


def heard_words(sounds: list[Sound]) -> set[int]:
    """Return the numbers of the words of a reply that were heard to their end."""
    heard: set[int] = set()
    for sound in sounds:
        heard |= set(words_in(" ".join(sound.text.split()[: int(sound.to_word + SAME_S)])))
    return heard


def sentences(seen: Seen) -> Iterator[str]:
    """Nothing untrue is said of a sentence: when it was first heard, and which words of it were."""
    begun: dict[tuple[int, int], str] = {}
    for told in seen.told:
        event = told.event
        match event:
            case ev.Speaking():
                if (event.exchange, event.sentence) in begun:
                    yield f"sentence {event.sentence} of exchange {event.exchange} became audible twice"
                begun[event.exchange, event.sentence] = event.text
                yield from _began(seen, told.at_s, event)
            case ev.SentenceSpoken():
                if begun.pop((event.exchange, event.sentence), None) is None and not seen.voice.report_late_s:
                    yield f"sentence {event.sentence} of exchange {event.exchange} ended and never became audible"
                yield from _sentence(seen, event)
    doubtful = seen.voice.faulty or seen.voice.answer_late_s >= seen.policy.settle_limit_s
    if begun and not doubtful:
        yield f"of the sentences {sorted(begun)} it was never said that they ended"


def _began(seen: Seen, at_s: float, event: ev.Speaking) -> Iterator[str]:
    """Check that a sentence began when it is said to; one that was stopped in that very moment made no sound."""
    voice, since_s = seen.voice, at_s - seen.voice.report_late_s - SAME_S
    hushed = any(since_s < told.at_s < at_s + SAME_S for told in seen.told if _hushes(told.event))
    if not voice.reports_audio or hushed:
        return
    call, words = call_of(event.text), words_in(event.text)
    mine = [sound.from_s for sound in seen.sink if call_of(sound.text) == call and words_in(sound.text) == words]
    if not any(since_s < from_s < at_s + SAME_S for from_s in mine):
        yield f"{event.text!r} is said to be audible at {at_s:.3f}, but is not heard"


def _hushes(event: ev.Event) -> bool:
    return isinstance(event, ev.Stop | ev.Yielding | ev.Ended | ev.PartFailed)


def _sentence(seen: Seen, event: ev.SentenceSpoken) -> Iterator[str]:
    mine = set(words_in(event.text))
    call = call_of(event.text)
    heard = heard_words([sound for sound in seen.sink if call_of(sound.text) == call]) & mine
    said = set(words_in(event.heard_text))
    if len(said ^ heard) > 1:
        yield f"{event.text!r}: said to be heard as {event.heard_text!r}, in truth the words {sorted(heard)}"

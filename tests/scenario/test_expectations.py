"""Expectations: what each holds for, and the one line that says what was seen instead."""

from __future__ import annotations

import pytest
from voicetui.engine import events as ev
from voicetui.engine.conversation import Conversation, Utterance
from voicetui.engine.fakes import Played
from voicetui.engine.scenario import Record, parse_scenario
from voicetui.engine.scenario.expect import failures
from voicetui.engine.scenario.invariants import broken
from voicetui.engine.scenario.parts import Request

RECORD = Record(
    Conversation(
        utterances=[
            Utterance("user", "tell me"),
            Utterance("agent", "One.", interrupted=True),
            Utterance("user", "stop"),
            Utterance("agent", "Well.", incomplete=True),
        ]
    ),
    [
        ev.FloorPassed(seq=0, at_s=0.0, floor=ev.Floor.LISTENING, cause="started"),
        ev.Committed(seq=1, at_s=1.0, text="tell me"),
        ev.FloorPassed(seq=2, at_s=1.0, floor=ev.Floor.THINKING, cause="committed"),
        ev.FloorPassed(seq=3, at_s=1.5, floor=ev.Floor.SPEAKING, cause="first_audio"),
        ev.TimingMeasured(seq=4, at_s=1.5, breakdown={"think_s": 0.5, "endpoint_s": None, "marks": {"decided": 0.9}}),
        ev.SpeechStart(seq=5, at_s=2.0, turn_index=1),
        ev.Stop(seq=6, at_s=2.1, source=ev.Source.VOICE, discarded_s=1.2, silent_ms=100.0),
        ev.FloorPassed(seq=7, at_s=2.1, floor=ev.Floor.LISTENING, cause="interrupted"),
        ev.SpeechStart(seq=8, at_s=4.0, turn_index=2),
        ev.FloorPassed(seq=9, at_s=5.0, floor=ev.Floor.IDLE, cause="ended"),
        ev.Ended(seq=10, at_s=5.0, reason="closed"),
    ],
    [Played(1.5, 1.8, "One.", 1, 1.0), Played(1.8, 2.0, "Two.", 1, 1.0), Played(2.0, 2.1, "Two.", 1, 0.25)],
    [Request(1.0, 1, [{"role": "user", "content": "tell me"}], cancelled=True)],
)


def faults(expectation):
    scenario = parse_scenario(f'[[user]]\nsay = "a"\n[[expect]]\n{expectation}\n', "a.toml")
    return failures(scenario.expectations, RECORD)


HOLDS = [
    'event = "stop"',
    'event = "stop"\ncount = 1\nhas = { source = "voice", silent_ms = 100, discarded_s = { min = 1, max = 1.5 } }',
    'event = "stop"\nwhere = { source = "key" }\nnever = true',
    'event = "floor"\nat_least = 5\nat_most = 5',
    'event = "error"\nat_most = 2',
    'event = "timing"\nhas = { think_s = 0.5, endpoint_s = { absent = true }, marks.decided = 0.9 }',
    'event = "committed"\nhas = { text = { contains = "me" }, user_turn = true }',
    'event = "stop"\nafter = { event = "speech_start", turn_index = 1 }\nwithin_s = 0.1',
    'event = "stop"\nnever = true\nafter = { event = "speech_start", turn_index = 1 }\nwithin_s = 0.09',
    'event = "stop"\nnever = true\nafter = { event = "speech_start", turn_index = 2 }',
    'event = "floor"\ncount = 1\nafter = { event = "floor", floor = "thinking" }\nuntil = "stop"',
    'event = "sound"\nwhere = { reply = 1 }\nnever = true\nafter = "stop"',
    'event = "sound"\nwhere = { text = "Two." }\ncount = 2\nafter = { event = "sound", text = "One." }',
    'event = "sound"\nat_least = 1\nafter = { event = "speech_start", turn_index = 1 }',
    'event = "sound"\nwhere = { gain = { max = 0.5 } }\ncount = 1\nhas = { at_s = 2.0, until_s = 2.1 }',
    'event = "request"\ncount = 1\nhas = { exchange = 1, text = "tell me", cancelled = true, complete = false }',
    'order = ["committed", "speech_start", "stop", { event = "floor", floor = "idle" }]',
    'order = [{ event = "sound", text = "One." }, "stop"]',
    'floor = ["listening", "thinking", "speaking", "listening", "idle"]',
    'transcript = ["you: tell me", " it: One. (cut off)", "you: stop", "it: Well. (broke off)"]',
    'heard = ["One.", "Two."]',
]


@pytest.mark.parametrize("expectation", HOLDS)
def test_what_happened_is_met(expectation):
    assert faults(expectation) == []


FAILS = [
    ('event = "error"', "expected at least 1 error, saw none"),
    ('event = "stop"\ncount = 2', "expected exactly 2 stop, saw 1: stop at 2.100 s (source "),
    (
        'event = "stop"\nnever = true',
        'expected no stop, saw 1: stop at 2.100 s (source "voice", discarded_s 1.2, silent_ms 100)',
    ),
    (
        'event = "floor"\nat_most = 1',
        'expected 0 to 1 floor, saw 5: floor at 0.000 s (floor "listening", cause "started"',
    ),
    (
        'event = "stop"\nwhere = { source = "key" }',
        'expected at least 1 stop (source "key"), saw none, but 1: stop at 2.100 s',
    ),
    (
        'event = "stop"\nhas = { silent_ms = { max = 50 } }',
        "expected silent_ms at most 50 of stop at 2.100 s, saw 100",
    ),
    (
        'event = "timing"\nhas = { endpoint_s = { min = 0 } }',
        "expected endpoint_s at least 0 of timing at 1.500 s, saw null",
    ),
    ('event = "timing"\nhas = { marks.decided = 1 }', "expected marks.decided 1 of timing at 1.500 s, saw 0.9"),
    ('event = "committed"\nhas = { user_turn = 1 }', "expected user_turn 1 of committed at 1.000 s, saw true"),
    (
        'event = "committed"\nhas = { text = { contains = "you" } }',
        'expected text containing "you" of committed at 1.000 s, saw "tell me"',
    ),
    (
        'event = "stop"\nafter = "speech_start"\nwithin_s = 0.5',
        "expected at least 1 stop within 0.5 s after speech_start at 4.000 s, saw none",
    ),
    ('event = "stop"\nafter = "error"', "expected at least 1 stop after error, saw no error"),
    (
        'event = "sound"\nnever = true\nafter = "speech_start"\nuntil = "stop"',
        "expected no sound after speech_start at 2.000 s until stop, saw 1: sound at 2.000 s",
    ),
    ('order = ["stop", "committed"]', "expected stop, then committed; saw no committed after stop at 2.100 s"),
    (
        'floor = ["listening", "idle"]',
        "expected the floor to pass listening, idle; saw listening, thinking, speaking, ",
    ),
    (
        'transcript = ["you: tell me", "it: One."]',
        'expected "it: One." in line 2 of the transcript, saw "it: One. (cut off)"',
    ),
    ('transcript = ["you: tell me"]', 'expected the end in line 2 of the transcript, saw "it: One. (cut off)"'),
    ('heard = ["One.", "Two.", "Three."]', 'expected "Three." in line 3 of what was heard, saw the end'),
]


@pytest.mark.parametrize(("expectation", "line"), FAILS)
def test_what_did_not_happen_is_one_line_that_says_what_was_seen(expectation, line):
    (fault,) = faults(expectation)
    assert fault.startswith(f"a.toml:3: [[expect]] 1: {line}")
    assert "\n" not in fault


def broken_with(**changes):
    values = {"conversation": RECORD.conversation, "events": RECORD.events, "sounds": RECORD.sounds, "requests": []}
    return broken(Record(**(values | changes)))


def test_a_good_record_breaks_no_invariant():
    assert broken_with() == []


@pytest.mark.parametrize(
    ("events", "line"),
    [
        (RECORD.events[:-1], "`ended` comes once and last"),
        (
            [*RECORD.events, ev.Stop(seq=11, at_s=6.0, source=ev.Source.KEY, discarded_s=0, silent_ms=0)],
            "`ended` comes",
        ),
        ([e for e in RECORD.events if e.seq != 5], "events are numbered without gaps from 0"),
        (
            [e for e in RECORD.events if e.seq != 2],
            "the floor at 1.500 s: the floor cannot pass from listening by first_a",
        ),
    ],
)
def test_a_broken_order_of_events_is_named(events, line):
    assert any(fault.startswith(line) for fault in broken_with(events=events))


def test_sound_after_a_stop_is_named():
    (fault,) = broken_with(sounds=[*RECORD.sounds, Played(2.5, 2.8, "Three.", 1, 1.0)])
    assert fault == "nothing is heard of a reply cut at 2.100 s: heard 'Three.' until 2.800 s"


def test_two_sentences_at_once_are_named():
    (fault,) = broken_with(sounds=[Played(1.0, 1.5, "One.", 1, 1.0), Played(1.4, 1.6, "Two.", 1, 1.0)])
    assert fault == "one sentence is heard at a time: 'Two.' begins before 'One.' ends"


def test_a_lost_turn_is_named():
    ended = ev.Ended(seq=10, at_s=5.0, reason="the listener ended")
    (fault,) = broken_with(events=[*RECORD.events[:-1], ended])
    assert fault == "no turn of the user is lost: said ['tell me'], in the transcript ['tell me', 'stop']"

"""Turn by turn on hand-made windows: what happens when the recogniser is quick, slow or late."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from voicetui.engine import events as ev
from voicetui.engine.listen.endpoint import EndpointRule
from voicetui.engine.listen.turn_follower import TurnFollower
from voicetui.engine.listen.turn_text import Words
from voicetui.engine.listen.windows import Window

WINDOW_S = 0.032


class FakeText:
    """A fake recogniser's desk: the test answers."""

    def __init__(self):
        self.request, self.asked = 0, []

    def begin(self, samples):
        pass

    def add(self, samples):
        pass

    def want_draft(self):
        self.request += 1
        self.asked.append((self.request, False))

    def want_final(self):
        self.request += 1
        self.asked.append((self.request, True))
        return self.request


class Room:
    """Windows in, events out, on a clock that the windows move."""

    def __init__(self, **rule):
        self.text, self.at_s, self.events = FakeText(), 0.0, []
        self.turns = TurnFollower(self.text, EndpointRule(**rule), 0.3, lambda: self.at_s)

    def hear(self, sound: str):
        for sign in sound:
            self.at_s += WINDOW_S
            loud = sign == "#"
            samples = np.full(512, 0.5 if loud else 0.0, np.float32)
            self.events += self.turns.hear(Window(samples, 0.95 if loud else 0.02, self.at_s))

    def answer(self, text: str, request: int | None = None):
        request = request or self.text.request
        self.events += self.turns.final(Words(request, text, final=True))

    @property
    def kinds(self) -> list[str]:
        return [type(event).__name__ for event in self.events]

    @property
    def last(self):
        return self.events[-1]


def test_a_turn_is_decoded_while_the_silence_lasts():
    room = Room()
    room.hear("..." + "#" * 20 + "." * 7)
    assert room.kinds == ["SpeechStart", "SpeechEnd"]
    room.answer("hello there")
    assert room.last == ev.EagerEndOfTurn(turn_index=0, text="hello there")
    eager_at = room.at_s
    room.hear("." * 12)
    committed = room.last
    assert isinstance(committed, ev.Committed)
    assert (committed.text, committed.user_turn, committed.turn_kind) == ("hello there", True, ev.TurnKind.TURN)
    assert committed.marks == ev.HearingMarks(pytest.approx(23 * WINDOW_S, abs=0.01), room.at_s, eager_at)
    assert room.at_s - committed.marks.last_voice == pytest.approx(0.6, abs=0.04)
    room.hear("..#")
    assert isinstance(room.last, ev.SpeechStart)
    assert room.last.turn_index == 1


def test_who_goes_on_takes_the_prepared_reply_back():
    room = Room()
    room.hear("#" * 20 + "." * 8)
    room.answer("book a table")
    room.hear("#" * 10)
    assert room.kinds[-2:] == ["TurnResumed", "SpeechStart"]
    room.hear("." * 7)
    room.answer("book a table for two")
    room.hear("." * 20)
    assert room.kinds.count("Committed") == 1
    assert room.last.text == "book a table for two"
    assert room.last.turn_index == 0


def test_a_late_text_commits_when_it_comes():
    room = Room()
    room.hear("#" * 20 + "." * 30)
    assert room.kinds == ["SpeechStart", "SpeechEnd"]
    decided = 39 * WINDOW_S
    room.answer("hello")
    assert room.kinds[-2:] == ["EagerEndOfTurn", "Committed"]
    assert room.last.marks.decided == pytest.approx(decided)
    assert room.last.marks.final_text == pytest.approx(50 * WINDOW_S)


def test_speech_before_the_text_came_makes_one_turn_of_both_halves():
    room = Room()
    room.hear("#" * 20 + "." * 30)
    stale = room.text.request
    room.hear("###")
    room.answer("half", stale)
    assert room.kinds == ["SpeechStart", "SpeechEnd", "SpeechStart"]
    room.hear("." * 25)
    room.answer("both halves")
    assert room.kinds[-2:] == ["EagerEndOfTurn", "Committed"]
    assert room.last.text == "both halves"


def test_no_words_are_no_turn_rl01():
    room = Room()
    room.hear("#" * 10 + "." * 8)
    room.answer("")
    room.hear("." * 20)
    assert room.kinds == ["SpeechStart", "SpeechEnd", "Committed"]
    assert (room.last.user_turn, room.last.turn_kind, room.last.text) == (False, ev.TurnKind.NOISE, "")
    assert room.last.reason


@pytest.mark.parametrize("text", ["...", "  ", "\u200b", "You", "Thank."])
def test_what_recognisers_make_of_a_click_is_no_turn(text):
    room = Room()
    room.hear("###" + "." * 8)
    room.answer(text)
    room.hear("." * 20)
    assert room.kinds == ["SpeechStart", "SpeechEnd", "Committed"]
    assert not room.last.user_turn


def test_a_short_word_that_says_something_is_a_turn():
    room = Room()
    room.hear("###" + "." * 8)
    room.answer("Stop.")
    room.hear("." * 20)
    assert room.last.text == "Stop."


def test_pauses_between_dictated_groups_do_not_end_the_turn_tt06():
    """Speech ends at 0.84, 2.79 and 4.83 s with 0.70 s of silence between the groups."""
    room = Room()

    def sound(seconds: float, sign: str):
        room.hear(sign * round(seconds / WINDOW_S))

    for group, text in ((0.84, "my number is"), (1.25, "my number is 555"), (1.34, "my number is 555 0199")):
        sound(group, "#")
        sound(0.35, ".")
        room.answer(text)
        sound(0.35, ".")
    sound(0.8, ".")
    commits = [event for event in room.events if isinstance(event, ev.Committed)]
    assert [commit.text for commit in commits] == ["my number is 555 0199"]
    assert room.kinds.count("TurnResumed") == 2
    assert commits[0].marks.last_voice == pytest.approx(4.83, abs=0.1)
    assert commits[0].marks.decided > 4.83


def test_a_turn_without_end_is_committed_and_the_next_begins_at_once():
    room = Room(max_turn_s=1.0, overtime_s=0.2)
    room.hear("#" * 40)
    assert room.turns.must_end
    room.answer("a long story")
    assert room.last.text == "a long story"
    room.hear("#")
    assert isinstance(room.last, ev.SpeechStart)
    assert room.last.turn_index == 1


def test_drafts_are_asked_for_every_quarter_second_of_speech():
    room = Room()
    room.hear("#" * 63)
    assert len(room.text.asked) == 7
    room.events += room.turns.draft(Words(room.text.request, "so far", final=False))
    assert room.last == ev.Draft(turn_index=0, text="so far")
    room.events += room.turns.draft(Words(room.text.request, "so far", final=False))
    assert room.kinds.count("Draft") == 1


@settings(max_examples=100)
@given(
    st.lists(
        st.one_of(
            st.tuples(st.sampled_from("#."), st.integers(1, 40)), st.tuples(st.just("answer"), st.integers(0, 3))
        ),
        max_size=40,
    )
)
def test_the_protocol_holds_whatever_is_heard_and_answered(steps):
    """A commit repeats its last eager text, and turn indexes rise by one with each commit."""
    room = Room(max_turn_s=4.0, overtime_s=1.0)
    for what, count in steps:
        if what == "answer":
            room.answer(["", "alpha", "beta gamma", "my number is"][count])
        else:
            for _ in range(count):
                room.hear(what)
                if room.turns.must_end:
                    room.answer("forced")
    turn, eager = 0, None
    for event in room.events:
        assert event.turn_index == turn
        match event:
            case ev.EagerEndOfTurn():
                eager = event.text
            case ev.TurnResumed():
                assert eager is not None
                eager = None
            case ev.Committed():
                assert event.text == (eager or "")
                assert event.user_turn == bool(event.text)
                marks = event.marks
                assert 0 <= marks.last_voice <= marks.decided
                turn, eager = turn + 1, None

"""The scripted user is heard as real ears would hear them: what is reported, in which order, and when."""

from __future__ import annotations

import pytest
from voicetui.engine import events as ev
from voicetui.engine.scenario import Scenario, Stimulus, When, parse_scenario, play, rehearse
from voicetui.engine.scenario.ears import Hearing, hear_acknowledgement, hear_barge_in, hear_cough, hear_speech
from voicetui.engine.scenario.script import Ears, End, Pause, Say

EARS = Ears(word_s=0.3, detect_s=0.05, eager_s=0.0, endpoint_s=0.5, recognise_s=0.1)


def reported(ears, hear, *arguments, began_s=10.0):
    """Return when and what the ears report, in seconds since the conversation began at `began_s`."""
    hearing = Hearing(ears, began_s, 3)
    hear(hearing, *arguments)
    return [(round(at - began_s, 6), event) for at, event in hearing.reports]


def brief(reports):
    return [(at, event.kind, getattr(event, "text", None)) for at, event in reports]


def test_a_spoken_turn():
    reports = reported(EARS, hear_speech, 11.0, ["hello there"], [], [0.3])
    assert brief(reports) == [
        (1.05, "speech_start", None),
        (1.3, "draft", "hello"),
        (1.6, "draft", "hello there"),
        (1.65, "speech_end", None),
        (2.2, "committed", "hello there"),
    ]
    start, *_, committed = [event for _, event in reports]
    assert (start.onset_s, start.audio_ms, start.turn_index) == (11.0, pytest.approx(1050), 3)
    marks = committed.marks
    assert (marks.last_voice, marks.decided, marks.final_text) == pytest.approx((11.6, 12.1, 12.2))
    assert (committed.user_turn, committed.turn_kind) == (True, ev.TurnKind.TURN)


def test_a_gap_shorter_than_the_endpoint_keeps_the_turn_open():
    reports = reported(EARS, hear_speech, 10.0, ["one", "two"], [0.4], [0.3, 0.3])
    assert [(at, kind) for at, kind, _ in brief(reports)] == [
        (0.05, "speech_start"),
        (0.3, "draft"),
        (0.35, "speech_end"),
        (0.75, "speech_start"),
        (1.0, "draft"),
        (1.05, "speech_end"),
        (1.6, "committed"),
    ]
    assert reports[-1][1].text == "one two"


def test_a_gap_too_short_to_be_noticed_is_none():
    reports = reported(EARS, hear_speech, 10.0, ["one", "two"], [0.05], [0.3, 0.3])
    assert [kind for _, kind, _ in brief(reports)] == ["speech_start", "draft", "draft", "speech_end", "committed"]


def test_a_gap_longer_than_the_endpoint_makes_two_turns():
    reports = reported(EARS, hear_speech, 10.0, ["one", "two"], [0.8], [0.3, 0.3])
    turns = [(at, event.turn_index, event.text) for at, event in reports if isinstance(event, ev.Committed)]
    assert turns == [(0.9, 3, "one"), (2.0, 4, "two")]


def test_a_turn_is_announced_only_after_the_text_of_the_one_before():
    reports = reported(EARS, hear_speech, 10.0, ["one", "two"], [0.52], [0.3, 0.3])
    kinds = [(at, event.kind, event.turn_index) for at, event in reports]
    assert kinds[3:5] == [(0.9, "committed", 3), (0.9, "speech_start", 4)]
    assert reports[4][1].onset_s == pytest.approx(10.82)


def test_a_guess_that_the_turn_is_over_is_withdrawn_when_the_user_goes_on():
    ears = Ears(word_s=0.3, detect_s=0.05, eager_s=0.2, endpoint_s=0.5, recognise_s=0.1)
    reports = reported(ears, hear_speech, 10.0, ["one", "two"], [0.4], [0.3, 0.3])
    assert brief(reports)[2:6] == [
        (0.35, "speech_end", None),
        (0.5, "eager_end_of_turn", "one"),
        (0.75, "speech_start", None),
        (0.75, "turn_resumed", None),
    ]
    assert brief(reports)[-2:] == [(1.2, "eager_end_of_turn", "one two"), (1.6, "committed", "one two")]


def test_a_cough_is_a_sound_and_no_turn():
    reports = reported(EARS, hear_cough, 10.0, 0.18)
    assert brief(reports) == [(0.05, "speech_start", None), (0.23, "speech_end", None)]


def test_an_acknowledgement_is_no_turn_of_the_user():
    reports = reported(EARS, hear_acknowledgement, 10.0, "mm-hm", 0.3)
    assert [kind for _, kind, _ in brief(reports)] == [
        "speech_start",
        "draft",
        "speech_end",
        "user_backchannel",
        "committed",
    ]
    assert (reports[-1][1].user_turn, reports[-1][1].turn_kind) == (False, ev.TurnKind.BACKCHANNEL)


def test_speech_over_the_agent_is_declared_a_turn_when_it_has_lasted():
    reports = reported(EARS, hear_barge_in, 10.0, 0.6)
    assert [(at, kind) for at, kind, _ in brief(reports)][:3] == [
        (0.05, "speech_start"),
        (0.6, "user_turn_taken"),
        (0.65, "speech_end"),
    ]


def test_stimuli_come_when_they_are_due():
    record = play(parse_scenario('[[user]]\nsay = "one"\nat_s = 2\n[[user]]\nhear = "speech_end"\nat_s = 8.5\n'))
    (start,) = [event for event in record.events if isinstance(event, ev.SpeechStart)]
    ends = [event.at_s for event in record.events if isinstance(event, ev.SpeechEnd)]
    assert start.at_s == pytest.approx(2.05)
    assert ends[-1] == pytest.approx(8.5)


def test_a_stimulus_that_was_due_before_its_turn_came_is_a_fault():
    text = '[[user]]\nsay = "one two"\n[[user]]\ncough_s = 0.1\nat_s = 0.5\n'
    (fault,) = rehearse(parse_scenario(text, "a.toml")).failures
    assert fault.startswith("a.toml:3: [[user]] 2: at_s is 0.5, but its turn came only 0.690 s later")


def test_a_wait_for_what_never_comes_ends_at_the_limit_and_is_a_fault():
    text = 'limit_s = 30\n[[user]]\nsay = "one"\nafter = "speaking"\n'
    rehearsed = rehearse(parse_scenario(text, "a.toml"))
    assert rehearsed.failures == [
        "the conversation did not end within 30 s: a.toml:2: [[user]] 1 waits for the floor to be speaking"
    ]
    assert rehearsed.record.events[-1].at_s == pytest.approx(30)


def test_the_user_can_end_the_conversation():
    scenario = Scenario(stimuli=(Stimulus(Pause(1.5)), Stimulus(End("goodbye"))))
    ended = play(scenario).events[-1]
    assert (ended.reason, ended.at_s) == ("goodbye", pytest.approx(1.5))


def test_after_the_ears_died_one_can_type_and_nothing_more_is_heard():
    text = """
    [[user]]
    recogniser_error = "died"
    fatal = true
    [[user]]
    say = "nobody hears this"
    [[user]]
    typed = "can you read me"
    """
    rehearsed = rehearse(parse_scenario(text))
    assert rehearsed.failures == []
    assert [u.text for u in rehearsed.conversation.utterances if u.speaker == "user"] == ["can you read me"]
    assert rehearsed.record.events[-1].reason == "the scenario is over"


def test_an_echo_is_what_the_agent_says_at_that_moment():
    text = """
    [model]
    replies = ["First sentence here. Second sentence here."]
    [[user]]
    say = "hello"
    [[user]]
    echo = true
    after = "speaking"
    wait_s = 1.0
    """
    record = play(parse_scenario(text))
    committed = [event.text for event in record.events if isinstance(event, ev.Committed)]
    assert committed == ["hello", "Second sentence here."]


def test_the_user_needs_a_discussion():
    from voicetui.engine.scenario.user import ScriptedUser

    user = ScriptedUser([Stimulus(Say(("one",)), When())], EARS)
    with pytest.raises(RuntimeError, match="attach the scripted user"):
        user.listen().__anext__().send(None)

"""What a user may ask of a conversation while it runs: a reply again, barge-in on and off."""

from __future__ import annotations

from support.harness import hold
from voicetui.engine import Floor, Policy, ScriptedResponder, SilentVoice, Source, Wait
from voicetui.engine import events as ev

REPLY = "One is here. Two is here."


def repeat(held):
    held.answers = [*getattr(held, "answers", []), held.talk.repeat()]


def interrupt(held):
    assert held.talk.interrupt(Source.KEY)


def roles(messages):
    return [message["role"] for message in messages]


def test_a_reply_is_said_again_without_asking_the_model():
    responder, voice = ScriptedResponder([REPLY, "Fine."]), SilentVoice(sentence_s=0.5)
    held = hold(["tell me", Wait(6.0), "thanks"], responder, voice, acts={5.0: repeat})
    assert held.answers == [True]
    assert voice.asked == ["One is here.", "Two is here."] * 2 + ["Fine."]
    assert held.texts("agent") == [REPLY, REPLY, "Fine."]
    assert held.texts("user") == ["tell me", "thanks"]
    assert len(responder.asked) == 2
    assert roles(responder.asked[1]) == ["user", "assistant", "user"]


def test_what_was_cut_is_said_to_its_end_and_the_model_knows():
    responder, voice = ScriptedResponder([REPLY, "Fine."]), SilentVoice(sentence_s=0.5)
    acts = {("speaking", 0.3): interrupt, 6.0: repeat}
    held = hold(["tell me", Wait(8.0), "thanks"], responder, voice, acts=acts)
    assert held.texts("agent")[1:] == [REPLY, "Fine."]
    assert [u.interrupted for u in held.conversation.utterances if u.speaker == "agent"] == [True, False, False]
    assert responder.asked[1][1] == {"role": "assistant", "content": REPLY}
    assert roles(responder.asked[1]) == ["user", "assistant", "user"]


def test_the_floor_passes_as_for_any_reply():
    held = hold(["tell me", Wait(6.0)], ScriptedResponder([REPLY]), SilentVoice(sentence_s=0.5), acts={5.0: repeat})
    floors = [event.floor for event in held.of("floor")]
    once = [Floor.THINKING, Floor.SPEAKING, Floor.LISTENING]
    assert floors == [Floor.LISTENING, *once, *once, Floor.IDLE]
    assert [event.breakdown["exchange"] for event in held.of("timing")] == [1, 2]


def test_a_repeated_reply_can_be_cut():
    acts = {5.0: repeat, 5.3: interrupt}
    held = hold(["tell me", Wait(6.0)], ScriptedResponder([REPLY]), SilentVoice(sentence_s=0.5), acts=acts)
    assert held.texts("agent")[0] == REPLY
    assert held.conversation.utterances[-1].interrupted


def test_there_is_nothing_to_repeat_before_a_reply_or_during_one():
    acts = {0.1: repeat, ("speaking", 0.2): repeat}
    held = hold([Wait(0.5), "tell me"], ScriptedResponder([REPLY]), SilentVoice(sentence_s=0.5), acts=acts)
    assert held.answers == [False, False]
    assert held.texts("agent") == [REPLY]


SPOKEN_OVER = [
    "tell me",
    Wait(0.5, Floor.SPEAKING),
    ev.SpeechStart(turn_index=1),
    ev.Draft(turn_index=1, text="no wait a moment"),
    Wait(0.4),
    ev.Committed(turn_index=1, text="no wait a moment"),
    Wait(8.0),
]


def over_the_agent(acts, **policy):
    responder, voice = ScriptedResponder([REPLY, "Fine."]), SilentVoice(sentence_s=2.0)
    return hold(SPOKEN_OVER, responder, voice, Policy(barge_in_grace_s=0, **policy), acts=acts)


def test_barge_in_can_be_taken_away():
    held = over_the_agent({0.1: lambda held: held.talk.allow_barge_in(False)})
    assert held.of("stop") == []
    assert held.texts("agent") == [REPLY, "Fine."]


def test_barge_in_can_be_given():
    held = over_the_agent({0.1: lambda held: held.talk.allow_barge_in(True)}, allow_barge_in=False)
    assert [event.source for event in held.of("stop")] == [Source.VOICE]


def test_the_key_stops_the_agent_all_the_same():
    acts = {0.1: lambda held: held.talk.allow_barge_in(False), ("speaking", 0.3): interrupt}
    held = over_the_agent(acts)
    assert [event.source for event in held.of("stop")] == [Source.KEY]

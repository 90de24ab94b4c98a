"""Whatever the user does and the parts fail at, what must hold of every conversation holds."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st
from voicetui.engine.events import (
    Committed,
    Draft,
    Floor,
    Source,
    SpeechEnd,
    SpeechStart,
    TurnKind,
    UserBackchannel,
    UserTurnTaken,
)
from voicetui.engine.policy import OnSpeech, Policy
from voicetui.engine.scenario import ReplyScript, Scenario, Stimulus, VoiceScript, When, judge, play
from voicetui.engine.scenario.script import (
    Backchannel,
    BargeIn,
    Cough,
    Ears,
    Echo,
    Hear,
    Interrupt,
    Microphone,
    Pause,
    RecogniserError,
    Say,
    Typed,
)

SECONDS = st.integers(0, 150).map(lambda n: n / 100)
WORDS = st.sampled_from(("hello there", "stop", "what is it", "mm-hm", "one two three four", "wait no", "oui"))
REPLIES = st.sampled_from(("", "Yes.", "One. Two. Three.", "Hello there, my friend. How are you?", "* \n", "No end"))
LIMITS = {"first_token_limit_s": 4.0, "token_limit_s": 3.0, "voice_limit_s": 2.0}

policies = st.builds(
    Policy,
    allow_barge_in=st.booleans(),
    barge_in_grace_s=SECONDS,
    max_reply_sentences=st.integers(0, 2),
    on_speech=st.sampled_from(OnSpeech),
    resume_false_interruptions=st.booleans(),
    eager=st.booleans(),
    **{name: st.just(limit) for name, limit in LIMITS.items()},
)
replies = st.builds(
    ReplyScript,
    text=st.none() | REPLIES,
    echo=st.integers(0, 4),
    first_token_s=SECONDS,
    token_s=st.sampled_from((0.0, 0.02, 0.4)),
    thinking=st.sampled_from(("", "a secret plan. It is long.")),
    fail_after_tokens=st.none() | st.integers(0, 5),
    hang_after_tokens=st.none() | st.integers(0, 5),
)
voices = st.builds(
    VoiceScript,
    first_pcm_s=SECONDS,
    word_s=st.sampled_from((0.05, 0.3)),
    sentence_s=st.none() | st.sampled_from((0.0, 0.2, 1.0)),
    failing_sentences=st.frozensets(st.integers(1, 5), max_size=2),
    silent_sentences=st.frozensets(st.integers(1, 5), max_size=2),
)
ears = st.builds(
    Ears,
    word_s=st.sampled_from((0.1, 0.3)),
    detect_s=st.sampled_from((0.0, 0.05, 0.2)),
    eager_s=st.sampled_from((0.0, 0.2, 0.6)),
    endpoint_s=st.sampled_from((0.3, 0.5, 1.0)),
    recognise_s=SECONDS,
)
heard = st.one_of(
    st.just(SpeechStart()),
    st.just(SpeechEnd()),
    st.builds(Draft, text=WORDS),
    st.just(UserBackchannel()),
    st.just(UserTurnTaken()),
    st.builds(Committed, text=st.just("") | WORDS),
    st.just(Committed(text="mm", user_turn=False, turn_kind=TurnKind.BACKCHANNEL)),
)
acts = st.one_of(
    st.builds(lambda one, gap, two: Say((one, two), (gap,)), WORDS, SECONDS, WORDS),
    st.builds(lambda text: Say((text,)), WORDS),
    st.builds(Cough, SECONDS),
    st.builds(Backchannel, WORDS),
    st.builds(BargeIn, SECONDS),
    st.builds(Pause, SECONDS),
    st.builds(Typed, WORDS),
    st.builds(Interrupt, st.sampled_from((Source.KEY, Source.HTTP))),
    st.builds(Microphone, back=st.booleans()),
    st.builds(RecogniserError, st.just("the recogniser died"), fatal=st.sampled_from((False, False, True))),
    st.builds(Hear, heard),
    st.just(Echo()),
)
stimuli = st.builds(
    Stimulus,
    act=acts,
    when=st.builds(When, floor=st.none() | st.just(Floor.LISTENING), wait_s=SECONDS),
    place=st.just("here"),
)
scenarios = st.builds(
    Scenario,
    stimuli=st.lists(stimuli, min_size=1, max_size=8).map(tuple),
    policy=policies,
    replies=st.lists(replies, min_size=1, max_size=3).map(tuple),
    voice=voices,
    ears=ears,
)


@settings(max_examples=200)
@given(scenarios)
@example(Scenario(stimuli=(Stimulus(Typed("hello there")),)))
def test_every_conversation_ends_in_order_with_one_floor_holder_and_nothing_lost(scenario):
    assert judge(scenario, play(scenario)) == []


@settings(max_examples=30)
@given(scenarios)
def test_a_scenario_comes_out_the_same_every_time(scenario):
    one, other = play(scenario), play(scenario)
    assert [event.as_dict() for event in one.events] == [event.as_dict() for event in other.events]

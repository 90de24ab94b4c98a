"""Starting, ending and failing: what a library user sees of a discussion."""

from __future__ import annotations

import asyncio

import pytest
from support.harness import hold
from voicetui.engine import (
    Discussion,
    EchoResponder,
    Floor,
    PartError,
    Policy,
    ScriptedListener,
    ScriptedResponder,
    SilentVoice,
    UsageError,
    Wait,
    run_virtual,
)


def test_a_listener_that_yields_plain_texts_has_each_answered_in_turn():
    class Reader:
        """A fake that knows nothing of speech."""

        async def listen(self):
            for text in ("one", "two"):
                yield text

        async def aclose(self):
            pass

    held = hold(Reader(), EchoResponder(1))
    assert [u.text for u in held.conversation.utterances] == ["one", "One.", "two", "Two."]


class NeverWarm(SilentVoice):
    """A fake whose model never loads."""

    async def warmup(self):
        await asyncio.Event().wait()


def test_a_conversation_can_be_ended_while_its_parts_warm_up():
    class Deaf(ScriptedListener):
        """A fake whose recogniser never loads."""

        async def warmup(self):
            await asyncio.Event().wait()

    held = hold(Deaf(["hello"]), EchoResponder(1), for_s=1.0)
    assert [event.kind for event in held.events] == ["ended"]


def test_the_ears_listen_while_model_and_voice_still_load():
    class Slow(SilentVoice):
        """A fake that loads for five seconds."""

        async def warmup(self):
            await asyncio.sleep(5)
            await super().warmup()

    held = hold(["hello"], EchoResponder(1), Slow(), Policy(first_token_limit_s=1.0))
    assert held.of("speech_start")[0].at_s == 0
    assert held.of("speaking")[0].at_s > 5
    assert held.of("error") == []


def test_a_conversation_can_be_ended_while_its_voice_loads():
    held = hold(["hello"], EchoResponder(1), NeverWarm(), for_s=2.0)
    assert held.texts("user") == ["hello"]
    assert held.texts("agent") == []


def test_a_part_that_cannot_start_is_raised_and_the_end_is_told():
    class Missing(SilentVoice):
        """A fake without its model."""

        async def warmup(self):
            raise PartError("speak", "no voice is installed", fix="voicetui models get joe")

    kinds = []

    async def main():
        async with Discussion(ScriptedListener([]), EchoResponder(), Missing()) as talk:
            talk.subscribe(lambda event: kinds.append(event.kind))
            with pytest.raises(PartError, match="no voice"):
                await talk.run()

    run_virtual(main())
    assert kinds[-1] == "ended"


def test_a_listener_that_fails_ends_the_conversation_and_says_why():
    held = hold(["hello", PartError("listen", "the microphone is gone")], EchoResponder(1))
    assert [(e.part, e.message) for e in held.of("error")] == [("listen", "the microphone is gone")]
    assert held.texts("agent") == ["Hello."]


def test_turns_can_still_be_typed_when_the_ears_are_gone():
    held = hold(
        [PartError("listen", "no microphone")],
        EchoResponder(1),
        acts={1.0: lambda held: held.talk.say("typed words")},
        stay_open=True,
        for_s=5.0,
    )
    assert held.texts("agent") == ["Typed words."]


@pytest.mark.parametrize("text", ["", "  ", "...", "\u200b"])
def test_a_typed_turn_needs_a_word(text):
    def say(held):
        with pytest.raises(UsageError, match="word"):
            held.talk.say(text)

    hold([Wait(1.0)], EchoResponder(1), acts={0.5: say})


def test_a_typed_turn_over_the_agent_takes_the_floor():
    held = hold(
        ["tell me"],
        ScriptedResponder(["One is here.\nTwo is here.\nThree is here.", "Typed answer."]),
        acts={("speaking", 0.5): lambda held: held.talk.say("something else")},
        stay_open=True,
        for_s=20.0,
    )
    assert [event.source for event in held.of("user_turn_taken")] == ["api"]
    assert held.texts("agent")[-1] == "Typed answer."


def test_without_barge_in_words_over_the_agent_become_the_next_turn():
    from voicetui.engine import Committed, SpeechStart

    script = [
        "tell me",
        Wait(0.5, Floor.SPEAKING),
        SpeechStart(turn_index=1),
        Wait(0.3),
        Committed(turn_index=1, text="and the other thing"),
    ]
    held = hold(script, EchoResponder(2), policy=Policy(allow_barge_in=False))
    assert held.texts("user") == ["tell me", "and the other thing"]
    assert held.texts("agent") == ["Tell me. Tell me (2).", "And the other thing. And the other thing (2)."]
    assert held.of("stop") == []


def test_speech_inside_the_grace_window_that_lasts_counts_at_its_end():
    from voicetui.engine import SpeechStart

    script = ["tell me", Wait(0.1, Floor.SPEAKING), SpeechStart(turn_index=1), Wait(3.0)]
    held = hold(script, EchoResponder(3), policy=Policy(barge_in_grace_s=0.35))
    began = held.of("speaking")[0].at_s
    assert held.of("yielding")[0].at_s == pytest.approx(began + 0.35)


def test_a_reply_longer_than_the_policy_allows_ends_at_a_sentence():
    held = hold(["tell me"], EchoResponder(5), policy=Policy(max_reply_sentences=2))
    assert held.texts("agent") == ["Tell me. Tell me (2)."]


@pytest.mark.parametrize(
    ("field", "value"), [("barge_in_grace_s", -1), ("barge_in_grace_s", float("nan")), ("on_speech", "shout")]
)
def test_a_policy_names_the_field_that_cannot_be(field, value):
    with pytest.raises(UsageError, match=field):
        Policy(**{field: value})


def test_a_voice_that_fails_on_the_next_sentence_lets_this_one_be_heard():
    class Fails(SilentVoice):
        """A fake that cannot say its second sentence."""

        async def synthesise(self, sentence):
            await super().synthesise(sentence)
            if sentence.number == 1:
                raise PartError("speak", "no such sound")

    held = hold(["tell me"], ScriptedResponder(["One is here.\nTwo is here.\nThree is here."]), Fails(sentence_s=1.0))
    (said,) = (u for u in held.conversation.utterances if u.speaker == "agent")
    assert (said.text, said.incomplete, said.heard_s) == ("One is here.", True, 1.0)
    assert [event.message for event in held.of("error")] == ["no such sound"]

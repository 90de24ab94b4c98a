"""Parts, followers and moments at their worst: each case was found by the simulation, and is small enough to read."""

from __future__ import annotations

import asyncio

import pytest
from support.harness import hold
from voicetui.engine import (
    Committed,
    Discussion,
    Draft,
    EagerEndOfTurn,
    EchoResponder,
    Floor,
    HearingMarks,
    PartError,
    Policy,
    ScriptedListener,
    ScriptedResponder,
    SilentVoice,
    Source,
    SpeechEnd,
    SpeechStart,
    UsageError,
    UserTurnTaken,
    Wait,
    run_virtual,
)

FOR_EVER = 10_000.0


def causes(held):
    return [event.cause for event in held.of("floor")]


def spoken_over(index, words, *, after=0.2):
    """A turn spoken over the agent, so many seconds after it became audible."""
    return [
        Wait(after, Floor.SPEAKING),
        SpeechStart(turn_index=index),
        Wait(0.2),
        Draft(turn_index=index, text=words),
        SpeechEnd(turn_index=index),
        Wait(0.3),
        Committed(turn_index=index, text=words, marks=HearingMarks()),
    ]


# -- parts that fail -------------------------------------------------------------------------------------------------


class Hangs(SilentVoice):
    """A fake that never gets to the first sample of the sentences named."""

    def __init__(self, *sentences, **more):
        super().__init__(**more)
        self.sentences = sentences

    async def synthesise(self, sentence):
        if str(sentence) in self.sentences:
            await asyncio.Event().wait()
        await super().synthesise(sentence)


def test_a_voice_that_hangs_after_the_model_failed_is_silenced_and_the_floor_goes_back():
    model = ScriptedResponder([["One. ", "Two. ", PartError("think", "out of memory")]])
    held = hold(["hello"], model, Hangs("Two.", sentence_s=0.3), Policy(voice_limit_s=1.0))
    assert causes(held)[-2:] == ["failed", "ended"]
    assert held.texts("agent") == ["One."]
    assert [sound.text for sound in held.voice.played] == ["One."]


def test_no_sentence_is_handed_to_a_voice_that_hung():
    model = ScriptedResponder(["One. Two. Three. Four."])
    held = hold(["hello"], model, Hangs("One.", sentence_s=0.3), Policy(voice_limit_s=1.0))
    assert held.voice.asked == ["One.", "Two."]
    assert held.voice.played == []
    assert causes(held)[-2:] == ["failed", "ended"]


def test_a_model_whose_reply_raises_at_the_call_is_a_failure_that_is_shown():
    class Refuses:
        """A fake that fails before it returns an iterator."""

        def reply(self, messages):
            raise PartError("think", "no model answers")

        async def aclose(self):
            pass

    held = hold(["hello"], Refuses())
    assert [(event.part, event.message) for event in held.of("error")] == [("think", "no model answers")]
    assert causes(held) == ["started", "committed", "failed", "ended"]


def test_a_model_that_fails_while_it_is_closed_harms_nothing():
    class ClosesBadly(EchoResponder):
        """A fake whose stream raises when it is closed."""

        async def reply(self, messages):
            try:
                async for token in super().reply(messages):
                    yield token
            finally:
                if len(self.asked) == 1:
                    raise OSError("the socket is gone")

    script = ["one", *spoken_over(1, "no two please", after=1.2)]
    held = hold(script, ClosesBadly(3, token_s=0.6), SilentVoice(sentence_s=1.0))
    assert held.texts("user") == ["one", "no two please"]
    assert len(held.texts("agent")) == 2
    assert held.of("error") == []


def test_a_voice_that_cannot_prepare_speaks_all_the_same():
    class Unprepared(SilentVoice):
        """A fake whose `prepare` fails."""

        async def prepare(self, sentence):
            raise OSError("no room for it")

    script = [SpeechStart(), EagerEndOfTurn(text="hello"), Wait(0.5), Committed(text="hello", marks=HearingMarks())]
    held = hold(script, EchoResponder(1), Unprepared())
    assert held.texts("agent") == ["Hello."]
    assert held.of("error") == []


def test_a_prepared_reply_that_failed_is_asked_for_again():
    model = ScriptedResponder([["One. ", PartError("think", "hiccup")], "Better."])
    script = [SpeechStart(), EagerEndOfTurn(text="hello"), Wait(0.5), Committed(text="hello", marks=HearingMarks())]
    held = hold(script, model)
    assert held.texts("agent") == ["Better."]
    assert held.of("error") == []


@pytest.mark.parametrize("method", ["stop", "pause", "silent_at"])
def test_a_voice_whose_plain_methods_raise_cannot_keep_the_floor(method):
    class Brittle(SilentVoice):
        """A fake one of whose plain methods does its work and then raises."""

        broken = True

        def _break(self):
            if self.broken:
                raise ZeroDivisionError("the voice's own fault")

    def act(self):
        getattr(SilentVoice, method)(self)
        self._break()

    setattr(Brittle, method, act)
    voice = Brittle(sentence_s=1.0)
    script = ["one", *spoken_over(1, "no two please"), Wait(1.0, Floor.LISTENING)]
    held = hold(script, EchoResponder(2), voice, acts={6.0: lambda held: setattr(voice, "broken", False)})
    assert "interrupted" in causes(held)
    assert held.texts("user") == ["one", "no two please"]
    assert any("the voice's own fault" in event.message for event in held.of("error"))


# -- turns that must not be lost -------------------------------------------------------------------------------------


def test_a_turn_that_still_waits_at_the_end_is_in_the_transcript():
    held = hold(
        ["one"],
        EchoResponder(5),
        SilentVoice(sentence_s=1.0),
        Policy(allow_barge_in=False),
        acts={("speaking", 0.5): lambda held: held.talk.say("two"), ("speaking", 1.0): lambda held: held.talk.end()},
    )
    assert held.texts("user") == ["one", "two"]


def test_after_the_end_no_turn_is_taken():
    held = hold(["one"], EchoResponder(1))
    with pytest.raises(UsageError, match="over"):
        held.talk.say("two")


def test_a_turn_withdrawn_for_words_that_were_none_is_answered_after_all():
    script = [
        "what time is it",
        Wait(0.1, Floor.THINKING),
        SpeechStart(turn_index=1),
        Draft(turn_index=1, text="and the thing"),
        Wait(0.3),
        Committed(turn_index=1, text=""),
    ]
    held = hold(script, EchoResponder(1, first_token_s=1.0))
    assert "user_resumed" in causes(held)
    assert held.texts("user") == ["what time is it"]
    assert held.texts("agent") == ["What time is it."]


def test_a_turn_withdrawn_for_words_of_which_nothing_more_is_heard_is_answered_in_the_end():
    script = [
        "what time is it",
        Wait(0.1, Floor.THINKING),
        SpeechStart(turn_index=1),
        Draft(turn_index=1, text="and the thing"),
        SpeechEnd(turn_index=1),
        Wait(60),
    ]
    policy = Policy(unclear_speech_limit_s=8.0, silence_timeout_s=2.0)
    held = hold(script, EchoResponder(1, first_token_s=1.0), policy=policy)
    withdrawn, answered = (event.at_s for event in held.of("floor")[2:4])
    assert answered - withdrawn == pytest.approx(8.0)
    assert held.texts("agent") == ["What time is it."]


def test_turns_of_one_moment_stay_in_their_order():
    held = hold(
        [Wait(1.0), SpeechStart(), Wait(1.0), Committed(text="spoken", marks=HearingMarks())],
        EchoResponder(1),
        acts={2.0: lambda held: held.talk.say("typed")},
    )
    assert sorted(held.texts("user")) == ["spoken", "typed"]
    committed = [event.text for event in held.of("committed")]
    assert held.texts("user") == committed


# -- what the policy says --------------------------------------------------------------------------------------------


def test_where_barge_in_is_off_not_even_the_ears_own_verdict_cuts_the_agent():
    script = [
        "one",
        Wait(0.3, Floor.SPEAKING),
        SpeechStart(turn_index=1),
        UserTurnTaken(turn_index=1),
        Wait(0.3),
        Committed(turn_index=1, text="stop it now", marks=HearingMarks()),
    ]
    held = hold(script, EchoResponder(2), SilentVoice(sentence_s=1.0), Policy(allow_barge_in=False))
    assert held.of("stop") == []
    assert held.texts("agent")[0] == "One. One (2)."
    assert held.texts("user") == ["one", "stop it now"]


def test_on_speech_stop_discards_at_the_first_sound_over_the_agent():
    script = ["one", Wait(0.5, Floor.SPEAKING), SpeechStart(turn_index=1), Wait(0.1), SpeechEnd(turn_index=1)]
    held = hold(script, EchoResponder(2), SilentVoice(sentence_s=1.0), Policy(on_speech="stop", barge_in_grace_s=0))
    sounded = held.of("speech_start")[-1].at_s
    assert [event.at_s for event in held.of("stop")] == [pytest.approx(sounded)]
    assert held.of("yielding") == []


def test_a_voice_that_cannot_pause_does_not_begin_over_a_user_who_speaks():
    class Plain:
        """A fake with nothing but what the protocol asks for."""

        def __init__(self):
            self.inner = SilentVoice(first_pcm_s=0.5)
            self.played = self.inner.played

        async def speak(self, sentence):
            return await self.inner.speak(sentence)

        def stop(self):
            return self.inner.stop()

        async def aclose(self):
            pass

    class Reports(Plain):
        """A fake that also says when it is audible."""

        reports_audio = True

    script = [
        "book a table",
        Wait(0.3, Floor.THINKING),
        SpeechStart(turn_index=1),
        Wait(1.0),
        Draft(turn_index=1, text="for two"),
        Committed(turn_index=1, text="for two on Friday", marks=HearingMarks()),
    ]
    held = hold(script, EchoResponder(1, first_token_s=0.1), Reports())
    began, over = held.of("speech_start")[-1].at_s, held.of("committed")[-1].at_s
    assert held.audible(began, over) == 0
    assert held.texts("agent") == ["Book a table for two on Friday."]


# -- echo ------------------------------------------------------------------------------------------------------------


def test_the_echo_of_a_sentence_of_one_word_is_no_turn():
    script = [
        "hello",
        Wait(0.1, Floor.SPEAKING),
        SpeechStart(turn_index=1),
        Wait(0.5),
        SpeechEnd(turn_index=1),
        Committed(turn_index=1, text="Yes.", marks=HearingMarks()),
    ]
    held = hold(script, ScriptedResponder(["Yes. It opens at nine."]), SilentVoice(sentence_s=0.5))
    assert [event.turn_kind for event in held.of("committed")] == ["turn", "echo"]
    assert held.texts("agent") == ["Yes. It opens at nine."]


def test_the_echo_of_a_reply_that_was_cut_is_no_turn_even_when_it_comes_late():
    script = [
        "hello",
        Wait(0.3, Floor.SPEAKING),
        SpeechStart(turn_index=1),
        Wait(1.2),
        Committed(turn_index=1, text="it opens at nine", marks=HearingMarks()),
    ]
    held = hold(
        script,
        ScriptedResponder(["It opens at nine and closes at six.", "Fine."]),
        SilentVoice(sentence_s=2.0),
        acts={("speaking", 0.4): lambda held: held.talk.say("thanks")},
    )
    assert [(event.text, event.turn_kind) for event in held.of("committed")] == [
        ("hello", "turn"),
        ("thanks", "turn"),
        ("it opens at nine", "echo"),
    ]


# -- followers and closing -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["floor", "speaking", "reply", "utterance"])
def test_a_follower_may_interrupt_whatever_it_is_being_told(kind):
    orders = ([], [])
    cuts = []

    async def main():
        listener = ScriptedListener(["one", "two"])
        async with Discussion(listener, EchoResponder(2), SilentVoice()) as talk:
            listener.attach(talk.subscribe)

            def interrupts(event):
                if event.kind == kind and not cuts and talk.conversation.floor in (Floor.THINKING, Floor.SPEAKING):
                    cuts.append(talk.interrupt(Source.KEY))

            talk.subscribe(lambda event: orders[0].append(event.seq))
            talk.subscribe(interrupts)
            talk.subscribe(lambda event: orders[1].append(event.seq))
            return await talk.run()

    conversation = run_virtual(main())
    assert cuts == [True]
    assert orders[0] == orders[1] == list(range(len(orders[0])))
    assert [u.text for u in conversation.utterances if u.speaker == "user"] == ["one", "two"]


def test_closing_waits_until_the_conversation_is_over():
    async def main():
        kinds = []
        async with Discussion(ScriptedListener([Wait(FOR_EVER)]), EchoResponder(1), SilentVoice()) as talk:
            talk.subscribe(lambda event: kinds.append(event.kind))
            run = asyncio.create_task(talk.run())
            await asyncio.sleep(1)
        assert run.done()
        return kinds

    assert run_virtual(main())[-1] == "ended"


def test_closing_waits_for_a_model_that_does_not_let_go_at_once():
    class Clings(EchoResponder):
        """A fake that goes on for half a second when its reply is closed."""

        async def reply(self, messages):
            try:
                async for token in super().reply(messages):
                    yield token
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                await asyncio.sleep(0.5)
                raise

    acts = {("thinking", 0.5): lambda held: held.talk.end()}
    hold(["one"], Clings(1), policy=Policy(settle_limit_s=0.1), acts=acts)


def test_the_end_is_told_though_the_conversation_is_cancelled_twice():
    class Slow(SilentVoice):
        """A fake that takes a while to say what was heard."""

        async def speak(self, sentence):
            spoken = await super().speak(sentence)
            await asyncio.sleep(0.5 if spoken.cut else 0)
            return spoken

    async def main():
        kinds = []
        async with Discussion(ScriptedListener(["one", Wait(FOR_EVER)]), EchoResponder(9), Slow()) as talk:
            talk.listener.attach(talk.subscribe)
            talk.subscribe(lambda event: kinds.append(event.kind))
            run = asyncio.create_task(talk.run())
            await asyncio.sleep(2)
            run.cancel()
            await asyncio.sleep(0.1)
            run.cancel()
            await asyncio.wait({run})
            return kinds, talk.conversation.floor

    kinds, floor = run_virtual(main())
    assert kinds[-1] == "ended"
    assert floor is Floor.IDLE


# -- a reply said again ----------------------------------------------------------------------------------------------


def test_a_repeat_that_is_cut_does_not_make_the_model_forget_what_was_heard_the_first_time():
    model = ScriptedResponder(["One. Two. Three."])
    hold(
        ["hello", Wait(6.0), "and now"],
        model,
        SilentVoice(sentence_s=0.5),
        acts={5.0: lambda held: held.talk.repeat(), 5.7: lambda held: held.talk.interrupt()},
    )
    assert [m["content"] for m in model.asked[-1] if m["role"] == "assistant"] == ["One. Two. Three."]
    assert [m["role"] for m in model.asked[-1]] == ["user", "assistant", "user"]


def test_nothing_is_said_again_while_a_turn_waits_to_be_answered_after_all():
    script = [
        "hello",
        Wait(1.5, Floor.LISTENING),
        SpeechStart(turn_index=1),
        Draft(turn_index=1, text="what time is it"),
        SpeechEnd(turn_index=1),
        Committed(turn_index=1, text="what time is it", marks=HearingMarks()),
        Wait(0.2),
        SpeechStart(turn_index=2),
        Draft(turn_index=2, text="and the thing"),
        Wait(1.0),
        Committed(turn_index=2, text=""),
    ]
    said = []
    held = hold(
        script,
        EchoResponder(1, first_token_s=0.6),
        acts={4.4: lambda held: said.append(held.talk.repeat())},
    )
    assert "user_resumed" in causes(held)
    assert held.floor_at(4.4) is Floor.LISTENING
    assert said == [False]
    assert held.texts("agent")[-1] == "What time is it."

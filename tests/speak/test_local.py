"""The voice: a synthesiser and a loudspeaker (both fakes) with the gate between them, driven block by block."""

import asyncio
import contextlib
import threading

import numpy as np
import pytest
from speak.fake_parts import RATE_HZ, WORD_S, ArrayOut, FakeSynthesiser
from voicetui.engine.errors import PartError
from voicetui.engine.ports import Sentence, Spoken
from voicetui.engine.speak.local import LocalVoice

GUARD_S = 30  # no assertion: a test that waits for ever is ended
DIED = PartError("speak", "the voice's process died", code="died")
ALOUD = 0.4
"""Seconds of each half-second word that are sound."""


def run(test, *faults, rate_hz=RATE_HZ):
    """Run `test(voice, out, synthesiser)` on a loop."""

    async def main():
        synthesiser = FakeSynthesiser(*faults, rate_hz=rate_hz)
        out = ArrayOut()
        voice = LocalVoice(synthesiser, out)
        async with asyncio.timeout(GUARD_S):
            await voice.warmup()
            try:
                await test(voice, out, synthesiser)
            finally:
                await voice.aclose()
        assert out.closed

    asyncio.run(main())


async def begin(voice, *texts, reply=0, report=None):
    """Hand sentences over and return once all of them are with the gate."""
    tasks = []
    for number, text in enumerate(texts):
        tasks.append(asyncio.create_task(voice.speak(Sentence(text, reply=reply, number=number, report=report))))
    await idle(voice)
    return tasks


async def idle(voice):
    """Wait until every sentence that was handed over is made."""
    await asyncio.sleep(0)
    async with voice._turn:
        pass


def loud(samples):
    return round(float(np.count_nonzero(np.abs(samples) > 0.01)) / RATE_HZ, 2)


def test_a_sentence_is_heard_to_its_end():
    async def test(voice, out, synthesiser):
        (speaking,) = await begin(voice, "one two three")
        sound = out.play(2.0)
        assert await speaking == Spoken("one two three", 1.5, 1.5, cut=False)
        assert loud(sound) == pytest.approx(3 * ALOUD)
        assert voice.underruns == 0

    run(test)


def test_speak_returns_no_sooner_than_the_last_sample_is_heard():
    async def test(voice, out, synthesiser):
        (speaking,) = await begin(voice, "one two")
        out.play(0.9)
        await asyncio.sleep(0)
        assert not speaking.done()
        out.play(0.2)
        assert (await speaking).played_s == 1.0

    run(test)


def test_there_is_no_gap_between_sentences():
    async def test(voice, out, synthesiser):
        speaking = await begin(voice, "one", "two", "three")
        sound = out.play(2.0)
        assert [(await task).heard_text for task in speaking] == ["one", "two", "three"]
        begins = np.flatnonzero((np.abs(sound[1:]) > 0.01) & (np.abs(sound[:-1]) <= 0.01)) / RATE_HZ
        assert np.allclose(np.diff(begins), WORD_S, atol=0.001)

    run(test)


def test_the_next_sentence_is_made_while_one_plays():
    async def test(voice, out, synthesiser):
        speaking = await begin(voice, "one two", "three")
        out.play(0.1)
        assert synthesiser.asked == ["one two", "three"]
        assert not any(task.done() for task in speaking)
        voice.stop()
        await asyncio.wait(speaking)

    run(test)


def test_reports_come_with_their_moments():
    reports = []

    async def test(voice, out, synthesiser):
        out.play(0.25)
        speaking = await begin(voice, "one", "two", report=lambda s, what, at_s: reports.append((str(s), what, at_s)))
        assert [report[:2] for report in reports] == [("one", "pcm"), ("two", "pcm")]
        out.play(1.5)
        await asyncio.wait(speaking)
        (_, _, first), (_, _, second) = (r for r in reports if r[1] == "audible")
        assert first == pytest.approx(0.25, abs=0.001)
        assert second == pytest.approx(0.25 + WORD_S, abs=0.001)

    run(test)


@pytest.mark.parametrize(
    ("played_s", "heard"),
    [(0.0, ""), (0.3, ""), (0.45, "one"), (0.85, "one"), (0.95, "one two"), (1.45, "one two three")],
)
def test_ht01_a_cut_sentence_says_which_words_were_heard(played_s, heard):
    async def test(voice, out, synthesiser):
        speaking = await begin(voice, "one two three", "four five six")
        out.play(played_s)
        assert voice.stop() == pytest.approx(3.0 - played_s, abs=0.011)
        first, second = await asyncio.gather(*speaking)
        assert first.heard_text == heard
        assert first.cut
        assert first.played_s == pytest.approx(played_s, abs=0.011)
        assert second == Spoken("", 0.0, 1.5, cut=True)

    run(test)


def test_ir04_after_a_stop_there_is_silence_and_the_next_sentence_begins_with_its_first_sample():
    async def test(voice, out, synthesiser):
        speaking = await begin(voice, "one two three four")
        out.play(0.5)
        voice.stop()
        await asyncio.wait(speaking)
        after = out.play(2.0)
        assert loud(after) <= 0.15
        assert not np.any(after[round(0.15 * RATE_HZ) :])
        speaking = await begin(voice, "five", reply=1)
        assert loud(out.play(1.0)) == ALOUD
        assert (await speaking[0]).heard_text == "five"

    run(test)


def test_speaking_again_at_once_after_a_stop_works():
    async def test(voice, out, synthesiser):
        old = await begin(voice, "one two three")
        out.play(0.6)
        voice.stop()
        new = await begin(voice, "four", reply=1)
        out.play(1.0)
        assert (await old[0]).heard_text == "one"
        assert (await new[0]) == Spoken("four", 0.5, 0.5, cut=False)

    run(test)


def test_ir01_a_stop_before_the_first_sample_means_that_nothing_is_heard():
    async def test(voice, out, synthesiser):
        synthesiser.hold.clear()
        speaking = [asyncio.create_task(voice.speak(Sentence(text))) for text in ("one", "two")]
        await synthesiser.began.wait()
        voice.stop()
        assert [await task for task in speaking] == [Spoken("", 0.0, None, cut=True)] * 2
        synthesiser.hold.set()
        assert loud(out.play(3.0)) == 0
        assert synthesiser.asked == ["one"]
        assert synthesiser.closed == ["one"]

    run(test)


def test_ir03_what_is_finished_after_the_stop_is_never_heard():
    async def test(voice, out, synthesiser):
        synthesiser.hold.clear()
        old = asyncio.create_task(voice.speak(Sentence("one two")))
        await synthesiser.began.wait()
        threading.Thread(target=voice.stop).start()  # any thread; the loop hears of it later
        synthesiser.hold.set()
        assert (await old).cut
        (new,) = await begin(voice, "three", reply=1)
        assert loud(out.play(3.0)) == ALOUD
        assert (await new).heard_text == "three"

    run(test)


def test_a_stop_while_the_voice_warms_up_counts():
    async def main():
        voice = LocalVoice(FakeSynthesiser(), out := ArrayOut())
        warm = voice.warmup

        async def slow_warmup():
            voice.stop()
            await warm()

        voice.warmup = slow_warmup
        assert await voice.speak(Sentence("one")) == Spoken("", 0.0, None, cut=True)
        assert loud(out.play(1.0)) == 0
        await voice.aclose()

    asyncio.run(main())


def test_stop_is_idempotent_and_needs_no_voice():
    async def test(voice, out, synthesiser):
        assert voice.stop() == 0.0
        assert voice.stop() == 0.0

    run(test)
    assert LocalVoice(FakeSynthesiser(), ArrayOut()).stop() is None


def test_a_paused_sentence_goes_on_from_the_beginning_of_the_word():
    async def test(voice, out, synthesiser):
        (speaking,) = await begin(voice, "one two three")
        out.play(0.7)
        voice.pause()
        assert loud(out.play(1.0)) <= 0.05
        voice.unpause()
        assert loud(out.play(1.1)) == pytest.approx(2 * ALOUD, abs=0.02)  # "two" again, and "three"
        assert (await speaking) == Spoken("one two three", 1.5, 1.5, cut=False)

    run(test)


def test_tt04_a_ducked_voice_is_lower_and_a_stop_ends_that():
    async def test(voice, out, synthesiser):
        (speaking,) = await begin(voice, "one two three")
        out.play(0.1)
        voice.duck(True)
        assert 0.05 < np.abs(out.play(0.2)[-SETTLED:]).max() < 0.2
        voice.stop()
        await speaking
        (speaking,) = await begin(voice, "four", reply=1)
        assert np.abs(out.play(1.0)).max() == pytest.approx(0.5)
        await speaking

    run(test)


SETTLED = 400
"""The last samples of a stretch, in which the gain no longer moves."""


def test_a_prepared_sentence_is_made_once():
    async def test(voice, out, synthesiser):
        await voice.prepare(Sentence("one two"))
        assert loud(out.play(0.5)) == 0
        (speaking,) = await begin(voice, "one two")
        assert loud(out.play(1.5)) == pytest.approx(2 * ALOUD)
        await speaking
        assert synthesiser.asked == ["one two"]

    run(test)


def test_what_was_prepared_for_another_text_is_dropped():
    async def test(voice, out, synthesiser):
        synthesiser.hold.clear()
        preparing = asyncio.create_task(voice.prepare(Sentence("one two")))
        await synthesiser.began.wait()
        speaking = asyncio.create_task(voice.speak(Sentence("three")))
        synthesiser.hold.set()
        await preparing
        await idle(voice)
        assert loud(out.play(1.0)) == ALOUD
        assert (await speaking).heard_text == "three"
        assert synthesiser.closed == ["one two"]

    run(test)


def test_what_is_prepared_survives_a_stop():
    async def test(voice, out, synthesiser):
        await voice.prepare(Sentence("one"))
        voice.stop()
        (speaking,) = await begin(voice, "one", reply=1)
        out.play(1.0)
        await speaking
        assert synthesiser.asked == ["one"]

    run(test)


def test_a_synthesiser_that_dies_is_asked_again():
    async def test(voice, out, synthesiser):
        speaking = await begin(voice, "one two", "three")
        assert loud(out.play(2.0)) == pytest.approx(3 * ALOUD)
        assert [(await task).heard_text for task in speaking] == ["one two", "three"]
        assert synthesiser.asked == ["one two", "one two", "three"]

    run(test, DIED)


def test_a_synthesiser_that_dies_in_mid_sentence_goes_on_where_it_stopped():
    async def test(voice, out, synthesiser):
        (speaking,) = await begin(voice, "one two,| three")
        assert loud(out.play(2.0)) == pytest.approx(3 * ALOUD)
        assert (await speaking).total_s == 1.5
        assert synthesiser.asked == ["one two,| three"] * 2

    run(test, None, DIED)


def test_a_synthesiser_that_dies_twice_is_an_error_and_the_next_sentence_is_spoken():
    async def test(voice, out, synthesiser):
        failing = asyncio.create_task(voice.speak(Sentence("one")))
        with pytest.raises(PartError, match="died"):
            await failing
        (speaking,) = await begin(voice, "two")
        assert loud(out.play(1.0)) == ALOUD
        assert (await speaking).heard_text == "two"

    run(test, DIED, DIED)


def test_other_faults_are_not_tried_again():
    async def test(voice, out, synthesiser):
        with pytest.raises(PartError, match="not installed"):
            await voice.speak(Sentence("one"))
        assert synthesiser.asked == ["one"]

    run(test, PartError("speak", "Piper is not installed", code="missing"))


def test_a_lost_loudspeaker_fails_every_sentence():
    async def test(voice, out, synthesiser):
        speaking = await begin(voice, "one two")
        out.play(0.6)
        out.ended(PartError("play", "the loudspeaker is gone", code="lost"))
        with pytest.raises(PartError, match="loudspeaker"):
            await speaking[0]
        with pytest.raises(PartError, match="loudspeaker"):
            await voice.speak(Sentence("three"))

    run(test)


def test_samples_at_another_rate_last_as_long():
    async def test(voice, out, synthesiser):
        (speaking,) = await begin(voice, "one two")
        out.play(1.5)
        assert (await speaking).total_s == pytest.approx(1.0, abs=0.001)

    run(test, rate_hz=22050)


def test_pb02_a_cut_is_faded():
    async def test(voice, out, synthesiser):
        speaking = await begin(voice, "one two three")
        out.play(0.2)
        voice.stop()
        await asyncio.wait(speaking)
        out.play(0.5)
        assert np.abs(np.diff(out.heard[round(0.1 * RATE_HZ) :])).max() <= 0.07

    run(test)


def test_closing_ends_what_is_under_way():
    async def main():
        voice = LocalVoice(synthesiser := FakeSynthesiser(), ArrayOut())
        synthesiser.hold.clear()
        speaking = asyncio.create_task(voice.speak(Sentence("one")))
        await synthesiser.began.wait()
        await voice.aclose()
        with contextlib.suppress(PartError):
            assert (await speaking).cut
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(main())

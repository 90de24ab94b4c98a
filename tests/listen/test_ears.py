"""The ears on made-up microphones and recognisers: what was said is heard, whatever fails."""

from __future__ import annotations

import asyncio
import threading

import numpy as np
import pytest
from support.sound import RATE, FakeDetector, FakeMicrophone, FakeRecogniser, silence, word, words_in
from voicetui.engine import events as ev
from voicetui.engine.errors import PartError
from voicetui.engine.listen.ears import Ears
from voicetui.engine.listen.endpoint import EndpointRule


def hear(microphone, recogniser=None, **options) -> list:
    """Everything that the ears tell, until they end."""

    async def run():
        ears = Ears(microphone, recogniser or FakeRecogniser(), FakeDetector, **options)
        heard = [event async for event in ears.listen()]
        await ears.aclose()
        await ears.aclose()
        assert [task.get_name() for task in asyncio.all_tasks()] == [asyncio.current_task().get_name()]
        return heard

    heard = asyncio.run(run())
    assert not [thread.name for thread in threading.enumerate() if thread.name == "voicetui-ears"]
    return heard


def commits(heard) -> list[str]:
    return [event.text for event in heard if isinstance(event, ev.Committed)]


def test_two_turns_are_heard_with_their_words():
    microphone = FakeMicrophone(silence(0.5), word(1), word(2), silence(1.0), word(3), word(4), silence(1.0))
    heard = hear(microphone)
    assert commits(heard) == ["ant bee", "cat dog"]
    assert [event.turn_index for event in heard if isinstance(event, ev.Committed)] == [0, 1]
    starts = [event for event in heard if isinstance(event, ev.SpeechStart)]
    assert [event.audio_ms for event in starts] == [pytest.approx(500, abs=10), pytest.approx(2300, abs=10)]
    assert [event.onset_s for event in starts] == [pytest.approx(1000.5, abs=0.01), pytest.approx(1002.3, abs=0.01)]
    last = [event.marks.last_voice for event in heard if isinstance(event, ev.Committed)]
    assert last == [pytest.approx(1001.3, abs=0.02), pytest.approx(1003.1, abs=0.02)]
    assert microphone.closed


def test_no_word_is_lost_at_the_end_of_the_audio_rl01():
    """As in the case: 0.5 s of silence, three words, 1.2 s of silence, four words, and nothing after them."""
    first = [word(n, 0.31) for n in (1, 2, 3)]
    second = [word(n, 0.4) for n in (4, 5, 6, 7)]
    heard = hear(FakeMicrophone(silence(0.5), *first, silence(1.2), *second))
    assert " ".join(commits(heard)) == "ant bee cat dog elk fox gnu"


def test_the_audio_may_end_in_the_middle_of_a_block():
    assert commits(hear(FakeMicrophone(silence(0.3), word(1), word(2, 0.237)))) == ["ant bee"]


def test_silence_alone_is_no_turn():
    assert hear(FakeMicrophone(silence(3.0))) == []
    assert hear(FakeMicrophone()) == []


def test_the_first_word_is_whole():
    recogniser = FakeRecogniser()
    hear(FakeMicrophone(silence(1.0), word(5, 1.0), silence(1.0)), recogniser)
    (turn,) = recogniser.turns
    voiced = np.flatnonzero(np.abs(turn) > 0.01)
    assert voiced[0] == pytest.approx(0.3 * RATE, abs=400)
    assert voiced[-1] - voiced[0] == pytest.approx(RATE, abs=40)


def test_the_pre_roll_is_a_setting():
    recogniser = FakeRecogniser()
    hear(FakeMicrophone(silence(1.0), word(5, 1.0), silence(1.0)), recogniser, preroll_s=0.1)
    assert np.flatnonzero(np.abs(recogniser.turns[0]) > 0.01)[0] == pytest.approx(0.1 * RATE, abs=400)


def test_a_recogniser_that_dies_in_mid_turn_hears_it_again():
    microphone = FakeMicrophone(silence(0.5), word(1), word(2), word(3), silence(1.0), word(4), silence(1.0))
    recogniser = FakeRecogniser(dies_at=(2, 3))
    heard = hear(microphone, recogniser)
    assert commits(heard) == ["ant bee cat", "dog"]
    failures = [event for event in heard if isinstance(event, ev.PartFailed)]
    assert [event.recovered for event in failures] == [True]
    assert "killed by SIGKILL" in failures[0].message


def test_a_recogniser_that_is_of_no_use_ends_the_ears_with_its_reason():
    with pytest.raises(PartError, match="killed by SIGKILL"):
        hear(FakeMicrophone(silence(0.5), word(1), silence(2.0)), FakeRecogniser(dies_for_good=True))


def test_a_microphone_that_fails_ends_the_ears_after_what_was_said():
    microphone = FakeMicrophone(word(1), word(2), error=PartError("listen", "unplugged", code="device-lost"))

    async def run():
        heard, ears = [], Ears(microphone, FakeRecogniser(), FakeDetector)
        try:
            async for event in ears.listen():
                heard.append(event)  # noqa: PERF401 - what was heard before the failure counts
        except PartError as error:
            return heard, error
        finally:
            await ears.aclose()

    heard, error = asyncio.run(run())
    assert commits(heard) == ["ant bee"]
    assert error.code == "device-lost"


def test_a_detector_that_fails_is_a_part_error():
    class Broken(FakeDetector):
        def probability(self, samples):
            raise RuntimeError("bad model")

    async def run():
        ears = Ears(FakeMicrophone(silence(1.0)), FakeRecogniser(), Broken)
        try:
            return [event async for event in ears.listen()]
        finally:
            await ears.aclose()

    with pytest.raises(PartError, match="speech detector failed: bad model"):
        asyncio.run(run())


def test_what_cannot_start_says_so():
    class Missing(FakeRecogniser):
        async def warmup(self):
            raise PartError("listen", "not installed", code="missing")

    with pytest.raises(PartError, match="not installed"):
        hear(FakeMicrophone(silence(1.0)), Missing())


def test_a_muted_microphone_is_silence():
    async def run():
        ears = Ears(FakeMicrophone(word(1), silence(1.0)), FakeRecogniser(), FakeDetector)
        ears.mute(True)
        heard = [event async for event in ears.listen()]
        await ears.aclose()
        return heard

    assert asyncio.run(run()) == []


def test_closing_ends_a_listening_that_waits():
    async def run():
        recogniser = FakeRecogniser()
        ears = Ears(FakeMicrophone(word(1), silence(1.0), ends=False), recogniser, FakeDetector)
        committed = asyncio.Event()

        async def listen():
            async for event in ears.listen():
                if isinstance(event, ev.Committed):
                    committed.set()

        task = asyncio.create_task(listen())
        await committed.wait()
        await ears.aclose()
        await task
        return recogniser

    assert asyncio.run(run()).closed


def test_long_turns_are_cut_without_losing_a_word():
    numbers = [1, 2, 3, 4, 5, 6, 7, 8, 9] * 2
    pieces = [piece for number in numbers for piece in (word(number, 0.3), silence(0.1))]
    recogniser = FakeRecogniser()
    heard = hear(FakeMicrophone(*pieces, silence(1.0)), recogniser, rule=EndpointRule(max_turn_s=2.0))
    said = words_in(np.concatenate(pieces))
    assert " ".join(commits(heard)).split() == said
    assert max(len(turn) for turn in recogniser.turns) / RATE < 2.0 + 0.3 + 0.4


def test_a_microphone_that_gives_zeros_is_hinted_at_ad02():
    noise = (np.random.default_rng(0).integers(-1, 2, RATE) / 32768).astype(np.float32)
    heard = hear(FakeMicrophone(silence(5.0), noise, word(1), silence(1.0)))
    hints = [event for event in heard if isinstance(event, ev.DeviceChanged)]
    assert [hint.recovered for hint in hints] == [False, True]
    assert "pure silence" in hints[0].message
    assert "muted" in hints[0].fix
    assert commits(heard) == ["ant"]

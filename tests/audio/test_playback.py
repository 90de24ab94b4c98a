"""The gate between a voice and a loudspeaker, block by block on arrays."""

from __future__ import annotations

import numpy as np
import pytest
from voicetui.engine.audio.playback import DUCK_GAIN, Playback

RATE = 22_050
BLOCK = 512


def sine(seconds: float, hz: float, amplitude: float, rate: int = RATE) -> np.ndarray:
    return (amplitude * np.sin(2 * np.pi * hz * np.arange(round(seconds * rate)) / rate)).astype(np.float32)


class Speaker:
    """A fake loudspeaker: pulls blocks when it is told to; time is the number of samples pulled."""

    def __init__(self, playback: Playback, block: int = BLOCK) -> None:
        self.playback, self.block, self.heard = playback, block, np.zeros(0, np.float32)
        self.gains: list[tuple[float, float]] = []

    @property
    def now_s(self) -> float:
        return len(self.heard) / self.playback.rate_hz

    def pull(self, blocks: int = 1) -> np.ndarray:
        begin = len(self.heard)
        for _ in range(blocks):
            block = np.full(self.block, 9.0, np.float32)  # old data in the buffer
            self.playback.fill(block, self.now_s)
            self.gains.append((self.now_s, self.playback.gain))
            self.heard = np.concatenate([self.heard, block])
        return self.heard[begin:]

    def until(self, seconds: float) -> None:
        while self.now_s < seconds:
            self.pull()


@pytest.fixture
def playback():
    made = Playback(RATE)
    yield made
    made.close()


def say(playback: Playback, key: object, samples: np.ndarray) -> None:
    playback.append(playback.reply, key, samples)
    playback.finish(key)


def biggest_step(audio: np.ndarray) -> float:
    return float(np.abs(np.diff(audio)).max())


@pytest.mark.parametrize("phase", range(0, 2300, 23))
def test_cut_is_no_click_pb02(phase):
    playback = Playback(RATE)
    speaker = Speaker(playback)
    say(playback, "s", sine(2.0, 440, 0.5)[phase:])
    speaker.pull(4)
    playback.cut()
    speaker.pull(12)
    after = speaker.heard[4 * BLOCK :]
    assert biggest_step(speaker.heard[BLOCK:]) <= 0.07
    silent_from = np.nonzero(after)[0][-1] + 1
    assert silent_from <= 0.15 * RATE
    assert not after[silent_from:].any()
    playback.close()


def test_last_block_is_filled_with_zeros_pb02(playback):
    speaker = Speaker(playback)
    say(playback, "s", sine(1.0, 440, 0.5)[: BLOCK * 5 + 100] + np.float32(0.01))
    speaker.pull(6)
    assert speaker.heard[BLOCK * 5 + 99] != 0
    assert not speaker.heard[BLOCK * 5 + 100 :].any()
    assert np.array_equal(speaker.heard[: BLOCK * 5 + 100], sine(1.0, 440, 0.5)[: BLOCK * 5 + 100] + np.float32(0.01))


def test_after_a_cut_nothing_of_the_reply_is_heard_and_the_next_begins_with_its_own_first_sample_ir04():
    rate, block = 24_000, 480
    playback = Playback(rate)
    speaker = Speaker(playback, block)
    say(playback, "tone", sine(2.0, 1000, 0.3, rate))
    speaker.until(0.5)
    stale = playback.reply
    discarded = playback.cut()
    assert discarded == pytest.approx(1.5, abs=0.021)
    cut_at = len(speaker.heard)
    speaker.until(0.6)
    assert playback.append(stale, "late", sine(0.5, 1000, 0.3, rate)) is False
    speaker.until(2.5)
    last = np.nonzero(speaker.heard)[0][-1]
    assert (last - cut_at) / rate <= 0.15
    assert playback.last_sound_s is not None
    assert playback.last_sound_s == pytest.approx(last / rate, abs=0.002)
    reply = np.full(960, 0.25, np.float32)
    say(playback, "next", reply)
    assert np.array_equal(speaker.pull(2), reply)
    playback.close()


def test_cut_is_idempotent_and_says_what_it_discarded(playback):
    say(playback, "a", np.ones(RATE, np.float32))
    say(playback, "b", np.ones(RATE // 2, np.float32))
    assert playback.cut() == 1.5
    assert playback.cut() == 0.0


def test_duck_lowers_and_never_leaks_into_the_next_reply_tt04():
    rate = 24_000
    playback = Playback(rate)
    speaker = Speaker(playback, 240)
    sentences = [np.full(rate, 0.4, np.float32) for _ in range(6)]
    for number, sentence in enumerate(sentences):
        say(playback, number, sentence)
    for at_s, act in (
        (0.6, lambda: playback.duck(True)),
        (0.9, lambda: playback.duck(False)),
        (1.5, lambda: playback.duck(True)),
        (1.9, lambda: playback.duck(False)),
        (2.5, lambda: playback.duck(True)),
        (2.7, playback.cut),
    ):
        speaker.until(at_s)
        act()
    speaker.until(3.0)
    say(playback, "next", np.full(rate // 2, 0.4, np.float32))
    speaker.until(3.5)
    ramp = 0.05
    for at_s, gain in speaker.gains:
        ducked = any(on + ramp <= at_s < off for on, off in ((0.6, 0.9), (1.5, 1.9), (2.5, 2.7)))
        full = any(on <= at_s < off for on, off in ((0, 0.6), (0.95, 1.5), (1.95, 2.5), (3.0, 3.5)))
        assert not ducked or gain == pytest.approx(DUCK_GAIN)
        assert not full or gain == 1.0
    silent_from = round(2.75 * rate)
    assert not speaker.heard[silent_from : 3 * rate].any()
    assert (speaker.heard[3 * rate : round(3.5 * rate)] == np.float32(0.4)).all()
    heard_until_cut = speaker.heard[: round(2.7 * rate)]
    assert np.count_nonzero(heard_until_cut) == len(heard_until_cut)
    playback.close()


def test_pause_keeps_the_audio_and_resume_goes_back_to_where_it_began(playback):
    audio = sine(1.0, 300, 0.5)
    speaker = Speaker(playback)
    say(playback, "s", audio)
    speaker.pull(10)
    playback.pause()
    speaker.pull(5)
    fade = np.nonzero(speaker.heard)[0][-1] + 1 - 10 * BLOCK
    assert fade == pytest.approx(0.005 * RATE, abs=2)
    playback.resume()
    begin = len(speaker.heard)
    speaker.pull(40)
    resumed = speaker.heard[begin:]
    assert np.array_equal(resumed[200:BLOCK], audio[10 * BLOCK + 200 : 11 * BLOCK])
    assert biggest_step(speaker.heard) <= 0.07
    assert np.nonzero(resumed)[0][-1] + 1 == pytest.approx(len(audio) - 10 * BLOCK, abs=2)


def test_resume_steps_back_to_a_word_boundary(playback):
    audio = sine(1.0, 300, 0.5)
    speaker = Speaker(playback)
    say(playback, "s", audio)
    speaker.pull(20)
    playback.pause()
    speaker.pull(2)
    playback.resume(back_to=0.2)
    assert np.array_equal(speaker.pull()[200:], audio[round(0.2 * RATE) + 200 : round(0.2 * RATE) + BLOCK])
    assert playback.position("s") == pytest.approx(0.2 + BLOCK / RATE, abs=1e-3)


def test_resume_never_skips_ahead(playback):
    audio = sine(1.0, 300, 0.5)
    speaker = Speaker(playback)
    say(playback, "s", audio)
    speaker.pull(4)
    playback.pause()
    speaker.pull(2)
    playback.resume(back_to=0.9)
    assert np.array_equal(speaker.pull()[200:], audio[4 * BLOCK + 200 : 5 * BLOCK])


def test_cut_while_paused_clears_the_pause(playback):
    speaker = Speaker(playback)
    say(playback, "old", np.ones(RATE, np.float32))
    speaker.pull(3)
    playback.pause()
    speaker.pull(3)
    playback.cut()
    say(playback, "new", np.full(BLOCK, 0.5, np.float32))
    assert (speaker.pull() == 0.5).all()


def test_sentences_follow_each_other_without_a_gap(playback):
    speaker = Speaker(playback, 100)
    for number in range(5):
        say(playback, number, np.full(333, 0.1 + number / 10, np.float32))
    speaker.pull(20)
    assert np.array_equal(speaker.heard[:1665], np.repeat(np.float32([0.1, 0.2, 0.3, 0.4, 0.5]), 333))


def test_slow_synthesis_is_counted_and_does_not_click(playback):
    audio = sine(1.0, 440, 0.5)
    speaker = Speaker(playback)
    playback.append(playback.reply, "s", audio[:6000])
    speaker.pull(20)
    assert playback.underruns == 1
    playback.append(playback.reply, "s", audio[6000:])
    playback.finish("s")
    speaker.pull(60)
    assert playback.underruns == 1
    assert biggest_step(speaker.heard[: np.nonzero(speaker.heard)[0][-1]]) <= 0.07
    assert np.count_nonzero(np.abs(speaker.heard) > 0) == pytest.approx(len(audio), abs=80)


def test_waiting_for_the_next_sentence_is_no_underrun(playback):
    speaker = Speaker(playback)
    say(playback, "a", np.full(BLOCK, 0.3, np.float32))
    speaker.pull(5)
    say(playback, "b", np.full(BLOCK, 0.3, np.float32))
    assert (speaker.pull() == np.float32(0.3)).all()
    assert playback.underruns == 0


def reports_of(play) -> list[tuple]:
    told: list[tuple] = []
    playback = Playback(
        1000,
        on_audible=lambda key, at_s: told.append(("audible", key, round(at_s, 6))),
        on_ended=lambda key, played_s, cut: told.append(("ended", key, round(played_s, 6), cut)),
    )
    play(playback)
    playback.close()
    return told


def test_reports_say_when_a_sentence_is_heard_and_how_far_it_got():
    def play(playback):
        silence_then_sound = np.concatenate([np.zeros(30, np.float32), np.full(70, 0.5, np.float32)])
        say(playback, "a", silence_then_sound)
        say(playback, "b", np.full(100, 0.5, np.float32))
        say(playback, "c", np.full(100, 0.5, np.float32))
        block = np.empty(50, np.float32)
        for n in range(3):
            playback.fill(block, n * 0.05)
        playback.cut()
        playback.fill(block, 0.15)

    assert reports_of(play) == [
        ("audible", "a", 0.03),
        ("ended", "a", 0.1, False),
        ("audible", "b", 0.1),
        ("ended", "b", 0.05, True),
        ("ended", "c", 0.0, True),
    ]


def test_a_sentence_without_samples_ends_at_its_turn():
    def play(playback):
        playback.finish("nothing")
        say(playback, "b", np.full(10, 0.5, np.float32))
        playback.fill(np.empty(50, np.float32), 0.0)

    assert reports_of(play) == [
        ("ended", "nothing", 0.0, False),
        ("audible", "b", 0.0),
        ("ended", "b", 0.01, False),
    ]


def test_finishing_a_sentence_that_was_cut_does_not_bring_it_back():
    def play(playback):
        number = playback.reply
        playback.append(number, "a", np.full(100, 0.5, np.float32))
        playback.cut()
        playback.finish("a")
        playback.finish("never begun", number)
        playback.fill(np.empty(50, np.float32), 0.0)

    assert reports_of(play) == [("ended", "a", 0.0, True)]


def test_many_sentences_leave_nothing_behind(playback):
    speaker = Speaker(playback)
    for number in range(200):
        say(playback, number, np.full(BLOCK, 0.5, np.float32))
        speaker.pull()
        speaker.heard = np.zeros(0, np.float32)
    assert playback._track.lines == {}

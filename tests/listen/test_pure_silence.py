"""The hint that a microphone is muted or not allowed (AD02)."""

from __future__ import annotations

import numpy as np
from voicetui.engine.listen.pure_silence import PureSilence


def hints(audio: np.ndarray, *, live: bool) -> list[tuple[float, bool]]:
    watch, told = PureSilence(live=live), []
    for n in range(0, len(audio), 160):
        block = audio[n : n + 160]
        hint = watch.step(silent=not block.any(), length_s=0.01)
        if hint is not None:
            told.append((round((n + 160) / 16_000, 2), hint.recovered))
            assert hint.part == "listen"
    return told


def zeros(seconds: float) -> np.ndarray:
    return np.zeros(round(16_000 * seconds), np.float32)


def lsb_noise(seconds: float) -> np.ndarray:
    return (np.random.default_rng(0).integers(-1, 2, round(16_000 * seconds)) / 32768).astype(np.float32)


def test_five_seconds_of_zeros_give_one_hint_which_ends_with_sound_ad02():
    assert hints(np.concatenate([zeros(5), lsb_noise(5), zeros(1)]), live=True) == [(5.0, False), (5.01, True)]


def test_the_faintest_noise_gives_none_ad02():
    assert hints(lsb_noise(10), live=True) == []


def test_ten_seconds_of_zeros_give_one_hint_only():
    assert hints(zeros(20), live=True) == [(5.0, False)]


def test_a_microphone_that_is_muted_later_is_hinted_at_again():
    assert hints(np.concatenate([lsb_noise(1), zeros(6), lsb_noise(1)]), live=True) == [(6.0, False), (7.01, True)]


def test_a_file_may_be_silent_between_its_sounds():
    assert hints(np.concatenate([lsb_noise(1), zeros(20)]), live=False) == []
    assert hints(zeros(6), live=False) == [(5.0, False)]

"""First and last voiced sample, from sound whose edges are known."""

from __future__ import annotations

import numpy as np
import pytest
from support.sound import RATE, silence, word
from voicetui.engine.listen.voicing import Voicing

WINDOW = 512


def heard(audio: np.ndarray, onset_window: int, silent_from: int) -> tuple[int, int]:
    """Onset and last voice, where the detector speaks up in that window and hears silence from that sample on."""
    voicing, onset = Voicing(), 0
    for n in range(len(audio) // WINDOW):
        voicing.add(audio[n * WINDOW : (n + 1) * WINDOW], voiced=n >= onset_window)
        if n == onset_window:
            onset = voicing.onset(WINDOW)
    return onset, voicing.last_voice(silent_from)


def case(begin_s: float, length_s: float, noise: float = 0.0, level: int = 8) -> np.ndarray:
    audio = np.concatenate([silence(begin_s), word(level, length_s), silence(0.3)])
    return audio + noise * np.random.default_rng(3).standard_normal(len(audio)).astype(np.float32)


@pytest.mark.parametrize("noise", [0.0, 0.0005, 0.005])
@pytest.mark.parametrize(("level", "late"), [(8, 0), (8, 2), (1, 3)])
def test_edges_are_found_within_10_ms(noise, level, late):
    begin_s, length_s = 1.013, 0.5
    audio = case(begin_s, length_s, noise * level / 8, level)
    true_begin, true_end = round(begin_s * RATE), round((begin_s + length_s) * RATE)
    onset, last = heard(audio, true_begin // WINDOW + late, true_end + 1200)
    assert onset == pytest.approx(true_begin, abs=160)
    assert last == pytest.approx(true_end, abs=160)


def test_a_final_burst_after_the_detector_gave_up_belongs_to_the_voice():
    audio = np.concatenate([silence(1.0), word(8, 0.5), silence(0.08), word(2, 0.015), silence(0.3)])
    _, last = heard(audio, 31, round(1.5 * RATE))
    assert last == pytest.approx(round(1.595 * RATE), abs=160)


def test_where_noise_hides_the_end_it_is_the_detectors_less_its_overhang():
    audio = case(1.0, 0.5, noise=0.2)
    _, last = heard(audio, 31, round(1.6 * RATE))
    assert last >= round(1.53 * RATE)


def test_sound_long_before_is_not_the_onset():
    audio = np.concatenate([silence(0.8), word(8, 0.02), silence(0.18), word(8, 0.5), silence(0.3)])
    onset, _ = heard(audio, 33, round(1.6 * RATE))
    assert onset == pytest.approx(RATE, abs=160)

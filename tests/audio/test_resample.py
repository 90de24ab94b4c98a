"""Streaming conversion between sample rates: aligned, of the right length, whatever the blocks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from voicetui.engine.audio.resample import Resampler, resample

RATES = [8_000, 11_025, 16_000, 22_050, 44_100, 48_000]


def tone(rate: int, seconds: float = 1.0) -> np.ndarray:
    return (0.5 * np.sin(2 * np.pi * 1000 * np.arange(round(rate * seconds)) / rate)).astype(np.float32)


@pytest.mark.parametrize("from_hz", RATES)
@pytest.mark.parametrize("to_hz", [16_000, 22_050, 48_000])
def test_a_tone_stays_the_same_tone_at_the_same_time(from_hz, to_hz):
    made = resample(tone(from_hz), from_hz, to_hz)
    wanted = tone(to_hz)
    assert len(made) == len(wanted)
    middle = slice(to_hz // 10, -to_hz // 10)
    assert np.abs(made[middle] - wanted[middle]).max() < 1e-4


def test_equal_rates_pass_through_untouched():
    block = tone(16_000, 0.01)
    converter = Resampler(16_000, 16_000)
    assert converter.process(block) is block or np.array_equal(converter.process(block), block)
    assert converter.held_back_s == 0
    assert len(converter.flush()) == 0


@settings(deadline=None, max_examples=40)
@given(
    st.sampled_from(RATES), st.sampled_from([16_000, 24_000]), st.lists(st.integers(0, 3000), min_size=1, max_size=12)
)
def test_no_sample_is_lost_or_made_up_whatever_the_blocks(from_hz, to_hz, sizes):
    converter = Resampler(from_hz, to_hz)
    audio = tone(from_hz, sum(sizes) / from_hz)
    made, at = [], 0
    for size in sizes:
        made.append(converter.process(audio[at : at + size]))
        at += size
        assert 0 <= converter.held_back_s < 0.02 or size == 0
    made.append(converter.flush())
    assert sum(map(len, made)) == round(sum(sizes) * to_hz / from_hz)


def test_after_a_flush_the_converter_begins_anew():
    converter = Resampler(48_000, 16_000)
    first = np.concatenate([converter.process(tone(48_000)), converter.flush()])
    second = np.concatenate([converter.process(tone(48_000)), converter.flush()])
    assert np.array_equal(first, second)

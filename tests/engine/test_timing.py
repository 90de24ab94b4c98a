"""Latency: stages that add up, nulls where nothing was measured, percentiles."""

from __future__ import annotations

import math
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st
from voicetui.engine.timing import BargeIn, Mark, Stage, Timing, percentile, stages

MOMENTS = st.one_of(st.none(), st.floats(0, 1000))
MARKS = st.fixed_dictionaries(dict.fromkeys(Mark, MOMENTS))
ENDS = {
    Stage.ENDPOINT: Mark.DECIDED,
    Stage.RECOGNISE: Mark.FINAL_TEXT,
    Stage.THINK: Mark.FIRST_TOKEN,
    Stage.SPEAK: Mark.FIRST_AUDIBLE,
}
ON_THE_PATH = (Mark.LAST_VOICE, *ENDS.values())


def timing_of(marks):
    timing = Timing(1)
    for mark, at in marks.items():
        timing.mark(mark, at)
    return timing


def test_the_four_stages_are_the_gaps_between_their_marks():
    marks = {Mark.LAST_VOICE: 1.0, Mark.DECIDED: 1.35, Mark.FINAL_TEXT: 1.45, Mark.FIRST_TOKEN: 1.75}
    shares = stages({**marks, Mark.FIRST_SENTENCE: 1.9, Mark.FIRST_PCM: 2.0, Mark.FIRST_AUDIBLE: 2.1})
    assert shares == pytest.approx({Stage.ENDPOINT: 0.35, Stage.RECOGNISE: 0.1, Stage.THINK: 0.3, Stage.SPEAK: 0.35})


def test_work_done_early_is_a_short_stage_never_a_negative_one():
    early = {Mark.LAST_VOICE: 1.0, Mark.DECIDED: 1.6, Mark.FINAL_TEXT: 1.3, Mark.FIRST_TOKEN: 1.2}
    shares = stages({**early, Mark.FIRST_AUDIBLE: 1.7})
    assert shares == pytest.approx({Stage.ENDPOINT: 0.6, Stage.RECOGNISE: 0.0, Stage.THINK: 0.0, Stage.SPEAK: 0.1})


@given(MARKS)
def test_no_stage_is_negative(marks):
    assert all(share is None or share >= 0 for share in stages(marks).values())


@given(MARKS)
def test_a_stage_whose_end_was_not_measured_is_null(marks):
    for stage, end in ENDS.items():
        if marks[end] is None:
            assert stages(marks)[stage] is None


@given(MARKS)
def test_the_stages_add_up_to_the_time_to_the_first_audio(marks):
    timing = timing_of(marks)
    total = timing.to_first_audio_s
    measured = [marks[mark] for mark in ON_THE_PATH if marks[mark] is not None]
    if marks[Mark.FIRST_AUDIBLE] is None or len(measured) < 2:
        assert total is None
        return
    assert total == pytest.approx(sum(share for share in timing.stages().values() if share is not None))
    assert total == pytest.approx(max(measured) - measured[0])


@given(MARKS)
def test_the_slowest_stage_is_the_one_with_the_largest_share(marks):
    timing = timing_of(marks)
    if timing.to_first_audio_s is None:
        assert timing.slowest_stage is None
    else:
        shares = {stage: share for stage, share in timing.stages().items() if share is not None}
        assert shares[timing.slowest_stage] == max(shares.values())


def test_a_mark_is_set_once_and_never_from_nothing():
    timing = Timing(1)
    assert timing.mark(Mark.FIRST_TOKEN, None) is False
    assert timing.mark(Mark.FIRST_TOKEN, 2.0) is True
    assert timing.mark(Mark.FIRST_TOKEN, 1.0) is False
    assert timing.marks[Mark.FIRST_TOKEN] == 2.0


def test_a_turn_that_was_typed_counts_from_its_text():
    shown = timing_of({Mark.FINAL_TEXT: 5.0, Mark.FIRST_TOKEN: 5.3, Mark.FIRST_AUDIBLE: 5.4}).as_dict()
    assert (shown["endpoint_s"], shown["recognise_s"]) == (None, None)
    assert shown["to_first_audio_s"] == pytest.approx(0.4)
    assert shown["slowest_stage"] == "think"


def test_the_json_form_has_every_field_of_the_contract_and_a_barge_in_only_where_one_happened():
    fields = {"endpoint_s", "recognise_s", "think_s", "speak_s", "to_first_audio_s", "slowest_stage", "marks"}
    shown = Timing(3).as_dict()
    assert fields <= shown.keys()
    assert "barge_in" not in shown
    assert list(shown["marks"]) == [
        "last_voice",
        "decided",
        "final_text",
        "first_token",
        "first_sentence",
        "first_pcm",
        "first_audible",
    ]
    cut = Timing(3, barge_in=BargeIn(onset_s=1.0, detected_s=1.05, silent_s=1.12, discarded_s=0.8)).as_dict()
    assert cut["barge_in"]["stop_ms"] == pytest.approx(120)


@pytest.mark.parametrize(("onset", "silent"), [(None, 1.0), (1.0, None), (None, None)])
def test_what_a_barge_in_took_is_null_without_both_of_its_ends(onset, silent):
    assert BargeIn(onset_s=onset, silent_s=silent).stop_ms is None


def test_an_agent_that_was_silent_before_the_user_began_took_no_time_to_stop():
    assert BargeIn(onset_s=2.0, silent_s=1.9).stop_ms == 0


@given(st.lists(st.integers(-1000, 1000), min_size=1), st.floats(0.001, 1))
def test_a_percentile_is_the_smallest_value_that_so_large_a_share_does_not_exceed(values, share):
    found = percentile(values, share)
    assert found in values
    assert sum(value <= found for value in values) >= math.ceil(share * len(values))
    assert sum(value < found for value in values) < math.ceil(share * len(values))


@given(st.lists(st.integers(-1000, 1000), min_size=1).filter(lambda values: len(values) % 2 == 1))
def test_the_middle_of_an_odd_number_of_values_is_their_median(values):
    assert percentile(values, 0.5) == statistics.median(values)


def test_the_ends_of_the_percentiles_are_the_extremes_and_of_nothing_there_is_none():
    assert percentile([3, 1, 2], 0) == 1
    assert percentile([3, 1, 2], 1) == 3
    assert percentile([], 0.95) is None

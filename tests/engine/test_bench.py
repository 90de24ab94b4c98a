"""The benchmarks: what a figure says, and that the overhead is measured (not how large it is)."""

from __future__ import annotations

import json

import pytest
from voicetui.engine.bench import Figure, overhead, release, stop, suite
from voicetui.engine.errors import UsageError


def test_a_figure_says_what_was_measured_how_and_against_what():
    figure = Figure(name="a.b.c", value=2.0, unit="ms", samples=[1.0, 2.0, 4.0], method="by hand", anchor=1.5, goal=3.0)
    assert json.loads(json.dumps(figure.as_dict())) == {
        "name": "a.b.c",
        "value": 2.0,
        "unit": "ms",
        "n": 3,
        "p50": 2.0,
        "p95": 4.0,
        "max": 4.0,
        "method": "by hand",
        "anchor": 1.5,
        "goal": 3.0,
        "met": True,
    }


@pytest.mark.parametrize(("goal", "met"), [(None, None), (2.0, True), (1.9, False)])
def test_a_goal_is_the_most_that_a_value_may_be(goal, met):
    assert Figure(name="a", value=2.0, unit="ms", samples=[2.0], method="by hand", goal=goal).met is met


def test_the_overhead_is_measured_on_every_way_through_the_loop(monkeypatch):
    for pause in ("PAUSE_S", "UTTER_S", "THINK_S", "SPEAK_S"):
        monkeypatch.setattr(overhead, pause, 0.0)
    figures = overhead.run(turns=4)
    assert [figure.name for figure in figures] == [
        "overhead.final-text-to-model",
        "overhead.final-text-to-model.ms",
        "overhead.sentence-to-voice",
        "overhead.sentence-to-voice.ms",
        "overhead.audible-to-event.ms",
    ]
    assert all(len(figure.samples) == 4 and min(figure.samples) > 0 for figure in figures)
    assert figures[0].goal == 3


def test_of_a_cut_reply_only_its_fade_of_5_ms_is_heard_and_nothing_later():
    after, later = stop.run(cuts=20)
    assert min(after.samples) > 0
    assert after.value <= 0.005 * stop.RATE_HZ
    assert later.value == 0
    assert (after.met, later.met) == (True, True)


def test_no_token_is_waited_for_and_no_text_is_cut_wrong():
    assert [figure.value for figure in release.run()] == [0, 0]


def test_a_bench_that_does_not_exist_is_answered_with_those_that_do():
    assert suite.named(["stop", "release", "stop"]) == ["stop", "release"]
    assert suite.named([]) == list(suite.BENCHES)
    with pytest.raises(UsageError, match="no bench 'speed'; what there is: overhead, release, start, stop"):
        suite.named(["speed"])


def test_the_release_of_a_sentence_is_counted_in_tokens(monkeypatch):
    row = release.UNAMBIGUOUS[0]
    monkeypatch.setattr(release, "tokens", lambda text: [text])  # all in one: nothing can be waited for
    assert release.tokens_waited(row) == [0.0] * len(row.sentences)

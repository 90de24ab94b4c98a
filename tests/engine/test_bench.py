"""The benchmarks: what a figure says, and that the overhead is measured (not how large it is)."""

from __future__ import annotations

import json

import pytest
from voicetui.engine.bench import Figure, overhead


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

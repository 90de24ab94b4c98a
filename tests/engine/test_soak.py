"""A long conversation leaves nothing behind but what was said and how long it took."""

from __future__ import annotations

import pytest
from voicetui.engine.simulation.soak import soak

GROWS = {"Utterance": 2, "Timing": 1, "BargeIn": 1 / 3, "dict": 1}
"""What an exchange leaves: two turns, a timing and its marks, and where it was cut, one in three, where."""
A_FEW = 30
"""Objects that come and go with the loop's own bookkeeping."""


@pytest.fixture(scope="module")
def taken():
    return soak(1200, warm=300)


def test_no_task_and_no_thread_is_left(taken):
    early, late = taken
    assert (late.tasks, late.threads) == (early.tasks, early.threads)


def test_nothing_grows_but_the_conversation_itself(taken):
    early, late = taken
    more = {name: late.objects[name] - early.objects[name] for name in late.objects}
    assert {name for name, count in more.items() if count > A_FEW} == set(GROWS)


def test_the_conversation_grows_by_what_was_said(taken):
    early, late = taken
    growth = late.growth(early)
    assert {name: growth[name] for name in GROWS} == pytest.approx(GROWS, abs=0.05)

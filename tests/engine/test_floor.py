"""The floor: who may pass it to whom, and by what."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from voicetui.engine.events import Floor
from voicetui.engine.floor import Cause, holder, next_floor

PASSES = {
    (Floor.IDLE, Cause.STARTED): Floor.LISTENING,
    (Floor.LISTENING, Cause.COMMITTED): Floor.THINKING,
    (Floor.THINKING, Cause.FIRST_AUDIO): Floor.SPEAKING,
    (Floor.THINKING, Cause.REPLY_EMPTY): Floor.LISTENING,
    (Floor.THINKING, Cause.USER_RESUMED): Floor.LISTENING,
    (Floor.THINKING, Cause.INTERRUPTED): Floor.LISTENING,
    (Floor.THINKING, Cause.FAILED): Floor.LISTENING,
    (Floor.SPEAKING, Cause.REPLY_SPOKEN): Floor.LISTENING,
    (Floor.SPEAKING, Cause.INTERRUPTED): Floor.LISTENING,
    (Floor.SPEAKING, Cause.FAILED): Floor.LISTENING,
    (Floor.IDLE, Cause.ENDED): Floor.IDLE,
    (Floor.LISTENING, Cause.ENDED): Floor.IDLE,
    (Floor.THINKING, Cause.ENDED): Floor.IDLE,
    (Floor.SPEAKING, Cause.ENDED): Floor.IDLE,
}


@pytest.mark.parametrize(("floor", "cause"), list(product(Floor, Cause)))
def test_each_cause_passes_the_floor_as_the_table_says_or_not_at_all(floor, cause):
    if (floor, cause) in PASSES:
        assert next_floor(floor, cause) is PASSES[floor, cause]
    else:
        with pytest.raises(ValueError, match=f"cannot pass from {floor} by {cause}"):
            next_floor(floor, cause)


@given(st.lists(st.sampled_from(Cause)))
def test_whatever_comes_the_floor_has_one_holder_and_an_unlawful_cause_leaves_it_where_it_is(causes):
    floor = Floor.IDLE
    for cause in causes:
        try:
            passed = next_floor(floor, cause)
        except ValueError:
            assert (floor, cause) not in PASSES
        else:
            assert passed is PASSES[floor, cause]
            floor = passed
        assert holder(floor) in ("nobody", "user", "agent")


@given(st.lists(st.sampled_from(Cause)))
def test_the_agent_gets_the_floor_by_a_turn_of_the_user_alone(causes):
    floor = Floor.IDLE
    for cause in causes:
        before = floor
        try:
            floor = next_floor(floor, cause)
        except ValueError:
            continue
        if holder(before) != "agent" and holder(floor) == "agent":
            assert cause is Cause.COMMITTED


def test_the_holders_are_nobody_the_user_and_the_agent():
    assert {floor: holder(floor) for floor in Floor} == {
        Floor.IDLE: "nobody",
        Floor.LISTENING: "user",
        Floor.THINKING: "agent",
        Floor.SPEAKING: "agent",
    }

"""Nobody waits in silence: conversations that once did, as scenarios."""

from __future__ import annotations

import pytest
from voicetui.engine import events as ev
from voicetui.engine.scenario import parse_scenario, rehearse


def rehearsed(text):
    result = rehearse(parse_scenario(text))
    assert result.failures == []
    return result.record


def test_a_sound_of_no_length_while_thinking_does_not_hold_the_answer_back():
    record = rehearsed(
        """
        [model]
        replies = ["Here you are."]
        first_token_s = 1.0
        [[user]]
        say = "hello there"
        [[user]]
        cough_s = 0
        after = "thinking"
        wait_s = 0.2
        [[expect]]
        heard = ["Here you are."]
        """
    )
    assert record.events[-1].at_s < 10


def test_a_part_that_hangs_is_held_to_its_own_limit_whatever_that_of_the_part_before_it():
    """Default limits: 60 s to the first token, then 20 s between tokens; 15 s and one for each word for the voice."""
    record = rehearsed(
        """
        [model]
        replies = [{ text = "One. Two. Three.", hang_after_tokens = 2 }]
        [voice]
        silent_sentences = [1]
        [[user]]
        hear = "committed"
        text = "hello"
        [[user]]
        hear = "committed"
        text = "again"
        after = "listening"
        """
    )
    requests = [request.at_s for request in record.requests]
    errors = [(e.part, e.at_s) for e in record.events if isinstance(e, ev.PartFailed)]
    assert [part for part, _ in errors] == ["speak", "think"]
    # The voice gets "One." when its second token comes, 0.12 s after the request; then the model hangs, in the second
    # reply too, where "One." is heard for 0.3 s from 0.17 s on.
    assert errors[0][1] - requests[0] == pytest.approx(0.12 + 15 + 1)
    assert errors[1][1] - requests[1] == pytest.approx(0.17 + 0.3 + 20)

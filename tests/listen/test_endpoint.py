"""The silence rule as a table, and what holds for any sound."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from voicetui.engine.errors import UsageError
from voicetui.engine.listen.endpoint import Change, Endpoint, EndpointRule, Phase

WINDOW = 0.032


def changes(endpoint: Endpoint, probabilities: str) -> dict[int, Change]:
    """Changes by window; `#` is speech, `-` between the thresholds, `.` silence."""
    level = {"#": 0.9, "-": 0.4, ".": 0.05}
    told = [endpoint.step(level[sign], WINDOW) for sign in probabilities]
    return {at: change for at, change in enumerate(told) if change is not None}


@pytest.mark.parametrize(
    ("sound", "told"),
    [
        ("....", {}),
        ("..--..", {}),
        ("..#", {2: Change.BEGAN}),
        ("#--##-", {0: Change.BEGAN}),
        ("#......", {0: Change.BEGAN}),
        ("#.......", {0: Change.BEGAN, 7: Change.PAUSED}),
        ("#......-......", {0: Change.BEGAN}),
        ("#......-.......", {0: Change.BEGAN, 14: Change.PAUSED}),
        ("#........-..#", {0: Change.BEGAN, 7: Change.PAUSED, 12: Change.RESUMED}),
        ("#.......#.......", {0: Change.BEGAN, 7: Change.PAUSED, 8: Change.RESUMED, 15: Change.PAUSED}),
    ],
)
def test_what_a_sound_changes(sound, told):
    assert changes(Endpoint(), sound) == told


def test_a_turn_is_over_after_its_silence():
    endpoint = Endpoint()
    changes(endpoint, "#####" + "." * 18)
    assert not endpoint.over(0.6)
    changes(endpoint, ".")
    assert endpoint.silence_s == pytest.approx(19 * WINDOW)
    assert endpoint.over(0.6)
    assert not endpoint.over(1.2)
    endpoint.commit()
    assert endpoint.phase is Phase.QUIET
    assert changes(endpoint, "..#") == {2: Change.BEGAN}


def test_the_length_of_a_turn_and_of_its_voice():
    endpoint = Endpoint()
    changes(endpoint, "..###-...##.")
    assert endpoint.voiced_s == pytest.approx(6 * WINDOW)
    assert endpoint.turn_s == pytest.approx(10 * WINDOW)


def test_a_long_turn_ends_at_its_next_gap_or_in_overtime():
    rule = EndpointRule(max_turn_s=1.0, overtime_s=0.5)
    endpoint = Endpoint(rule)
    changes(endpoint, "#" * 35)
    assert not endpoint.too_long
    changes(endpoint, ".")
    assert endpoint.too_long
    endpoint = Endpoint(rule)
    changes(endpoint, "#" * 46)
    assert not endpoint.too_long
    changes(endpoint, "#")
    assert endpoint.too_long


@pytest.mark.parametrize("settings", [{"silence_s": 0.1}, {"eager_silence_s": 0}, {"digits_silence_s": 0.5}])
def test_silences_must_rise(settings):
    with pytest.raises(UsageError, match="silences must rise"):
        EndpointRule(**settings)


@given(st.lists(st.floats(0, 1), max_size=300))
def test_changes_alternate_whatever_is_heard(probabilities):
    endpoint = Endpoint()
    told = [change for p in probabilities if (change := endpoint.step(p, WINDOW)) is not None]
    expected = [Change.BEGAN, Change.PAUSED]
    for n, change in enumerate(told):
        wanted = expected[n] if n < 2 else (Change.RESUMED if n % 2 == 0 else Change.PAUSED)
        assert change is wanted
    assert endpoint.voiced_s <= endpoint.turn_s + 1e-9
    assert (endpoint.phase is Phase.QUIET) == (not told)


@given(st.lists(st.floats(0, 1), max_size=200), st.floats(0.2, 2.0))
def test_speech_never_ends_a_turn(probabilities, limit_s):
    endpoint = Endpoint()
    for probability in probabilities:
        endpoint.step(probability, WINDOW)
        if probability >= endpoint.rule.start_probability:
            assert not endpoint.over(limit_s)
            assert endpoint.silence_s == 0

"""Each scenario that comes with the package is a test: what it expects holds."""

from __future__ import annotations

import pytest
from voicetui.engine.scenario import find_scenario, read_scenario, rehearse, shipped

WANTED = {
    "plain-exchange",
    "pause-in-mid-sentence",
    "cough-while-thinking",  # TT01
    "cough-at-first-token",  # TT01, its second run
    "backchannel",  # TT04
    "mm-hm",
    "echo",  # EC01
    "resumed-while-thinking",  # TT02
    "phone-number",  # TT06
    "stop-word",
    "question-over-the-agent",
    "key",
    "slow-model",
    "failing-model",  # MS03
    "silent-voice",
    "lost-microphone",
}


def test_the_cases_are_there():
    assert set(shipped()) >= WANTED


@pytest.mark.parametrize("name", shipped())
def test_what_the_scenario_expects_holds(name):
    scenario = read_scenario(find_scenario(name))
    assert scenario.title
    assert scenario.expectations
    assert rehearse(scenario).failures == []


def test_a_file_goes_before_a_shipped_scenario_of_that_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert find_scenario("echo").is_absolute()
    (tmp_path / "echo").write_text("")
    assert str(find_scenario("echo")) == "echo"
    assert str(find_scenario("other.toml")) == "other.toml"

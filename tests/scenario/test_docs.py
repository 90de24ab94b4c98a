"""`docs/scenarios.md` says what is so."""

from __future__ import annotations

import re
from dataclasses import fields

import pytest
from support.checkout import ROOT
from voicetui.engine.policy import Policy
from voicetui.engine.scenario import parse_scenario, rehearse, shipped
from voicetui.engine.scenario.read_expect import BOUNDS, COUNTS, FORMS
from voicetui.engine.scenario.read_user import ACTS, HEARD
from voicetui.engine.scenario.script import Ears, ReplyScript, VoiceScript

TEXT = (ROOT / "docs" / "scenarios.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```toml\n(.*?)```", TEXT, re.DOTALL)
PROSE = re.sub(r"```.*?```", "", TEXT, flags=re.DOTALL)
CODE = set(re.findall(r"[a-z_]+", " ".join(re.findall(r"`[^`]+`", PROSE))))


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_the_examples_hold(number):
    assert rehearse(parse_scenario(EXAMPLES[number])).failures == []


@pytest.mark.parametrize(
    "names",
    [
        ACTS,
        HEARD,
        FORMS,
        BOUNDS,
        COUNTS,
        *[[f.name for f in fields(kind)] for kind in (Ears, VoiceScript, ReplyScript, Policy)],
    ],
)
def test_every_key_is_described(names):
    assert set(names) <= CODE


def test_every_shipped_scenario_is_named():
    assert {f"`{name}`" for name in shipped()} <= set(re.findall(r"`[a-z-]+`", PROSE))


@pytest.mark.parametrize("kind", [Ears, VoiceScript, ReplyScript])
def test_the_defaults_are_so(kind):
    table = {"Ears": "ears", "VoiceScript": "voice", "ReplyScript": "model"}[kind.__name__]
    section = TEXT.split(f"`[{table}]`")[1].split("\n## ")[0]
    rows = dict(re.findall(r"\| `([a-z_]+)` \| ([\d.]+) \|", section))
    assert rows
    assert {name: float(value) for name, value in rows.items()} == {name: getattr(kind(), name) for name in rows}

"""What a sound over the agent is: a turn, a cough, or not to be decided yet."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from voicetui.engine.policy import OnSpeech, Policy
from voicetui.engine.turns import Overlap, Verdict, judge

POLICY = Policy(verdict_s=0.6, unclear_speech_limit_s=8.0)
STOPS = Policy(on_speech=OnSpeech.STOP)
FIRM = Policy(resume_false_interruptions=False)
BEGAN = 10.0
UNHEARD = {"over_sound": False}


@dataclass(frozen=True)
class Case:
    """A sound that began at 10.0 over the agent; `grace` ends at so many seconds after that, `now` likewise."""

    name: str
    now: float
    verdict: Verdict
    again: float | None = None
    words: str = ""
    ended: float | None = None
    grace: float = 0.0
    policy: Policy = POLICY
    more: dict[str, object] = field(default_factory=dict)


CASES = [
    Case("a sound that goes on is given way to", 0.0, Verdict.YIELD, again=8.0),
    Case("until it has gone on for too long without a word", 8.0, Verdict.CARRY_ON),
    Case("a sound that ended is waited for", 0.3, Verdict.YIELD, ended=0.2, again=0.8),
    Case("and was none when no words came", 0.8, Verdict.CARRY_ON, ended=0.2),
    Case("one that ended late is not waited for beyond the limit", 7.9, Verdict.YIELD, ended=7.8, again=8.0),
    Case("a stop word takes the floor", 0.1, Verdict.TAKE, words="stop"),
    Case("in French", 0.1, Verdict.TAKE, words="Attends, s'il te plaît"),
    Case("also within the grace", 0.1, Verdict.TAKE, words="no wait", grace=0.35),
    Case("and after it was passed over", 3.0, Verdict.TAKE, words="hold on", more={"dismissed": True}),
    Case("a stop word later in a sentence does not", 0.1, Verdict.YIELD, words="mm-hm mm-hm ok stop", again=8.0),
    Case("two words with a meaning take it", 0.4, Verdict.TAKE, words="but Friday"),
    Case("a question does", 0.4, Verdict.TAKE, words="what is"),
    Case("one word does not yet", 0.4, Verdict.YIELD, words="the", again=8.0),
    Case("an acknowledgement does not", 0.4, Verdict.YIELD, words="yeah yeah", again=8.0),
    Case("within the grace a sound does not count yet", 0.1, Verdict.IGNORE, grace=0.35, again=0.35),
    Case("words within the grace wait for its end", 0.1, Verdict.IGNORE, words="but Friday", grace=0.35, again=0.35),
    Case("and count then", 0.35, Verdict.TAKE, words="but Friday", grace=0.35),
    Case("a sound that lasts beyond the grace counts at its end", 0.35, Verdict.YIELD, grace=0.35, again=8.0),
    Case("one that ended within it never does", 0.2, Verdict.IGNORE, ended=0.2, grace=0.35),
    Case("not even later", 5.0, Verdict.IGNORE, ended=0.2, grace=0.35),
    Case("unless words come of it", 0.6, Verdict.TAKE, words="but Friday", ended=0.2, grace=0.35),
    Case("a sound that was passed over stays so", 4.0, Verdict.IGNORE, more={"dismissed": True}),
    Case("unless clear words come", 4.0, Verdict.TAKE, words="but Friday", more={"dismissed": True}),
    Case("a policy that stops at once does", 0.0, Verdict.TAKE, policy=STOPS),
    Case("but only after the grace", 0.1, Verdict.IGNORE, grace=0.35, again=0.35, policy=STOPS),
    Case("a policy that never resumes takes every give-way for a turn", 0.0, Verdict.TAKE, policy=FIRM),
    Case("before the agent is heard nothing can be stopped", 0.0, Verdict.YIELD, 8.0, policy=STOPS, more=UNHEARD),
    Case("nor resumed", 0.0, Verdict.YIELD, 8.0, policy=FIRM, more=UNHEARD),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name.replace(" ", "_"))
def test_a_sound_over_the_agent(case):
    ended = None if case.ended is None else BEGAN + case.ended
    overlap = Overlap(BEGAN, BEGAN + case.grace, ended_s=ended, words=case.words, **case.more)
    verdict, again = judge(overlap, BEGAN + case.now, case.policy)
    assert verdict is case.verdict
    assert again == (None if case.again is None else pytest.approx(BEGAN + case.again))

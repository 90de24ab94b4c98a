"""`voicetui rehearse`: the loop on scripted parts and the virtual clock, from flags or from a scenario file."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from voicetui.engine.errors import UsageError
from voicetui.engine.events import Floor
from voicetui.engine.policy import Policy
from voicetui.engine.scenario import (
    BargeIn,
    ReplyScript,
    Say,
    Scenario,
    Stimulus,
    VoiceScript,
    When,
    read_scenario,
    rehearse,
)
from voicetui.engine.words import words_of
from voicetui.tui.commands.report import as_json, as_text, one_line

if TYPE_CHECKING:
    import argparse

TURNS = ("bonjour",)
SENTENCES = 3
SENTENCE_S = 0.2
"""A sentence of the scripted voice is so short that an early interruption still lets one be heard whole."""
SPEECH_S = 0.6
"""How long speech over the agent lasts, at least, before the ears declare it a turn."""
BEYOND_GRACE_S = 0.3
"""How long it goes on beyond the grace window, so that it counts at its end."""
TURN_FLAGS = {
    "turns": "TURN",
    "sentences": "--sentences",
    "interrupt_after": "--interrupt-after",
    "barge_in": "--no-barge-in",
    "grace": "--grace",
    "max_sentences": "--max-sentences",
}


def run(args: argparse.Namespace) -> int:
    """Rehearse and print the report; 1 where a scenario's expectation is not met. Raises `UsageError`."""
    if args.scenario is not None:
        _refuse_both(args)
        scenario = read_scenario(args.scenario)
    else:
        scenario = scenario_of(args)
    if args.tui:
        from voicetui.tui.rehearsal import show

        return show(scenario)
    rehearsed = rehearse(scenario)
    report = as_json if args.json else as_text
    for line in report(rehearsed.conversation).splitlines():
        print(line, flush=True)
    for failure in rehearsed.failures:
        print(one_line(failure), file=sys.stderr, flush=True)
    return 1 if rehearsed.failures else 0


def scenario_of(args: argparse.Namespace) -> Scenario:
    """Return what the flags describe: a turn after the other, the first reply interrupted where that is wanted."""
    turns = tuple(args.turns) or TURNS
    for number, turn in enumerate(turns, 1):
        if not words_of(turn):
            raise UsageError(f"TURN {number} is {turn!r}: a turn needs at least one word")
    given = {
        "allow_barge_in": args.barge_in,
        "barge_in_grace_s": args.grace,
        "max_reply_sentences": args.max_sentences,
    }
    policy = Policy(**{name: value for name, value in given.items() if value is not None})
    return Scenario(
        stimuli=_stimuli(turns, args.interrupt_after, policy),
        policy=policy,
        replies=(ReplyScript(echo=SENTENCES if args.sentences is None else args.sentences),),
        voice=VoiceScript(sentence_s=SENTENCE_S),
    )


def _stimuli(turns: tuple[str, ...], interrupt_after: float | None, policy: Policy) -> tuple[Stimulus, ...]:
    listening = When(floor=Floor.LISTENING)
    said = [Stimulus(Say((turn,)), listening) for turn in turns]
    if interrupt_after is None:
        return tuple(said)
    speaking = When(floor=Floor.SPEAKING, wait_s=interrupt_after)
    lasting = max(SPEECH_S, policy.barge_in_grace_s + BEYOND_GRACE_S - interrupt_after)
    over = Say((turns[1],)) if len(turns) > 1 else BargeIn(lasting)
    return (said[0], Stimulus(over, speaking), *said[2:])


def _refuse_both(args: argparse.Namespace) -> None:
    """Raise `UsageError` where flags would be overridden by the scenario file."""
    given = [flag for name, flag in TURN_FLAGS.items() if getattr(args, name) not in (None, [])]
    if given:
        raise UsageError(f"--scenario holds the whole conversation: it cannot be given with {', '.join(given)}")

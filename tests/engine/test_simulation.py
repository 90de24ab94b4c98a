"""The simulation: seeds hold, replay exactly, and a loop that is broken on purpose is found out."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys

import pytest
from voicetui.engine import journal, reply, said
from voicetui.engine.answering import Answering
from voicetui.engine.events import Floor
from voicetui.engine.reply import watchdog
from voicetui.engine.simulation import Act, Disturbance, broken, converse
from voicetui.engine.simulation import __main__ as command
from voicetui.engine.timing import Timing
from voicetui.engine.yielding import GivingWay

DIGEST = """
import hashlib, json
from voicetui.engine.simulation import converse
events = "".join(json.dumps(event.as_dict()) for seed in range(20) for event in converse(seed).events)
print(hashlib.sha256(events.encode()).hexdigest())
"""


@pytest.mark.parametrize("first", range(0, 200, 50))
def test_the_invariants_hold_in_random_conversations(first):
    assert [(seed, faults) for seed in range(first, first + 50) if (faults := broken(converse(seed)))] == []


@pytest.mark.parametrize("act", Act)
@pytest.mark.parametrize("seed", [3, 7, 12])
def test_the_invariants_hold_whatever_is_done_at_whatever_step(seed, act):
    steps = range(1, converse(seed).steps, 5)
    faults = [(step, broken(converse(seed, Disturbance(act, step)))) for step in steps]
    assert [found for found in faults if found[1]] == []


def test_a_seed_is_the_same_conversation_every_time():
    one, other = converse(11, Disturbance(Act.INTERRUPT, 40)), converse(11, Disturbance(Act.INTERRUPT, 40))
    assert one.events == other.events
    assert one.voice.sink == other.voice.sink
    assert one.steps == other.steps


@pytest.mark.parametrize("hash_seed", ["1", "2"])
def test_a_seed_does_not_depend_on_the_order_of_hashes(hash_seed):
    here = hashlib.sha256("".join(json.dumps(e.as_dict()) for s in range(20) for e in converse(s).events).encode())
    there = subprocess.run(
        [sys.executable, "-c", DIGEST],
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        capture_output=True,
        text=True,
        check=True,
    )
    assert there.stdout.strip() == here.hexdigest()


def test_the_seeds_reach_everything_that_a_conversation_can_come_to():
    events = [event for seed in range(150) for event in converse(seed).events]
    assert {event.cause for event in events if event.kind == "floor"} >= {
        "started",
        "committed",
        "first_audio",
        "reply_spoken",
        "reply_empty",
        "interrupted",
        "user_resumed",
        "failed",
        "ended",
    }
    assert {(event.mode, event.outcome) for event in events if event.kind == "yield_over"} >= {
        ("pause", "resumed"),
        ("pause", "taken"),
        ("duck", "resumed"),
    }
    assert {event.turn_kind for event in events if event.kind == "committed"} == {
        "turn",
        "backchannel",
        "noise",
        "echo",
    }
    assert {event.part for event in events if event.kind == "error"} == {"listen", "think", "speak"}


# -- a loop that is broken on purpose is found out -------------------------------------------------------------------


def rules_broken(seeds):
    """Return the rules that conversations break."""
    return {fault.split(":")[0] for seed in range(seeds) for fault in broken(converse(seed))}


def test_a_voice_that_is_not_stopped(monkeypatch):
    def silence(self):
        self.stopped, self.discarded_s = True, 0.0

    monkeypatch.setattr(reply.Reply, "silence", silence)
    assert "silence" in rules_broken(20)


def test_unheard_words_in_the_record(monkeypatch):
    monkeypatch.setattr(said.Said, "heard_text", property(lambda self: self.piece.shown))
    assert "record" in rules_broken(20)


def test_a_dropped_turn_of_the_user(monkeypatch):
    def answer(self, turn):
        if not (self._closed or self.exchange is not None or self.floor is not Floor.LISTENING):
            self._answer(turn)

    monkeypatch.setattr(Answering, "answer", answer)
    assert "turns" in rules_broken(20)


def test_a_floor_that_is_not_given_back(monkeypatch):
    pass_floor = Answering.pass_floor
    monkeypatch.setattr(
        Answering, "pass_floor", lambda self, cause: None if cause == "reply_spoken" else pass_floor(self, cause)
    )
    assert "floor" in rules_broken(20)


def test_an_eager_reply_that_is_heard_before_its_turn_is_over(monkeypatch):
    start = reply.Reply.start

    def start_and_release(self, *given, **more):
        start(self, *given, **more)
        self.release()

    monkeypatch.setattr(reply.Reply, "start", start_and_release)
    assert "floor_and_sound" in rules_broken(30)


def test_an_agent_that_stays_paused(monkeypatch):
    def over(self, outcome):
        self.mode = None

    monkeypatch.setattr(GivingWay, "over", over)
    assert "giving_way" in rules_broken(60)


def test_parts_that_hang_and_nobody_sees_it(monkeypatch):
    monkeypatch.setattr(watchdog.Watchdog, "watch", lambda self: None)
    assert "floor" in rules_broken(60)


def test_stages_that_do_not_add_up(monkeypatch):
    whole = Timing.to_first_audio_s.fget
    monkeypatch.setattr(Timing, "to_first_audio_s", property(lambda self: (total := whole(self)) and total + 0.1))
    assert "timings" in rules_broken(20)


def test_a_follower_that_misses_an_event(monkeypatch):
    tell = journal.Journal._tell

    def misses_drafts(self):
        if self._untold[0].kind == "draft":
            self._followers[-1](self._untold.popleft())
        tell(self)

    monkeypatch.setattr(journal.Journal, "_tell", misses_drafts)
    assert "journal" in rules_broken(20)


# -- the command line ------------------------------------------------------------------------------------------------


def test_seeds_that_hold_exit_with_0(capsys):
    assert command.main(["--seeds", "0-5", "--every-await", "4", "--most", "3"]) == 0
    out = capsys.readouterr().out
    assert out.splitlines()[-1] == "all invariants hold"
    assert " 11 conversations" in f" {out}"


def test_a_failing_seed_is_printed_with_the_command_that_replays_it(capsys, monkeypatch):
    monkeypatch.setattr(command, "broken", lambda seen: ["rule: what broke"] if seen.seed == 2 else [])
    assert command.main(["--seeds", "0-9"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert "python -m voicetui.engine.simulation --seed 2" in lines
    assert "  rule: what broke" in lines


def test_no_more_failures_than_five_are_printed(capsys, monkeypatch):
    monkeypatch.setattr(command, "broken", lambda seen: ["rule: what broke"])
    assert command.main(["--seeds", "0-99"]) == 1
    assert capsys.readouterr().out.count("--seed ") == 5


def test_a_replay_prints_every_event_and_what_it_breaks(capsys, monkeypatch):
    monkeypatch.setattr(command, "broken", lambda seen: ["rule: what broke"])
    assert command.main(["--seed", "4", "--interrupt-at", "20"]) == 1
    out = capsys.readouterr().out
    kinds = [json.loads(line)["kind"] for line in out.splitlines() if line.startswith('{"kind"')]
    assert kinds == [event.kind for event in converse(4, Disturbance(Act.INTERRUPT, 20)).events]
    assert "BROKEN rule: what broke" in out


@pytest.mark.parametrize("arguments", [[], ["--seed", "x"], ["--seeds", "a-b"], ["--seed", "1", "--seeds", "1-2"]])
def test_wrong_usage_exits_with_2(arguments, capsys):
    with pytest.raises(SystemExit) as gone:
        command.main(arguments)
    assert gone.value.code == 2

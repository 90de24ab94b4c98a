"""The command line of the simulation: many seeds at once, or one again, with every event and what it breaks."""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from voicetui.engine.simulation import Act, Disturbance, Seen, broken, converse
from voicetui.engine.simulation.soak import soak

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

COMMAND = "python -m voicetui.engine.simulation"
MOST_FAILURES = 5
PROGRESS_S = 2.0
MOST_STEPS = 40
"""At how many of its steps a seed is disturbed, at most."""


@dataclass(slots=True)
class Tally:
    """How many conversations were held, and which of them broke an invariant, at most `MOST_FAILURES`."""

    held: int = 0
    events: int = 0
    failures: dict[str, list[str]] = field(default_factory=dict)

    def add(self, seen: Seen, disturbance: Disturbance | None) -> None:
        """Count a conversation."""
        self.held += 1
        self.events += len(seen.told)
        if faults := broken(seen):
            at = "" if disturbance is None else f" --{disturbance.act}-at {disturbance.step}"
            self.failures[f"{COMMAND} --seed {seen.seed}{at}"] = faults

    @property
    def full(self) -> bool:
        """Return whether enough has failed."""
        return len(self.failures) >= MOST_FAILURES


def seeds(first: int, last: int, every: int, most: int) -> Iterator[Tally]:
    """Hold the conversations of the seeds, and yield the tally after each.

    Each `every`-th seed (0: none) is held again and again, and each time interrupted, spoken to or ended at another of
    its steps, at most at `most` of them, spread evenly.
    """
    tally = Tally()
    acts = list(Act)
    for seed in range(first, last):
        seen = converse(seed)
        tally.add(seen, None)
        yield tally
        stride = _stride(seen, most)
        steps = range(1 + seed % stride, seen.steps, stride) if every and seed % every == 0 else range(0)
        for number, step in enumerate(steps, seed):
            disturbance = Disturbance(acts[number % len(acts)], step)
            tally.add(converse(seed, disturbance), disturbance)
            yield tally
            if tally.full:
                return
        if tally.full:
            return


def _stride(seen: Seen, most: int) -> int:
    return max(1, -(-seen.steps // most))


def _run(first: int, last: int, every: int, most: int) -> int:
    began, said = time.monotonic(), 0.0
    tally = Tally()
    for tally in seeds(first, last, every, most):
        now = time.monotonic()
        if now - said > PROGRESS_S and sys.stderr.isatty():
            said = now
            print(f"\r{tally.held} conversations, {len(tally.failures)} broken", end="", file=sys.stderr, flush=True)
    took = time.monotonic() - began
    print(
        f"{tally.held} conversations, {tally.events} events, {took:.1f} s, {tally.held / max(took, 1e-9):.0f} a second"
    )
    for command, faults in tally.failures.items():
        print(command)
        for fault in faults:
            print(f"  {fault}")
    print(f"{len(tally.failures)} broken" if tally.failures else "all invariants hold")
    return 1 if tally.failures else 0


def _replay(seed: int, disturbance: Disturbance | None) -> int:
    seen = converse(seed, disturbance)
    print(seen.policy)
    for told in seen.told:
        print(json.dumps(told.event.as_dict(), ensure_ascii=False))
    for call in seen.model.calls:
        print(f"request {call.number} at {call.at_s:.3f}: {call.messages} -> {call.text!r} {call.fault}")
    for sound in seen.voice.sink:
        span = f"{sound.from_s:.3f} - {sound.to_s:.3f}"
        print(f"heard {span} at gain {sound.gain}: {sound.text!r} to word {sound.to_word:.1f}")
    print(f"`run` {seen.ending}, {seen.steps} steps of the loop")
    faults = broken(seen)
    for fault in faults:
        print(f"BROKEN {fault}")
    return 1 if faults else 0


def _soak(exchanges: int) -> int:
    early, late = soak(exchanges, warm=exchanges // 5)
    print(f"from exchange {early.exchanges} to {late.exchanges}, an exchange leaves so many objects more:")
    for name, count in late.growth(early).items():
        print(f"  {count:8.4f} {name}")
    print(f"tasks {early.tasks}, then {late.tasks}; threads {early.threads}, then {late.threads}")
    return 0 if (early.tasks, early.threads) == (late.tasks, late.threads) else 1


def _span(text: str) -> tuple[int, int]:
    first, _, last = text.partition("-")
    return int(first), int(last or int(first) + 1)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return 0 if every invariant holds, 1 if one is broken, 2 on wrong usage."""
    parser = argparse.ArgumentParser(prog=COMMAND, description=__doc__)
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--seed", type=int, metavar="N", help="hold one conversation and print all that happens")
    which.add_argument("--soak", type=int, metavar="N", help="hold one conversation of N exchanges; say what it leaves")
    which.add_argument(
        "--seeds", type=_span, metavar="N-M", help="hold the conversations of the seeds N to M, without M"
    )
    at = parser.add_mutually_exclusive_group()
    for act in Act:
        at.add_argument(f"--{act}-at", type=int, metavar="K", dest=act, help=f"{act} at step K of the loop")
    parser.add_argument("--every-await", type=int, default=0, metavar="M", help="disturb each M-th seed at its steps")
    parser.add_argument("--most", type=int, default=MOST_STEPS, help="at how many of them, spread evenly; default 40")
    given = parser.parse_args(arguments)
    if given.soak is not None:
        return _soak(given.soak)
    if given.seeds is None:
        steps = {act: getattr(given, act) for act in Act}
        return _replay(given.seed, next((Disturbance(act, step) for act, step in steps.items() if step), None))
    first, last = given.seeds
    return _run(first, last, given.every_await, given.most)


if __name__ == "__main__":
    sys.exit(main())

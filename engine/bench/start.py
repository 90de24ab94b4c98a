"""How soon `voicetui` listens, and how much memory all its processes take: `voicetui bench start`.

Runs the command itself, with the bundled question and no loudspeaker, and looks at `/proc`: Linux only.
"""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from pathlib import Path

from voicetui.engine.bench.figure import Figure
from voicetui.engine.errors import PartError

READY_GOAL_S, MEMORY_GOAL_MB = 3.0, 1000.0
RUNS = 5
SAMPLE_S = 0.1
COMMAND = ("talk", "--plain", "--speaker", "none", "--wav")


def run() -> list[Figure]:
    """Hold `RUNS` conversations, one after the other, and return the figures."""
    ready, memory = zip(*(converse() for _ in range(RUNS)), strict=True)
    return [
        Figure(
            name="start.ready-to-listen",
            value=sorted(ready)[RUNS // 2],
            unit="s",
            samples=ready,
            method="from the command to its line `listening`, models there, median",
            goal=READY_GOAL_S,
        ),
        Figure(
            name="start.memory",
            value=max(memory),
            unit="MB",
            samples=memory,
            method="most of the resident memory of all processes together, through one exchange",
            goal=MEMORY_GOAL_MB,
        ),
    ]


def converse() -> tuple[float, float]:
    """Hold one conversation; return the seconds until it listened and the most memory in MB. Raises `PartError`."""
    from voicetui.engine.parts.build import bundled_question

    began = time.monotonic()
    command = [sys.executable, "-m", "voicetui.tui", *COMMAND, str(bundled_question())]
    talk = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    most = [0.0]
    over = threading.Event()

    def sample() -> None:
        while not over.wait(SAMPLE_S):
            most[0] = max(most[0], resident_mb(talk.pid))

    watch = threading.Thread(target=sample, name="bench-memory")
    watch.start()
    ready, line = 0.0, ""
    assert talk.stderr is not None
    for line in talk.stderr:
        if line.startswith("listening"):
            ready = time.monotonic() - began
    talk.wait()
    over.set()
    watch.join()
    talk.stderr.close()
    if talk.returncode:
        raise PartError("bench", f"the conversation to measure did not begin: {line.strip()}", fix="voicetui doctor")
    return ready, most[0]


def resident_mb(pid: int) -> float:
    """Return the resident memory of a process and of its children, in MB."""
    total = 0
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            stat = (folder / "stat").read_text().rpartition(")")[2].split()
            if pid in (int(folder.name), int(stat[1])):
                total += int(stat[21])
        except OSError:
            continue
    return total * 4096 / 1e6

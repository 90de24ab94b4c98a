"""What the screen costs: `python tests/tui/measure.py`, on a quiet machine. Not a test: nothing is asserted.

Each figure is from the real application in a pseudo-terminal of 120x40, in a process of its own: processor time by the
kernel's count for the whole process, and the time from a key's byte, written by this process, to `Engine.interrupt` in
that one (both on the system's monotonic clock). Compiled modules are kept, as in an installed package.
"""

from __future__ import annotations

import json
import os
import pty
import re
import select
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

KEYS = 100
TURNS = 500
SETTLE_S = 3.0
MEASURE_S = 15.0
COMPILED = tempfile.TemporaryDirectory(prefix="voicetui-compiled-")


# -- the application, in the child -----------------------------------------------------------------------------------


def child(mode: str, log: str) -> int:
    from voicetui.engine import events as ev
    from voicetui.engine.scenario.script import Pause, ReplyScript, Say, Scenario, Stimulus, When
    from voicetui.engine.scenario.stage import Stage
    from voicetui.tui import app as application
    from voicetui.tui.rehearsal import FakeGauges
    from voicetui.tui.run import run_app
    from voicetui.tui.session import Session

    pressed = []
    gauges = FakeGauges()
    sentence = "The mistral is a strong, cold, north-westerly wind that blows down the valley of the Rhône."
    said = Stimulus(Say(("what about the wind in Lyon",)), When(floor=ev.Floor.LISTENING, wait_s=0.5))
    script = () if mode == "idle" else (said,) * 100
    scenario = Scenario(
        stimuli=(*script, Stimulus(Pause(1000.0))),
        replies=(ReplyScript(text=" ".join([sentence] * (60 if mode == "keys" else 1)), token_s=0),),
        limit_s=1000,
    )

    class Noting(application.Bridge):
        def interrupt(self):
            pressed.append(time.monotonic())
            return False  # so that the agent speaks on

    class Full(application.TalkApp):
        def on_mount(self):
            for number in range(TURNS if mode == "keys" else 20):
                who = "agent" if number % 2 else "user"
                self.view.state.apply(ev.UtteranceAdded(speaker=who, text=sentence, heard_text=sentence))

    application.Bridge, application.TalkApp = Noting, Full
    code = run_app(Session(make=lambda: Stage(scenario).talk, gauges=gauges, hear=gauges.follow))
    Path(log).write_text(json.dumps(pressed))
    return code


# -- the figures, in the parent --------------------------------------------------------------------------------------


class App:
    def __init__(self, *command: str, rows=40, columns=120) -> None:
        import fcntl
        import termios

        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        environ = dict(os.environ, TERM="xterm-256color", COLORTERM="truecolor", LANG="C.UTF-8")
        environ.pop("PYTHONDONTWRITEBYTECODE", None)
        environ["PYTHONPYCACHEPREFIX"] = COMPILED.name
        self.began_s = time.monotonic()
        self.process = subprocess.Popen(
            [sys.executable, *command], stdin=slave, stdout=slave, stderr=slave, env=environ, start_new_session=True
        )
        os.close(slave)
        self.bytes = 0

    def read(self, seconds: float, until: bytes = b"") -> bytes:
        end, seen = time.monotonic() + seconds, b""
        while (left := end - time.monotonic()) > 0:
            if select.select([self.master], [], [], min(left, 0.005))[0]:
                try:
                    data = os.read(self.master, 1 << 16)
                except OSError:
                    return seen
                self.bytes += len(data)
                seen += data
                if until and until in seen:
                    return seen
        return seen

    def cpu_s(self) -> float:
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def quit(self) -> float:
        began = time.monotonic()
        os.write(self.master, b"\x11")
        while self.process.poll() is None and time.monotonic() - began < 10:
            self.read(0.02)
        return time.monotonic() - began


def share(mode: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        app = App(__file__, mode, f"{folder}/log")
        app.read(20, b"THINKING" if mode == "talking" else b"LISTENING")
        app.read(SETTLE_S)
        cpu, began, sent = app.cpu_s(), time.monotonic(), app.bytes
        app.read(MEASURE_S)
        took = time.monotonic() - began
        kilobytes = (app.bytes - sent) / took / 1000
        print(f"{mode}: {(app.cpu_s() - cpu) / took:.1%} of a core, {kilobytes:.0f} kB/s to the terminal")
        print(f"quit while {mode}: process gone after {app.quit():.2f} s, exit code {app.process.returncode}")


def keys() -> None:
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder, "log")
        app = App(__file__, "keys", str(log))
        app.read(20, b"SPEAKING")
        app.read(SETTLE_S)
        sent = []
        for _ in range(KEYS):
            app.read(0.07)
            sent.append(time.monotonic())
            os.write(app.master, b" ")
        app.read(0.5)
        app.quit()
        late = sorted((got - at) * 1000 for got, at in zip(json.loads(log.read_text()), sent, strict=True))
        at95 = late[int(0.95 * len(late))]
        print(f"key to Engine.interrupt, {TURNS} turns, speaking: p50 {statistics.median(late):.1f}", end=" ")
        print(f"p95 {at95:.1f} max {late[-1]:.1f} ms (n = {len(late)})")


def start() -> None:
    frames, quits = [], []
    App("-m", "voicetui.tui.demo").read(20, b"IDLE")  # compiles
    for _ in range(5):
        app = App("-m", "voicetui.tui.demo")
        seen = app.read(20, b"IDLE")
        assert re.search(b"IDLE", seen)
        frames.append(time.monotonic() - app.began_s)
        app.read(0.3)
        quits.append(app.quit())
    bare = min(_bare() for _ in range(3))
    print(f"start to first frame: median {statistics.median(frames):.2f} s of 5", end=", ")
    print(f"bare Python {bare:.3f} s; quit at once: at most {max(quits):.2f} s")


def _loop_s() -> float:
    began, total = time.process_time(), 0
    for number in range(2_000_000):
        total += number * number
    return time.process_time() - began


def _bare() -> float:
    began = time.monotonic()
    subprocess.run([sys.executable, "-c", "pass"], check=True)
    return time.monotonic() - began


if __name__ == "__main__":
    if len(sys.argv) > 1:
        sys.exit(child(*sys.argv[1:]))
    start()
    share("idle")
    share("talking")
    keys()
    print(f"2,000,000 additions and multiplications: {_loop_s():.3f} s of processor time;", end=" ")
    print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")

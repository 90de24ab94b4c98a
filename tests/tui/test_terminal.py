"""The application in a real terminal: it ends from every state, and leaves the terminal as it was.

The public cases TU01, TU04, TU05 and TU07. Each test starts a process: the slow ones are together here.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from support import app_child
from support.in_pty import PATIENCE_S, InPty, events
from voicetui.engine import UsageError
from voicetui.tui.terminal import exit_code, refusal, require
from voicetui.tui.widgets.turn_box import LIMIT

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals: run it on Linux or macOS")

STATES = {"listening": "LISTENING", "thinking": "THINKING", "speaking": "SPEAKING", "synthesis": "THINKING"}
"""Where the application is when it is to end, and what its screen says there."""
HANGS_S = 25.0
"""The parts of the child block for 30 and 60 s: whoever waits for one of them is seen."""


@pytest.fixture
def log(tmp_path):
    return tmp_path / "events"


def app(mode, log, **options):
    return InPty(app_child.__file__, mode, str(log), **options)


# -- quitting from every state (TU01) ---------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["q", "\x03", signal.SIGTERM])
@pytest.mark.parametrize("state", STATES)
def test_it_ends_from_every_state(state, how, log):
    with app(state, log) as program:
        program.until(STATES[state])
        program.since()
        program.send(how) if isinstance(how, str) else program.signal(how)
        assert program.ended(HANGS_S) == (0 if isinstance(how, str) else 128 + how)
        program.assert_restored()
        assert program.said == ""


# -- how the terminal is left (TU05) ----------------------------------------------------------------------------------


def test_an_engine_that_breaks_ends_the_application_with_a_line(log):
    with app("engine-raises", log) as program:
        assert program.ended() == 1
        program.assert_restored()
        first, second = program.said.splitlines()
        assert first == "voicetui: the engine failed: ZeroDivisionError: the engine breaks"
        assert "screen.log" in second


def test_a_screen_that_breaks_ends_the_application_with_a_line(log):
    with app("screen-raises", log) as program:
        program.until("SPEAKING")
        program.send("m")
        assert program.ended() == 1
        program.assert_restored()
        (line,) = program.said.splitlines()
        assert line.startswith("voicetui: the screen failed: ZeroDivisionError: the screen breaks [/ here; ")
        details = Path(line.rpartition(" ")[2])
        assert "Traceback" in details.read_text()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 0)])
def test_a_signal_ends_the_application_cleanly(number, code, log):
    with app("speaking", log) as program:
        program.until("SPEAKING")
        program.signal(number)
        assert program.ended() == code
        program.assert_restored()
        assert program.said == ""
        assert events(log)[-1]["kind"] == "ended"


def test_an_old_mouse_report_harms_nothing(log):
    with app("speaking", log) as program:
        program.until("SPEAKING")
        program.send(b"\x1b[M\x20\xc8\x30")
        program.until("agent has the floor")  # a second has passed: the report was read
        program.send("e")
        program.until("e transcript")
        program.send("q")
        assert program.ended() == 0
        program.assert_restored()


def test_a_terminal_that_vanishes_ends_the_application(log):
    with app("speaking", log) as program:
        program.until("SPEAKING")
        program.hang_up()
        assert program.process.wait(PATIENCE_S) == 128 + signal.SIGHUP
        assert events(log)[-1]["kind"] == "ended"


def test_a_terminal_that_vanishes_without_a_signal_does_so_too(log):
    with app("speaking", log, controlling=False) as program:
        program.until("SPEAKING")
        program.hang_up()
        assert program.process.wait(PATIENCE_S) == 128 + signal.SIGHUP
        assert events(log)[-1]["kind"] == "ended"


def test_suspended_it_gives_the_terminal_back_and_takes_it_again(log):
    with app("speaking", log) as program:
        program.until("SPEAKING")
        program.send("\x1a")
        _, status = os.waitpid(program.process.pid, os.WUNTRACED)
        assert os.WIFSTOPPED(status)
        while program.read():
            pass
        program.assert_restored()
        program.signal(signal.SIGCONT)
        program.until(b"\x1b[?1049h", "SPEAKING", "transcript", "Interrupt")  # all of it
        program.send("q")
        assert program.ended() == 0
        program.assert_restored()


def test_a_terminal_that_changes_its_size_while_the_agent_speaks(log):
    with app("speaking", log) as program:
        program.until("SPEAKING")
        for columns, rows in ((120, 40), (60, 18), (30, 8), (100, 30)):
            program.since()
            program.resize(columns, rows)
            os.kill(program.process.pid, signal.SIGWINCH)
            program.until("SPEAKING", f"\x1b[{rows};1H")
        program.send("q")
        assert program.ended() == 0
        program.assert_restored()


# -- the key --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", [" ", "\x1b"])
def test_a_key_cuts_the_agent(key, log):
    with app("speaking", log) as program:
        program.until("agent has the floor · 1 s")  # some words were heard
        program.send(key)
        program.until("INTERRUPTED", "you cut in")
        program.send("q")
        assert program.ended() == 0
    assert [event["source"] for event in events(log) if event["kind"] == "stop"] == ["key"]


def test_the_users_keys_count_and_what_is_wrong_with_them_is_said(log, tmp_path):
    folder = tmp_path / "config" / "voicetui"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text('[keys]\nquit-here = "x"\nmute = "escape"\n')
    with app("speaking", log, XDG_CONFIG_HOME=str(tmp_path / "config")) as program:
        program.until("mute cannot have escape")
        program.send("x")
        assert program.ended() == 0


# -- pasted turns (TU04) ----------------------------------------------------------------------------------------------


def said(log):
    """Return the turns that were typed."""
    return [e["text"] for e in events(log) if e["kind"] == "committed" and e["reason"] == "typed"]


def paste(text):
    return f"\x1b[200~{text}\x1b[201~".encode()


def test_a_paste_of_several_lines_is_one_turn(log):
    with app("listening", log) as program:
        program.until("LISTENING")
        program.send("i")
        program.until("your turn")
        program.send(paste("line one\nline two\nline three"))
        program.until("line three")
        program.send("\r")
        program.until("SPEAKING")
        program.send("q")
        assert program.ended() == 0
    assert said(log) == ["line one\nline two\nline three"]


def test_five_thousand_lines_are_refused_whole_and_nothing_is_sent(log):
    with app("listening", log) as program:
        program.until("LISTENING")
        program.send("i")
        program.until("your turn")
        program.send(b"")
        for start in range(0, 5000, 100):  # the pseudo-terminal takes so much at once
            lines = "".join(f"line {number}\n" for number in range(start, start + 100))
            program.send(("\x1b[200~" if start == 0 else "") + lines)
            program.read(0.001)
        program.send("\x1b[201~")
        program.until(f"{LIMIT:,} characters")
        program.send("go on\r")
        program.until("SPEAKING")
        program.send("q")
        assert program.ended() == 0
    assert said(log) == ["go on"]


def test_a_paste_with_an_end_mark_inside_is_still_one_turn(log):
    with app("listening", log) as program:
        program.until("LISTENING")
        program.send("i")
        program.until("your turn")
        program.send(paste("a\tb\r\nsmile \U0001f600 \x1b[201~the rest\r\nand more"))
        program.until("and mor")
        program.send("\r")
        program.until("SPEAKING")
        program.send("q")
        assert program.ended() == 0
    (turn,) = said(log)
    assert turn.split() == ["a", "b", "smile", "\U0001f600", "the", "rest", "and", "more"]


# -- no terminal to draw on (TU07) ------------------------------------------------------------------------------------


def test_without_a_terminal_it_refuses_in_a_line_and_points_to_the_plain_one():
    command = [sys.executable, "-m", "voicetui.tui.demo"]
    done = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, check=False, timeout=PATIENCE_S)
    assert done.returncode == 1
    assert done.stdout == b""
    assert done.stderr.decode().splitlines() == [
        "voicetui: the full screen needs a terminal, and standard input is no terminal"
    ]


def test_a_dumb_terminal_is_none_either(monkeypatch):
    monkeypatch.setenv("TERM", "dumb")
    assert refusal() == "TERM is dumb"
    with pytest.raises(UsageError) as refused:
        require()
    assert refused.value.fix == "voicetui talk --plain"


def test_the_line_mode_has_a_line_an_event_and_nothing_for_a_terminal_to_obey():
    command = [sys.executable, "-m", "voicetui.tui", "rehearse", "bonjour", "attends", "--interrupt-after", "0.3"]
    env = dict(os.environ, TERM="dumb", NO_COLOR="1")
    done = subprocess.run(
        command, capture_output=True, stdin=subprocess.DEVNULL, env=env, check=False, timeout=PATIENCE_S
    )
    assert done.returncode == 0
    assert b"\x1b" not in done.stdout + done.stderr
    lines = done.stdout.decode().splitlines()
    assert lines[0] == "you: bonjour"
    assert [line for line in lines if line.startswith(" it: ") and line.endswith(" (cut off)")]


def test_without_colours_none_is_written(log):
    with app("speaking", log, NO_COLOR="1") as program:
        program.until("SPEAKING")
        program.send(" ")
        program.until("INTERRUPTED")
        program.send("q")
        assert program.ended() == 0
    codes = {code for found in re.findall(rb"\x1b\[([\d;]*)m", program.drawn) for code in found.split(b";")}
    colours = {*range(30, 39), *range(40, 49), *range(90, 98), *range(100, 108)}
    assert not {int(code or 0) for code in codes} & colours


def test_exit_codes():
    assert (exit_code(0), exit_code(signal.SIGINT), exit_code(signal.SIGTERM)) == (0, 0, 143)

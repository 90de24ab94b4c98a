"""The command line: what it answers to, and how it ends whatever happens."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from voicetui.engine.errors import PartError
from voicetui.engine.models.lock import only_one
from voicetui.tui.commands import later
from voicetui.tui.commands.parser import build_parser

FULL = Path("/dev/full")


def test_help_names_every_command(voicetui):
    said = voicetui("--help")
    assert said.code == 0
    for command in (
        "talk",
        "rehearse",
        "serve",
        "doctor",
        "devices",
        "models",
        "calibrate",
        "bench",
        "sessions",
        "config",
    ):
        assert command in said.out


def test_version(voicetui):
    said = voicetui("--version")
    assert (said.code, said.out) == (0, f"voicetui {version('voicetui')}\n")


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_help_and_version_do_without_the_screen_numbers_and_event_loops(option):
    code = f"import sys; from voicetui.tui.__main__ import main; assert main([{option!r}]) == 0; print(*sys.modules)"
    loaded = subprocess.check_output([sys.executable, "-c", code], text=True).split()
    assert not {"textual", "rich", "numpy", "asyncio", "voicetui.engine"} & set(loaded)


TALK_FLAGS = (
    "talk --voice V --language fr --model M --device D --speaker none --record R --no-barge-in --grace 0.5 "
    "--max-sentences 3 --silence-timeout 60"
)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("talk --wav-is-not-a-flag", None),
        (
            f"{TALK_FLAGS} --json --events --yes",
            {
                "command": "talk",
                "voice": "V",
                "language": "fr",
                "model": "M",
                "device": "D",
                "speaker": "none",
                "record": "R",
                "barge_in": False,
                "grace": 0.5,
                "max_sentences": 3,
                "silence_timeout": 60.0,
                "json": True,
                "events": True,
                "yes": True,
                "wav": None,
            },
        ),
        (
            "rehearse un deux --sentences 6 --interrupt-after 0.25 --grace 0 --json --tui",
            {
                "command": "rehearse",
                "turns": ["un", "deux"],
                "sentences": 6,
                "interrupt_after": 0.25,
                "grace": 0.0,
                "json": True,
                "tui": True,
                "scenario": None,
                "barge_in": None,
                "max_sentences": None,
            },
        ),
        ("serve --host ::1 --port 8091 --token T", {"host": "::1", "port": 8091, "token": "T"}),
        ("doctor --json", {"command": "doctor", "json": True}),
        ("models", {"command": "models", "action": "list", "json": False}),
        ("models get a b", {"action": "get", "ids": ["a", "b"], "all_needed": False}),
        ("models get --all-needed --language fr", {"action": "get", "ids": [], "all_needed": True, "language": "fr"}),
        ("models remove a --yes", {"action": "remove", "ids": ["a"], "yes": True}),
        ("sessions replay 7", {"command": "later", "action": "replay", "rest": ["7"]}),
        ("config", {"command": "config", "action": "show"}),
    ],
)
def test_the_flags(line, expected):
    if expected is None:
        with pytest.raises(SystemExit):
            build_parser().parse_args(line.split())
        return
    args = vars(build_parser().parse_args(line.split()))
    assert {name: args[name] for name in expected} == expected


@pytest.mark.parametrize("command", ["serve", "calibrate", "sessions"])
def test_a_command_of_a_later_version_says_so(voicetui, command):
    said = voicetui(command)
    assert (said.code, said.out, said.err) == (1, "", f"voicetui: {command} is not part of this version yet\n")


def test_wrong_usage_is_one_line_and_the_usage(voicetui):
    said = voicetui("talk", "--what")
    assert said.code == 2
    first, second = said.err.splitlines()[:2]
    assert first == "voicetui: unrecognized arguments: --what"
    assert second.startswith("usage: voicetui")


@pytest.fixture
def failing(monkeypatch):
    """Let the command `serve` fail with an exception."""

    def fail_with(error):
        def run(args):
            raise error

        monkeypatch.setattr(later, "run", run)

    return fail_with


def test_a_missing_part_is_one_line_and_what_mends_it(voicetui, failing):
    failing(PartError("think", "no model answers", fix="ollama serve"))
    said = voicetui("serve")
    assert (said.code, said.out) == (1, "")
    assert said.err == "voicetui: no model answers\n  mend it: ollama serve\n"


def test_ctrl_c_is_a_clean_end(voicetui, failing):
    failing(KeyboardInterrupt())
    said = voicetui("serve")
    assert (said.code, said.err) == (0, "")


def test_the_unexpected_is_one_line_and_its_details_are_in_a_file(voicetui, failing, folders):
    failing(ValueError("first line\nsecond line"))
    said = voicetui("serve")
    (log,) = (folders / "state").rglob("errors.log")
    assert said.code == 1
    assert said.err == (
        f"voicetui: this should not have happened: ValueError: first line second line; the details are in {log}\n"
    )
    assert "Traceback (most recent call last)" in log.read_text()
    assert version("voicetui") in log.read_text()


def test_where_the_details_cannot_be_written_that_is_said(voicetui, failing, folders):
    (folders / "state").write_text("a file where the folder should be")
    failing(ValueError("x"))
    said = voicetui("serve")
    assert said.code == 1
    assert said.err.count("\n") == 1
    assert "the details could not be written" in said.err


def test_a_developer_sees_the_traceback(voicetui, failing, monkeypatch):
    monkeypatch.setenv("VOICETUI_DEBUG", "1")
    failing(ValueError("x"))
    with pytest.raises(ValueError, match="x"):
        voicetui("serve")


def test_a_reader_that_has_seen_enough_is_no_error(start):
    process = start("models", "list", "--json")
    process.stdout.close()
    assert process.wait() == 0
    assert process.stderr.read() == ""


def test_without_standard_output_nothing_breaks(start):
    process = start("config", stdout=None, preexec_fn=lambda: __import__("os").close(1))
    assert process.wait() == 0
    assert process.stderr.read() == ""


def test_a_terminal_that_cannot_show_a_letter_gets_a_question_mark(start, monkeypatch):
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    out, err = start("config", "show").communicate()
    assert "en, fr, de, ?" in out
    assert err == ""


def test_ctrl_c_while_waiting_for_another_fetch_ends_with_0(start, own_models, folders):
    own_models(
        """
        [[model]]
        id = "tiny"
        purpose = "think"
        runtime = "llama"
        files = [{ name = "weights.bin" }]
        sources = [{ url = "http://127.0.0.1:9/" }]
        """
    )
    with only_one(folders / "models" / ".tiny.lock"):
        process = start("models", "get", "tiny")
        assert process.stderr.readline() == "tiny: another voicetui is fetching it, waiting for it\n"
        process.send_signal(signal.SIGINT)
        _, err = process.communicate()
    assert (process.returncode, err) == (0, "Stopped. Later: voicetui models get tiny\n")


def test_the_models_are_listed_as_json(voicetui):
    models = json.loads(voicetui("models", "list", "--json").out)
    (joe,) = [m for m in models if m["id"] == "en_US-joe-medium"]
    assert (joe["purpose"], joe["languages"], joe["verified"]) == ("speak", ["en"], True)


@pytest.fixture(params=["without PortAudio", "without the package"])
def no_sound(request, tmp_path, monkeypatch):
    """A process in which `import sounddevice` raises: OSError without the library that it loads, else ImportError."""
    error = (
        "OSError('PortAudio library not found')" if "PortAudio" in request.param else "ImportError('no sounddevice')"
    )
    (tmp_path / "first").mkdir()
    (tmp_path / "first" / "sounddevice.py").write_text(f"raise {error}")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path / "first"), os.environ.get("PYTHONPATH", "")]))


@pytest.mark.usefixtures("no_sound")
def test_ad04_what_needs_no_sound_works_without_it(start):
    for arguments in (["--help"], ["rehearse", "bonjour"], ["config", "path"], ["models", "list"]):
        process = start(*arguments)
        _, err = process.communicate()
        assert (process.returncode, err) == (0, "")


@pytest.mark.usefixtures("no_sound")
def test_ad04_talk_is_one_line_and_what_to_install(start):
    process = start("talk", "--model", "some-model-of-ollama")
    out, err = process.communicate()
    assert (process.returncode, out) == (1, "")
    assert "Traceback" not in err
    assert err.splitlines()[-2].startswith("voicetui: sound devices need ")
    assert err.splitlines()[-1].startswith("  mend it: ")


@pytest.mark.skipif(not FULL.exists(), reason=f"this system has no {FULL}")
def test_output_that_cannot_be_written_is_said_in_one_line():
    command = [sys.executable, "-m", "voicetui.tui", "rehearse", "bonjour"]
    with FULL.open("w") as full:
        ended = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert ended.returncode == 1
    assert ended.stderr == "voicetui: the output cannot be written: No space left on device\n"


def test_bench_prints_a_line_of_json_a_figure(voicetui):
    said = voicetui("bench", "release", "--json")
    figures = [json.loads(line) for line in said.out.splitlines()]
    assert (said.code, [figure["name"] for figure in figures]) == (0, ["release.tokens-waited", "release.split-errors"])


def test_bench_says_what_a_figure_is_held_against(voicetui):
    said = voicetui("bench", "release")
    assert said.code == 0
    assert said.out.startswith("release.tokens-waited: 0 tokens, goal at most 0: met\n")


def test_bench_lists_what_there_is_and_refuses_what_there_is_not(voicetui):
    listed = voicetui("bench", "--list")
    assert [line.split()[0] for line in listed.out.splitlines()] == ["overhead", "release", "start", "stop"]
    refused = voicetui("bench", "speed")
    assert (refused.code, refused.out) == (2, "")
    assert refused.err.startswith("voicetui: there is no bench 'speed'; what there is: overhead")

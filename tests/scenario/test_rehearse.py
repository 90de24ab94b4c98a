"""`voicetui rehearse`: what it prints and how it exits."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from voicetui.tui.__main__ import main


@pytest.fixture
def rehearse(capsys):
    """Run `voicetui rehearse` here; return its exit code, standard output and standard error."""

    def run(*arguments):
        code = main(["rehearse", *arguments])
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


@pytest.fixture
def report(rehearse):
    """Run `voicetui rehearse … --json` and return the report."""

    def run(*arguments):
        code, out, err = rehearse(*arguments, "--json")
        assert (code, err) == (0, "")
        return json.loads(out)

    return run


# The scripted ears take 0.5 s of silence and 0.09 s for the text, the model 0.1 s to its first token and 0.02 s to each
# later one, the voice 0.05 s: "Bonjour." is one token, "Dis-moi tout." two.


def test_without_a_turn_the_user_says_bonjour(rehearse):
    code, out, err = rehearse()
    assert (code, err) == (0, "")
    assert out.splitlines(keepends=True) == [
        "you: bonjour\n",
        " it: Bonjour. Bonjour (2). Bonjour (3).\n",
        "turn 1: 740 ms to first audio, slowest stage endpoint\n",
    ]


def test_each_turn_is_an_exchange(rehearse):
    code, out, _ = rehearse("bonjour", "comment ça va ?", "--sentences", "1")
    assert code == 0
    assert [line.rstrip() for line in out.splitlines()] == [
        "you: bonjour",
        " it: Bonjour.",
        "you: comment ça va ?",
        " it: Comment ça va.",
        "turn 1: 740 ms to first audio, slowest stage endpoint",
        "turn 2: 780 ms to first audio, slowest stage endpoint",
    ]


def test_a_reply_can_be_capped(rehearse):
    _, out, _ = rehearse("bonjour", "--sentences", "5", "--max-sentences", "2")
    assert " it: Bonjour. Bonjour (2).\n" in out


INTERRUPTED = ("dis-moi tout", "--sentences", "6", "--interrupt-after", "0.25")


def test_an_interrupted_reply_is_cut_off_at_what_was_heard(rehearse):
    """The ears notice the speech 0.05 s after 0.25 s: one sentence of 0.2 s, and half of the next."""
    code, out, err = rehearse(*INTERRUPTED, "--grace", "0")
    assert (code, err) == (0, "")
    assert out.splitlines()[:2] == ["you: dis-moi tout", " it: Dis-moi tout. Dis-moi (cut off)"]


def test_the_report_of_an_interrupted_reply_holds_only_the_heard_words(report):
    told = report(*INTERRUPTED, "--grace", "0")
    assert set(told) == {"utterances", "timings", "interruption_rate"}
    user, agent = told["utterances"]
    assert (user["speaker"], user["text"], user["interrupted"]) == ("user", "dis-moi tout", False)
    assert (agent["speaker"], agent["text"], agent["interrupted"]) == ("agent", "Dis-moi tout. Dis-moi", True)
    assert agent["heard_s"] == pytest.approx(0.3)
    assert told["interruption_rate"] == 1.0


def test_the_report_of_an_exchange_has_stages_that_add_up(report):
    (timing,) = report(*INTERRUPTED, "--grace", "0")["timings"]
    stages = [timing[f"{stage}_s"] for stage in ("endpoint", "recognise", "think", "speak")]
    assert stages == pytest.approx([0.5, 0.09, 0.1, 0.07])
    assert timing["to_first_audio_s"] == pytest.approx(sum(stages))
    assert timing["slowest_stage"] == "endpoint"
    assert timing["marks"]["first_audible"] - timing["marks"]["last_voice"] == pytest.approx(0.76)
    barge_in = timing["barge_in"]
    assert barge_in["onset_s"] - timing["marks"]["first_audible"] == pytest.approx(0.25)
    assert barge_in["stop_ms"] == pytest.approx(50)


def test_speech_in_the_grace_window_counts_at_its_end(report):
    told = report(*INTERRUPTED)
    (timing,) = told["timings"]
    assert told["utterances"][1]["interrupted"]
    assert told["utterances"][1]["heard_s"] == pytest.approx(0.35)
    assert timing["barge_in"]["silent_s"] - timing["marks"]["first_audible"] == pytest.approx(0.35)


@pytest.mark.parametrize("grace", ["0.5", "1.0"])
def test_speech_that_lasts_beyond_a_long_grace_window_counts_too(report, grace):
    told = report(*INTERRUPTED, "--grace", grace)
    assert told["utterances"][1]["interrupted"]
    assert told["utterances"][1]["heard_s"] == pytest.approx(float(grace))


def test_the_next_turn_is_the_interruption_and_is_answered(rehearse):
    _, out, _ = rehearse("dis-moi tout", "non juste demain", "merci", "--interrupt-after", "0.25", "--sentences", "2")
    assert out.splitlines()[:6] == [
        "you: dis-moi tout",
        " it: Dis-moi tout. Dis-moi (cut off)",
        "you: non juste demain",
        " it: Non juste demain. Non juste demain (2).",
        "you: merci",
        " it: Merci. Merci (2).",
    ]


def test_without_barge_in_the_interrupting_turn_is_answered_after_the_reply(rehearse):
    _, out, _ = rehearse("dis-moi tout", "non juste demain", "--interrupt-after", "0.25", "--no-barge-in")
    assert out.splitlines()[:4] == [
        "you: dis-moi tout",
        " it: Dis-moi tout. Dis-moi tout (2). Dis-moi tout (3).",
        "you: non juste demain",
        " it: Non juste demain. Non juste demain (2). Non juste demain (3).",
    ]


def test_without_barge_in_speech_over_the_only_reply_changes_nothing(rehearse):
    assert rehearse("bonjour", "--interrupt-after", "0.25", "--no-barge-in") == rehearse("bonjour")


def test_an_interruption_after_the_reply_is_over_is_none(rehearse):
    assert rehearse("bonjour", "--interrupt-after", "9") == rehearse("bonjour")


@pytest.mark.parametrize("turn", ["", "   ", "\u200b", "...", "\n"])
def test_a_turn_without_a_word_is_no_turn(rehearse, turn):
    code, out, err = rehearse("bonjour", turn)
    assert (code, out) == (2, "")
    assert err == f"voicetui: TURN 2 is {turn!r}: a turn needs at least one word\n"


def test_a_turn_with_control_characters_is_shown_harmlessly(rehearse):
    for form in ([], ["--json"]):
        code, out, err = rehearse("\x1b[31mrouge\x1b[0m \x07\x9b2J\r\n\x00bonjour", *form)
        assert (code, err) == (0, "")
        assert "rouge" in out
        assert not set(out) & set("\x1b\x07\x00\r\x9b")
        if not form:
            assert [line[:4] for line in out.splitlines()] == ["you:", " it:", "turn"]


def test_a_turn_of_any_bytes_is_shown(rehearse):
    code, out, err = rehearse("caf\udce9 olé")
    assert (code, err) == (0, "")
    assert "olé" in out


def test_the_application_needs_a_terminal_and_says_what_does_not(rehearse):
    code, out, err = rehearse("bonjour", "--tui")
    assert (code, out) == (2, "")
    assert "needs a terminal" in err
    assert len(err.splitlines()) == 1


SCENARIO = '[model]\necho = 1\n[[user]]\nsay = "hello"\n'


def test_a_scenario_that_holds_exits_with_0(rehearse, tmp_path):
    file = tmp_path / "a.toml"
    file.write_text(SCENARIO + '[[expect]]\nheard = ["Hello."]\n')
    code, out, err = rehearse("--scenario", str(file))
    assert (code, err) == (0, "")
    assert out.startswith("you: hello\n it: Hello.\n")


def test_an_expectation_that_fails_is_a_line_on_standard_error_and_exits_with_1(rehearse, tmp_path):
    file = tmp_path / "a.toml"
    file.write_text(SCENARIO + '[[expect]]\nheard = ["Bye."]\n[[expect]]\nevent = "stop"\n')
    code, out, err = rehearse("--scenario", str(file))
    assert code == 1
    assert out.startswith("you: hello\n it: Hello.\n")
    assert err.splitlines() == [
        f'{file}:5: [[expect]] 1: expected "Bye." in line 1 of what was heard, saw "Hello."',
        f"{file}:7: [[expect]] 2: expected at least 1 stop, saw none",
    ]


def test_a_wrong_scenario_file_is_one_line_and_exits_with_2(rehearse, tmp_path):
    file = tmp_path / "a.toml"
    file.write_text(SCENARIO + "loud = true\n")
    code, out, err = rehearse("--scenario", str(file))
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert f"{file}:5: [[user]] 1: 'loud' means nothing here; what does: say" in err


def test_a_scenario_of_the_package_is_called_by_its_name(rehearse):
    code, out, _ = rehearse("--scenario", "echo", "--json")
    assert (code, len(json.loads(out)["utterances"])) == (0, 2)


def test_a_scenario_of_no_such_name_names_those_that_there_are(rehearse):
    code, out, err = rehearse("--scenario", "ecco")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "plain-exchange" in err


@pytest.mark.parametrize(
    "flags",
    [
        ("bonjour",),
        ("--sentences", "3"),
        ("--interrupt-after", "0"),
        ("--no-barge-in",),
        ("--grace", "0"),
        ("--max-sentences", "0"),
    ],
)
def test_a_scenario_goes_with_nothing_that_it_would_override(rehearse, flags):
    code, out, err = rehearse("--scenario", "echo", *flags)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert ("TURN" if flags == ("bonjour",) else flags[0]) in err


def test_ctrl_c_exits_with_0(rehearse, monkeypatch):
    def interrupted(scenario):
        raise KeyboardInterrupt

    monkeypatch.setattr("voicetui.tui.commands.rehearse.rehearse", interrupted)
    assert rehearse() == (0, "", "")


def test_it_runs_in_a_process_of_its_own_without_numbers_or_the_screen():
    code = (
        "import sys; from voicetui.tui.__main__ import main; code = main(['rehearse']);"
        "print(code, {'numpy', 'textual', 'rich', 'sounddevice', 'ollama'} & set(sys.modules))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.splitlines()[0] == "you: bonjour"
    assert out.splitlines()[-1] == "0 set()"

"""The settings file: a bad line is named and passed over; a flag wins over the file, the file over the default."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

import pytest
from voicetui.engine.parts.options import TalkOptions
from voicetui.engine.policy import OnSpeech, Policy
from voicetui.tui.commands.parser import build_parser
from voicetui.tui.commands.settings import talk_options
from voicetui.tui.settings import DEFAULTS, as_file, config_file, load


@pytest.fixture
def write():
    def to_file(text):
        config_file().parent.mkdir(parents=True, exist_ok=True)
        config_file().write_text(text)

    return to_file


def test_without_a_file_the_defaults_stand():
    assert talk_options(Namespace()) == TalkOptions()


def test_a_flag_wins_over_the_file_and_the_file_over_the_default(write):
    write('language = "fr"\nvoice = "siwis"\nbarge_in_grace_s = 1\non_speech = "duck"\n')
    args = build_parser().parse_args(["talk", "--voice", "joe", "--no-barge-in", "--max-sentences", "2"])
    options = talk_options(args)
    assert (options.language, options.voice) == ("fr", "joe")
    assert options.policy == Policy(
        allow_barge_in=False, barge_in_grace_s=1, max_reply_sentences=2, on_speech=OnSpeech.DUCK
    )


def test_files_of_the_command_line_are_paths():
    options = talk_options(Namespace(wav=[Path("a.wav"), Path("b.wav")], record="here"))
    assert options.wav == (Path("a.wav"), Path("b.wav"))
    assert options.record == Path("here")


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("barge_in_grace_s = -1", "barge_in_grace_s is -1, it must be seconds, 0 or more; the default 0.35 is used"),
        ("barge_in_grace_s = nan", "barge_in_grace_s is nan, it must be seconds, 0 or more; the default 0.35 is used"),
        ('eager = "yes"', "eager is 'yes', it must be bool; the default true is used"),
        ("max_reply_sentences = 1.5", "max_reply_sentences is 1.5, it must be 0 or more; the default 0 is used"),
        (
            'on_speech = "shout"',
            "on_speech is 'shout', it must be one of pause, stop, duck; the default \"pause\" is used",
        ),
        ("language = 7", 'language is 7, it must be text in quotes; the default "en" is used'),
        ('colour = "red"', "there is no setting 'colour'; passed over"),
        ("language: fr", "'language: fr' is not `name = value`; passed over"),
        ("language = fr", "'language = fr' is not `name = value`; passed over"),
        ("[voice]", "there is no section [voice]; it is passed over"),
    ],
)
def test_a_bad_line_is_named_and_the_rest_counts(write, capsys, line, complaint):
    write(f'# a comment\nmodel = "qwen3"\n\n{line}\n')
    settings = load()
    assert settings.complaints == [f"{config_file()} line 4: {complaint}"]
    assert settings.values == {"model": "qwen3"}
    assert talk_options(Namespace()) == TalkOptions(model="qwen3")
    assert capsys.readouterr().err == f"voicetui: {settings.complaints[0]}\n"


def test_a_file_that_cannot_be_read_is_named(write):
    write("x")
    config_file().write_bytes(b"\xff\xfe")
    (complaint,) = load().complaints
    assert complaint.startswith(f"{config_file()} cannot be read")


def test_the_written_file_holds_every_setting_and_reads_back(write):
    write('voice = "a \\"quoted\\" name"\neager = false\n')
    before = load()
    text = as_file(before)
    assert all(f"{name} = " in text for name in DEFAULTS)
    write(text)
    after = load()
    assert (after.values, after.complaints) == (before.values, [])


def test_config_path_and_show(voicetui, write):
    assert voicetui("config", "path").out == f"{config_file()}\n"
    write('language = "fr"\nnonsense\n')
    said = voicetui("config")
    assert said.code == 0
    assert '\nlanguage = "fr"\n' in said.out
    assert '\n# model = ""\n' in said.out
    assert "line 2: 'nonsense' is not `name = value`; passed over" in said.err


def test_config_edit_opens_the_editor_on_a_file_with_every_setting(voicetui, monkeypatch):
    monkeypatch.setenv("EDITOR", "test -f")
    assert voicetui("config", "edit").code == 0
    assert all(f"# {name} = " in config_file().read_text() for name in DEFAULTS)


def test_config_edit_without_an_editor_names_the_file(voicetui):
    said = voicetui("config", "edit")
    assert said.code == 2
    assert str(config_file()) in said.err

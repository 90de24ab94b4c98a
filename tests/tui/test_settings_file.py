"""Writing the settings file: one line changes, everything else the user wrote stays."""

from __future__ import annotations

import os

import pytest
from voicetui.engine.errors import UsageError
from voicetui.engine.policy import OnSpeech
from voicetui.tui.settings import DEFAULTS, SENTENCES, choices, load, typed
from voicetui.tui.settings_file import reset, write

MINE = """\
# mine, all mine
voice = "siwis"   # the # calm one
  model = "qwen3"

# eager = true
# language = what I speak at home
barge_in_grace_s = 1

[keys]
mute = "x"
language = "l"
"""


@pytest.fixture
def file(tmp_path):
    return tmp_path / "folder" / "config.toml"


@pytest.fixture
def mine(file):
    file.parent.mkdir()
    file.write_text(MINE)
    return file


def test_a_file_that_is_not_there_is_made_with_every_setting_as_a_comment(file):
    write("language", "fr", file)
    text = file.read_text()
    assert '\nlanguage = "fr"\n' in text
    assert all(f"# {sentence}\n" in text for sentence in SENTENCES.values())
    settings = load(file)
    assert (settings.values, settings.complaints) == ({"language": "fr"}, [])


def test_a_line_keeps_its_comment_and_the_others_stay(mine):
    write("voice", 'a "b" \\ # c', mine)
    assert mine.read_text() == MINE.replace('"siwis"   #', '"a \\"b\\" \\\\ # c"  #')
    assert load(mine).value("voice") == 'a "b" \\ # c'


def test_a_commented_default_takes_the_value(mine):
    write("eager", False, mine)
    assert mine.read_text() == MINE.replace("# eager = true", "eager = false")


def test_a_setting_that_the_file_lacks_is_added_before_the_keys(mine):
    write("language", "fr", mine)
    added = f'# {SENTENCES["language"]}\nlanguage = "fr"\n'
    assert mine.read_text() == MINE.replace("barge_in_grace_s = 1\n", f"barge_in_grace_s = 1\n\n{added}")
    assert load(mine).value("language") == "fr"
    assert load(mine).complaints == []


def test_a_default_is_given_back_by_a_comment_on_every_line_of_the_setting(mine):
    mine.write_text(MINE + "\n")
    mine.write_text('model = "a"\n' + MINE)
    reset("model", mine)
    assert load(mine).value("model") == DEFAULTS["model"]
    assert mine.read_text() == '# model = ""\n' + MINE.replace('  model = "qwen3"', '# model = ""')


def test_of_several_lines_the_last_counts_and_is_written(mine):
    mine.write_text('model = "a"\nmodel = "b"\n')
    write("model", "c", mine)
    assert mine.read_text() == 'model = "a"\nmodel = "c"\n'


def test_a_bad_line_is_mended(mine):
    mine.write_text("language = 7\n")
    write("language", "de", mine)
    assert mine.read_text() == 'language = "de"\n'


def test_the_ends_of_lines_and_a_missing_last_one_stay_as_they_are(mine):
    mine.write_bytes(b'model = "a"\r\nvoice = "b"')
    write("voice", "c", mine)
    write("eager", False, mine)
    sentence = SENTENCES["eager"].encode()
    assert mine.read_bytes() == b'model = "a"\r\nvoice = "c"\r\n\r\n# ' + sentence + b"\r\neager = false\r\n"


@pytest.mark.parametrize("text", ["a\nb = 1", "\x00\x1b[31m\x7f", "é 你好 🎧", "\u2028", '"""', "#"])
def test_any_text_reads_back(file, text):
    write("device", text, file)
    settings = load(file)
    assert (settings.values, settings.complaints) == ({"device": text}, [])


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("barge_in_grace_s", "0.5", 0.5),
        ("max_reply_sentences", " 3 ", 3),
        ("eager", "false", False),
        ("on_speech", "duck", OnSpeech.DUCK),
        ("language", " fr ", "fr"),
        ("voice", "3", "3"),
    ],
)
def test_what_is_typed_needs_no_quotes(name, text, value):
    assert typed(name, text) == value


@pytest.mark.parametrize(
    ("name", "text", "accepted"),
    [
        ("barge_in_grace_s", "soon", "seconds, 0 or more"),
        ("barge_in_grace_s", "-1", "seconds, 0 or more"),
        ("barge_in_grace_s", "", "seconds, 0 or more"),
        ("max_reply_sentences", "1.5", "0 or more"),
        ("eager", "maybe", "bool"),
        ("on_speech", "shout", "one of pause, stop, duck"),
    ],
)
def test_a_bad_value_says_what_is_accepted_and_is_not_written(file, name, text, accepted):
    with pytest.raises(UsageError, match=f"{name} is .*it must be {accepted}"):
        typed(name, text)
    with pytest.raises(UsageError, match=accepted):
        write(name, text, file)
    assert not file.exists()


def test_choices_are_named_where_they_can_be():
    assert choices("eager") == (True, False)
    assert [str(choice) for choice in choices("on_speech")] == ["pause", "stop", "duck"]
    assert choices("voice") == choices("barge_in_grace_s") == ()


@pytest.mark.skipif(os.name == "nt", reason="Windows needs a right to make links")
def test_a_link_stays_a_link_and_the_mode_stays(mine, tmp_path):
    link = tmp_path / "link.toml"
    mine.chmod(0o600)
    link.symlink_to(mine)
    write("language", "fr", link)
    assert link.is_symlink()
    assert load(mine).value("language") == "fr"
    assert mine.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in mine.parent.iterdir()] == ["config.toml"]


def test_a_file_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "folder").write_text("a file")
    with pytest.raises(UsageError, match=r"config\.toml cannot be written"):
        write("language", "fr", tmp_path / "folder" / "config.toml")
    broken = tmp_path / "broken.toml"
    broken.write_bytes(b"\xff")
    with pytest.raises(UsageError, match=r"broken\.toml cannot be written"):
        write("language", "fr", broken)


def test_the_users_keys_are_a_section_that_is_known(file):
    file.parent.mkdir()
    file.write_text('[keys]  # mine\nmute = "x"\n')
    assert load(file).complaints == []


def test_the_options_of_a_conversation_are_what_the_file_says(file):
    write("recogniser", "vosk-model-small-fr-0.22", file)
    write("on_speech", "duck", file)
    options = load(file).options()
    assert options.recogniser == "vosk-model-small-fr-0.22"
    assert options.policy.on_speech is OnSpeech.DUCK

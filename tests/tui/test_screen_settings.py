"""The Settings screen: every setting, changed in place, checked and written."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from support.screen import NARROW, SMALL, WIDE, shown, until
from support.sheets import opened, picture
from voicetui.engine.policy import OnSpeech
from voicetui.tui.screens.settings import SettingsScreen, accepted
from voicetui.tui.settings import DEFAULTS, SENTENCES, Settings, load

SIZES = {"80x24": NARROW, "120x40": WIDE}
SPEAKING = until(13.0)
NOWHERE = Path("/nowhere/config.toml")


@pytest.fixture
def file(tmp_path):
    return tmp_path / "config.toml"


def words(pilot):
    return "\n".join(shown(pilot))


def flat(pilot):
    """Return the words in the frame, as if there were no rows."""
    return " ".join(" ".join(line.strip("│▐ ") for line in shown(pilot)).split())


def to(name):
    """Return the keys that bring the cursor to a setting."""
    return ["home", *["down"] * list(SENTENCES).index(name)]


def test_every_setting_is_there_with_its_sentence(file):
    async def test():
        async with opened(SettingsScreen(file)) as (pilot, _):
            for name, sentence in SENTENCES.items():
                await pilot.pause()
                assert "❯" in next(line for line in shown(pilot) if f" {name} " in line)
                assert f"{sentence[1:]}. takes {accepted(name)}; the default is" in flat(pilot)
                await pilot.press("down")

    asyncio.run(test())


def test_a_choice_goes_round_with_enter_and_both_ways_with_the_arrows(file):
    async def test():
        async with opened(SettingsScreen(file)) as (pilot, results):
            await pilot.press(*to("on_speech"), "enter")
            assert load(file).value("on_speech") is OnSpeech.STOP
            await pilot.press("right", "right")
            assert load(file).value("on_speech") is OnSpeech.PAUSE
            await pilot.press("left")
            await pilot.pause()
            assert load(file).value("on_speech") is OnSpeech.DUCK
            assert "written; it counts from the next start of voicetui" in words(pilot)
            await pilot.press(*to("eager"), "enter", "escape")
            assert load(file).value("eager") is False
            assert results == [frozenset({"on_speech", "eager"})]

    asyncio.run(test())


def test_text_is_typed_in_place_and_needs_no_quotes(file):
    async def test():
        async with opened(SettingsScreen(file)) as (pilot, _):
            await pilot.press(*to("language"), "enter", "backspace", "backspace", *"fr-CA", "enter")
            await pilot.pause()
            assert load(file).values == {"language": "fr-CA"}
            row = next(line for line in shown(pilot) if " language " in line)
            assert "fr-CA" in row
            assert " set " in row

    asyncio.run(test())


def test_space_and_q_are_letters_while_a_value_is_typed(file):
    async def test():
        async with opened(SettingsScreen(file)) as (pilot, results):
            await pilot.press(*to("device"), "enter", *"q", "space", *"x", "enter")
            assert load(file).values == {"device": "q x"}
            assert results == []

    asyncio.run(test())


def test_a_value_that_is_not_accepted_says_what_is_and_stays_to_be_mended(file):
    async def test():
        async with opened(SettingsScreen(file)) as (pilot, results):
            await pilot.press(*to("barge_in_grace_s"), "enter", *["backspace"] * 4, *"soon", "enter")
            await pilot.pause()
            assert "barge_in_grace_s is 'soon', it must be seconds, 0 or more" in words(pilot)
            assert not file.exists()
            await pilot.press(*["backspace"] * 4, *"0.5", "enter")
            assert load(file).values == {"barge_in_grace_s": 0.5}
            await pilot.press("escape")
            assert results == [frozenset({"barge_in_grace_s"})]

    asyncio.run(test())


def test_escape_leaves_the_value_and_then_the_screen(file):
    async def test():
        async with opened(SettingsScreen(file)) as (pilot, results):
            await pilot.press(*to("voice"), "enter", *"siwis", "escape")
            assert not file.exists()
            assert results == []
            await pilot.press("escape")
            assert results == [frozenset()]

    asyncio.run(test())


def test_delete_gives_the_default_back_and_the_users_comments_stay(file):
    file.write_text('# mine\nvoice = "siwis"  # calm\n')

    async def test():
        async with opened(SettingsScreen(file)) as (pilot, _):
            await pilot.press(*to("voice"))
            await pilot.pause()
            assert "set in line 2" in words(pilot)
            await pilot.press("delete")
            assert load(file).value("voice") == DEFAULTS["voice"]

    asyncio.run(test())
    assert file.read_text() == '# mine\n# voice = ""\n'


def test_what_is_not_understood_in_the_file_is_named(file):
    file.write_text("nonsense\nlanguage = 7\n")

    async def test():
        async with opened(SettingsScreen(file)) as (pilot, _):
            await pilot.press("end")
            await pilot.pause()
            text = flat(pilot)
            assert "Not understood in the file" in text
            assert "line 1: 'nonsense' is not" in text
            assert "language is 7, it must be text in quotes" in text

    asyncio.run(test())


def test_a_file_that_cannot_be_written_is_said_in_place(tmp_path):
    (tmp_path / "folder").write_text("")

    async def test():
        async with opened(SettingsScreen(tmp_path / "folder" / "config.toml"), size=WIDE) as (pilot, results):
            await pilot.press(*to("eager"), "enter")
            await pilot.pause()
            assert "cannot be written" in words(pilot)
            assert "mend it: voicetui config path" in words(pilot)
            await pilot.press("escape")
            assert results == [frozenset()]

    asyncio.run(test())


def test_a_value_is_text_whatever_is_in_it(file):
    file.write_text('device = "[bold]x[/ \\u001b[31m"\n')

    async def test():
        async with opened(SettingsScreen(file)) as (pilot, _):
            assert "[bold]x[/ [31m" in words(pilot)

    asyncio.run(test())


@pytest.mark.parametrize(
    ("name", "takes"),
    [
        ("eager", "true or false"),
        ("on_speech", "pause or stop or duck"),
        ("barge_in_grace_s", "seconds, 0 or more"),
        ("max_reply_sentences", "0 or more"),
        ("voice", "text"),
    ],
)
def test_what_a_setting_takes_is_what_its_reader_accepts(name, takes):
    assert accepted(name) == takes
    assert set(SENTENCES) == set(DEFAULTS) == set(SENTENCES) | set(Settings(NOWHERE).values)


def test_a_resize_while_a_value_is_typed_is_harmless(file):
    async def test():
        async with opened(SettingsScreen(file)) as (pilot, _):
            await pilot.press(*to("voice"), "enter", *"jo")
            await pilot.resize_terminal(*SMALL)
            await pilot.pause()
            await pilot.press("down", "up", "enter", *"joe", "enter")
            assert load(file).values == {"voice": "joe"}

    asyncio.run(test())


@pytest.mark.parametrize("size", SIZES)
def test_a_picture(snapshots, size):
    svg = picture(SettingsScreen(NOWHERE), to("on_speech"), events=SPEAKING, now_s=13.0, size=SIZES[size])
    snapshots.check(f"screen-settings-{size}", svg)


def test_a_picture_while_a_value_is_typed(snapshots):
    keys = [*to("barge_in_grace_s"), "enter", *["backspace"] * 4, *"soon", "enter"]
    snapshots.check("screen-settings-typing-80x24", picture(SettingsScreen(NOWHERE), keys, events=SPEAKING, now_s=13.0))

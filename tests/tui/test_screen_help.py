"""The Help screen: the keys as they are set, what the screen means, where the files are."""

from __future__ import annotations

import asyncio

import pytest
from support.screen import NARROW, WIDE, shown, until
from support.sheets import opened, picture
from voicetui.tui.glyphs import ASCII, UNICODE
from voicetui.tui.keys import ALL_KEYS
from voicetui.tui.screens import help as help_screen
from voicetui.tui.screens.help import HelpScreen, help_rows, keys_in_use
from voicetui.tui.state import Shown
from voicetui.tui.view import View

SIZES = {"80x24": NARROW, "120x40": WIDE}
SPEAKING = until(13.0)
PLACES = [("settings", "~/.config/voicetui/config.toml"), ("log", "~/.local/state/voicetui/screen.log")]


def text_of(rows):
    return "\n".join("".join(text for text, _ in row) for row in rows)


def test_every_key_is_there_with_what_it_does():
    rows = {what: keys for keys, what in keys_in_use({})}
    assert set(rows) == {key.what for key in ALL_KEYS}
    assert rows["Silence the agent at once; the floor is yours"] == "space escape"
    assert rows["Find any action by its name"] == "^p"


def test_the_users_own_keys_are_shown():
    rows = {what: keys for keys, what in keys_in_use({"mute": "x", "interrupt": "f5,escape"})}
    assert rows["Stop hearing, or hear again"] == "x"
    assert rows["Silence the agent at once; the floor is yours"] == "F5 escape"


@pytest.mark.parametrize("glyphs", [UNICODE, ASCII])
def test_every_word_of_the_floor_is_explained_with_its_sign(glyphs):
    text = text_of(help_rows(View(glyphs=glyphs), {}, 76))
    for word in Shown:
        assert f"{glyphs.floor[word]} {word}" in text
    if glyphs is ASCII:
        assert text.isascii()


def test_where_the_files_are(monkeypatch, tmp_path):
    monkeypatch.setenv("VOICETUI_MODELS", str(tmp_path / "[bold] models"))
    text = text_of(help_rows(View(), {}, 200))
    assert str(tmp_path / "[bold] models") in text
    assert "config.toml" in text
    assert "themes" in text
    assert '[keys]: mute = "x"' in text


def test_it_scrolls_to_its_end_and_closes_with_the_key_that_opened_it():
    async def test():
        async with opened(HelpScreen()) as (pilot, results):
            assert "Keys" in "\n".join(shown(pilot))
            await pilot.press("end")
            await pilot.pause()
            assert "screen.log" in "\n".join(shown(pilot))
            await pilot.press("home", "pagedown", "up", "k")
            await pilot.press("f1")
            assert results == [None]
            assert pilot.app.screen.id == "talk"

    asyncio.run(test())


@pytest.mark.parametrize("width", [30, 54, 76, 108])
def test_no_row_is_wider_than_the_page(width):
    assert all(len("".join(text for text, _ in row)) <= width for row in help_rows(View(), {}, width))


@pytest.mark.parametrize("size", SIZES)
def test_a_picture(snapshots, size, monkeypatch):
    monkeypatch.setattr(help_screen, "places", lambda: PLACES)
    snapshots.check(f"screen-help-{size}", picture(HelpScreen(), events=SPEAKING, now_s=13.0, size=SIZES[size]))


def test_a_picture_of_its_end(snapshots, monkeypatch):
    monkeypatch.setattr(help_screen, "places", lambda: PLACES)
    snapshots.check("screen-help-end-80x24", picture(HelpScreen(), ["end"], events=SPEAKING, now_s=13.0))

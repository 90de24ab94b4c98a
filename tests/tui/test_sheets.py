"""What the screens beside the talk have in common: the list, the page, the keys, the interrupt."""

from __future__ import annotations

import asyncio

import pytest
from support.screen import NARROW, shown, until
from support.sheets import FakeSound, opened, picture
from voicetui.tui.app import SCREENS
from voicetui.tui.glyphs import ASCII
from voicetui.tui.screens import ahead
from voicetui.tui.screens.ahead import load_ahead
from voicetui.tui.screens.devices import DevicesScreen
from voicetui.tui.screens.help import HelpScreen
from voicetui.tui.screens.sessions import SessionsScreen
from voicetui.tui.screens.settings import SettingsScreen
from voicetui.tui.view import View
from voicetui.tui.widgets.picker import Picker, columns, item, remark

SPEAKING = until(13.0)


class Interrupts:
    """A fake bridge that counts."""

    def __init__(self):
        self.count = 0

    def interrupt(self):
        self.count += 1
        return True


@pytest.mark.parametrize(("keymap", "key"), [({}, "space"), ({"interrupt": "f5,escape"}, "f5")])
@pytest.mark.parametrize("screen", [HelpScreen, SessionsScreen])
def test_the_interrupt_key_interrupts_on_every_screen(screen, keymap, key):
    async def test():
        async with opened(screen()) as (pilot, results):
            bridge, pilot.app.bridge = pilot.app.bridge, Interrupts()
            pilot.app.session.keymap = keymap
            await pilot.press(key)
            assert pilot.app.bridge.count == 1
            assert results == []
            await pilot.press("escape")  # closes, and does not interrupt
            assert pilot.app.bridge.count == 1
            assert results == [None]
            pilot.app.bridge = bridge

    asyncio.run(test())


@pytest.mark.parametrize("key", ["d", "o", "h", "comma", "f1"])
def test_every_screen_opens_with_its_key_and_closes_with_escape(key, monkeypatch):
    monkeypatch.setattr("voicetui.tui.screens.devices.ChildSoundCheck", FakeSound)
    monkeypatch.setattr("voicetui.tui.shelf.ollama_models", lambda host: None)

    async def test():
        async with opened(HelpScreen()) as (pilot, _):
            await pilot.press("escape", key)
            await pilot.pause()
            assert pilot.app.screen.id != "talk"
            await pilot.press("escape")
            assert pilot.app.screen.id == "talk"

    asyncio.run(test())


def test_f1_opens_the_help_on_a_screen():
    async def test():
        async with opened(SessionsScreen()) as (pilot, _):
            await pilot.press("f1")
            assert isinstance(pilot.app.screen, HelpScreen)
            await pilot.press("f1")
            assert isinstance(pilot.app.screen, SessionsScreen)

    asyncio.run(test())


def test_a_click_on_a_key_does_what_the_key_does():
    async def test():
        async with opened(SessionsScreen()) as (pilot, results):
            await pilot.click(offset=(shown(pilot)[-2].index("Esc"), NARROW[1] - 2))
            await pilot.pause()
            assert results == [None]

    asyncio.run(test())


def test_quitting_works_from_every_screen():
    async def test():
        async with opened(SettingsScreen()) as (pilot, _):
            await pilot.press("ctrl+q")
            await pilot.pause()
            assert pilot.app.return_code == 0

    asyncio.run(test())


@pytest.mark.parametrize("screen", [HelpScreen, SessionsScreen, SettingsScreen, lambda: DevicesScreen(FakeSound())])
def test_without_unicode_a_screen_is_drawn_in_ascii(screen):
    async def test():
        async with opened(screen(), SPEAKING, now_s=13.0, theme="terminal", glyphs=ASCII) as (pilot, _):
            await pilot.pause()
            assert "\n".join(shown(pilot)[1:]).replace("…", "").isascii()

    asyncio.run(test())


@pytest.mark.parametrize("theme", ["contrast", "day", "phosphor", "terminal"])
def test_a_theme(snapshots, theme):
    svg = picture(DevicesScreen(FakeSound()), ["end"], "", SPEAKING, now_s=13.0, theme=theme)
    snapshots.check(f"screen-theme-{theme}", svg)


@pytest.mark.parametrize("theme", ["night", "terminal"])
def test_the_floor_stays_in_sight_at_every_size(theme):
    async def test():
        async with opened(SettingsScreen(), SPEAKING, now_s=13.0, theme=theme) as (pilot, _):
            for size in ((120, 40), (60, 18), (200, 60), (80, 24)):
                await pilot.resize_terminal(*size)
                await pilot.pause()
                assert "SPEAKING" in shown(pilot)[0]

    asyncio.run(test())


def test_a_theme_can_be_changed_while_a_screen_is_open():
    async def test():
        async with opened(SettingsScreen()) as (pilot, _):
            for theme in ("terminal", "day"):
                pilot.app.theme = theme
                await pilot.pause()
                assert pilot.app.screen.has_class("-flat") is (theme == "terminal")

    asyncio.run(test())


def test_the_screens_can_be_loaded_ahead():
    load_ahead()
    assert set(SCREENS) == {"devices", "models", "sessions", "settings", "help"} == set(ahead.SCREENS)


# -- the list ---------------------------------------------------------------------------------------------------------


class Listed:
    """A picker of `count` items under a heading, not on any screen."""

    def __init__(self, count, height):
        self.picker = Picker(View())
        self.picker.post_message = lambda message: self.told.append(message.key)
        self.told = []
        self.put([f"item {n}" for n in range(count)])
        self.height = height

    def put(self, keys):
        self.picker.put([remark([("Head", "title")]), *(item(key, [(key, "words")]) for key in keys), remark([])])


def test_the_cursor_starts_on_the_first_item_and_passes_over_headings():
    listed = Listed(3, 10)
    assert listed.picker.cursor == "item 0"
    listed.picker.action_move(-1)
    assert listed.picker.cursor == "item 0"
    listed.picker.action_move(100)
    assert listed.picker.cursor == "item 2"
    assert listed.told == ["item 0", "item 2"]


def test_the_cursor_stays_on_its_item_or_where_that_was():
    listed = Listed(3, 10)
    listed.picker.move_to("item 1")
    listed.put(["new", "item 0", "item 1", "item 2"])
    assert listed.picker.cursor == "item 1"
    listed.put(["new", "item 0", "item 2"])
    assert listed.picker.cursor == "item 2"
    listed.put([])
    assert listed.picker.cursor == ""
    listed.picker.action_choose()
    assert "" not in listed.told[:-1]


def test_columns_are_as_wide_as_they_are_told_and_the_rest_is_shared_out():
    row = columns([("a", "words", 3), ("\u9ea6\u514b\u98ce and more", "words", 0), ("z", "words", 2)], 20, View())
    assert "".join(text for text, _ in row) == "a    \u9ea6\u514b\u98ce and\u2026  z "  # three are two cells wide

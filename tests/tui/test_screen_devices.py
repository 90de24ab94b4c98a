"""The Devices screen, on a fake sound system."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from support.screen import NARROW, SMALL, WIDE, FixedGauges, shown, until
from support.sheets import DEVICES, EVIL, HEADSET, MICROPHONE, OUTPUT, FakeSound, opened
from voicetui.engine.audio.devices import choose_device
from voicetui.engine.errors import PartError
from voicetui.tui.screens import devices
from voicetui.tui.screens.device_rows import Choice, choices_of, is_meant, value_of
from voicetui.tui.screens.devices import DevicesScreen
from voicetui.tui.settings import load
from voicetui.tui.sound import Listing
from voicetui.tui.view import Facts

SIZES = {"80x24": NARROW, "120x40": WIDE}
BEGUN, SPEAKING = until(2.0), until(13.0)


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    """Open a microphone as soon as the cursor is on it."""
    monkeypatch.setattr(devices, "SETTLE_S", 0.0)


def words(pilot):
    return "\n".join(shown(pilot))


async def listening(pilot, sound):
    """Wait until a level has come, and show it."""
    async with asyncio.timeout(20):
        await sound.heard.wait()
    await pilot.pause()
    pilot.app.screen.tick()
    await pilot.pause()


def test_each_device_is_listed_with_what_the_system_would_take():
    async def test():
        async with opened(DevicesScreen(FakeSound())) as (pilot, _):
            text = words(pilot)
            assert text.count("the system's default") >= 2
            assert all(name in text for name in ("Built-in Microphone", "USB Headset", "Built-in Output"))
            assert text.count("chosen") == 2  # nothing is set: the system's default, twice
            assert "default" in next(line for line in shown(pilot) if "Built-in Output" in line)

    asyncio.run(test())


def test_a_name_is_text_whatever_is_in_it():
    async def test():
        async with opened(DevicesScreen(FakeSound()), size=WIDE) as (pilot, _):
            assert "[bold]x[/ [31m\u9ea6\u514b\u98ce [@click=app.quit]go" in words(pilot)
            assert "\x1b[31m" not in words(pilot)

    asyncio.run(test())


def test_the_level_is_of_the_microphone_under_the_cursor_and_the_one_before_is_released():
    async def test():
        sound = FakeSound(level=0.1)
        async with opened(DevicesScreen(sound), facts=Facts()) as (pilot, _):
            await listening(pilot, sound)
            assert "-20 dB" in words(pilot)  # 20 log10 0.1
            sound.heard.clear()
            await pilot.press("down", "down")
            await listening(pilot, sound)
            assert sound.opened[-1] == "USB Headset"
            assert sorted(sound.released) == sorted(sound.opened[:-1])
        assert sound.closed
        assert sorted(sound.released) == sorted(sound.opened)

    asyncio.run(test())


def test_the_microphone_of_the_conversation_is_not_opened_again():
    async def test():
        sound = FakeSound(level=1.0)
        async with opened(DevicesScreen(sound), BEGUN, gauges=FixedGauges(mic=0.01)) as (pilot, _):
            await pilot.press("down")
            await pilot.pause()
            pilot.app.screen.tick()
            await pilot.pause()
            assert "Built-in Microphone" not in sound.opened
            assert "" not in sound.opened  # the system's default is the very same
            assert "-40 dB" in words(pilot)  # what the conversation hears: 20 log10 0.01
            assert "in use by this conversation" in words(pilot)

    asyncio.run(test())


def test_a_microphone_that_gives_only_zeros_says_so():
    async def test():
        sound = FakeSound(level=0.0)
        async with opened(DevicesScreen(sound), facts=Facts(), size=WIDE) as (pilot, _):
            await listening(pilot, sound)
            for _ in range(70):
                pilot.app.screen.tick()
            await pilot.pause()
            assert "silence" in words(pilot)
            assert "it is muted, or the system does not let this terminal hear it" in words(pilot)

    asyncio.run(test())


def test_a_microphone_that_cannot_be_opened_says_why_and_what_mends_it():
    async def test():
        busy = PartError("listen", "microphone 'USB Headset' cannot be opened", fix="close the program that uses it")
        sound = FakeSound(errors={"USB Headset": busy})
        async with opened(DevicesScreen(sound)) as (pilot, _):
            await pilot.press("down", "down")
            await pilot.pause()
            assert "microphone 'USB Headset' cannot be opened" in words(pilot)
            assert "mend it: close the program that uses it" in words(pilot)

    asyncio.run(test())


def test_t_plays_a_tone_on_a_loudspeaker_and_on_nothing_else():
    async def test():
        sound = FakeSound()
        async with opened(DevicesScreen(sound)) as (pilot, _):
            await pilot.press("t")
            assert sound.tones == []
            await pilot.press("end", "t")
            await pilot.pause()
            assert sound.tones == ["Built-in Output"]
            assert "that was the test tone" in words(pilot)

    asyncio.run(test())


def test_choosing_writes_the_setting_and_says_when_it_counts(tmp_path):
    async def test():
        file = tmp_path / "config.toml"
        async with opened(DevicesScreen(FakeSound(), file)) as (pilot, results):
            await pilot.press("down", "down", "enter")
            await pilot.pause()
            assert load(file).values == {"device": "USB Headset"}
            assert "chosen: it counts from the next start of voicetui" in words(pilot)
            await pilot.press("end", "enter")
            assert load(file).values == {"device": "USB Headset", "speaker": "Built-in Output"}
            await pilot.press("home", "enter")
            assert load(file).values == {"speaker": "Built-in Output"}
            await pilot.press("escape")
            assert results == [frozenset({"device", "speaker"})]

    asyncio.run(test())


def test_a_setting_that_cannot_be_written_is_said(tmp_path):
    async def test():
        (tmp_path / "folder").write_text("")
        async with opened(DevicesScreen(FakeSound(), tmp_path / "folder" / "config.toml"), size=WIDE) as (
            pilot,
            results,
        ):
            await pilot.press("down", "enter")
            await pilot.pause()
            assert "cannot be written" in words(pilot)
            await pilot.press("escape")
            assert results == [frozenset()]

    asyncio.run(test())


def test_a_device_that_comes_or_goes_is_named_and_the_cursor_stays():
    async def test():
        sound = FakeSound(Listing((MICROPHONE, OUTPUT)))
        async with opened(DevicesScreen(sound)) as (pilot, _):
            await pilot.press("down")
            sound.put(Listing((HEADSET, replace(MICROPHONE, index=4), OUTPUT)))
            await pilot.pause()
            await pilot.pause()
            assert "USB Headset is here" in words(pilot)
            assert "❯" in next(line for line in shown(pilot) if "Built-in Microphone" in line)
            sound.put(Listing((OUTPUT,)))
            await pilot.pause()
            await pilot.pause()
            assert "no microphone is connected" in words(pilot)
            assert "USB Headset is gone" in words(pilot)
            await pilot.press("r")  # and it can always be asked for
            await pilot.pause()

    asyncio.run(test())


def test_without_the_library_the_command_is_named_and_typing_too():
    async def test():
        sound = FakeSound(Listing(error="sound devices need PortAudio", fix="sudo apt-get install libportaudio2"))
        async with opened(DevicesScreen(sound)) as (pilot, _):
            await pilot.pause()
            text = words(pilot)
            assert "sound devices need PortAudio" in text
            assert "mend it: sudo apt-get install libportaudio2" in text
            assert "a turn can still be typed" in text
            await pilot.press("enter", "t", "down", "escape")  # harmless

    asyncio.run(test())


@pytest.mark.parametrize("setting", ["", "usb", "Built-in Microphone", "1", EVIL, "nothing of the kind"])
def test_what_is_marked_as_chosen_is_what_a_conversation_would_take(monkeypatch, setting):
    monkeypatch.setattr("voicetui.engine.audio.devices.list_devices", lambda: list(DEVICES.devices))
    marked = [c for c in choices_of(DEVICES).values() if c.kind == "input" and is_meant(c, setting, DEVICES.devices)]
    if not setting:
        assert [c.device for c in marked] == [None]
    elif setting.startswith("nothing"):
        assert marked == []
    else:
        assert [c.device for c in marked] == [choose_device("input", setting)]


def test_a_name_that_several_devices_have_is_written_as_a_number():
    twin = replace(HEADSET, index=7, host_api="Other")
    both = (MICROPHONE, HEADSET, twin)
    assert value_of(Choice("input", twin), both) == "7"
    assert value_of(Choice("input", MICROPHONE), both) == "Built-in Microphone"
    assert value_of(Choice("input", None), both) == ""
    assert len(choices_of(Listing(both))) == len({"default", *both}) + len({"default", HEADSET, twin})


def test_a_click_moves_the_cursor_and_another_one_chooses(tmp_path):
    async def test():
        file = tmp_path / "config.toml"
        async with opened(DevicesScreen(FakeSound(), file)) as (pilot, _):
            row = next(y for y, line in enumerate(shown(pilot)) if "USB Headset" in line)
            await pilot.click(offset=(10, row))
            assert load(file).values == {}
            await pilot.click(offset=(10, row))
            await pilot.pause()
            assert load(file).values == {"device": "USB Headset"}

    asyncio.run(test())


@pytest.mark.parametrize("size", SIZES)
def test_a_picture(snapshots, size, tmp_path):
    async def shoot():
        sound = FakeSound(level=0.1)
        screen = DevicesScreen(sound, tmp_path / "config.toml")
        async with opened(screen, SPEAKING, now_s=13.0, size=SIZES[size]) as (pilot, _):
            await pilot.press("down", "down")
            await listening(pilot, sound)
            return pilot.app.export_screenshot()

    snapshots.check(f"screen-devices-{size}", asyncio.run(shoot()))


def test_a_small_terminal():
    async def test():
        async with opened(DevicesScreen(FakeSound()), size=SMALL) as (pilot, _):
            await pilot.press("end")
            await pilot.pause()
            assert "❯" in next(line for line in shown(pilot) if "Built-in Output" in line)
            assert all(len(line) <= 60 for line in shown(pilot))

    asyncio.run(test())

"""The Sessions screen: the conversations of this run, and an honest word on those that are not kept."""

from __future__ import annotations

import asyncio

import pytest
from support.screen import NARROW, SMALL, WIDE, shown, until
from support.sheets import EVIL, opened, picture
from voicetui.engine import events as ev
from voicetui.tui.screens.sessions import SessionsScreen, figures, transcript
from voicetui.tui.view import View

SIZES = {"80x24": NARROW, "120x40": WIDE}
TALK = until(18.0)


def words(pilot):
    return "\n".join(shown(pilot))


def test_the_running_conversation_is_listed_with_its_figures():
    async def test():
        async with opened(SessionsScreen(), TALK, now_s=18.0) as (pilot, _):
            row = next(line for line in shown(pilot) if "❯" in line)
            assert row.split("│")[1].split()[:5] == ["❯", "14:02", "00:00:18", "3", "1"]
            assert "running" in row
            assert "what's the weather in Lyon" in words(pilot)
            assert "Conversations are not kept in this version" in words(pilot)

    asyncio.run(test())


def test_before_anything_was_said():
    async def test():
        async with opened(SessionsScreen()) as (pilot, _):
            assert "nothing has been said yet" in words(pilot)
            await pilot.press("y")
            await pilot.pause()
            assert "Nothing to copy yet" in words(pilot)

    asyncio.run(test())


def test_y_copies_what_was_said_and_heard():
    async def test():
        async with opened(SessionsScreen(), TALK, now_s=18.0) as (pilot, _):
            await pilot.press("y")
            await pilot.pause()
            first, *_, last = pilot.app.clipboard.splitlines()
            assert first == "you: what's the weather in Lyon"
            assert last.startswith((" it: Today", "you: no, just today"))
            assert "╌" not in pilot.app.clipboard

    asyncio.run(test())


def test_several_conversations_of_a_run_the_newest_first():
    views = [View(session="09:00"), View(session="10:00")]
    for view, text in zip(views, ("first one", EVIL), strict=True):
        view.state.apply(ev.FloorPassed(floor=ev.Floor.LISTENING, cause="started"))
        view.state.apply(ev.UtteranceAdded(speaker="user", text=text, heard_text=text))
    views[0].state.apply(ev.Ended(reason="closed", at_s=3661.0))

    async def test():
        async with opened(SessionsScreen(views)) as (pilot, _):
            rows = [line for line in shown(pilot) if ":00 " in line]
            assert "10:00" in rows[0]
            assert rows[1].split("│")[1].split()[:2] == ["09:00", "01:01:01"]
            assert "over" in rows[1]
            assert "[bold]x[/ [31m" in words(pilot)
            await pilot.press("down")
            await pilot.pause()
            assert "first one" in words(pilot)

    asyncio.run(test())


def test_figures_that_were_not_measured_are_a_dash():
    assert figures(View(session="09:00")) == ["09:00", "00:00:00", "0", "0", "–", "–"]
    assert transcript(View()) == ""


@pytest.mark.parametrize("size", SIZES)
def test_a_picture(snapshots, size):
    svg = picture(SessionsScreen(), events=TALK, now_s=18.0, size=SIZES[size])
    snapshots.check(f"screen-sessions-{size}", svg)


def test_a_small_terminal_shows_the_list_and_the_keys():
    async def test():
        async with opened(SessionsScreen(), TALK, now_s=18.0, size=SMALL) as (pilot, results):
            assert "14:02" in words(pilot)
            assert "Esc Close" in words(pilot)
            await pilot.press("q")
            assert results == [None]

    asyncio.run(test())

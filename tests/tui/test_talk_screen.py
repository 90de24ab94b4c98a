"""The talk screen by its keys and its mouse: every action, with a fake engine that notes what is asked of it."""

from __future__ import annotations

import asyncio

import pytest
from support.fakes_tui import FakeBridge
from support.screen import NARROW, WIDE, FixedGauges, shown, still, until
from textual.widgets import TextArea
from voicetui.engine import events as ev
from voicetui.tui.widgets.turn_box import LIMIT

LINES = "line one\nline two\nline three"


def screen(test, events=(), now_s=0.0, *, answers=True, **options):
    """Run `await test(pilot, bridge)` on the application at one moment."""

    async def main():
        async with still(events, now_s, **options) as pilot:
            pilot.app.bridge = FakeBridge(answers=answers)
            await test(pilot, pilot.app.bridge)

    asyncio.run(main())


def text(pilot):
    return "\n".join(shown(pilot))


def talk_of(turns):
    """Return events with so many turns in the record."""
    record = [ev.FloorPassed(floor=ev.Floor.LISTENING, cause="started")]
    for number in range(turns):
        said = f"turn {number}"
        record.append(ev.UtteranceAdded(speaker="agent" if number % 2 else "user", text=said, heard_text=said))
    return record


# -- keys -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", ["space", "escape"])
def test_the_interrupt_goes_straight_to_the_engine(key):
    async def test(pilot, bridge):
        await pilot.press(key)
        assert bridge.asked == [("interrupt",)]

    screen(test, until(13.0), 13.0)


def test_nothing_to_interrupt_is_said():
    async def test(pilot, bridge):
        await pilot.press("space")
        assert "nothing to interrupt" in text(pilot)

    screen(test, answers=False)


def test_mute_and_unmute():
    async def test(pilot, bridge):
        await pilot.press("m")
        assert bridge.asked == [("mute", True)]
        assert "mic muted" in text(pilot)
        await pilot.press("m")
        assert bridge.asked[-1] == ("mute", False)
        assert "mic muted" not in text(pilot)

    screen(test, until(2.0), 2.0)


def test_barge_in_off_is_shown_until_it_is_on_again():
    async def test(pilot, bridge):
        await pilot.press("b")
        assert bridge.asked == [("barge-in", False)]
        assert not pilot.app.view.barge_in
        assert "the key still stops it" in text(pilot)
        await pilot.press("b")
        assert bridge.asked[-1] == ("barge-in", True)
        assert pilot.app.view.barge_in

    screen(test, until(2.0), 2.0, size=WIDE)


def test_ears_that_cannot_be_muted_are_not_shown_as_muted():
    async def test(pilot, bridge):
        bridge.engine.can_mute = False
        await pilot.press("m")
        assert bridge.asked == []
        assert "muted" not in text(pilot)
        assert "nothing to mute" in text(pilot)

    screen(test, until(2.0), 2.0)


@pytest.mark.parametrize(
    ("at_s", "asked", "said"),
    [(2.0, [], "nothing to repeat yet"), (4.0, [], "nothing to repeat yet"), (8.0, [("repeat",)], "")],
)
def test_the_last_reply_is_repeated_when_the_floor_is_the_users(at_s, asked, said):
    async def test(pilot, bridge):
        await pilot.press("r")
        assert bridge.asked == asked
        assert said in text(pilot)

    screen(test, until(at_s), at_s)


@pytest.mark.parametrize("key", ["slash", "i"])
def test_a_turn_is_typed(key):
    async def test(pilot, bridge):
        await pilot.press(key, *"go on", "enter")
        assert bridge.asked == [("say", "go on")]
        await pilot.press("space")
        assert bridge.asked[-1] == ("interrupt",)  # the box is closed again

    screen(test)


def test_keys_are_letters_while_typing():
    async def test(pilot, bridge):
        await pilot.press("i", *"qmbdr", "space", *"ety")
        assert pilot.app.screen.query_one(TextArea).text == "qmbdr ety"
        assert bridge.asked == []

    screen(test)


def test_escape_in_the_box_cuts_in_first_and_then_goes_back():
    async def test(pilot, bridge):
        await pilot.press("i", *"wait", "escape")
        assert bridge.asked == [("interrupt",)]
        assert pilot.app.screen.has_class("-typing")
        bridge.answers = False
        await pilot.press("escape")
        assert not pilot.app.screen.has_class("-typing")
        await pilot.press("i")
        assert pilot.app.screen.query_one(TextArea).text == "wait"  # what was typed is still there

    screen(test)


def test_after_the_end_no_turn_can_be_typed():
    async def test(pilot, bridge):
        await pilot.press("i")
        assert not pilot.app.screen.has_class("-typing")
        assert "the conversation is over" in text(pilot)

    screen(test, until(19.0), 19.0)


@pytest.mark.parametrize("width", [30, 40, 56, 80])
def test_the_floors_word_is_whole_on_every_terminal(width):
    async def test(pilot, bridge):
        assert "✕ INTERRUPTED " in shown(pilot)[0] + " "

    screen(test, until(14.9), 14.9, size=(width, 24))


def test_a_turn_without_a_word_is_not_sent():
    async def test(pilot, bridge):
        bridge.answers = False
        await pilot.press("i", *"...", "enter")
        assert ("say", "...") not in bridge.asked

    screen(test)


def test_control_c_clears_the_box_and_then_quits():
    async def test(pilot, bridge):
        await pilot.press("i", *"no", "ctrl+c")
        assert pilot.app.screen.query_one(TextArea).text == ""
        assert ("end", "closed") not in bridge.asked
        await pilot.press("ctrl+c")
        assert bridge.asked == [("end", "closed")]

    screen(test)


@pytest.mark.parametrize("key", ["q", "ctrl+q", "ctrl+c"])
def test_quit_ends_the_conversation_at_once(key):
    async def test(pilot, bridge):
        await pilot.press(key)
        assert bridge.asked == [("end", "closed")]
        assert pilot.app.return_code == 0

    screen(test, until(13.0), 13.0)


def test_the_exchanges_take_the_transcripts_place_and_give_it_back():
    async def test(pilot, bridge):
        assert "blows down" in text(pilot)
        await pilot.press("e")
        await pilot.pause()
        assert "blows down" not in text(pilot)
        assert "silent in 50 ms" in text(pilot)
        await pilot.press("e")
        await pilot.pause()
        assert "blows down" in text(pilot)

    screen(test, until(18.0), 18.0)


def test_t_goes_through_all_themes():
    async def test(pilot, bridge):
        seen = [pilot.app.theme]
        for _ in range(4):
            await pilot.press("t")
            seen.append(pilot.app.theme)
        assert sorted(seen) == ["contrast", "day", "night", "phosphor", "terminal"]
        await pilot.press("t")
        assert pilot.app.theme == seen[0]
        assert f"theme {seen[0]}" in text(pilot)

    screen(test, until(13.0), 13.0)


def test_copy_takes_the_whole_transcript_as_it_was_heard():
    async def test(pilot, bridge):
        await pilot.press("y")
        copied = pilot.app.clipboard.splitlines()
        assert copied[0] == "you: what's the weather in Lyon"
        assert copied[3] == "it: The mistral is a strong, cold, north-westerly wind that"
        assert "copied" in text(pilot)

    screen(test, until(18.0), 18.0)


@pytest.mark.parametrize(
    ("key", "name"), [("d", "devices"), ("o", "models"), ("h", "sessions"), ("comma", "settings"), ("f1", "help")]
)
def test_every_other_screen_opens_and_closes(key, name):
    async def test(pilot, bridge):
        stack = len(pilot.app.screen_stack)
        await pilot.press(key)
        await pilot.pause()
        assert len(pilot.app.screen_stack) == stack + 1
        assert type(pilot.app.screen).__name__.lower().startswith(name)
        await pilot.press("escape")
        await pilot.pause()
        assert len(pilot.app.screen_stack) == stack

    screen(test, until(13.0), 13.0)


def test_the_palette_does_what_the_keys_do():
    async def test(pilot, bridge):
        await pilot.press("ctrl+p")
        await pilot.press(*"interrupt")
        await pilot.app.screen.workers.wait_for_complete()
        await pilot.press("enter")
        await pilot.pause()
        assert bridge.asked == [("interrupt",)]

    screen(test, until(13.0), 13.0)


def test_the_users_keymap_counts_and_is_shown():
    async def test(pilot, bridge):
        await pilot.press("m")
        assert bridge.asked == []
        await pilot.press("x")
        assert bridge.asked == [("mute", True)]
        await pilot.press("f5", "escape")
        assert bridge.asked[1:] == [("interrupt",), ("interrupt",)]
        assert shown(pilot)[-1].startswith(" F5 Interrupt  x Mute")

    screen(test, keymap={"mute": "x", "interrupt": "f5,escape"})


# -- the mouse ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("label", "asked"), [("Interrupt", ("interrupt",)), ("Mute", ("mute", True))])
def test_a_click_on_a_key_in_the_last_row_is_as_good_as_the_key(label, asked):
    async def test(pilot, bridge):
        row = shown(pilot)[-1]
        await pilot.click("#keys", offset=(row.index(label), 0))
        assert bridge.asked == [asked]

    screen(test, until(13.0), 13.0)


def test_a_click_beside_them_does_nothing():
    async def test(pilot, bridge):
        await pilot.click("#keys", offset=(shown(pilot)[-1].index("Interrupt") + len("Interrupt"), 0))
        assert bridge.asked == []

    screen(test, until(13.0), 13.0)


# -- scrolling ------------------------------------------------------------------------------------------------------


def test_the_transcript_keeps_to_the_newest_turn_unless_scrolled_away():
    async def test(pilot, bridge):
        assert "turn 99" in text(pilot)
        await pilot.press("pageup")
        await pilot.pause()
        assert "more below" in text(pilot)
        top = shown(pilot)[2]
        pilot.app.fold(talk_of(102)[-2:])
        await pilot.pause()
        assert shown(pilot)[2] == top  # reading is not disturbed
        await pilot.press("end")
        await pilot.pause()
        assert "turn 101" in text(pilot)
        pilot.app.fold(talk_of(104)[-2:])
        await pilot.pause()
        assert "turn 103" in text(pilot)

    screen(test, talk_of(100))


def test_home_goes_to_the_first_turn():
    async def test(pilot, bridge):
        await pilot.press("home")
        await pilot.pause()
        assert shown(pilot)[2].startswith("│ you   turn 0 ")

    screen(test, talk_of(100))


def test_the_newest_turn_stays_in_sight_when_the_terminal_changes():
    async def test(pilot, bridge):
        for size in ((60, 18), (120, 40), (40, 12), (80, 24)):
            await pilot.resize_terminal(*size)
            await pilot.pause()
            assert "turn 99" in text(pilot)

    screen(test, talk_of(100))


# -- typed and pasted turns (TU04) ------------------------------------------------------------------------------------


def paste(pilot, pasted):
    from textual.events import Paste

    pilot.app.screen.focused.post_message(Paste(pasted))


def test_a_paste_of_several_lines_is_one_turn():
    async def test(pilot, bridge):
        await pilot.press("i")
        paste(pilot, LINES)
        await pilot.pause()
        assert bridge.asked == []
        await pilot.press("enter")
        assert bridge.asked == [("say", LINES)]

    screen(test)


def test_a_paste_with_no_box_open_opens_it():
    async def test(pilot, bridge):
        from textual.events import Paste

        pilot.app.screen.post_message(Paste(LINES))
        await pilot.pause()
        await pilot.press("enter")
        assert bridge.asked == [("say", LINES)]

    screen(test)


def test_a_paste_that_is_too_long_is_refused_as_a_whole():
    async def test(pilot, bridge):
        await pilot.press("i", *"kept")
        paste(pilot, "a line of text\n" * 5000)
        await pilot.pause()
        assert pilot.app.screen.query_one(TextArea).text == "kept"
        assert f"{LIMIT:,}" in text(pilot)
        await pilot.press("enter")
        assert bridge.asked == [("say", "kept")]

    screen(test)


def test_a_paste_up_to_the_limit_is_taken_as_a_whole():
    async def test(pilot, bridge):
        await pilot.press("i")
        paste(pilot, "word " * (LIMIT // 5))
        await pilot.pause()
        await pilot.press("enter")
        assert bridge.asked == [("say", ("word " * (LIMIT // 5)).strip())]

    screen(test)


def test_pasted_tabs_line_ends_and_controls_are_made_harmless():
    async def test(pilot, bridge):
        await pilot.press("i")
        paste(pilot, "a\tb\r\nc\x1b[31m\x07 \U0001f44d")
        await pilot.pause()
        await pilot.press("enter")
        assert bridge.asked == [("say", "a   b\nc[31m \U0001f44d")]

    screen(test)


# -- time and colours ---------------------------------------------------------------------------------------------


def test_a_theme_draws_everything_anew():
    async def test(pilot, bridge):
        def inks():
            strips = pilot.app.screen._compositor.render_strips()
            return {segment.style.bgcolor for strip in strips for segment in strip if segment.style}

        before = inks()
        pilot.app.theme = "day"
        await pilot.pause()
        assert not before & inks()

    screen(test, until(13.0), 13.0, size=NARROW)


def test_problems_come_and_go():
    async def test(pilot, bridge):
        lost = ev.DeviceChanged(part="listen", message="the microphone is gone", fix="connect it again")
        pilot.app.fold([lost])
        await pilot.pause()
        assert "the microphone is gone" in text(pilot)
        assert "mend it: connect it again" in text(pilot)
        back = ev.DeviceChanged(part="listen", message="the microphone is back", recovered=True, at_s=2.0)
        pilot.app.fold([back])
        await pilot.pause()
        assert "gone" not in text(pilot)
        assert "the microphone is back" in text(pilot)

    screen(test, until(2.0), 2.0)


def test_the_meters_move_with_the_gauges():
    async def test(pilot, bridge):
        row = shown(pilot)[0]
        pilot.app.view.gauges.out = 0.5
        assert pilot.app.screen._meters.poll()
        await pilot.pause()
        assert shown(pilot)[0].count("▮") > row.count("▮")
        assert not pilot.app.screen._meters.poll()

    screen(test, until(2.0), 2.0, gauges=FixedGauges(mic=0.1))


def test_eight_hours_do_not_make_an_update_dearer():
    """6,000 turns: an update wraps one turn, not all of them."""

    async def test(pilot, bridge):
        from voicetui.tui.widgets import transcript

        wrapped = []
        whole = transcript.turn_rows

        def counting(turn, *rest, **options):
            wrapped.append(turn)
            return whole(turn, *rest, **options)

        transcript.turn_rows = counting
        try:
            for number in range(20):
                pilot.app.fold([ev.Draft(turn_index=9999, text="word " * number)])
        finally:
            transcript.turn_rows = whole
        assert len(wrapped) <= 20

    screen(test, talk_of(6000))


def test_what_is_selected_with_the_mouse_is_copied():
    async def test(pilot, bridge):
        row = next(y for y, line in enumerate(shown(pilot)) if "Clear and twelve" in line)
        begin = shown(pilot)[row].index("twelve")
        await pilot.mouse_down(offset=(begin, row))
        await pilot.hover(offset=(begin + len("twelve degrees") - 1, row))
        await pilot.mouse_up(offset=(begin + len("twelve degrees") - 1, row))
        await pilot.pause()
        await pilot.press("y")
        assert pilot.app.clipboard == "twelve degrees"

    screen(test, until(18.0), 18.0)

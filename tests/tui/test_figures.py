"""The widgets that show figures: rows of text from the view, with no application around them."""

from __future__ import annotations

import pytest
from support.screen import FACTS, FixedGauges, rehearsed
from voicetui.engine import Floor
from voicetui.engine.timing import Stage
from voicetui.tui.glyphs import ASCII, UNICODE
from voicetui.tui.spans import Span
from voicetui.tui.state import LiveExchange, Shown, TalkState
from voicetui.tui.text import row_len
from voicetui.tui.turns import AGENT, USER
from voicetui.tui.view import View
from voicetui.tui.widgets.exchanges import exchange_row, head_row, sum_row
from voicetui.tui.widgets.facts import EngineFacts
from voicetui.tui.widgets.floor import floor_row
from voicetui.tui.widgets.meters import CELLS, Needle, decibels, meter
from voicetui.tui.widgets.minute import cells, overlaps, waits
from voicetui.tui.widgets.status import right_words, session_words
from voicetui.tui.widgets.waterfall import ADVICE, Waterfall, axis_s, bar_row, bars, total_s, verdict, worst

MARKS = ("last_voice", "decided", "final_text", "first_token", "first_sentence", "first_pcm", "first_audible")


def text_of(row):
    return "".join(text for text, _ in row)


def view_of(at_s, **options):
    state = TalkState()
    for event in rehearsed():
        if event.at_s <= at_s:
            state.apply(event)
    return View(state=state, clock=lambda: at_s, gauges=FixedGauges(), facts=FACTS, **options)


def timing(number=1, marks=(10.0, 10.42, 10.51, 10.69, 10.7, 10.74, 10.75), **more):
    from voicetui.engine.timing import Mark, Timing

    made = Timing(number)
    for mark, at_s in zip(Mark, marks, strict=True):
        made.mark(mark, at_s)
    return made.as_dict() | more


# -- the floor -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("at_s", "words"),
    [
        (0.5, "◉ LISTENING     you have the floor"),
        (3.0, "◌ THINKING      agent has the floor"),
        (4.0, "▶ SPEAKING      agent has the floor"),
        (4.7, "‖ GIVING WAY    agent gives way"),
        (14.9, "✕ INTERRUPTED   you have the floor · agent silent in 50 ms"),
        (19.0, "○ IDLE          nobody has the floor · the conversation is over"),
    ],
)
def test_the_floor_is_a_sign_a_word_and_its_holder(at_s, words):
    assert text_of(floor_row(view_of(at_s), 80)).strip().startswith(words)


def test_since_when_is_said_where_there_is_room():
    view = view_of(5.0)
    view.clock = lambda: 3.15 + 72
    assert text_of(floor_row(view, 80)).endswith("agent has the floor · 1:12")
    assert "1:12" not in text_of(floor_row(view, 40))


@pytest.mark.parametrize("width", range(14, 100))
@pytest.mark.parametrize("at_s", [0.5, 4.7, 14.9, 19.0])
def test_the_word_never_gives_way_and_the_row_always_fits(width, at_s):
    view = view_of(at_s)
    row = floor_row(view, width)
    assert view.state.shown in text_of(row)
    assert row_len(row) <= max(width, len(view.state.shown) + 4)


def test_every_floor_has_signs_of_its_own_in_both_sets():
    for glyphs in (UNICODE, ASCII):
        assert set(glyphs.floor) == set(Shown)
        assert len(set(glyphs.floor.values())) == len(Shown)
    assert all(sign.isascii() for sign in ASCII.floor.values())


# -- meters ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("level", "db"), [(1.0, 0.0), (0.1, -20.0), (0.01, -40.0), (0.0, -100.0), (None, None)])
def test_levels_in_decibels(level, db):
    assert decibels(level) == (None if db is None else pytest.approx(db))


@pytest.mark.parametrize(("db", "on"), [(-100.0, 0), (-50.0, 0), (-49.9, 1), (-25.0, 5), (-0.1, 10), (6.0, 10)])
def test_a_cell_is_five_decibels(db, on):
    shown = text_of(meter("out", db, View()))
    assert shown == "out " + "▮" * on + "▯" * (CELLS - on)


def test_no_microphone_and_a_muted_one_are_said_in_words():
    assert text_of(meter("mic", None, View())) == "mic none      "
    assert text_of(meter("mic", -10.0, View(), muted=True)) == "mic muted     "


def test_a_needle_goes_up_at_once_and_falls_slowly():
    needle = Needle()
    assert needle.follow(0.01) == pytest.approx(-40)
    assert needle.follow(1.0) == 0
    assert -2 < needle.follow(0.01) < 0
    assert needle.follow(None) is None


# -- the waterfall --------------------------------------------------------------------------------------------------


def test_bars_stand_where_the_marks_are():
    drawn = bars(LiveExchange(1, timing=timing()), 0.0)
    assert [(bar.stage, round(bar.from_s, 3), round(bar.to_s, 3)) for bar in drawn] == [
        (Stage.ENDPOINT, 0.0, 0.42),
        (Stage.RECOGNISE, 0.42, 0.51),
        (Stage.THINK, 0.51, 0.69),
        (Stage.SPEAK, 0.69, 0.75),
    ]
    assert sum(bar.share_s for bar in drawn) == pytest.approx(0.75)
    assert worst(drawn) is Stage.ENDPOINT


def test_work_done_early_overlaps_and_takes_no_share():
    early = timing(marks=(10.0, 10.42, 10.51, 10.4, 10.41, 10.45, 10.6))
    drawn = bars(LiveExchange(1, eager_s=10.2, timing=early), 0.0)
    think = drawn[2]
    assert (round(think.from_s, 3), round(think.to_s, 3), think.share_s) == (0.2, 0.4, 0.0)
    assert sum(bar.share_s for bar in drawn) == pytest.approx(0.6)


def test_what_was_not_measured_has_a_dash_and_no_bar():
    typed = timing(marks=(None, None, 10.0, 10.2, 10.2, 10.3, 10.3))
    rows = [text_of(bar_row(bar, 1.0, 60, UNICODE, marked=False)) for bar in bars(LiveExchange(1, timing=typed), 0.0)]
    assert rows[0].startswith("endpointing ")
    assert rows[0].split()[-1] == "–"
    assert "█" not in rows[0]
    assert rows[2].split()[-2:] == ["200", "ms"]


def test_bars_grow_while_an_answer_is_awaited():
    exchange = LiveExchange(1, last_voice_s=10.0, decided_s=10.42, final_text_s=10.51)
    first, second = (bars(exchange, now)[2] for now in (10.6, 10.8))
    assert first.growing
    assert second.to_s - first.to_s == pytest.approx(0.2)
    assert total_s(exchange, 10.8) == pytest.approx(0.8)
    assert not bars(exchange, 10.8)[0].growing


def test_an_exchange_that_came_to_nothing_stops_growing():
    exchange = LiveExchange(1, last_voice_s=10.0, final_text_s=10.5, over_s=11.0)
    assert not any(bar.growing for bar in bars(exchange, 99.0))
    assert total_s(exchange, 99.0) == pytest.approx(1.0)


@pytest.mark.parametrize(("total", "words"), [(0.75, "50 under 800"), (0.975, "175 over 800"), (0.8, "0 under 800")])
def test_the_verdict(total, words):
    assert verdict(total) == words


@pytest.mark.parametrize("width", [30, 44, 56, 74, 116])
@pytest.mark.parametrize("longest", [0.05, 0.6, 0.9, 3.0, 20.0])
def test_every_row_is_as_wide_as_the_others_and_the_budgets_line_stands_in_one_column(width, longest):
    marks = (10.0, 10.0 + longest * 0.6, 10.0 + longest * 0.7, 10.0 + longest * 0.8, 10.0, 10.0, 10.0 + longest)
    drawn = bars(LiveExchange(1, timing=timing(marks=marks)), 0.0)
    rows = [bar_row(bar, axis_s(drawn), width, UNICODE, marked=bar is drawn[0]) for bar in drawn]
    assert {row_len(row) for row in rows} == {width}
    assert len({text_of(row).index("┊") for row in rows if "┊" in text_of(row)}) <= 1


def test_what_is_over_the_budget_has_another_ink():
    drawn = bars(LiveExchange(1, timing=timing(marks=(10.0, 11.2, 11.3, 11.4, 11.4, 11.5, 11.6))), 0.0)
    inks = {ink for text, ink in bar_row(drawn[0], axis_s(drawn), 70, UNICODE, marked=True) if "█" in text}
    assert inks == {"stage-endpoint", "missed"}


def test_the_advice_fits_in_the_frame():
    assert set(ADVICE) == set(Stage)
    assert all(len(advice) <= 80 - 6 and advice.endswith(".") for advice in ADVICE.values())


def test_the_waterfall_counts_then_says_how_it_went():
    def title(at_s):
        view = view_of(at_s)
        return text_of(Waterfall(view).rows(80, 6)[0])

    assert "exchange 2 ─" in title(11.055)
    assert " 850 ms and counting · 50 over 800 " in title(11.055)
    assert " 695 ms and counting ─" in title(10.9)
    assert " 870 ms · 70 over 800 · worst endpointing " in title(12.0)


def test_with_room_the_verdict_and_the_advice_are_written_out():
    rows = [text_of(row) for row in Waterfall(view_of(12.0)).rows(48, 11)]
    assert "870 ms, 70 over the 800 ms budget" in rows[5]
    assert "worst: endpointing (52 %)" in rows[6]
    assert ADVICE[Stage.ENDPOINT].split()[0] in rows[7]


# -- the table ------------------------------------------------------------------------------------------------------


def test_a_row_of_the_table():
    row = text_of(exchange_row(timing(), View(), 44))
    assert row.split()[:6] == ["1", "420", "90", "180", "60", "750"]
    assert "✕" not in row


def test_a_cut_exchange_is_marked_and_spelled_out_where_there_is_room():
    view = View(state=TalkState(cuts={1: 84.0}))
    assert text_of(exchange_row(timing(), view, 44)).endswith(" ✕ ")
    assert text_of(exchange_row(timing(), view, 76, spelled_out=True)).endswith(" ✕ silent in 84 ms")


@pytest.mark.parametrize("width", [36, 44, 76, 116])
def test_the_budgets_line_runs_from_the_head_through_the_rows(width):
    rows = [head_row(View(), width), exchange_row(timing(marks=(10.0, *[10.1] * 6)), View(), width)]
    assert len({text_of(row).find("┊") for row in rows}) == 1  # -1 in both where there is no room


def test_percentiles_are_values_that_occurred():
    totals = [0.75, 0.975, 0.6]
    timings = [timing(marks=(10.0, 10.1, 10.1, 10.1, 10.1, 10.1, 10.0 + total)) for total in totals]
    assert text_of(sum_row(timings, View())) == "p50 750 · p95 975 · over budget 1 of 3"


def test_an_exchange_without_audio_counts_in_no_percentile():
    silent = timing(marks=(10.0, 10.1, 10.2, None, None, None, None))
    assert text_of(sum_row([silent], View())) == "no exchange yet"
    assert text_of(exchange_row(silent, View(), 44)).split()[:6] == ["1", "100", "100", "–", "–", "–"]


# -- the last minute ------------------------------------------------------------------------------------------------


def test_dead_air_is_the_wait_for_an_answer():
    spans = [Span(USER, 1.0, 2.0), Span(AGENT, 2.8, 5.0), Span(USER, 7.0, 8.0)]
    assert waits(spans, 9.0, answer_due=False) == [(2.0, 2.8)]
    assert waits(spans, 9.0, answer_due=True) == [(2.0, 2.8), (8.0, 9.0)]


def test_a_persons_own_gap_is_no_dead_air():
    assert waits([Span(USER, 1.0, 2.0), Span(AGENT, 2.1, 5.0)], 9.0, answer_due=False) == []


def test_a_pause_within_a_turn_is_no_dead_air():
    assert waits([Span(USER, 1.0, 2.0), Span(USER, 3.0, 4.0)], 9.0, answer_due=False) == []


def test_overlaps_are_when_both_were_audible():
    assert overlaps([Span(AGENT, 1.0, 5.0), Span(USER, 4.0, 6.0)]) == [(4.0, 5.0)]
    assert overlaps([Span(AGENT, 1.0, 5.0), Span(USER, 4.99, 6.0)]) == []  # it gave way


@pytest.mark.parametrize("width", [20, 60, 70])
def test_the_cells_hold_the_seconds_of_the_spans(width):
    state = TalkState(floor=Floor.SPEAKING)
    state.spans.all.extend([Span(USER, 70.0, 73.0), Span(AGENT, 72.5, None)])
    row = cells(View(state=state, clock=lambda: 80.0), width)
    assert len(row) == width
    assert sum(cell.user for cell in row) == pytest.approx(3.0)
    assert sum(cell.agent for cell in row) == pytest.approx(7.5)
    assert sum(cell.both for cell in row) == pytest.approx(0.5)


def test_what_is_older_than_a_minute_is_gone():
    state = TalkState()
    state.spans.all.append(Span(USER, 1.0, 2.0))
    assert not any(cell.user for cell in cells(View(state=state, clock=lambda: 100.0), 60))


# -- status and facts -----------------------------------------------------------------------------------------------


def test_the_status_of_the_session():
    view = view_of(19.0, session="14:02")
    assert session_words(view) == ["session 14:02", "00:00:18", "3 turns", "1 interrupted"]


def test_a_notice_goes_before_the_figures():
    view = view_of(12.0, fps=30, engine_share=0.061)
    assert right_words(view) == ("0 xruns · ui 30 fps · engine 6 %", "faint")
    view.barge_in = False
    assert right_words(view)[0].startswith("barge-in off · ")
    view.notice = "copied"
    assert right_words(view) == ("copied", "notice")


def test_the_facts_are_shown_as_they_are():
    rows = [text_of(row) for row in EngineFacts(view_of(12.0)).rows(48, 7)]
    assert rows[0].endswith("running ─╮")
    assert "mic    Built-in Microphone · 16 kHz" in rows[1]
    assert {row_len([(row, "")]) for row in rows} == {48}

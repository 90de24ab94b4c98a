"""Text as cells: harmless, measured and wrapped."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from voicetui.tui.text import MARKS_AT_MOST, fit, one_line, plain, shorten, wrap, wrap_runs

MARKUP = ["a [/ b", "[/path/to]", "[bold]x", "see [1] and [b", "[@click=app.quit]go[/]", "[red"]  # TU02
LETTERS = st.characters(exclude_categories=["Cs"])


def lines(text, width):
    return [text[start:end] for start, end in wrap(text, width)]


@pytest.mark.parametrize("text", MARKUP)
def test_markup_is_text(text):
    assert plain(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "[31mred[0m"),
        ("a\x07b\x00c\x9bd\x7fe", "abcde"),
        ("one\r\ntwo\rthree", "one\ntwo\nthree"),
        ("a\tb", "a   b"),
        ("left\u202eright\u2066x\u2069", "leftrightx"),
        ("broken \ud800 half", "broken \ufffd half"),
        ("para\u2029graph", "para\ngraph"),
        ("soft\u00adhyphen\ufeff\u200b", "softhyphen"),
    ],
)
def test_what_a_terminal_would_obey_is_gone(text, shown):
    assert plain(text) == shown


@pytest.mark.parametrize(
    ("text", "shown", "cells"),
    [
        ("\u2764\ufe0f", "\u2764", 1),  # with the selector, terminals take one cell or two
        ("\u2702\ufe0f", "\u2702", 1),
        ("\U0001f469\u200d\U0001f52c", "\U0001f469\U0001f52c", 4),  # joined, two or four
        ("\U0001f44d\U0001f3fd", "\U0001f44d", 2),
        ("\U0001f1eb\U0001f1f7", "\U0001f1eb\U0001f1f7", 2),
        ("你好", "你好", 4),
        ("e\u0301", "é", 1),
        ("1\ufe0f\u20e3", "1\u20e3", 1),
    ],
)
def test_signs_whose_width_is_disputed_become_ones_whose_width_is_not(text, shown, cells):
    assert plain(text) == shown
    assert cell_len(plain(text)) == cells


def test_joiners_that_shape_a_script_stay():
    persian, hindi = "می\u200cخواهم", "क्\u200dष"
    assert plain(persian) == persian
    assert plain(hindi) == hindi


def test_a_letter_carries_only_so_many_marks():
    assert plain("a" + "\u0316" * 500).count("\u0316") == MARKS_AT_MOST


@given(st.text())
def test_plain_text_is_printable_and_stays_as_it_is(text):
    shown = plain(text)
    assert plain(shown) == shown
    assert not [c for c in shown if unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") and c != "\n"]
    shown.encode()


def test_one_line_has_one_line():
    assert one_line(" a\n\tb  c\r\n") == "a b c"


# -- wrapping -------------------------------------------------------------------------------------------------------


def test_lines_break_between_words():
    assert lines("tell me everything about the wind", 16) == ["tell me", "everything about", "the wind"]


def test_a_word_too_long_is_broken():
    assert lines("x" * 10 + " y", 4) == ["xxxx", "xxxx", "xx y"]


def test_scripts_without_spaces_break_anywhere():
    assert lines("你好世界再见", 5) == ["你好", "世界", "再见"]


def test_paragraphs_stay_apart():
    assert lines("a\n\nb", 10) == ["a", "", "b"]
    assert lines("", 10) == [""]


@given(st.text(LETTERS), st.integers(2, 30))
def test_no_line_is_too_wide_and_no_word_is_lost(text, width):
    text = plain(text)
    wrapped = lines(text, width)
    assert all(cell_len(line) <= width for line in wrapped)
    assert re.sub(r"\s", "", "".join(wrapped)) == re.sub(r"\s", "", text)


@given(st.text(st.sampled_from("ab  \n"), max_size=80), st.integers(2, 12))
def test_the_short_way_for_narrow_letters_gives_the_same_lines(text, width):
    """Hebrew letters take a cell each, too, and are wrapped the other way."""
    assert [line.replace("א", "a") for line in lines(text.replace("a", "א"), width)] == lines(text, width)


def test_a_hundred_kilobytes_are_wrapped_without_loss():
    text = "lorem ipsum dolor sit amet " * 4000
    assert " ".join(lines(text, 70)).split() == text.split()


def test_runs_keep_their_ink():
    rows = wrap_runs([("hello wonderful ", "a"), ("world of ", "b"), ("words", "c")], 12)
    assert rows == [[("hello", "a")], [("wonderful", "a")], [("world of", "b")], [("words", "c")]]


@given(st.lists(st.tuples(st.text(LETTERS, max_size=20), st.sampled_from("abc")), min_size=1), st.integers(2, 20))
def test_rows_of_runs_are_the_lines_of_their_text(runs, width):
    runs = [(plain(text), ink) for text, ink in runs]
    rows = wrap_runs(runs, width)
    assert ["".join(text for text, _ in row) for row in rows] == lines("".join(text for text, _ in runs), width)


@given(st.text(LETTERS), st.integers(0, 20))
def test_fitting_is_exact(text, width):
    assert cell_len(fit(plain(text).replace("\n", ""), width)) == width


def test_shortening_leaves_what_fits():
    assert shorten("short", 5) == "short"
    assert shorten("much too long", 8) == "much to…"
    assert cell_len(shorten("你好世界你好", 8)) <= 8

"""Facts about every text: the same pieces however it is cut, nothing lost, nothing hidden shown, no mark-up spoken."""

from __future__ import annotations

import re
import sys

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from speech_text.feeding import LABELLED, pieces, pieces_of, spoken, written
from voicetui.engine.speech_text import SpeechText, has_words
from voicetui.engine.speech_text.fixed_list import SENTENCES
from voicetui.engine.speech_text.sentences import HARD_CHARS

FRAGMENTS = [
    "Hello", "there", " ", " ", "\n", "\n\n", ".", ". ", "...", "…", "!", "?", "?!", ",", ", ", ": ", "; ", "—",
    "–", "-", "--", "*", "**", "***", "_", "__", "~~", "`", "``", "```", "```py\n", "~~~\n", "````", "# ",
    "## ", "- ", "* ", "1. ", "2) ", "> ", "[", "]", "](", ")", "(", "![", "[1]", "[^n]", "[x]: ", "| ",
    "|---|", "<", ">", "<b>", "</b>", "<br>", "<!-- ", "-->", '<a href="x">', "&amp;", "&", "&#42;", "\\",
    "\\*", "\\(", "\\frac{1}{2}", "$", "$$", '"', "'", "’", "“", "”", "«", "»", "„", "「", "」", "。", "！", "，",
    "好", "はい", "안녕", "नमस्ते", "।", "é", "3", "3.5", "1 234,5", "10:30", "Dr. ", "e.g. ", "U.S. ", "etc. ",
    "J. ", "node.js", "main.py", "a_b_c", "2 * 3", "http://a.b/c?d=e", "https://", "www.a.b", "x@y.z", "👍",
    "🇫🇷", "1️⃣", "\u200d", "\u200b", "\u00a0", "\u202f", "\t", "\r\n", "I", "The", "it", "No. ", "p. ",
    "5 min. ", "II", "etc", "www", "C++", "AT&T",
]  # fmt: skip
TEXT = st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=6), max_size=40).map("".join)
SPOKEN_MARKUP = re.compile(r"[`\[\]|{}\\\x00-\x1f\x7f]|\*\*|__|~~|--|https?://|(?<!\w)</?(?:b|br|a)\b|\]\(")
TAGS = re.compile(r"<[|｜]|</?[a-z]", re.IGNORECASE)


@st.composite
def chunked(draw, texts=TEXT):
    """A text and one way to cut it, empty chunks included."""
    text = draw(texts)
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=12)))
    return text, [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]


@settings(max_examples=400)
@given(chunked(), st.sampled_from(["", "en", "fr", "de", "zh"]), st.sampled_from([0, 1, 3]))
def test_the_pieces_are_the_same_however_the_stream_is_cut(case, language, first_clause_words):
    text, chunks = case
    whole = pieces(text, 0, language, first_clause_words)
    for other in (pieces_of(chunks, language, first_clause_words), pieces(text, 1, language, first_clause_words)):
        assert other == whole
        assert [piece.gap for piece in other] == [piece.gap for piece in whole]


@settings(max_examples=400)
@given(TEXT.filter(lambda text: not TAGS.search(text)), st.sampled_from([0, 1, 3]))
def test_the_shown_text_is_the_visible_text_to_the_character(text, first_clause_words):
    visible = re.sub(r"\r\n?|[\x0b\x0c\x85\u2028\u2029]", "\n", re.sub(r"(\x1b|\x9b)[^\n]*", "", text))
    visible = re.sub(
        r"[\x00-\x08\x0e-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb]", "", visible
    )
    if "\x1b" not in text and "\x9b" not in text:
        assert written(pieces(text, 0, "", first_clause_words)) == visible.rstrip()


@settings(max_examples=400)
@given(TEXT, st.sampled_from([0, 2]))
@example("2 ** 3 __ 4 -- 5", 0)
@example("a | b || c |", 0)
def test_what_is_spoken_has_words_and_no_markup(text, first_clause_words):
    for piece in pieces(text, 0, "", first_clause_words):
        assert piece.spoken == "" or has_words(piece.spoken)
        assert not piece.ends_sentence or piece.spoken
        assert not SPOKEN_MARKUP.search(piece.spoken), piece
        assert piece.spoken == piece.spoken.strip()
        assert not re.search("[\U0001f000-\U0001faff\u2600-\u26ff\ufe0f\u200b-\u200d]", piece.spoken)
        assert piece.shown == piece.shown.strip() != ""
        assert len(piece.spoken) <= 2 * HARD_CHARS


HIDDEN = st.text("QXZ <>/.!\n`*", max_size=20)
SEEN = st.text("abc .!\n", max_size=15)


@st.composite
def reasoning(draw):
    """A text with hidden parts, whose letters are Q, X and Z, and what is visible of it."""
    text = visible = ""
    for _ in range(draw(st.integers(1, 4))):
        seen, tag = draw(SEEN), draw(st.sampled_from(["think", "thinking", "reasoning", "THINK", "Thought"]))
        inner = draw(HIDDEN)
        if draw(st.booleans()):
            inner += f"<think>{draw(HIDDEN)}</think>{draw(HIDDEN)}"
        text += f"{seen}<{tag}>{inner}</{tag}>"
        visible += seen
    if draw(st.booleans()):
        return f"{text}<think>{draw(HIDDEN)}", visible
    last = draw(SEEN)
    return text + last, visible + last


@settings(max_examples=300)
@given(reasoning(), st.integers(1, 9))
def test_nothing_hidden_leaks_and_nothing_visible_is_lost(case, size):
    text, visible = case
    found = pieces(text, size)
    assert not re.search("[QXZ<>]", "".join(piece.shown + piece.spoken for piece in found))
    assert written(found).split() == visible.split()


def test_hidden_says_so_while_it_lasts():
    speech = SpeechText()
    states = []
    for chunk in ["Hi. ", "<thi", "nk>", "hm", "</thi", "nk>", " Yes."]:
        speech.feed(chunk)
        states.append(speech.hidden)
    assert states == [False, False, True, True, True, False, False]


def test_the_next_reply_starts_afresh():
    speech = SpeechText(first_clause_words=1)
    for _ in range(3):
        assert speech.feed("<think>never closed") + speech.flush() == []
        assert not speech.hidden
        found = speech.feed("```\nls\n```\nWell, then... maybe (") + speech.flush()
        assert [piece.spoken for piece in found if piece.spoken] == ["Well,", "then... maybe ("]
    assert speech.flush() == []


@settings(max_examples=100)
@given(
    st.lists(st.sampled_from(SENTENCES + LABELLED), min_size=2, max_size=6).map(
        lambda rows: [r for r in rows if r.language in ("en", "fr")]
    )
)
def test_paragraphs_do_not_touch_each_other(rows):
    text = "\n\n".join(row.text for row in rows)
    expected = [sentence for row in rows for sentence in row.sentences]
    assert [piece.shown for piece in pieces(text)] == expected


NASTY = [
    "a", "word ", "Hello there world. ", "\n", " ", ".", "... ", "!", "*", "**a ", "_a_", "`", "`a", "```\n",
    "[", "[a](", "![", "<", "<a ", '<b x="', "<!--", "<https://", "<|", "<think>", "</think>", "&", "- ", "1. ",
    "|", "(", '"', "\\", "。", "好", "a,", "1 ", "Mr. ", "e.g. ", "etc. The", "\x1b[", "\x1b]", "https://a.b/",
    "👍", "\\frac{", "[^", "\u202f", "> ", "#", "~~~", "](http",
]  # fmt: skip


def calls_for(text: str) -> int:
    """Count the calls, of Python and C functions, that feeding a text takes."""
    count = 0

    def note(frame, event, arg):
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        pieces(text, 0, "", 2)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("fragment", NASTY)
def test_twice_the_text_is_at_most_twice_the_work(fragment):
    calls_for(fragment)
    once, twice = (calls_for((fragment * size)[:size]) for size in (1_200, 2_400))
    assert twice <= 2.2 * once


@pytest.mark.parametrize("fragment", ["\n", "Hello there world. ", "`", "<"])
def test_a_hundred_thousand_characters_are_read(fragment):
    text = (fragment * 100_000)[:100_000]
    assert written(pieces(text)) == text.rstrip()


@pytest.mark.parametrize(
    ("unit", "join"), [("word", " "), ("x", " "), ("12", " "), ("好", ""), ("a", ""), ("word,", " "), ("!", "")]
)
def test_no_piece_is_endless(unit, join):
    text = "So " + join.join([unit] * 5_000)
    found = pieces(text)
    assert all(len(piece.spoken) <= HARD_CHARS for piece in found)
    assert written(found) == text


def test_a_long_run_is_cut_between_words():
    text = " ".join(f"word{chr(97 + n % 26)}" for n in range(900))
    found = pieces(text)
    assert len(found) > 5
    assert " ".join(piece.shown for piece in found) == text
    assert [piece.ends_sentence for piece in found] == [False] * (len(found) - 1) + [True]


def test_a_long_run_is_rather_cut_at_a_comma():
    clause = "and then they walked on along the river for a good while, "
    assert all(piece.endswith(",") for piece in spoken(clause * 12)[:-1])


def test_numbers_with_spaces_survive_a_cut():
    text = "and so on " * 33 + "they paid 1 234 567 euros for it " * 4
    assert all("1 234 567" in piece for piece in spoken(text) if "paid" in piece)

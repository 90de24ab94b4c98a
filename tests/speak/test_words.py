"""Where a sentence is cut, which words were said when, and which of them were heard: pure functions."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from voicetui.engine.heard import begin_of_word, heard_by, spans_by_length, words_in
from voicetui.engine.speak.alignment import Group, align
from voicetui.engine.speak.clauses import LONG, SHORTEST, clauses
from voicetui.engine.speak.onnx_output import with_output_of

LONG_SENTENCE = (
    "Boil some water in a large pot, add a little salt, put the pasta into it, "
    "wait for about nine minutes, and taste it before you pour the water away."
)


def test_a_short_sentence_is_one_clause():
    assert clauses(" Yes, of course, I do. ") == ["Yes, of course, I do."]


def test_a_long_sentence_is_cut_at_its_first_breath_and_then_as_late_as_possible():
    assert clauses(LONG_SENTENCE) == [
        "Boil some water in a large pot,",
        "add a little salt, put the pasta into it, wait for about nine minutes,",
        "and taste it before you pour the water away.",
    ]


def test_a_long_sentence_without_a_breath_is_whole():
    text = "word " * 40
    assert clauses(text) == [text.strip()]


@pytest.mark.parametrize("number", ["1 234,50", "1,234.50", "22,1", "10:30"])
def test_ss03_no_number_is_cut(number):
    text = f"{'a word and another one ' * 4}costs {number} in the shop around the corner of the street"
    assert clauses(text) == [text]


@given(st.text(alphabet="ab ,;:—().é1日、", max_size=400))
def test_no_clause_loses_a_word(text):
    parts = clauses(text)
    assert [word for part in parts for word in words_in(part)] == words_in(text.strip())
    assert len(text.strip()) <= LONG or all(len(part) >= SHORTEST for part in parts)


def groups(*phonemes):
    """Groups of so many phonemes, a tenth of a second each, after a pause of 0.05 s."""
    made, at = [], 0.0
    for count in phonemes:
        made.append(Group(count, at + 0.05, at + 0.05 + 0.1 * count))
        at = made[-1].end_s
    return made


def test_words_are_said_when_their_phonemes_are():
    spans = align(["The", "capital", "of"], groups(2, 7, 2))
    assert spans == [pytest.approx(span) for span in [(0.05, 0.25), (0.3, 1.0), (1.05, 1.25)]]


def test_two_words_that_are_said_as_one_share_its_time():
    # As espeak-ng says it: "ðə nˈeɪm ʌvðə sˈɪɾi", "of the" in one.
    spans = align(["the", "name", "of", "the", "city"], groups(2, 4, 4, 4))
    assert spans[1] == pytest.approx((0.3, 0.7))
    assert spans[2] == pytest.approx((0.75, 0.91))
    assert spans[3] == pytest.approx((0.91, 1.15))
    assert spans[4] == pytest.approx((1.2, 1.6))


def test_a_number_that_is_said_in_several_words_has_the_time_of_all():
    # "about nineteen eighty four people"
    spans = align(["about", "1984", "people"], groups(5, 7, 4, 3, 5))
    assert spans == [pytest.approx(span) for span in [(0.05, 0.55), (0.6, 2.1), (2.15, 2.65)]]


def test_a_word_without_a_sound_takes_no_time():
    spans = align(["yes", "—", "no"], groups(3, 2))
    assert spans[1][0] == spans[1][1]
    assert spans[2] == pytest.approx((0.4, 0.6))


@pytest.mark.parametrize(("words", "said"), [([], groups(2)), (["a"], []), (["—"], groups(2))])
def test_what_cannot_be_told_is_none(words, said):
    assert align(words, said) is None


@given(st.lists(st.text("abc1—", min_size=1, max_size=9), max_size=8), st.lists(st.integers(1, 20), max_size=8))
def test_words_are_said_in_order_within_the_time_of_the_groups(words, counts):
    said = groups(*counts)
    spans = align(words, said)
    if spans is None:
        return
    moments = [moment for span in spans for moment in span]
    assert len(spans) == len(words)
    assert all(early <= late + 1e-9 for early, late in itertools.pairwise(moments))
    assert not moments or (moments[0] >= said[0].begin_s - 1e-9 and moments[-1] <= said[-1].end_s + 1e-9)


def test_without_an_alignment_every_character_takes_the_same_time():
    assert spans_by_length("ab cd", 1.0, 2.2) == [pytest.approx((1.0, 1.6)), pytest.approx((1.6, 2.0))]


def test_a_word_is_heard_when_its_end_was():
    spans = [(0.0, 0.4), (0.5, 0.9), (1.0, 1.4)]
    heard = [heard_by("one two three", spans, at) for at in (0.0, 0.39, 0.4, 0.89, 0.9, 1.4, 9.0)]
    assert heard == ["", "", "one", "one", "one two", "one two three", "one two three"]


def test_words_that_were_not_made_are_not_heard():
    assert heard_by("one two three", [(0.0, 0.4)], 9.0) == "one"


def test_ideographs_are_heard_one_by_one():
    assert words_in("你好。 Hello!") == ["你", "好", "。", "Hello!"]
    assert heard_by("你好。", [(0.0, 0.2), (0.2, 0.4), (0.4, 0.4)], 0.2) == "你"


def test_a_pause_goes_back_to_the_word_under_way_or_the_last_one():
    spans = [(0.1, 0.4), (0.5, 0.9)]
    assert [begin_of_word(spans, at) for at in (0.0, 0.1, 0.45, 0.7, 2.0)] == [0.0, 0.1, 0.1, 0.5, 0.5]


def field(number, content):
    return bytes((number << 3 | 2, len(content))) + content


def node(operator, output):
    return field(1, field(1, b"in") + field(2, output) + field(4, operator))


def test_the_result_of_the_only_node_of_its_kind_becomes_an_output():
    model = b"\x08\x07" + field(7, node(b"Mul", b"x") + node(b"Ceil", b"y") + field(12, field(1, b"out")))
    assert with_output_of(model, "Ceil") == model + field(7, field(12, field(1, b"y")))


@pytest.mark.parametrize("graph", [node(b"Mul", b"x"), node(b"Ceil", b"x") + node(b"Ceil", b"y")])
def test_none_or_several_nodes_are_none(graph):
    assert with_output_of(field(7, graph), "Ceil") is None

"""Short utterances in English and French: what they mean to the floor, and what is the agent's own echo."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from voicetui.engine.words import claims_floor, has_stop_word, is_backchannel, is_echo, same_words, words_of


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Stop, please!", ["stop", "please"]),
        ("Mm-hm.", ["mm-hm"]),
        ("D’accord", ["d'accord"]),
        ("Tais-toi !", ["tais-toi"]),
        ("L'été, ça va ?", ["l'été", "ça", "va"]),
        ("Cafe\u0301", ["café"]),
        ("it's 7:30", ["it's", "7", "30"]),
        ("今天", ["今天"]),
        ("...", []),
        ("\u200b \n", []),
        ("👍", []),
        ("", []),
    ],
)
def test_words_are_lower_case_without_punctuation(text, words):
    assert words_of(text) == words


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("Mm-hm.", True),
        ("yeah", True),
        ("Okay, right.", True),
        ("I see", True),
        ("uh-huh, uh-huh", True),
        ("Oh wow, really?", True),
        ("ouais ouais", True),
        ("D'accord.", True),
        ("bien sûr", True),
        ("tout à fait", True),
        ("Ah bon ?", True),
        ("no", False),
        ("yeah, but Friday", False),
        ("non", False),
        ("oui mais non", False),
        ("", False),
        ("...", False),
    ],
)
def test_backchannels(text, is_one):
    assert is_backchannel(text) is is_one


@pytest.mark.parametrize(
    ("text", "has"),
    [
        ("Stop!", True),
        ("please stop", True),
        ("no, wait", True),
        ("Arrête !", True),
        ("non attends", True),
        ("tais-toi", True),
        ("chut", True),
        ("I like it when they stop", False),
        ("go on", False),
        ("arrêter", False),
        ("", False),
    ],
)
def test_stop_words_count_among_the_first_three(text, has):
    assert has_stop_word(text) is has


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("wait", True),
        ("what is", True),
        ("pourquoi tu", True),
        ("for two", True),
        ("yeah but Friday", True),
        ("oui mais demain", True),
        ("what", False),
        ("Friday", False),
        ("yeah Friday", False),
        ("mm-hm", False),
        ("oui d'accord", False),
        ("", False),
    ],
)
def test_a_draft_that_claims_the_floor(text, claims):
    assert claims_floor(text) is claims


def echoes(text, sentences):
    return is_echo(words_of(text), [words_of(sentence) for sentence in sentences])


SAID = "The museum opens at nine and closes at six. Take the number four tram."


@pytest.mark.parametrize(
    ("heard", "said", "echo"),
    [
        (SAID, SAID, True),
        ("the museum opens at nine", SAID, True),
        ("museum opens at night and closes", SAID, True),
        ("closes at six take the number", SAID, True),
        ("nine at opens museum the", SAID, False),
        ("and what about Sunday", SAID, False),
        ("the museum on Sunday maybe", SAID, False),
        ("Take.", "Take.", True),
        ("take", SAID, False),
        ("le musée ouvre à neuf heures", "Le musée ouvre à neuf heures.", True),
        ("le musée ferme quand", "Le musée ouvre à neuf heures.", False),
        ("", SAID, False),
        ("hello there", "", False),
    ],
)
def test_the_agents_own_echo(heard, said, echo):
    assert echoes(heard, [said]) is echo


WORDS = st.lists(st.sampled_from(["one", "two", "three", "four", "five"]), min_size=2, max_size=12)


@given(WORDS, st.data())
def test_any_stretch_of_what_was_said_is_its_echo(words, data):
    begin = data.draw(st.integers(0, len(words) - 2))
    end = data.draw(st.integers(begin + 2, len(words)))
    assert echoes(" ".join(words[begin:end]), [" ".join(words)])


@given(WORDS)
def test_words_that_were_not_said_are_no_echo(words):
    assert not echoes("alpha beta " + words[0], [" ".join(words)])


def test_an_echo_may_go_over_from_one_sentence_to_the_next():
    assert echoes("closes at six take the number", SAID.split(". "))


def test_one_word_is_the_echo_of_a_sentence_of_one_word_alone():
    assert echoes("yes", ["Yes.", "It opens at nine."])
    assert not echoes("nine", ["Yes.", "It opens at nine."])


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("book a table", "Book a table.", True),
        ("l’été", "L'été !", True),
        ("cancel it", "cancel it not", False),
        ("", "...", True),
    ],
)
def test_texts_that_differ_in_case_and_punctuation_alone_are_the_same(one, other, same):
    assert same_words(one, other) is same

"""When a piece is released: with the last token of its sentence where nothing that follows could change that."""

from __future__ import annotations

import pytest
from speech_text.feeding import pieces, pieces_of, written
from voicetui.engine.speech_text import SpeechText
from voicetui.engine.speech_text.fixed_list import UNAMBIGUOUS, tokens


def releases(chunks: list[str], language: str = "", first_clause_words: int = 0) -> list[tuple[int, str]]:
    """Return which chunk each piece came out with, the end of the stream counting as one more."""
    speech = SpeechText(language, first_clause_words=first_clause_words)
    out = [(at, piece.spoken) for at, chunk in enumerate(chunks) for piece in speech.feed(chunk)]
    return out + [(len(chunks), piece.spoken) for piece in speech.flush()]


@pytest.mark.parametrize("row", UNAMBIGUOUS, ids=range(len(UNAMBIGUOUS)))
@pytest.mark.parametrize("cut", [tokens, list], ids=["tokens", "characters"])
def test_no_token_is_waited_for_after_an_unambiguous_end(row, cut):
    chunks = cut(row.text)
    assert "".join(chunks) == row.text
    found = releases(chunks, row.language)
    position, ends = 0, []
    for sentence in row.sentences:
        position = row.text.index(sentence, position) + len(sentence)
        ends.append(next(at for at in range(len(chunks)) if len("".join(chunks[: at + 1])) >= position))
    assert found == list(zip(ends, row.sentences, strict=True))


@pytest.mark.parametrize(
    ("chunks", "sentence", "at"),
    [
        (["Hello", " world", ".", " Next", " one"], "Hello world.", 2),
        (["Sure", ".", " I", " can"], "Sure.", 1),
        (["Plan", "\n", "Mix"], "Plan", 1),
        (["It", " is", " late", ".\n\n", "Go"], "It is late.", 3),
        (["See", " (", "below", ")", ".", " Then"], "See (below).", 4),
        (["It", " rose", " by", " 5", "%", ".", " Then"], "It rose by 5%.", 5),
        (["好的", "。", "我"], "好的。", 1),
        (["**", "Done", " now", ".", "**", " Next"], "Done now.", 5),
        (["Really", "?", " Yes"], "Really?", 2),
        (["It", " costs", " 29", ".", " Next"], "It costs 29.", 4),
        (["He", " said", ' "', "go", '."', " Then"], 'He said "go."', 5),
        (["In", " the", " U.S.", " The", " sky"], "In the U.S.", 4),
    ],
)
def test_each_end_is_known_with_this_token(chunks, sentence, at):
    assert releases(chunks)[0] == (at, sentence)


@pytest.mark.parametrize(
    "text",
    [
        "Node.js is fun.",
        "Open main.py now.",
        "Go to example.com now.",
        "Version 2.0 is out.",
        "He paid 3.50 euros.",
        "Mail joe.bloggs@example.org today.",
        "See README.md first.",
        "Well... maybe.",
        "I think... yes.",
    ],
)
def test_a_dot_inside_is_no_end(text):
    assert [piece.shown for piece in pieces(text, 1)] == [text]


def test_an_end_taken_back_costs_a_blemish_once_and_then_care():
    """The price of not waiting: a word that nobody expects to go on may be cut from what follows, once in a reply."""
    text = "Look at quux.js here. Then look at quux.js again. It was blue... or so. It was odd... or not."
    found = pieces(text, 1)
    assert [piece.shown for piece in found] == [
        "Look at quux.",
        "js here.",
        "Then look at quux.js again.",
        "It was blue... or so.",
        "It was odd... or not.",
    ]
    assert written(found) == text
    assert found == pieces_of(tokens(text)) == pieces(text)


def test_marks_behind_a_released_end_are_shown_and_not_spoken():
    found = pieces("I would be more than happy to help you with that!!! Go on.")
    assert [(piece.gap, piece.shown, piece.spoken) for piece in found] == [
        ("", "I would be more than happy to help you with that!", "I would be more than happy to help you with that!"),
        ("", "!! Go on.", "Go on."),
    ]


# -- the first clause --------------------------------------------------------------------------------------------------


def clauses(text: str, words: int) -> list[tuple[str, bool]]:
    return [(piece.spoken, piece.ends_sentence) for piece in pieces(text, 1, "", words)]


def test_the_first_piece_may_be_a_clause_and_no_later_one():
    assert clauses("Well of course, I can help. First, open the door; then, if you like, sit down.", 3) == [
        ("Well of course,", False),
        ("I can help.", True),
        ("First, open the door; then, if you like, sit down.", True),
    ]


@pytest.mark.parametrize(
    ("text", "words", "first"),
    [
        ("Well, I can help.", 2, "Well, I can help."),
        ("I can help; just ask.", 3, "I can help;"),
        ("Here is how it works: press it.", 3, "Here is how it works:"),
        ("This is it — press it.", 3, "This is it —"),
        ("In 1908, it was cold.", 1, "In 1908,"),
        ("It costs 1,234.50 dollars today.", 1, "It costs 1,234.50 dollars today."),
        ("Pick 1, 2 or 3.", 1, "Pick 1, 2 or 3."),
        ("At 10:30 we go.", 1, "At 10:30 we go."),
        ("He said (well, nearly) nothing.", 1, "He said (well, nearly) nothing."),
        ("**Well, yes** and no.", 1, "Well, yes and no."),
        ("Il fait 22,1 °C.", 1, "Il fait 22,1 °C."),
        ("很好，我们走吧。", 1, "很好，"),
        ("A line\nWell, yes.", 1, "A line"),
    ],
)
def test_where_the_first_clause_ends(text, words, first):
    assert clauses(text, words)[0][0] == first


def test_a_clause_is_out_with_its_comma():
    assert releases(["I", " can", " help", ",", " just"], "", 3)[0] == (3, "I can help,")

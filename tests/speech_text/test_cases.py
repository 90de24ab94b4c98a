"""The public fault cases of sentence splitting (SS), speakable text (TS) and hidden reasoning (MS01)."""

from __future__ import annotations

import pytest
from speech_text.feeding import pieces, pieces_of, spoken, written
from voicetui.engine.speech_text import SpeechText, has_words

TITLES = "Dr. Leroy sees Mr. J. R. Hale at 9 a.m. sharp. Bring the U.S. forms, e.g. the long one."
PRICES = "It costs $29.50 today. Pi is 3.14159, and v2.0.1 ships at 10:30."
DOTS = "Well... maybe not. Hmm… let me think. Really?! Yes!!! Wait.... No."
SIZES = (0, 1, 2, 3, 4, 5, 7)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("language", ["", "en"])
def test_titles_initials_and_abbreviations_end_nothing(size, language):  # SS01
    assert spoken(TITLES, size, language) == [
        "Dr. Leroy sees Mr. J. R. Hale at 9 a.m. sharp.",
        "Bring the U.S. forms, e.g. the long one.",
    ]


@pytest.mark.parametrize("size", SIZES)
def test_prices_decimals_and_versions_stay_whole(size):  # SS02
    assert spoken(PRICES, size) == ["It costs $29.50 today.", "Pi is 3.14159, and v2.0.1 ships at 10:30."]


def test_a_sentence_is_out_before_the_next_one_has_two_characters():  # SS02
    speech = SpeechText()
    released = [
        (at, piece.spoken) for at, char in enumerate(PRICES) for piece in speech.feed(char) if piece.ends_sentence
    ]
    assert [text for _, text in released] == ["It costs $29.50 today."]
    assert released[0][0] <= PRICES.index("Pi") + 1
    assert [piece.spoken for piece in speech.flush()] == ["Pi is 3.14159, and v2.0.1 ships at 10:30."]


def test_a_decimal_takes_no_sentence_of_a_cap():  # SS02
    found = pieces("The disk holds 3.84 terabytes. It is 71.5 percent full. Nothing else is wrong.")
    assert [piece.spoken for piece in found if piece.ends_sentence][:2] == [
        "The disk holds 3.84 terabytes.",
        "It is 71.5 percent full.",
    ]


@pytest.mark.parametrize("space", [" ", "\u00a0", "\u202f"])
@pytest.mark.parametrize("size", [1, 4])
@pytest.mark.parametrize("first_clause_words", [0, 1, 3])
@pytest.mark.parametrize("language", ["", "fr"])
def test_no_early_cut_inside_a_french_number_or_before_its_unit(space, size, first_clause_words, language):  # SS03
    first = f"Il fait 22,1{space}°C et l'air est à 45{space}%."
    second = f"Le pain coûte 1{space}234,50{space}€, soit 3,5{space}% de plus."
    found = pieces(f"{first} {second}", size, language, first_clause_words)
    assert [piece.shown for piece in found] == [first, second]
    assert written(found) == f"{first} {second}"
    assert found[1].spoken == "Le pain coûte 1 234,50 €, soit 3,5 % de plus."


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("今天天气很好。我们去公园吧！你想来吗？", ["今天天气很好。", "我们去公园吧！", "你想来吗？"]),
        ("版本是3.5。好的。", ["版本是3.5。", "好的。"]),
        ("行きましょう。はい。", ["行きましょう。", "はい。"]),
        ("。", []),
        ("。。。", []),
    ],
)
def test_full_stops_without_a_space(text, sentences):  # SS04
    assert spoken(text, 1) == sentences
    assert spoken(text) == sentences


def test_a_chinese_sentence_is_out_with_its_full_stop():  # SS04
    speech = SpeechText()
    assert [piece.spoken for char in "今天天气很好。" for piece in speech.feed(char)] == ["今天天气很好。"]


@pytest.mark.parametrize("language", ["", "fr"])
@pytest.mark.parametrize(
    "sentences",
    [
        ["M. Dupont et Mme Petit habitent 12, av. Foch.", "MM. Roux et Blanc arrivent à 14h30."],
        ["Comptez 5 min. à pied."],
        ["Voir cf. p. 12.", "Merci !"],
        ["Il y a du pain, du lait, etc.", "Ensuite on part."],
    ],
)
def test_french_abbreviations_end_nothing(sentences, language):  # SS06
    assert spoken(" ".join(sentences), 1, language) == sentences


@pytest.mark.parametrize("size", [0, 1, 3])
def test_marks_that_belong_together_stay_together(size):  # SS08
    assert spoken(DOTS, size) == [
        "Well... maybe not.",
        "Hmm… let me think.",
        "Really?!",
        "Yes!!!",
        "Wait....",
        "No.",
    ]


def test_what_cannot_be_pronounced_never_reaches_the_voice():  # SS09
    found = pieces_of(["Sure. ", "👍 ", "” ", "… ", "— ", "✅🎉 ", "\n\n", "Done!"])
    assert [piece.spoken for piece in found if piece.spoken] == ["Sure.", "Done!"]
    assert [piece.spoken for piece in found if piece.ends_sentence] == ["Sure.", "Done!"]


def test_an_emoji_alone_is_shown_and_not_spoken():  # SS09
    (only,) = pieces("👍")
    assert (only.shown, only.spoken, only.ends_sentence) == ("👍", "", False)


@pytest.mark.parametrize(
    "text", ["", " ", "\u200b", "...", "…", "”", "—", "👍", "🇫🇷", "✅🎉", "。", "\ufe0f", "ℹ️", "\u3164"]
)
def test_nothing_to_pronounce(text):  # SS09
    assert not has_words(text)


@pytest.mark.parametrize("text", ["a", "7", "é", "日", "ا", "한", "½", "👍 ok", "1️⃣", "ω"])
def test_something_to_pronounce(text):
    assert has_words(text)


PLAN = (
    "## Plan\n\n- **Mix** the _flour_\n- Add `water`\n1. Bake\n\n> See [the guide](https://example.com/x) ✅\n\n"
    "| a | b |\n|---|---|\n\nUse my_var_name; 2 * 3 * 4 = 24."
)


@pytest.mark.parametrize("size", SIZES)
def test_markdown_is_read_as_words(size):  # TS01
    given = spoken(PLAN, size)
    assert [text.removeprefix("1, ") for text in given[:5]] == [
        "Plan",
        "Mix the flour",
        "Add water",
        "Bake",
        "See the guide",
    ]
    assert not any(
        mark in text for text in given for mark in ("**", "_flour_", "`", "#", ">", "|", "http", "✅", "---")
    )
    assert given[-1].split(";")[0].split()[1:] == ["my", "var", "name"]
    assert [char for char in given[-1] if char.isdigit()] == list("23424")


def test_markdown_marks_split_over_chunks():  # TS01
    assert [piece.spoken for piece in pieces_of(["*", "*Mi", "x**", " it."])] == ["Mix it."]


FENCED = "Here it is:\n{0}python\nx = 1. # a. b.\nprint(x)\n{0}\nThat sets x. Done."


@pytest.mark.parametrize("fence", ["```", "~~~", "````"])
@pytest.mark.parametrize("size", [0, 1, 3, 7])
def test_code_is_shown_and_not_spoken(fence, size):  # TS02
    text = FENCED.format(fence)
    assert spoken(text, size) == ["Here it is:", "That sets x.", "Done."]
    assert written(pieces(text, size)) == text


def test_a_longer_fence_holds_a_shorter_one():  # TS02
    assert spoken("Look:\n````md\n```\nls\n```\n````\nThat is it.") == ["Look:", "That is it."]


def test_a_fence_that_is_never_closed_holds_nothing_up():  # TS02
    speech = SpeechText()
    assert [piece.spoken for piece in speech.feed("Look:\n")] == ["Look:"]
    rest = speech.feed("```\nls -l\n\nNothing more to say.") + speech.flush()
    assert "".join(piece.spoken for piece in rest) == ""
    assert "Nothing more to say." in [piece.shown for piece in rest]


@pytest.mark.parametrize(
    "sentence",
    [
        "It costs $49.95.",
        "Mr. Hale fought in World War II.",
        "Meet at 8:00.",
        "In 1908 it was -5 degrees.",
        "Call 555-0199.",
        "Zip 90210.",
    ],
)
@pytest.mark.parametrize("first_clause_words", [0, 1])
def test_no_character_of_a_number_is_lost(sentence, first_clause_words):  # TS04
    assert spoken(sentence, 1, "en", first_clause_words) == [sentence]


@pytest.mark.parametrize(
    ("chunks", "sentences"),
    [
        (
            ["<th", "ink>a secret pl", "an</thi", "nk>Hello ", "there. Is 3 ", "< 5? Yes."],
            ["Hello there.", "Is 3 < 5?", "Yes."],
        ),
        (["<think>x</think>Hi."], ["Hi."]),
        (["", "", "", "Hi."], ["Hi."]),
        (["<think>never closed"], []),
    ],
)
def test_hidden_reasoning_is_neither_shown_nor_spoken(chunks, sentences):  # MS01
    found = pieces_of(chunks)
    assert [piece.shown for piece in found] == sentences
    assert [piece.spoken for piece in found] == sentences

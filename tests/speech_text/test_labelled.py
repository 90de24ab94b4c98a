"""Every hand-labelled sentence, in its own language and with no language given, whole and character by character."""

from __future__ import annotations

import pytest
from speech_text.feeding import LABELLED, pieces, written
from voicetui.engine.speech_text.fixed_list import SENTENCES, UNAMBIGUOUS

ROWS = LABELLED + SENTENCES + UNAMBIGUOUS


@pytest.mark.parametrize("row", ROWS, ids=range(len(ROWS)))
def test_sentences_are_those_that_a_reader_sees(row):
    for language in (row.language, ""):
        found = pieces(row.text, 0, language)
        assert tuple(piece.shown for piece in found) == row.sentences
        assert pieces(row.text, 1, language) == found
        assert written(found) == row.text.rstrip()


def test_the_list_is_long_enough_to_mean_something():
    assert len(LABELLED) >= 380
    assert len({row.language for row in LABELLED}) >= 15


@pytest.mark.parametrize(
    ("language", "sentences"),
    [
        ("de", ["Er wurde 1. Sieger.", "Alle klatschten."]),
        ("de-AT", ["Das 2. Buch ist neu.", "Es ist gut."]),
        ("en", ["He came in 1.", "Everyone clapped."]),
        ("fr", ["Voyez Me Durand.", "Il plaide."]),
    ],
)
def test_what_only_the_language_tells(language, sentences):
    assert [piece.shown for piece in pieces(" ".join(sentences), 0, language)] == sentences

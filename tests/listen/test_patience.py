"""Who is dictating digits gets more time; who asks a question does not."""

from __future__ import annotations

import pytest
from voicetui.engine.listen.patience import is_dictating


@pytest.mark.parametrize(
    "text",
    [
        "my number is",
        "My number is 555.",
        "five five five",
        "my number is five five five",
        "555-0199",
        "it is 06 12 34",
        "My zip code is 9",
        "the pin is",
        "mon numéro est",
        "zéro six douze un deux trois",
        "double oh seven",
    ],
)
def test_more_digits_are_waited_for(text):
    assert is_dictating(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "...",
        "What is two plus two?",
        "what is the number of my house",
        "How many are there, one two three?",
        "I have two",
        "Give me five",
        "my number is wrong",
        "call me at five five five please",
        "What time is it",
        "it is",
    ],
)
def test_nobody_else_is_waited_for(text):
    assert not is_dictating(text)

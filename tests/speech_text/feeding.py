"""Feeding a `SpeechText` in the tests."""

from __future__ import annotations

from pathlib import Path

from voicetui.engine.speech_text import Piece, SpeechText
from voicetui.engine.speech_text.fixed_list import read_labelled

LABELLED = read_labelled(Path(__file__).with_name("labelled.txt").read_text("utf-8"))


def pieces(text: str, size: int = 0, language: str = "", first_clause_words: int = 0) -> list[Piece]:
    """Feed a text in chunks of so many characters (0: whole) and return all pieces of it."""
    size = size or len(text) or 1
    return pieces_of([text[i : i + size] for i in range(0, len(text), size)], language, first_clause_words)


def pieces_of(chunks: list[str], language: str = "", first_clause_words: int = 0) -> list[Piece]:
    """Feed the chunks and return all pieces."""
    speech = SpeechText(language, first_clause_words=first_clause_words)
    return [piece for chunk in chunks for piece in speech.feed(chunk)] + speech.flush()


def spoken(text: str, size: int = 0, language: str = "", first_clause_words: int = 0) -> list[str]:
    """Return what the voice is given."""
    return [piece.spoken for piece in pieces(text, size, language, first_clause_words) if piece.spoken]


def written(found: list[Piece]) -> str:
    """Return the text as the pieces show it, white space included."""
    return "".join(piece.gap + piece.shown for piece in found)

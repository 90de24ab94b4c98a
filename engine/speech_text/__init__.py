"""From a stream of model text to pieces to show and to speak.

Four readers in a row, each a character (or unit) at a time: what may be seen at all (`visible`), what is Markdown and
what is words (`markdown`), where a piece ends (`sentences`, `ends`), and how it is spoken (`speakable`). A chunk is
nothing but its characters, so the pieces are the same however the stream was cut. Pure Python, no thread, no clock.
"""

from __future__ import annotations

from voicetui.engine.speech_text.draft import Piece
from voicetui.engine.speech_text.markdown import Markdown
from voicetui.engine.speech_text.sentences import Sentences
from voicetui.engine.speech_text.speakable import has_words
from voicetui.engine.speech_text.visible import Visible

__all__ = ["Piece", "SpeechText", "has_words"]


class SpeechText:
    """Turns one reply after the other into pieces. `language` is a code such as "fr" or "de-AT"; "" is not known.

    With `first_clause_words` above 0 the first piece of a reply may already be released at the end of a clause, once it
    has so many words; 0 is whole sentences only.
    """

    def __init__(self, language: str = "", *, first_clause_words: int = 0) -> None:
        self._language = language.replace("_", "-").split("-")[0].lower()
        self._first_clause_words = first_clause_words
        self._begin()

    def _begin(self) -> None:
        self._visible = Visible()
        self._markdown = Markdown()
        self._sentences = Sentences(self._language, self._first_clause_words)

    @property
    def hidden(self) -> bool:
        """Return whether the stream is inside hidden reasoning."""
        return self._visible.hidden

    def feed(self, text: str) -> list[Piece]:
        """Take the next part of the stream and return the pieces that are certain now."""
        return [piece for char in text for piece in self._read(self._visible.feed(char))]

    def flush(self) -> list[Piece]:
        """Return what is left when the stream ends; the next `feed` begins another reply."""
        pieces = self._read(self._visible.flush())
        for unit in self._markdown.flush():
            pieces += self._sentences.feed(unit)
        pieces += self._sentences.flush()
        self._begin()
        return pieces

    def _read(self, visible: str) -> list[Piece]:
        return [piece for char in visible for unit in self._markdown.feed(char) for piece in self._sentences.feed(unit)]

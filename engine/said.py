"""What became of the pieces of a reply: which words were heard and which were not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from voicetui.engine.ports import Sentence, Spoken
    from voicetui.engine.speech_text import Piece


@dataclass(slots=True)
class Said:
    """A piece of the reply and what became of it."""

    piece: Piece
    sentence: Sentence | None = None
    spoken: Spoken | None = None
    audible_s: float | None = None
    told: bool = False
    """Whether it was said what was heard of it."""

    @property
    def heard_text(self) -> str:
        """Return the words of this piece that were heard."""
        if self.spoken is None:
            return ""
        return self.spoken.heard_text if self.spoken.cut else self.piece.shown

    @property
    def unheard_text(self) -> str:
        """Return the words of this piece that were not heard."""
        if self.spoken is None:
            return self.piece.shown
        heard = self.spoken.heard_text if self.spoken.cut else self.piece.spoken
        return self.piece.spoken.removeprefix(heard).strip()


def heard_and_not(pieces: Sequence[Said], *, cut: bool) -> tuple[str, str]:
    """Return the words of a reply that were heard, and those that were not.

    A piece with nothing to pronounce, such as an emoji, goes with what stands before it. Of a reply that was cut before
    a single sample nothing was heard.
    """
    if cut and not any(said.spoken is not None and said.spoken.played_s > 0 for said in pieces):
        return "", _join(said.piece.shown for said in pieces)
    heard: list[str] = []
    unheard: list[str] = []
    whole = True
    for said in pieces:
        if not said.piece.spoken:
            (heard if whole else unheard).append(said.piece.shown)
            continue
        whole = whole and said.spoken is not None and not said.spoken.cut
        heard.append(said.heard_text)
        if not whole:
            unheard.append(said.unheard_text)
    return _join(heard), _join(unheard)


def _join(texts: Iterable[str]) -> str:
    return " ".join(text.strip() for text in texts if text.strip())

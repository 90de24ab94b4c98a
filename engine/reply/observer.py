"""What a reply tells of its progress."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from voicetui.engine.errors import PartError
    from voicetui.engine.reply.reply import Reply
    from voicetui.engine.said import Said
    from voicetui.engine.speech_text import Piece


class Outcome(StrEnum):
    """How a reply ended by itself."""

    SPOKEN = "spoken"
    EMPTY = "empty"
    FAILED = "failed"


class ReplyObserver(Protocol):
    """Who hears of a reply's progress, on the discussion's loop; never again after `stop`."""

    def first_token(self, reply: Reply) -> None:
        """Note that the model's first visible text arrived."""

    def sentence_handed(self, reply: Reply, said: Said) -> None:
        """Note that the voice is asked for a sentence."""

    def sentence_ready(self, reply: Reply, piece: Piece) -> None:
        """Note that a piece is ready to be spoken."""

    def sentence_over(self, reply: Reply, said: Said) -> None:
        """Note that the voice is done with a sentence, which a stop may have cut."""

    def reply_failed(self, reply: Reply, error: PartError) -> None:
        """Note that a part failed; what is complete is still spoken."""

    def reply_over(self, reply: Reply, outcome: Outcome) -> None:
        """Note that everything was heard, or nothing came."""

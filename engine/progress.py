"""The progress of the exchange under way: what its reply and the voice tell becomes marks and events.

Runs on the discussion's loop; `report` and `voice_broke` may be called from any thread.
"""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, Any

from voicetui.engine import events as ev
from voicetui.engine.timing import Mark

if TYPE_CHECKING:
    from collections.abc import Callable

    from voicetui.engine.audible import Audible
    from voicetui.engine.errors import PartError
    from voicetui.engine.journal import Journal
    from voicetui.engine.ports import Clock, Sentence
    from voicetui.engine.record import Exchange, Record
    from voicetui.engine.reply import Outcome, Reply
    from voicetui.engine.said import Said
    from voicetui.engine.speech_text import Piece


class Progress:
    """Follows the reply of the exchange under way; what others tell, as one that is only prepared, is passed over.

    `first_audio()` is called when the reply is first heard, `over(exchange, outcome)` when it has ended by itself.
    """

    def __init__(
        self,
        record: Record,
        journal: Journal,
        clock: Clock,
        audible: Audible,
        *,
        first_audio: Callable[[], None],
        over: Callable[[Exchange, Outcome], None],
    ) -> None:
        self.exchange: Exchange | None = None
        """The exchange under way."""
        self._record, self._journal, self._clock, self._audible = record, journal, clock, audible
        self._first_audio, self._over = first_audio, over
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()

    def _of(self, reply: Reply) -> Exchange | None:
        """Return the exchange under way if this is its reply."""
        exchange = self.exchange
        return exchange if exchange is not None and exchange.reply is reply else None

    # -- what the reply tells (ReplyObserver) ------------------------------------------------------------------------

    def first_token(self, reply: Reply) -> None:
        """Mark the model's first visible text."""
        if (exchange := self._of(reply)) is not None:
            self._record.mark(exchange, Mark.FIRST_TOKEN, reply.first_token_s)

    def sentence_ready(self, reply: Reply, piece: Piece) -> None:
        """Say that a sentence is ready."""
        if (exchange := self._of(reply)) is not None and piece.spoken:
            self._record.mark(exchange, Mark.FIRST_SENTENCE, reply.first_sentence_s)
            self._journal.add(ev.ReplySentence(exchange=exchange.number, text=piece.shown))

    def sentence_handed(self, reply: Reply, said: Said) -> None:
        """Take a sentence for audible that a voice without reports of its own has got."""
        if not self._audible.exact and said.sentence is not None and self._of(reply) is not None:
            self._reported(said.sentence, "audible", self._clock.now())

    def sentence_over(self, reply: Reply, said: Said) -> None:
        """Say what was heard of a sentence."""
        self._audible.last_s = self._clock.now()
        if (exchange := self._of(reply)) is not None and not reply.stopped:
            self._record.sentence_over(exchange, said)

    def reply_failed(self, reply: Reply, error: PartError) -> None:
        """Show a part's failure; a reply that was only prepared is asked for again instead."""
        if self._of(reply) is not None:
            self._journal.add(ev.PartFailed(part=error.part, message=error.message, fix=error.fix))

    def reply_over(self, reply: Reply, outcome: Outcome) -> None:
        """End the exchange."""
        if (exchange := self._of(reply)) is not None:
            self.exchange = None
            self._over(exchange, outcome)

    # -- what the voice tells, from any thread -----------------------------------------------------------------------

    def report(self, sentence: Sentence, what: str, at_s: float | None) -> None:
        """Take the voice's word on a sentence."""
        self._on_loop(self._reported, sentence, what, self._clock.now() if at_s is None else at_s)

    def voice_broke(self, error: PartError) -> None:
        """Show that a plain method of the voice raised."""
        self._on_loop(self._journal.add, ev.PartFailed(part=error.part, message=error.message, fix=error.fix))

    def _on_loop(self, call: Callable[..., object], *given: Any) -> None:  # noqa: ANN401 - the callable's own
        if threading.get_ident() == self._thread:
            call(*given)
        else:
            self._loop.call_soon_threadsafe(call, *given)

    def _reported(self, sentence: Sentence, what: str, at_s: float) -> None:
        exchange = self.exchange
        if exchange is None or exchange.reply.number != sentence.reply or exchange.reply.stopped:
            return
        exchange.reply.moved_on()
        if what == "pcm":
            self._record.mark(exchange, Mark.FIRST_PCM, at_s)
            return
        said = exchange.reply.said[sentence.number]
        if said.audible_s is not None:
            return
        said.audible_s = at_s
        self._audible.began(said.piece.spoken, at_s)
        if exchange.audible_since_s is None:
            exchange.audible_since_s = at_s
            self._first_audio()
        self._journal.add(ev.Speaking(exchange=exchange.number, sentence=sentence.number, text=said.piece.shown))
        if self._audible.exact and self._record.mark(exchange, Mark.FIRST_AUDIBLE, at_s):
            self._record.measured(exchange)

"""The model's side of a reply: its text, cut into pieces to show and to speak, within the policy's cap.

Runs on the discussion's loop.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from voicetui.engine.errors import PartError, as_part_error
from voicetui.engine.ports import Sentence, optional
from voicetui.engine.said import Said

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from voicetui.engine.policy import Policy
    from voicetui.engine.ports import Clock, Message, Report, Responder
    from voicetui.engine.speech_text import Piece, SpeechText


class ThinkingObserver(Protocol):
    """Whose text it is."""

    stopped: bool
    """Whether nothing more is wanted."""

    def moved_on(self) -> float:
        """Note a sign of life; return its moment."""

    def text_began(self) -> None:
        """Note that the model's first visible text arrived."""

    def text_gave(self, said: Said) -> None:
        """Take a sentence that is ready to be spoken."""

    def model_failed(self, error: PartError) -> None:
        """Take the failure of the model."""

    def text_over(self) -> None:
        """Note that no more sentences come."""


class Thinking:
    """One call of the model. `said` are the pieces so far, in order, those that are only shown too."""

    def __init__(
        self,
        number: int,
        responder: Responder,
        policy: Policy,
        clock: Clock,
        report: Report,
        speech_text: Callable[[], SpeechText],
        observer: ThinkingObserver,
    ) -> None:
        self.said: list[Said] = []
        self.first_token_s: float | None = None
        self.first_sentence_s: float | None = None
        self._number, self._responder, self._clock, self._report = number, responder, clock, report
        self._speech_text, self._observer = speech_text, observer
        self._text: SpeechText | None = None
        self._cap = policy.max_reply_sentences

    def be_ready(self) -> SpeechText:
        """Make what turns text into sentences, if there is none yet."""
        self._text = self._text or self._speech_text()
        return self._text

    async def ask(self, messages: list[Message]) -> None:
        """Ask the model and take its text to the end, or to the policy's cap."""
        sentences = 0
        stream: AsyncIterator[str] | None = None
        try:
            stream = self._responder.reply(messages)
            async for token in stream:
                arrived_s = self._observer.moved_on()
                text = self.be_ready()
                sentences += self._take(text.feed(token))
                if self.first_token_s is None and token.strip() and not text.hidden and not self._observer.stopped:
                    self.first_token_s = arrived_s
                    self._observer.text_began()
                if 0 < self._cap <= sentences:
                    break
            else:
                self._take(self._text.flush() if self._text is not None else [])
        except Exception as err:  # noqa: BLE001 - a user's own part may raise anything; it is reported as its failure
            self._observer.model_failed(as_part_error(err, "think", "the model failed"))
        finally:
            self._observer.text_over()
            await self._close(stream)

    async def _close(self, stream: AsyncIterator[str] | None) -> None:
        """Tell the model that no more is wanted."""
        if (close := optional(stream, "aclose")) is None:
            return
        try:
            await close()
        except Exception as err:  # noqa: BLE001 - as above
            self._observer.model_failed(as_part_error(err, "think", "the model failed"))

    def _take(self, pieces: list[Piece]) -> int:
        """Pass pieces on, within the policy's cap; return how many sentences they end."""
        ended = 0
        done = sum(said.piece.ends_sentence for said in self.said)
        for piece in pieces:
            if self._observer.stopped or 0 < self._cap <= done + ended:
                break
            said = Said(piece)
            self.said.append(said)
            ended += piece.ends_sentence
            if piece.spoken:
                said.sentence = Sentence(
                    piece.spoken, reply=self._number, number=len(self.said) - 1, report=self._report
                )
                self.first_sentence_s = self.first_sentence_s or self._clock.now()
                self._observer.text_gave(said)
        return ended

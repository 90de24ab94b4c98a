"""The replies of a conversation: made before they are needed, prepared before their turn is over, let go at the end.

Runs on the discussion's loop.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from voicetui.engine.reply.reply import Reply
from voicetui.engine.words import same_words

if TYPE_CHECKING:
    from collections.abc import Callable

    from voicetui.engine.policy import Policy
    from voicetui.engine.ports import Clock, Message, Report, Responder, Voice
    from voicetui.engine.reply.observer import ReplyObserver
    from voicetui.engine.speech_text import SpeechText


@dataclass(frozen=True, slots=True)
class Prepared:
    """A reply to a turn that is probably over: nothing of it is heard or recorded before the turn is."""

    turn_index: int
    text: str
    reply: Reply

    def answers(self, turn_index: int, text: str) -> bool:
        """Tell whether this is the reply to just that turn, and good."""
        good = not self.reply.over and self.reply.failure is None
        return good and self.turn_index == turn_index and same_words(self.text, text)


class Replies:
    """Makes replies, of which the next one and a prepared one may be there already, and lets go of them."""

    def __init__(
        self,
        responder: Responder,
        voice: Voice,
        policy: Policy,
        clock: Clock,
        observer: ReplyObserver,
        report: Report,
        speech_text: Callable[[], SpeechText],
    ) -> None:
        self.warming: asyncio.Future[list[None]] | None = None
        """The start of model and voice, which the first reply waits for."""
        self._responder, self._voice, self._policy, self._clock = responder, voice, policy, clock
        self._observer, self._report, self._speech_text = observer, report, speech_text
        self._made = 0
        self._next: Reply | None = None
        self._prepared: Prepared | None = None
        self._leaving: set[asyncio.Task[None]] = set()
        """Calls of the model that are cancelled, but not gone yet: the next call waits for them."""
        self._left: set[asyncio.Task[None]] = set()
        """All that is cancelled, or over, but not gone yet."""

    def make_next(self, responder: Responder | None = None) -> None:
        """Make the next reply ahead, so that no time goes into it when a turn is over; another responder counts."""
        if self._next is None or responder is not None:
            self._made += 1
            self._next = Reply(
                self._made,
                responder or self._responder,
                self._voice,
                self._policy,
                self._clock,
                self._observer,
                self._report,
                self._speech_text,
            )

    def start(self, reply: Reply, messages: list[Message]) -> None:
        """Let a reply ask its model, once the parts are warm and the calls before it have let go."""
        reply.start(messages, after=self._leaving, warming=self.warming)

    def is_prepared(self, turn_index: int, text: str) -> bool:
        """Tell whether there is a good reply to just that turn."""
        return self._prepared is not None and self._prepared.answers(turn_index, text)

    def prepare(self, turn_index: int, text: str, messages: list[Message]) -> None:
        """Start a reply to a turn that is probably over."""
        self._prepared = Prepared(turn_index, text, self._take_next())
        self.start(self._prepared.reply, messages)

    def drop_prepared(self) -> None:
        """Throw away what was prepared."""
        prepared, self._prepared = self._prepared, None
        if prepared is not None:
            prepared.reply.drop()
            self.let_go(prepared.reply)

    def take(self, turn_index: int, text: str) -> tuple[Reply, bool]:
        """Return the reply to a turn, and whether it is under way already; what was prepared for another is dropped."""
        if self._prepared is not None and self._prepared.answers(turn_index, text):
            reply, self._prepared = self._prepared.reply, None
            return reply, True
        self.drop_prepared()
        return self._take_next(), False

    def _take_next(self) -> Reply:
        self.make_next()
        reply, self._next = self._next, None
        assert reply is not None
        return reply

    def let_go(self, reply: Reply) -> None:
        """Keep in mind what is not gone yet; for a model call the next one waits, within the policy's limit."""
        for task in reply.unfinished:
            self._left.add(task)
            task.add_done_callback(self._left.discard)
        if (call := reply.model_call) is not None and not call.done():
            self._leaving.add(call)
            call.add_done_callback(self._leaving.discard)

    async def gone(self, limit_s: float) -> None:
        """Wait until nothing of any reply is left, within a limit."""
        if self._left:
            await asyncio.wait(self._left, timeout=limit_s)

"""The loop: listen, answer, speak, give way, fall silent. What a library user holds.

Runs on one asyncio loop; `interrupt` may be called from any thread.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Self

from voicetui.engine import events as ev
from voicetui.engine.answering import Answering
from voicetui.engine.clock import LoopClock
from voicetui.engine.errors import PartError, UsageError
from voicetui.engine.floor import Cause
from voicetui.engine.hearing import Hearing
from voicetui.engine.journal import Journal
from voicetui.engine.policy import Policy
from voicetui.engine.ports import optional
from voicetui.engine.speech_text import SpeechText
from voicetui.engine.words import words_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from types import TracebackType

    from voicetui.engine.conversation import Conversation
    from voicetui.engine.ports import Clock, Listener, Responder, Voice

COULD_NOT_START = "a part could not start"
CLOSE_LIMIT_S = 2.0
"""How long a part may take to release what it holds."""


class Discussion:
    """A spoken conversation between a user and an agent made of three parts.

    An async context manager: leaving it closes the parts. `run()` holds the conversation and returns it. With
    `stay_open` it goes on after the listener's end or failure, so that turns can still be typed, until `end`.
    `speech_text()` makes what turns a reply's text into sentences, for another language or an earlier first clause.
    """

    def __init__(
        self,
        listener: Listener,
        responder: Responder,
        voice: Voice,
        policy: Policy | None = None,
        *,
        clock: Clock | None = None,
        stay_open: bool = False,
        speech_text: Callable[[], SpeechText] = SpeechText,
    ) -> None:
        self._parts: dict[str, Any] = {"listen": listener, "think": responder, "speak": voice}
        self.listener, self._responder, self._voice = listener, responder, voice
        self.policy = policy or Policy()
        self._given_clock = clock
        self._stay_open = stay_open
        self._speech_text = speech_text
        self._over: asyncio.Future[str] | None = None
        self._running: asyncio.Future[None] | None = None
        self._ears: asyncio.Task[None] | None = None
        self._opened = False

    async def __aenter__(self) -> Self:
        """Take the running loop; nothing is opened yet."""
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()
        self._clock: Clock = self._given_clock or LoopClock(self._loop)
        self._journal = Journal(self._clock)
        self._answering = Answering(
            self._responder, self._voice, self.policy, self._clock, self._journal, self._speech_text
        )
        self._hearing = Hearing(self._answering, self.policy, self._clock, self._journal)
        self._answering.when_listening = self._listening
        self._answering.when_thinking = self._hearing.agent_has_floor
        for name, part in self._parts.items():
            if hasattr(part, "on_replaced"):
                part.on_replaced = partial(self._replaced, name)
        self._over = self._loop.create_future()
        self._listener_done = False
        self._warmups: list[asyncio.Future[None]] = []
        self._warming: asyncio.Future[list[None]] | None = None
        self._active_s = self._clock.now()
        self._silence: asyncio.TimerHandle | None = None
        self._opened = True
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the parts: nothing is left of them afterwards."""
        await self.aclose()

    # -- what a user of the library does -----------------------------------------------------------------------------

    @property
    def conversation(self) -> Conversation:
        """Return the conversation so far."""
        return self._answering.conversation

    def events(self) -> AsyncIterator[ev.Event]:
        """Yield every event from the first step of the iteration on, each once and in order, `ended` last."""
        return self._journal.follow()

    def subscribe(self, tell: Callable[[ev.Event], None]) -> Callable[[], None]:
        """Call `tell(event)` on the loop for every event from now on; return how to stop that."""
        return self._journal.subscribe(tell)

    def interrupt(self, source: ev.Source = ev.Source.API) -> bool:
        """Silence the agent and give the floor to the user; return whether there was anything to stop.

        Idempotent, non-blocking, from any thread; the voice is silent when this returns. Thinking is stopped the same
        way as speaking.
        """
        reply = self._answering.reply
        if reply is None or reply.stopped:
            return False
        at = self._clock.now()
        if threading.get_ident() == self._thread and not self._journal.telling:
            return self._cut(source, at)
        reply.silence()
        self._loop.call_soon_threadsafe(lambda: self._answering.reply is reply and self._cut(source, at))
        return True

    def say(self, text: str, source: ev.Source = ev.Source.API) -> None:
        """Take a typed turn. Raises `UsageError` on one without a word, or after the end. On the loop's thread."""
        if not words_of(text):
            raise UsageError("a turn needs at least one word")
        if self._over is None or self._over.done():
            raise UsageError("the conversation is over")
        if self._journal.telling:
            self._loop.call_soon(self._typed, text, source)
        else:
            self._typed(text, source)

    def _typed(self, text: str, source: ev.Source) -> None:
        self._active_s = self._clock.now()
        self._hearing.typed(text.strip(), source)

    def allow_barge_in(self, on: bool) -> None:
        """Let speech over the agent stop it from now on, or not; `interrupt` always does. On the loop's thread."""
        self.policy = replace(self.policy, allow_barge_in=on)
        self._hearing.follow(self.policy)

    def repeat(self) -> bool:
        """Say the agent's last turn again; return False where there is none, or it is not the user's turn.

        On the loop's thread, and not from within an event's follower.
        """
        self._active_s = self._clock.now()
        return self._answering.repeat()

    def end(self, reason: str = "ended") -> None:
        """End the conversation now: what was heard of a reply under way is kept. On the loop's thread."""
        if self._over is not None and not self._over.done():
            self._over.set_result(reason)

    async def run(self) -> Conversation:
        """Warm the parts up, hold the conversation to its end and return it.

        Raises `PartError` when a part cannot start; a part that fails later is an `error` event instead.
        """
        if not self._opened or self._over is None:
            raise RuntimeError("use `async with Discussion(...) as talk: await talk.run()`")
        self._running = self._loop.create_future()
        try:
            return await self._hold(self._over)
        finally:
            self._running.set_result(None)

    async def _hold(self, over: asyncio.Future[str]) -> Conversation:
        if not await self._warmed_up(over):
            self._tell_end(over.result())
            return self.conversation
        self._journal.begin()
        self._active_s = self._clock.now()
        self._answering.pass_floor(Cause.STARTED)
        self._ears = ears = asyncio.create_task(self._listen(), name="discussion-listen")
        self._watch_silence()
        reason = "cancelled"
        try:
            reason = await over
        except Exception:
            reason = COULD_NOT_START
            raise
        finally:
            await self._wind_up(ears, reason)
        return self.conversation

    async def aclose(self) -> None:
        """End the conversation if it runs and release every part, each within a limit. Idempotent."""
        self.end("closed")
        if not self._opened:
            return
        self._opened = False
        if self._running is not None:
            await asyncio.wait({self._running}, timeout=self.policy.settle_limit_s + 2 * CLOSE_LIMIT_S)
        await asyncio.gather(*(self._close(name, part) for name, part in self._parts.items()))
        await asyncio.gather(self._answering.gone(CLOSE_LIMIT_S), self._deaf())

    async def _deaf(self) -> None:
        """Wait until the ears are gone, within a limit."""
        if self._ears is not None:
            await asyncio.wait({self._ears}, timeout=CLOSE_LIMIT_S)

    # -- the course of it --------------------------------------------------------------------------------------------

    async def _warmed_up(self, over: asyncio.Future[str]) -> bool:
        """Warm the ears up, and then the other parts beside the conversation; return False if it was ended meanwhile.

        Whoever speaks to the agent needs the others a turn later: the first reply waits for them.
        """
        ears, *others = (optional(part, "warmup") for part in self._parts.values())
        try:
            if ears is not None:
                listening = asyncio.ensure_future(ears())
                waits_for: set[asyncio.Future[object]] = {listening, over}  # type: ignore[arg-type]  # invariant result
                try:
                    await asyncio.wait(waits_for, return_when=asyncio.FIRST_COMPLETED)
                    if listening.done():
                        listening.result()
                finally:
                    listening.cancel()
                    await asyncio.gather(listening, return_exceptions=True)
        except BaseException as err:
            cancelled = isinstance(err, asyncio.CancelledError)
            self._tell_end("cancelled" if cancelled else COULD_NOT_START)
            raise
        if over.done():
            return False
        self._warmups = [asyncio.ensure_future(warm()) for warm in others if warm is not None]
        if self._warmups:
            self._warming = warming = asyncio.gather(*self._warmups)
            warming.add_done_callback(self._warmed)
            self._answering.wait_for(warming)
        return True

    def _warmed(self, warming: asyncio.Future[list[None]]) -> None:
        """End the conversation if a part could not start."""
        error = None if warming.cancelled() else warming.exception()
        if self._over is None or self._over.done():
            return
        if error is not None:
            self._over.set_exception(error)
        else:
            self._listening()

    async def _listen(self) -> None:
        try:
            stream = self.listener.listen()
            try:
                async for heard in stream:
                    self._active_s = self._clock.now()
                    self._hearing.take(heard)
            finally:
                if (close := optional(stream, "aclose")) is not None:
                    await close()
        except PartError as err:
            self._journal.add(ev.PartFailed(part=err.part, message=err.message, fix=err.fix))
        except Exception as err:  # noqa: BLE001 - a user's own part may raise anything; it is reported as its failure
            self._journal.add(ev.PartFailed(part="listen", message=f"the ears failed: {type(err).__name__}: {err}"))
        self._listener_done = True
        self._hearing.sounding = False
        self._listening()

    def _listening(self) -> None:
        """Go on when the agent is done: the next turn that waits, or the end where no more can come."""
        self._active_s = self._clock.now()
        answering = self._answering
        if answering.floor is not ev.Floor.LISTENING or answering.next_waiting():
            return
        if self._warming is not None and not self._warming.done():
            return
        if self._listener_done and not answering.answer_after_all() and not self._stay_open and answering.at_rest:
            self.end("the listener ended")

    def _replaced(self, name: str, error: PartError) -> None:
        """Say that a part that had failed works again; the conversation went on."""
        message = f"{error.message}; it was replaced"
        self._journal.add(ev.PartFailed(part=name, message=message, fix=error.fix, recovered=True))

    def _cut(self, source: ev.Source, at_s: float) -> bool:
        return self._answering.cut(source, onset_s=at_s, detected_s=at_s)

    def _watch_silence(self) -> None:
        """End the conversation after the policy's silence, which counts only while the user has the floor."""
        limit = self.policy.silence_timeout_s
        if not limit:
            return
        answering = self._answering
        quiet = answering.floor is ev.Floor.LISTENING and not self._hearing.sounding and not answering.owes_answer
        if not quiet:
            self._active_s = self._clock.now()
        elif self._clock.now() >= self._active_s + limit:
            self.end("silence")
            return
        self._silence = self._loop.call_at(self._active_s + limit, self._watch_silence)

    async def _wind_up(self, ears: asyncio.Task[None], reason: str) -> None:
        """Cut what is under way, write down what was said and heard, and tell the end, even if cancelled once more."""
        ears.cancel()
        for warmup in self._warmups:
            warmup.cancel()
        if self._silence is not None:
            self._silence.cancel()
        self._hearing.close()
        self._answering.close()
        self._cut(ev.Source.API, self._clock.now())
        try:
            await self._answering.settled()
            await asyncio.wait({ears, *self._warmups}, timeout=CLOSE_LIMIT_S)
        except asyncio.CancelledError:
            await self._answering.settled()  # within the policy's limit: what was heard is written down all the same
            raise
        finally:
            self._tell_end(reason)

    def _tell_end(self, reason: str) -> None:
        self.end(reason)
        self._answering.write_waiting()
        if self._answering.floor is not ev.Floor.IDLE:
            self._answering.pass_floor(Cause.ENDED)
        self._journal.add(ev.Ended(reason=reason))

    async def _close(self, name: str, part: object) -> None:
        try:
            async with asyncio.timeout(CLOSE_LIMIT_S):
                if (close := optional(part, "aclose")) is not None:
                    await close()
        except Exception as err:  # noqa: BLE001 - closing goes on whatever a user's own part does
            with contextlib.suppress(Exception):
                self._journal.add(ev.PartFailed(part=name, message=f"did not close: {type(err).__name__}: {err}"))

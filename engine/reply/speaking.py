"""The voice's side of a reply: sentences handed to the voice in order, the next one while the last is playing.

Runs on the discussion's loop: one task hands over, and one for each sentence that the voice has waits for its end.
"""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Any, Protocol

from voicetui.engine.errors import PartError, as_part_error
from voicetui.engine.ports import Sentence, optional

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine

    from voicetui.engine.ports import Voice
    from voicetui.engine.said import Said

AHEAD = 2
"""Sentences that the voice holds at once: the one that plays and the next."""


class SpeakingObserver(Protocol):
    """Whose sentences they are."""

    stopped: bool
    """Whether nothing more may be said."""

    def moved_on(self) -> float:
        """Note a sign of life; return its moment."""

    def voice_asked(self, said: Said) -> None:
        """Note that the voice is asked for a sentence."""

    def voice_failed(self, error: PartError, *, at_once: bool) -> None:
        """Take the failure of the voice; `at_once` if it has a later sentence already, which must not be heard."""

    def voice_done(self, said: Said) -> None:
        """Note that the voice gave a sentence back."""

    def all_handed(self) -> None:
        """Note that the voice gets no more sentences."""


class Speaking:
    """Hands sentences over once it may: it is made held back, until `release`."""

    def __init__(self, number: int, voice: Voice, observer: SpeakingObserver) -> None:
        self.lost = False
        """Whether the voice failed: it gets no more sentences."""
        self._number, self._voice, self._observer = number, voice, observer
        self._sentences: asyncio.Queue[Said | None] = asyncio.Queue()
        self._free = asyncio.Semaphore(AHEAD)
        self._may_speak = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        self._preparing: asyncio.Task[None] | None = None
        self._with_voice = 0
        self._all_handed = False
        self._last_handed = -1

    def start(self) -> None:
        """Begin to hand over."""
        self._spawn(self._hand_over(), "speak")

    def add(self, said: Said) -> None:
        """Take the next sentence."""
        self._sentences.put_nowait(said)

    def add_no_more(self) -> None:
        """Note that the last sentence was added."""
        self._sentences.put_nowait(None)

    def release(self) -> None:
        """Hand over from now on."""
        self._may_speak.set()

    def hold(self) -> None:
        """Hand nothing over until `release`."""
        self._may_speak.clear()

    @property
    def held(self) -> bool:
        """Return whether sentences are kept back."""
        return not self._may_speak.is_set()

    @property
    def with_voice(self) -> bool:
        """Return whether the voice has a sentence."""
        return self._with_voice > 0

    @property
    def over(self) -> bool:
        """Return whether the voice gave everything back, and gets no more."""
        return self._all_handed and not self._with_voice

    @property
    def unfinished(self) -> list[asyncio.Task[None]]:
        """Return the tasks that are not gone yet, cancelled though they may be."""
        return [task for task in self._tasks if not task.done()]

    def drop(self) -> None:
        """End what was stopped: the voice, silenced already, gives its sentences back by itself."""
        if self._preparing is not None:
            self._preparing.cancel()
        self.add_no_more()
        self.release()

    def lose(self) -> None:
        """Hand nothing more to a voice that failed."""
        self.lost = True
        while not self._sentences.empty():
            self._sentences.get_nowait()
        self.add_no_more()
        self.release()

    def give_up(self) -> None:
        """Do without what the voice still holds."""
        self._all_handed, self._with_voice = True, 0

    def cancel(self) -> None:
        """Cancel what hangs, but for the task that is running."""
        here = asyncio.current_task()
        for task in self.unfinished:
            if task is not here:
                task.cancel()

    # -- the tasks ---------------------------------------------------------------------------------------------------

    def _spawn(self, work: Coroutine[Any, Any, None], what: str) -> asyncio.Task[None]:
        task = asyncio.create_task(work, name=f"reply-{self._number}-{what}")
        self._tasks.append(task)
        return task

    async def _hand_over(self) -> None:
        prepare = optional(self._voice, "prepare")
        while (said := await self._sentences.get()) is not None and not self._observer.stopped:
            assert said.sentence is not None
            if self.held and prepare is not None and said.sentence.number == 0:
                self._preparing = self._spawn(self._prepare(prepare, said.sentence), "prepare")
            await self._may_speak.wait()
            await self._free.acquire()
            if self._observer.stopped:
                return
            if self.lost:
                break
            self._with_voice += 1
            self._observer.moved_on()
            self._spawn(self._speak(said, said.sentence), f"sentence-{said.sentence.number}")
        self._all_handed = True
        self._observer.all_handed()

    @staticmethod
    async def _prepare(prepare: Callable[[Sentence], Awaitable[None]], sentence: Sentence) -> None:
        with contextlib.suppress(Exception):  # what is wrong shows when the sentence is spoken
            await prepare(sentence)

    async def _speak(self, said: Said, sentence: Sentence) -> None:
        try:
            if not (self._observer.stopped or self.lost):
                self._last_handed = sentence.number
                self._observer.voice_asked(said)
                said.spoken = await self._voice.speak(sentence)
        except Exception as err:  # noqa: BLE001 - a user's own part may raise anything; it is reported as its failure
            error = as_part_error(err, "speak", "the voice failed")
            self._observer.voice_failed(error, at_once=sentence.number < self._last_handed)
        finally:
            self._with_voice -= 1
            self._observer.moved_on()
            self._free.release()
            self._observer.voice_done(said)

"""The ears: from a microphone to turns, with everything that is known on the way.

`listen` runs on the conversation's loop; the detector has its own thread (`windows.py`), the recogniser its own task
(`turn_text.py`) and usually its own process. The ears never pause: what is said over the agent is heard too.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from typing import TYPE_CHECKING

from voicetui.engine import events as ev
from voicetui.engine.listen.endpoint import EndpointRule
from voicetui.engine.listen.turn_follower import TurnFollower
from voicetui.engine.listen.turn_text import Failed, Recovered, Told, TurnText, Words
from voicetui.engine.listen.windows import Detector, EndOfAudio, Found, Window, Windows

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator

    from voicetui.engine.errors import PartError
    from voicetui.engine.listen.recogniser import Recogniser
    from voicetui.engine.ports import AudioIn

PREROLL_S = 0.3
"""So much audio before the first voiced sample belongs to a turn, so that its first word is whole."""


class Ears:
    """A `Listener` on any `AudioIn`, with a recogniser and a speech detector.

    `detector` makes the detector, Silero unless another is given; it is called by `warmup`. `rule` holds the silences
    that pause and end a turn. `Committed.text` is the last eager text; its `marks` are complete. At the end of a file
    the last turn is committed at once and `listen` ends. It raises `PartError` when a part of it fails for good.
    """

    def __init__(
        self,
        audio_in: AudioIn,
        recogniser: Recogniser,
        detector: Callable[[], Detector] | None = None,
        *,
        rule: EndpointRule | None = None,
        preroll_s: float = PREROLL_S,
    ) -> None:
        self._source, self._recogniser = audio_in, recogniser
        self._make_detector = detector or _silero
        self._detector: Detector | None = None
        self._rule, self._preroll_s = rule or EndpointRule(), preroll_s
        self._realtime = bool(getattr(audio_in, "realtime", True))
        self._muted = False
        self._windows: Windows | None = None
        self._text: TurnText | None = None
        self._inbox: asyncio.Queue[Found | None] = asyncio.Queue()
        self._told: deque[Told | ev.PartFailed] = deque()
        self._closed = False

    @property
    def name(self) -> str:
        """What is listened to, and what recognises it."""
        return f"{self._source.name} → {self._recogniser.name}"

    @property
    def level(self) -> float:
        """RMS of what was heard last, 0 … 1: to be polled."""
        return self._windows.level if self._windows is not None else 0.0

    def mute(self, on: bool) -> None:
        """Hear silence instead of the microphone, or the microphone again; any thread."""
        self._muted = on
        if self._windows is not None:
            self._windows.muted = on

    async def warmup(self) -> None:
        """Start the recogniser and load the detector, side by side; a no-op when done. Raises `PartError`."""
        for result in await asyncio.gather(self._recogniser.warmup(), self._load(), return_exceptions=True):
            if isinstance(result, BaseException):
                raise result

    async def listen(self) -> AsyncIterator[ev.Heard]:
        """Yield what is heard as it happens, until the audio ends or `aclose` is called. Once only."""
        await self.warmup()
        assert self._detector is not None
        loop = asyncio.get_running_loop()

        def tell(found: Found) -> None:
            with contextlib.suppress(RuntimeError):  # the loop may be closed already: nobody listens
                loop.call_soon_threadsafe(self._inbox.put_nowait, found)

        if hasattr(self._recogniser, "on_replaced"):
            self._recogniser.on_replaced = lambda error: self._note(_recovered(error))
        self._text = text = TurnText(self._recogniser, self._note)
        self._windows = Windows(self._source, self._detector, tell)
        self._windows.muted = self._muted
        try:
            self._windows.start()
            async for event in self._events(text, TurnFollower(text, self._rule, self._preroll_s, loop.time)):
                yield event
        finally:
            await self._release()

    async def aclose(self) -> None:
        """Release microphone, recogniser, thread and task; idempotent. A `listen` under way ends."""
        self._closed = True
        self._inbox.put_nowait(None)
        await self._release()
        await self._recogniser.aclose()

    async def _load(self) -> None:
        if self._detector is None:
            self._detector = await asyncio.to_thread(self._make_detector)

    async def _release(self) -> None:
        windows, self._windows = self._windows, None
        text, self._text = self._text, None
        if windows is not None:
            await asyncio.to_thread(windows.close)
        if text is not None:
            await text.aclose()

    def _note(self, told: Told | ev.PartFailed) -> None:
        self._told.append(told)
        self._inbox.put_nowait(None)

    async def _events(self, text: TurnText, turns: TurnFollower) -> AsyncIterator[ev.Heard]:
        while not isinstance(found := await self._inbox.get(), EndOfAudio):
            if self._closed:
                return
            for event in self._found(found, turns):
                yield event
            if not self._realtime or turns.must_end:
                await text.settled()  # faster than real time there is no meanwhile
            for event in self._answers(turns):
                yield event
        async for event in self._last_turn(text, turns):
            yield event
        if found.error is not None:
            raise found.error

    def _found(self, found: Window | ev.DeviceChanged | None, turns: TurnFollower) -> Iterator[ev.Heard]:
        match found:
            case Window():
                yield from turns.hear(found)
            case ev.DeviceChanged():
                yield found

    async def _last_turn(self, text: TurnText, turns: TurnFollower) -> AsyncIterator[ev.Heard]:
        """Commit what was said when the audio ended."""
        for event in turns.close_turn():
            yield event
        await text.settled()
        for event in (*self._answers(turns), *turns.commit_now()):
            yield event

    def _answers(self, turns: TurnFollower) -> Iterator[ev.Heard]:
        """Take what the recogniser told."""
        while self._told:
            match self._told.popleft():
                case Words(final=True) as words:
                    yield from turns.final(words)
                case Words() as words:
                    yield from turns.draft(words)
                case ev.PartFailed() as replaced:
                    yield replaced
                case Recovered(error=error):
                    if not hasattr(self._recogniser, "on_replaced") or error.code not in ("died", "stalled"):
                        yield _recovered(error)
                case Failed(error=error):
                    raise error


def _recovered(error: PartError) -> ev.PartFailed:
    return ev.PartFailed(part="listen", message=f"{error.message}; it was replaced", fix=error.fix, recovered=True)


def _silero() -> Detector:
    from voicetui.engine.listen.silero import Silero

    return Silero()

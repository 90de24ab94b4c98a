"""A random user and the ears that hear them: turns, pauses, coughs, "mm-hm", echo, endless speech, lost devices."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, TypeAlias

from voicetui.engine import events as ev
from voicetui.engine.errors import PartError
from voicetui.engine.events import Floor

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from voicetui.engine.simulation.chance import Chance

ENDLESS_S = 12.0
"""How long speech that does not end goes on, longer than any policy here waits for."""
PATIENCE_S = 20.0
"""How long the user waits for the agent to speak or to be done before saying the next thing."""


Act: TypeAlias = "Callable[[], AsyncIterator[ev.Heard | str]]"
"""Something that the user does, as the ears report it."""


class ChanceListener:
    """A fake `Listener`. Every word of the user's own is `u<turn>x<word>`, so that none can be lost unseen."""

    def __init__(self, chance: Chance, sounding: Callable[[], str]) -> None:
        self._chance = chance
        self._sounding = sounding
        """The words that the loudspeaker plays at this moment."""
        self.warmup: Callable[[], Awaitable[None]] | None = None
        self.said: list[str] = []
        """The text of every turn with words of the user's own, in order."""
        self.raised = False
        self.done = False
        self.let_go_s = chance.seconds(0.5) if chance.maybe(0.1) else 0.0
        self._turns = 0
        self._index = 0
        self._floor = Floor.IDLE
        self._passed = asyncio.Event()
        self._announces = chance.maybe(0.85)
        self._onsets = chance.maybe(0.8)

    def follow(self, event: ev.Event) -> None:
        """Know the floor, so that the user can wait for it."""
        if isinstance(event, ev.FloorPassed):
            self._floor = event.floor
            self._passed.set()

    async def listen(self) -> AsyncIterator[ev.Heard | str]:
        """Say a few random things, then end, fail or wait for ever."""
        chance = self._chance
        turns: tuple[Act, ...] = (*[self._turn] * 5, self._plain, self._taken)
        sounds: tuple[Act, ...] = (self._cough, self._cough, self._backchannel, self._echo, self._echo, self._endless)
        sounds += (self._taken, self._turn, self._device, self._blank)
        try:
            for number in range(chance.count(1, 6)):
                over = number > 0 and chance.maybe(0.6)
                await self._wait(Floor.SPEAKING if over else Floor.LISTENING)
                async for heard in chance.pick(sounds if over else turns)():
                    yield heard
            ending = chance.count(0, 19)
            if ending == 0:
                self.raised = True
                raise PartError("listen", "simulated: the microphone is gone")
            if ending == 1:
                self.raised = True
                raise ZeroDivisionError("simulated: a fault in a user's own ears")
            if ending == 2:
                await asyncio.Event().wait()
            self.done = True
        except asyncio.CancelledError:
            if self.let_go_s:
                await asyncio.sleep(self.let_go_s)
                yield ev.Committed(turn_index=self._index, text="too late x0", reason="after the end")
            raise

    async def _wait(self, floor: Floor) -> None:
        """Wait for the floor that fits what comes, mostly, and a little longer."""
        match self._chance.count(0, 9):
            case 0:
                await asyncio.sleep(self._chance.seconds(2.0))
            case 1:
                await self._until(Floor.THINKING)
                await asyncio.sleep(self._chance.seconds(0.2))
            case _:
                await self._until(floor)
                await asyncio.sleep(self._chance.seconds(0.6 if floor is Floor.SPEAKING else 0.3))

    async def _until(self, floor: Floor) -> None:
        timer = asyncio.get_running_loop().call_later(PATIENCE_S if floor is Floor.LISTENING else 3, self._give_up)
        self._patient = True
        try:
            while self._floor is not floor and self._patient:
                self._passed.clear()
                await self._passed.wait()
        finally:
            timer.cancel()

    def _give_up(self) -> None:
        self._patient = False
        self._passed.set()

    def _words(self) -> list[str]:
        chance = self._chance
        words = [f"u{self._turns}x{n}" for n in range(chance.count(1, 5))]
        self._turns += 1
        if chance.maybe(0.1):
            words.insert(chance.count(0, len(words)), chance.pick(("stop", "wait", "what", "yeah", "attends")))
        return words

    def _start(self) -> list[ev.Heard]:
        if not self._announces:
            return []
        now = asyncio.get_running_loop().time()
        onset = max(0.0, now - self._chance.seconds(0.1)) if self._onsets else None
        return [ev.SpeechStart(turn_index=self._index, onset_s=onset)]

    def _end(self) -> list[ev.Heard]:
        return [ev.SpeechEnd(turn_index=self._index)] if self._announces and self._chance.maybe(0.9) else []

    def _commit(self, text: str, **more: object) -> ev.Committed:
        index, self._index = self._index, self._index + 1
        if any(word.lower().startswith("u") and "x" in word for word in text.split()):
            self.said.append(text)
        return ev.Committed(turn_index=index, text=text, **more)  # type: ignore[arg-type]

    # -- what the user does ------------------------------------------------------------------------------------------

    async def _turn(self) -> AsyncIterator[ev.Heard]:
        """Say a turn, perhaps with pauses in it that look like its end."""
        chance = self._chance
        for heard in self._start():
            yield heard
        said: list[str] = []
        words = self._words()
        for word in words:
            await asyncio.sleep(chance.seconds(0.3))
            said.append(word)
            if chance.maybe(0.6):
                yield ev.Draft(turn_index=self._index, text=" ".join(said))
            if len(said) < len(words) and chance.maybe(0.15):
                async for heard in self._pause(" ".join(said)):
                    yield heard
        last_voice = asyncio.get_running_loop().time()
        for heard in self._end():
            yield heard
        await asyncio.sleep(chance.seconds(0.4))
        if chance.maybe(0.4):
            yield ev.EagerEndOfTurn(turn_index=self._index, text=" ".join(said))
            await asyncio.sleep(chance.seconds(0.5))
            if chance.maybe(0.1):  # ears that break their promise: the text grows without a word of it
                said.append(f"u{self._turns}x9")
            elif chance.maybe(0.1):
                yield ev.TurnResumed(turn_index=self._index)
        decided = asyncio.get_running_loop().time()
        await asyncio.sleep(chance.seconds(0.1))
        text = " ".join(said)
        marks = ev.HearingMarks(
            last_voice if chance.maybe(0.8) else None,
            decided if chance.maybe(0.8) else None,
            asyncio.get_running_loop().time() if chance.maybe(0.8) else None,
        )
        text = f"{text[0].upper()}{text[1:]}." if chance.maybe(0.4) else text
        yield self._commit(text, marks=marks if chance.maybe(0.9) else None)

    async def _pause(self, so_far: str) -> AsyncIterator[ev.Heard]:
        chance = self._chance
        for heard in self._end():
            yield heard
        await asyncio.sleep(chance.seconds(0.4))
        eager = chance.maybe(0.6)
        if eager:
            yield ev.EagerEndOfTurn(turn_index=self._index, text=so_far)
            await asyncio.sleep(chance.seconds(1.0))
            yield ev.TurnResumed(turn_index=self._index)
        for heard in self._start():
            yield heard

    async def _plain(self) -> AsyncIterator[ev.Heard | str]:
        """Say a turn through ears that know nothing but text."""
        text = " ".join(self._words())
        await asyncio.sleep(self._chance.seconds(0.5))
        self._commit(text)
        yield text

    async def _cough(self) -> AsyncIterator[ev.Heard]:
        for heard in self._start():
            yield heard
        await asyncio.sleep(self._chance.seconds(0.3))
        if self._chance.maybe(0.15):
            yield ev.Draft(turn_index=self._index, text=self._chance.pick(("the", "what is", "you know so", "stop")))
        for heard in self._end():
            yield heard
        await asyncio.sleep(self._chance.seconds(0.8))
        if self._chance.maybe(0.8):
            noise = self._chance.maybe(0.5)
            yield self._commit("", user_turn=not noise, turn_kind=ev.TurnKind.NOISE if noise else ev.TurnKind.TURN)

    async def _backchannel(self) -> AsyncIterator[ev.Heard]:
        text = self._chance.pick(("mm-hm", "yeah", "d'accord", "I see"))
        for heard in self._start():
            yield heard
        await asyncio.sleep(self._chance.seconds(0.3))
        if self._chance.maybe(0.7):
            yield ev.Draft(turn_index=self._index, text=text)
        for heard in self._end():
            yield heard
        await asyncio.sleep(self._chance.seconds(0.5))
        if self._chance.maybe(0.4):
            yield ev.UserBackchannel(turn_index=self._index, text=text)
        told = self._chance.maybe(0.3)
        yield self._commit(text, user_turn=not told, turn_kind=ev.TurnKind.BACKCHANNEL if told else ev.TurnKind.TURN)

    async def _echo(self) -> AsyncIterator[ev.Heard]:
        """Hear the loudspeaker, a little later, as if the user spoke."""
        await asyncio.sleep(0.08)
        words = self._sounding()
        if not words:
            return
        for heard in self._start():
            yield heard
        await asyncio.sleep(self._chance.seconds(0.5))
        if self._chance.maybe(0.7):
            yield ev.Draft(turn_index=self._index, text=words)
        for heard in self._end():
            yield heard
        await asyncio.sleep(self._chance.seconds(0.5))
        yield self._commit(words)

    async def _taken(self) -> AsyncIterator[ev.Heard]:
        """Interrupt through ears that decide for themselves."""
        for heard in self._start():
            yield heard
        await asyncio.sleep(self._chance.seconds(0.3))
        yield ev.UserTurnTaken(turn_index=self._index)
        await asyncio.sleep(self._chance.seconds(0.5))
        yield self._commit(" ".join(self._words()))

    async def _endless(self) -> AsyncIterator[ev.Heard]:
        for heard in self._start():
            yield heard
        await asyncio.sleep(ENDLESS_S)
        if self._chance.maybe(0.5):
            yield self._commit("", user_turn=False, turn_kind=ev.TurnKind.NOISE)

    async def _device(self) -> AsyncIterator[ev.Heard]:
        yield ev.DeviceChanged(part="listen", message="simulated: another microphone", recovered=True)
        yield ev.PartFailed(part="listen", message="simulated: the recogniser was replaced", recovered=True)

    async def _blank(self) -> AsyncIterator[ev.Heard | str]:
        if self._chance.maybe(0.5):
            self._commit("")
            yield self._chance.pick(("", "  ", "...", "\n"))
        else:
            yield self._commit(self._chance.pick(("", "...", "\u200b")))

    async def aclose(self) -> None:
        """Release nothing."""

"""A voice whose plain methods cannot harm the loop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from voicetui.engine.errors import as_part_error
from voicetui.engine.ports import optional

if TYPE_CHECKING:
    from collections.abc import Callable

    from voicetui.engine.errors import PartError
    from voicetui.engine.ports import Sentence, Spoken, Voice


class GuardedVoice:
    """Passes every call on; what `stop`, `pause` and the like raise is told as the voice's failure instead.

    The loop calls them half-way through passing the floor, where nothing may break off. `pause` and `duck` return
    whether they worked. Optional methods that the voice lacks are None here.
    """

    def __init__(self, voice: Voice, tell: Callable[[PartError], None]) -> None:
        self._voice, self._tell = voice, tell
        self.prepare = optional(voice, "prepare")
        self.pause = self._guarded("pause")
        self.unpause = self._guarded("unpause")
        self.duck = self._guarded("duck")
        self.silent_at = self._asked("silent_at")

    async def speak(self, sentence: Sentence) -> Spoken:
        """Speak a sentence; this may raise."""
        return await self._voice.speak(sentence)

    def stop(self) -> float | None:
        """Fall silent and discard everything; return the seconds discarded, where known."""
        discarded: float | None = self._call(self._voice.stop)[1]
        return discarded

    async def aclose(self) -> None:
        """Release the voice."""
        await self._voice.aclose()

    def _guarded(self, name: str) -> Callable[..., bool] | None:
        method = optional(self._voice, name)
        return None if method is None else lambda *given: self._call(method, *given)[0]

    def _asked(self, name: str) -> Callable[[], Any] | None:
        method = optional(self._voice, name)
        return None if method is None else lambda: self._call(method)[1]

    def _call(self, method: Callable[..., Any], *given: object) -> tuple[bool, Any]:
        """Return whether a method worked, and what it returned."""
        try:
            return True, method(*given)
        except Exception as err:  # noqa: BLE001 - a user's own voice may raise anything; it is told as its failure
            name = getattr(method, "__name__", "a method")
            self._tell(as_part_error(err, "speak", f"the voice failed in {name}"))
            return False, None

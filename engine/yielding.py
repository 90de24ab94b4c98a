"""Giving way: the agent falls silent, or lowers its voice, until it is decided what a sound over it was."""

from __future__ import annotations

from typing import TYPE_CHECKING

from voicetui.engine import events as ev
from voicetui.engine.policy import OnSpeech
from voicetui.engine.ports import optional

if TYPE_CHECKING:
    from voicetui.engine.guarded import GuardedVoice
    from voicetui.engine.journal import Journal
    from voicetui.engine.policy import Policy
    from voicetui.engine.reply import Reply


class GivingWay:
    """Whether the agent gives way now, how, and since when it is silent. A reply not yet heard is merely held back."""

    def __init__(self, voice: GuardedVoice, policy: Policy, journal: Journal) -> None:
        self.mode: OnSpeech | None = None
        self._silent_s: float | None = None
        self._audible = False
        self._voice, self._policy, self._journal = voice, policy, journal

    def begin(self, reply: Reply, *, audible: bool) -> bool:
        """Give way; return False where this voice, which has something to say, can neither pause nor duck."""
        if self.mode is not None:
            return True
        duck = self._policy.on_speech is OnSpeech.DUCK and audible
        act = optional(self._voice, "duck" if duck else "pause")
        if act is None and (audible or reply.with_voice):
            return False
        if act is not None and not (act(True) if duck else act()):
            return False
        self.mode, self._audible = (OnSpeech.DUCK if duck else OnSpeech.PAUSE), audible
        if not duck:
            reply.hold()
            self._silent_s = self.silent_at() if audible else None
        if audible:
            self._journal.add(ev.Yielding(mode=self.mode))
        return True

    def over(self, outcome: str) -> None:
        """End giving way: `resumed` lets the voice carry on, `taken` leaves it to be stopped."""
        mode, self.mode = self.mode, None
        if mode is None:
            return
        if outcome == "resumed":
            self._silent_s = None
            if mode is OnSpeech.DUCK:
                optional(self._voice, "duck")(False)
            elif (unpause := optional(self._voice, "unpause")) is not None:
                unpause()
        if self._audible:
            self._journal.add(ev.YieldOver(mode=mode, outcome=outcome))

    def silent_since(self) -> float | None:
        """Return when the last audible sample is heard, now that the reply was stopped: earlier if it had paused."""
        paused, self._silent_s = self._silent_s, None
        return self.silent_at() if paused is None else paused

    def silent_at(self) -> float | None:
        """Ask the voice when its last audible sample is heard, now that it was told to fall silent."""
        ask = optional(self._voice, "silent_at")
        return None if ask is None else ask()

"""Every choice that a user can make about the loop."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from enum import StrEnum

from voicetui.engine.errors import UsageError


class OnSpeech(StrEnum):
    """What the agent does when somebody speaks over it, until it is decided what the sound was."""

    PAUSE = "pause"
    STOP = "stop"
    DUCK = "duck"


class History(StrEnum):
    """What the model is told that the agent said: what the user heard, or all that it generated."""

    HEARD = "heard"
    GENERATED = "generated"


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Choices about the loop. Times are seconds, 0 or more; bad values raise `UsageError` with the field's name."""

    allow_barge_in: bool = True
    """Whether speech over the agent may stop it. Without it, words spoken over the agent become the next turn."""
    barge_in_grace_s: float = 0.35
    """From first audio on, speech shorter than what is left of this window does not stop the agent."""
    max_reply_sentences: int = 0
    """A reply ends after so many sentences; 0 is no limit."""
    silence_timeout_s: float = 0.0
    """The conversation ends after so long a silence with nobody's turn; 0 is never."""
    on_speech: OnSpeech = OnSpeech.PAUSE
    resume_false_interruptions: bool = True
    """Whether the agent carries on after a cough or "mm-hm"; if not, every give-way is an interruption."""
    eager: bool = True
    """Whether a reply is prepared while it is not yet certain that the user has finished."""
    history: History = History.HEARD

    verdict_s: float = 0.6
    """After a sound over the agent ended without words, how long words are waited for before the agent carries on."""
    unclear_speech_limit_s: float = 8.0
    """Speech that goes on so long over the agent without one recognised word no longer holds it up."""
    first_token_limit_s: float = 60.0
    """A model that says nothing for so long has failed: an error is shown and the floor goes back."""
    token_limit_s: float = 20.0
    """The same between two pieces of a reply."""
    voice_limit_s: float = 15.0
    """A voice from which nothing is heard for so long has failed."""
    settle_limit_s: float = 1.0
    """How long a stopped voice may take to say what was heard, and a cancelled model to end."""

    def __post_init__(self) -> None:
        """Check every value; enumerations may be given as their text."""
        for name, kind in (("on_speech", OnSpeech), ("history", History)):
            value = getattr(self, name)
            try:
                object.__setattr__(self, name, kind(value))
            except ValueError:
                choices = ", ".join(kind)
                raise UsageError(f"policy: {name} is {value!r}, it must be one of {choices}") from None
        for f in fields(self):
            value = getattr(self, f.name)
            if isinstance(value, bool) != (f.type == "bool"):
                raise UsageError(f"policy: {f.name} is {value!r}, it must be {f.type}")
            if f.name.endswith("_s") and not (isinstance(value, int | float) and value >= 0 and math.isfinite(value)):
                raise UsageError(f"policy: {f.name} is {value!r}, it must be seconds, 0 or more")
        if not isinstance(self.max_reply_sentences, int) or self.max_reply_sentences < 0:
            raise UsageError(f"policy: max_reply_sentences is {self.max_reply_sentences!r}, it must be 0 or more")

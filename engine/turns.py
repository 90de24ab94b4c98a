"""What a sound made while the agent has the floor is: a turn, or nothing to stop for.

Pure: evidence in, verdict out. The loop asks again at the moment that the verdict names.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from voicetui.engine.policy import OnSpeech
from voicetui.engine.words import claims_floor, has_stop_word

if TYPE_CHECKING:
    from voicetui.engine.policy import Policy


class Verdict(StrEnum):
    """What the agent does about a sound over it."""

    IGNORE = "ignore"
    """Speak on; the sound is too short or too early to count yet."""
    YIELD = "yield"
    """Give way until it is decided."""
    TAKE = "take"
    """It is a turn: the user has the floor."""
    CARRY_ON = "carry_on"
    """It was none: carry on as if nothing had been."""


@dataclass(slots=True)
class Overlap:
    """The evidence about one sound over the agent; moments on the discussion's clock."""

    began_s: float
    grace_until_s: float
    """Before this moment the sound does not count, unless it lasts beyond it or holds a stop word."""
    over_sound: bool = True
    """Whether the agent was audible; before that there is nothing to stop, and its reply is merely held back."""
    ended_s: float | None = None
    words: str = ""
    onset_s: float | None = None
    """First voiced sample of the user, where the ears measured it."""
    detected_s: float | None = None
    dismissed: bool = False
    """It was once decided that this sound is no turn; only clear words change that."""


def judge(overlap: Overlap, now_s: float, policy: Policy) -> tuple[Verdict, float | None]:
    """Return the verdict on a sound, and when to ask again if nothing new happens (None: never).

    Words decide. Without any, a sound that ended is waited for `verdict_s` longer, and one that goes on and on without
    saying anything clear stops counting after `unclear_speech_limit_s`.
    """
    if has_stop_word(overlap.words):
        return Verdict.TAKE, None
    if now_s < overlap.grace_until_s:
        return Verdict.IGNORE, overlap.grace_until_s if overlap.ended_s is None else None
    if overlap.ended_s is not None and overlap.ended_s <= overlap.grace_until_s and not overlap.words:
        return Verdict.IGNORE, None
    if claims_floor(overlap.words):
        return Verdict.TAKE, None
    if overlap.dismissed:
        return Verdict.IGNORE, None
    if overlap.over_sound and (policy.on_speech is OnSpeech.STOP or not policy.resume_false_interruptions):
        return Verdict.TAKE, None
    until = overlap.began_s + policy.unclear_speech_limit_s
    if overlap.ended_s is not None:
        until = min(until, overlap.ended_s + policy.verdict_s)
    return (Verdict.CARRY_ON, None) if now_s >= until else (Verdict.YIELD, until)

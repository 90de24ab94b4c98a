"""Who holds the floor: a pure transition table, exactly one holder at any time."""

from __future__ import annotations

from enum import StrEnum

from voicetui.engine.events import Floor


class Cause(StrEnum):
    """Why the floor passes."""

    STARTED = "started"
    COMMITTED = "committed"
    FIRST_AUDIO = "first_audio"
    REPLY_SPOKEN = "reply_spoken"
    REPLY_EMPTY = "reply_empty"
    INTERRUPTED = "interrupted"
    USER_RESUMED = "user_resumed"
    FAILED = "failed"
    ENDED = "ended"


_TABLE: dict[tuple[Floor, Cause], Floor] = {
    (Floor.IDLE, Cause.STARTED): Floor.LISTENING,
    (Floor.LISTENING, Cause.COMMITTED): Floor.THINKING,
    (Floor.THINKING, Cause.FIRST_AUDIO): Floor.SPEAKING,
    (Floor.THINKING, Cause.REPLY_EMPTY): Floor.LISTENING,
    (Floor.THINKING, Cause.INTERRUPTED): Floor.LISTENING,
    (Floor.THINKING, Cause.USER_RESUMED): Floor.LISTENING,
    (Floor.THINKING, Cause.FAILED): Floor.LISTENING,
    (Floor.SPEAKING, Cause.REPLY_SPOKEN): Floor.LISTENING,
    (Floor.SPEAKING, Cause.INTERRUPTED): Floor.LISTENING,
    (Floor.SPEAKING, Cause.FAILED): Floor.LISTENING,
} | {(floor, Cause.ENDED): Floor.IDLE for floor in Floor}


def next_floor(floor: Floor, cause: Cause) -> Floor:
    """Return who holds the floor after `cause`. Raises `ValueError` where that cause cannot pass this floor."""
    try:
        return _TABLE[floor, cause]
    except KeyError:
        raise ValueError(f"the floor cannot pass from {floor} by {cause}") from None


def holder(floor: Floor) -> str:
    """Return `nobody`, `user` or `agent`."""
    match floor:
        case Floor.IDLE:
            return "nobody"
        case Floor.LISTENING:
            return "user"
        case _:
            return "agent"

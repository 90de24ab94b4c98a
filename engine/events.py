"""The one vocabulary: what happened in a conversation, for the terminal, library, server and session log alike.

Every event is a frozen dataclass. The journal of a discussion stamps `seq` (rises by one, never repeats) and `at_s`
(seconds since the conversation began). `as_dict` is the JSON form.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import Any, ClassVar


class Floor(StrEnum):
    """Who holds the floor: nobody, the user (listening), or the agent (thinking, then speaking)."""

    IDLE = "idle"
    LISTENING = "listening"
    THINKING = "thinking"
    SPEAKING = "speaking"


class Source(StrEnum):
    """Where an interruption came from."""

    VOICE = "voice"
    KEY = "key"
    HTTP = "http"
    WS = "ws"
    MCP = "mcp"
    REALTIME = "realtime"
    API = "api"


class TurnKind(StrEnum):
    """What a committed stretch of sound turned out to be. Only `turn` is answered."""

    TURN = "turn"
    BACKCHANNEL = "backchannel"
    NOISE = "noise"
    ECHO = "echo"


@dataclass(frozen=True, slots=True)
class HearingMarks:
    """When the ears knew what about one turn: seconds on the discussion's clock, None where it was not measured."""

    last_voice: float | None = None
    decided: float | None = None
    final_text: float | None = None


def as_json(value: Any) -> Any:  # noqa: ANN401 - whatever JSON can hold
    """Return a value for JSON: seconds to the microsecond, mappings and lists likewise."""
    match value:
        case float():
            return round(value, 6)
        case dict():
            return {str(key): as_json(item) for key, item in value.items()}
        case list():
            return [as_json(item) for item in value]
        case _:
            return value


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """What every event carries: its place in the session and its time in seconds since the conversation began."""

    kind: ClassVar[str] = ""
    seq: int = -1
    at_s: float = 0.0

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form: `kind`, `seq`, `at_s`, then the event's own fields."""
        own = {
            f.name: as_json(getattr(self, f.name))
            for f in fields(self)
            if f.name not in ("seq", "at_s") and f.metadata.get("json", True)
        }
        return {"kind": self.kind, "seq": self.seq, "at_s": as_json(self.at_s), **own}


@dataclass(frozen=True, slots=True, kw_only=True)
class FloorPassed(Event):
    """The floor passed to another holder."""

    kind: ClassVar[str] = "floor"
    floor: Floor
    cause: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeechStart(Event):
    """Somebody makes a sound that the detector takes for speech; `audio_ms` counts from the start of the audio."""

    kind: ClassVar[str] = "speech_start"
    turn_index: int = 0
    audio_ms: float | None = None
    onset_s: float | None = field(default=None, metadata={"json": False})
    """First voiced sample on the discussion's clock, where the ears measured it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeechEnd(Event):
    """The sound ended; whether the turn ended with it is not decided yet."""

    kind: ClassVar[str] = "speech_end"
    turn_index: int = 0
    audio_ms: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft(Event):
    """The recogniser's words so far."""

    kind: ClassVar[str] = "draft"
    turn_index: int = 0
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EagerEndOfTurn(Event):
    """The user has probably finished: a reply is prepared, not played."""

    kind: ClassVar[str] = "eager_end_of_turn"
    turn_index: int = 0
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnResumed(Event):
    """The user went on: what was prepared is dropped."""

    kind: ClassVar[str] = "turn_resumed"
    turn_index: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Committed(Event):
    """The turn is over and its text final."""

    kind: ClassVar[str] = "committed"
    turn_index: int = 0
    text: str
    user_turn: bool = True
    turn_kind: TurnKind = TurnKind.TURN
    reason: str = ""
    marks: HearingMarks | None = field(default=None, metadata={"json": False})


@dataclass(frozen=True, slots=True, kw_only=True)
class UserBackchannel(Event):
    """The user said "mm-hm" or the like over the agent: keep talking."""

    kind: ClassVar[str] = "user_backchannel"
    turn_index: int = 0
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class UserTurnTaken(Event):
    """The user takes the floor: the agent is cut."""

    kind: ClassVar[str] = "user_turn_taken"
    turn_index: int = 0
    source: Source = Source.VOICE


@dataclass(frozen=True, slots=True, kw_only=True)
class Yielding(Event):
    """The agent gave way (`pause` or `duck`) while it is decided what the sound was."""

    kind: ClassVar[str] = "yielding"
    mode: str


@dataclass(frozen=True, slots=True, kw_only=True)
class YieldOver(Event):
    """It is decided: `resumed` (the agent carries on) or `taken` (the user has the floor)."""

    kind: ClassVar[str] = "yield_over"
    mode: str
    outcome: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplySentence(Event):
    """A sentence is ready to be spoken."""

    kind: ClassVar[str] = "reply"
    exchange: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Speaking(Event):
    """A sentence becomes audible."""

    kind: ClassVar[str] = "speaking"
    exchange: int
    sentence: int
    text: str
    heard_text: str = ""
    played_s: float = 0.0
    cut: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceSpoken(Event):
    """A sentence ended: `heard_text` is what the user heard of it, in `played_s` seconds."""

    kind: ClassVar[str] = "spoken"
    exchange: int
    sentence: int
    text: str
    heard_text: str
    played_s: float
    cut: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop(Event):
    """The agent was silenced: `discarded_s` of speech is never heard; `silent_ms` from onset (or key) to silence."""

    kind: ClassVar[str] = "stop"
    source: Source
    discarded_s: float | None
    silent_ms: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class UtteranceAdded(Event):
    """A turn enters the transcript. `text` is all that was said or made ready; `heard_text` what was heard of it."""

    kind: ClassVar[str] = "utterance"
    speaker: str
    text: str
    interrupted: bool = False
    heard_text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimingMeasured(Event):
    """An exchange's first audio was heard, or the exchange ended without: its latency by stage."""

    kind: ClassVar[str] = "timing"
    breakdown: dict[str, Any]

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form with the breakdown's own fields at the top level."""
        return {"kind": self.kind, "seq": self.seq, "at_s": as_json(self.at_s), **as_json(self.breakdown)}


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceChanged(Event):
    """A device came or went."""

    kind: ClassVar[str] = "device"
    part: str
    message: str
    fix: str = ""
    recovered: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PartFailed(Event):
    """A part failed; `recovered` says that it works again or was replaced, and `fix` how to mend it."""

    kind: ClassVar[str] = "error"
    part: str
    message: str
    fix: str = ""
    recovered: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended(Event):
    """The conversation is over: always the last event."""

    kind: ClassVar[str] = "ended"
    reason: str


Heard = (
    SpeechStart
    | SpeechEnd
    | Draft
    | EagerEndOfTurn
    | TurnResumed
    | Committed
    | UserBackchannel
    | UserTurnTaken
    | DeviceChanged
    | PartFailed
)
"""What a `Listener` may yield; a plain `str` is a completed turn."""

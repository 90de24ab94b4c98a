"""What can be expected of a rehearsal: its events, the sounds that the voice made and the model's requests, in time.

The last two are no events of the conversation; here they take their place among them, as kinds of their own.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from voicetui.engine import events as ev

if TYPE_CHECKING:
    from voicetui.engine.scenario.stage import Record

SOUND, REQUEST = "sound", "request"
AT_ONCE_S = 1e-6


def _event_kinds() -> dict[str, tuple[str, ...] | None]:
    kinds: dict[str, tuple[str, ...] | None] = {}
    for event in vars(ev).values():
        if not (isinstance(event, type) and issubclass(event, ev.Event) and event.kind):
            continue
        names = [f.name for f in fields(event) if f.metadata.get("json", True)]
        kinds[event.kind] = None if event is ev.TimingMeasured else tuple(names)
    return kinds


KINDS: dict[str, tuple[str, ...] | None] = {
    **_event_kinds(),
    SOUND: ("at_s", "until_s", "text", "reply", "gain"),
    REQUEST: ("at_s", "exchange", "text", "history", "complete", "cancelled"),
}
"""Every kind that can be expected and its fields; None where they are looked up only when it is checked."""


@dataclass(frozen=True, slots=True)
class Seen:
    """One thing that happened. `order` is an event's number; a sound and a request have a time alone."""

    kind: str
    at_s: float
    until_s: float
    values: dict[str, Any]
    order: int | None = None

    def follows(self, other: Seen) -> bool:
        """Tell whether this happened after the other, or goes on after it."""
        if self.order is not None and other.order is not None:
            return self.order > other.order
        if self.until_s > self.at_s:
            return self.until_s > other.at_s + AT_ONCE_S
        return self.at_s >= other.at_s - AT_ONCE_S


def observe(record: Record) -> list[Seen]:
    """Return everything that happened, by time; at the same moment, events first."""
    seen = [Seen(e.kind, e.at_s, e.at_s, flat(e.as_dict()), e.seq) for e in record.events]
    for sound in record.sounds:
        values = {"text": sound.text, "reply": sound.reply, "gain": sound.gain}
        values |= {"at_s": sound.from_s, "until_s": sound.to_s}
        seen.append(Seen(SOUND, sound.from_s, sound.to_s, values))
    for request in record.requests:
        values = {
            "at_s": request.at_s,
            "exchange": request.exchange,
            "text": request.messages[-1]["content"],
            "history": " / ".join(message["content"] for message in request.messages),
            "complete": request.complete,
            "cancelled": request.cancelled,
        }
        seen.append(Seen(REQUEST, request.at_s, request.at_s, values))
    return sorted(seen, key=lambda s: s.at_s)


def flat(values: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return a mapping with the keys of inner mappings joined by dots: `marks.last_voice`."""
    joined: dict[str, Any] = {}
    for key, value in values.items():
        joined |= flat(value, f"{prefix}{key}.") if isinstance(value, dict) else {prefix + key: value}
    return joined

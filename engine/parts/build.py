"""Building the parts of a conversation: listener, responder and voice, as the options and this machine have it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from voicetui.engine.errors import PartError
from voicetui.engine.parts.selection import pick_detector, pick_recogniser, pick_voice

if TYPE_CHECKING:
    from voicetui.engine.parts.options import TalkOptions
    from voicetui.engine.ports import Listener, Responder, Voice


@dataclass(slots=True)
class Parts:
    """What a conversation is held with; `notes` are lines that the user should read before it begins."""

    listener: Listener
    responder: Responder
    voice: Voice
    microphone: bool
    """Whether it listens to a microphone, which has no end, rather than to files."""
    notes: list[str] = field(default_factory=list)


def choose(options: TalkOptions) -> Parts:
    """Build the parts; raise `PartError` with the command that mends it where one cannot be had."""
    detector, recogniser, voice = pick_detector(), pick_recogniser(options), pick_voice(options)
    for choice, part in ((detector, "listen"), (recogniser, "listen"), (voice, "speak")):
        choice.require(part)
    raise PartError("listen", "this version cannot listen yet")

"""A conversation as text and as JSON, for `talk` and `rehearse` alike."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from voicetui.engine import Conversation, Timing, Utterance

_OBEYED = re.compile(r"[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""What JSON lets stand as it is, and a terminal obeys or cannot show."""
_UNPRINTABLE = re.compile(rf"(?:[\x00-\x1f]|{_OBEYED.pattern})+")


def one_line(text: str) -> str:
    """Return a text on one line, with nothing in it that a terminal would obey."""
    return _UNPRINTABLE.sub(" ", text).strip()


def turn_line(turn: Utterance) -> str:
    """Return a turn: who spoke, what was heard, and whether it was cut."""
    who = "you" if turn.speaker == "user" else "it"
    cut = " (cut off)" if turn.interrupted else " (broke off)" if turn.incomplete else ""
    return f"{who:>3}: {one_line(turn.text)}{cut}"


def timing_line(timing: Timing) -> str:
    """Return where an exchange's latency went, in a line."""
    total = timing.to_first_audio_s
    if total is None:
        return f"turn {timing.exchange}: no first audio"
    return f"turn {timing.exchange}: {total * 1000:.0f} ms to first audio, slowest stage {timing.slowest_stage}"


def as_text(conversation: Conversation) -> str:
    """Return the whole report: a line a turn, then a line an exchange."""
    lines = [turn_line(turn) for turn in conversation.utterances]
    return "\n".join([*lines, *(timing_line(timing) for timing in conversation.timings)])


def as_json(conversation: Conversation) -> str:
    """Return the JSON report, indented."""
    text = json.dumps(conversation.as_dict(), ensure_ascii=False, indent=2)
    return _OBEYED.sub(lambda found: f"\\u{ord(found[0]):04x}", text)

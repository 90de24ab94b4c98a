"""What was said: turns as they were heard, their timings, and the messages that a model is given."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from voicetui.engine.events import Floor, as_json

if TYPE_CHECKING:
    from voicetui.engine.ports import Message
    from voicetui.engine.timing import Timing

USER, AGENT = "user", "agent"
CUT_NOTE = "The user cut you off there and heard no more than that."


@dataclass(frozen=True, slots=True)
class Utterance:
    """One turn in the transcript.

    `text` is what was heard; `unheard_text` what was ready but never heard. `interrupted`: the user cut it;
    `incomplete`: a part failed before its end. `heard_s` is how many seconds of it were heard (None: not known).
    """

    speaker: str
    text: str
    interrupted: bool = False
    heard_s: float | None = None
    unheard_text: str = ""
    incomplete: bool = False
    at_s: float = 0.0

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "speaker": self.speaker,
            "text": self.text,
            "interrupted": self.interrupted,
            "heard_s": self.heard_s,
            "unheard_text": self.unheard_text,
            "incomplete": self.incomplete,
            "at_s": self.at_s,
        }


@dataclass(slots=True)
class Conversation:
    """A conversation so far: its turns, who holds the floor, and where each exchange's latency went."""

    utterances: list[Utterance] = field(default_factory=list)
    timings: list[Timing] = field(default_factory=list)
    floor: Floor = Floor.IDLE

    @property
    def interruption_rate(self) -> float:
        """Return the share of the agent's turns that the user cut, 0 to 1."""
        turns = [u for u in self.utterances if u.speaker == AGENT]
        return sum(u.interrupted for u in turns) / len(turns) if turns else 0.0

    def as_messages(self, *, generated: bool = False) -> list[Message]:
        """Return the dialogue for a model, oldest first, no message blank.

        The agent's turns hold what was heard, and a note says where the user cut in; with `generated` they hold all
        that was made. User turns that were never answered are joined to the next one, so that roles alternate.
        """
        dialogue = Dialogue(generated=generated)
        for turn in self.utterances:
            dialogue.add(turn)
        return dialogue.messages()

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON report of the conversation."""
        report = {
            "utterances": [u.as_dict() for u in self.utterances],
            "timings": [t.as_dict() for t in self.timings],
            "interruption_rate": self.interruption_rate,
        }
        return dict(as_json(report))


class Dialogue:
    """A growing dialogue as a model is given it: each turn is turned into messages once."""

    def __init__(self, *, generated: bool) -> None:
        self._generated = generated
        self._messages: list[Message] = []

    def add(self, turn: Utterance) -> None:
        """Add the next turn."""
        if turn.speaker == USER:
            add_user(self._messages, turn.text)
            return
        text = f"{turn.text} {turn.unheard_text}".strip() if self._generated else turn.text
        if not text:
            return
        if self._said_again(text):
            return
        self._messages.append({"role": "assistant", "content": text})
        if turn.interrupted and not self._generated:
            self._messages.append({"role": "system", "content": CUT_NOTE})

    def _said_again(self, text: str) -> bool:
        """Take away what was said before where it is said again; return whether more was heard of that than now."""
        begin = len(self._messages)
        while begin and self._messages[begin - 1]["role"] != "user":
            begin -= 1
        before = self._messages[begin:]
        if before and len(before[0]["content"]) > len(text):
            return True
        del self._messages[begin:]
        return False

    def messages(self) -> list[Message]:
        """Return the messages so far. The list is the caller's own, the messages are not to be changed."""
        return list(self._messages)


def add_user(messages: list[Message], text: str) -> None:
    """Append what the user said, in place; words that follow unanswered ones join them."""
    if messages and messages[-1]["role"] == "user":
        messages[-1] = {"role": "user", "content": f"{messages[-1]['content']} {text}"}
    else:
        messages.append({"role": "user", "content": text})

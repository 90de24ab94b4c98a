"""A fake bridge: the application's side of the engine with nothing behind it, and a record of what was asked."""

from __future__ import annotations

from types import SimpleNamespace

from voicetui.engine.errors import UsageError
from voicetui.engine.words import words_of


class FakeBridge:
    """Notes what the screen asks of the engine; `answers` says whether there is something to interrupt."""

    def __init__(self, *, answers=True):
        self.answers = answers
        self.asked = []
        self.error = None
        self.engine = SimpleNamespace(
            can_mute=True,
            mute=lambda on: self.asked.append(("mute", on)),
            allow_barge_in=lambda on: self.asked.append(("barge-in", on)),
            repeat=lambda: self.asked.append(("repeat",)),
            end=lambda reason: self.asked.append(("end", reason)),
        )

    def interrupt(self):
        self.asked.append(("interrupt",))
        return self.answers

    def say(self, text):
        if not words_of(text):
            raise UsageError("a turn needs at least one word")
        self.asked.append(("say", text))

    def take(self):
        return []

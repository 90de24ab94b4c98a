"""`voicetui` on the full screen: the parts of the conversation, and what the screen is told of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from voicetui.engine.errors import PartError
from voicetui.engine.ports import optional
from voicetui.tui.commands.discussion import discussion_of
from voicetui.tui.session import Session
from voicetui.tui.view import Facts

if TYPE_CHECKING:
    from voicetui.engine.discussion import Discussion
    from voicetui.engine.parts import Parts, TalkOptions


class Conversation:
    """Builds the conversation on the engine's thread; answers the screen's questions about its parts from any."""

    def __init__(self, options: TalkOptions) -> None:
        self._options = options
        self._parts: Parts | None = None

    def make(self) -> Discussion:
        """Build it; where a part is missing, one in which turns are typed and replies shown."""
        from voicetui.engine.parts import choose
        from voicetui.engine.parts.stand_in import typing_only

        try:
            self._parts = choose(self._options)
        except PartError as error:
            self._parts = typing_only(self._options, error)
        return discussion_of(self._parts, self._options, stay_open=True)

    def facts(self) -> Facts:
        """Return the parts in use, as far as they are known."""
        parts = self._parts
        if parts is None:
            return Facts()
        mic, _, hear = _name(parts.listener).partition(" → ")
        note = getattr(parts.responder, "note", "")
        notes = (*parts.notes, *([note] if note else []))
        out = getattr(parts.voice, "out_name", "")
        return Facts(mic, out, hear, _name(parts.responder), _name(parts.voice), notes)

    def mic_level(self) -> float | None:
        """Return the level of what is heard, 0 … 1."""
        return None if self._parts is None else getattr(self._parts.listener, "level", None)

    def out_level(self) -> float | None:
        """Return the level of what is said, 0 … 1."""
        return None if self._parts is None else getattr(self._parts.voice, "level", None)

    def xruns(self) -> int:
        """Return how often the synthesis was slower than the speech."""
        return 0 if self._parts is None else int(getattr(self._parts.voice, "underruns", 0))


def hold(options: TalkOptions) -> int:
    """Hold a conversation on the full screen; return the exit code."""
    from voicetui.tui.run import run_app

    talk = Conversation(options)
    return run_app(
        Session(
            make=talk.make,
            facts=talk.facts,
            gauges=talk,
            barge_in=options.policy.allow_barge_in,
            options=options,
        )
    )


def _name(part: object) -> str:
    name = getattr(part, "name", "")
    return name if isinstance(name, str) and optional(part, "name") is None else ""

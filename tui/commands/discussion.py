"""The discussion that a conversation of the command line is held with."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from voicetui.engine.discussion import Discussion
from voicetui.engine.speech_text import SpeechText

if TYPE_CHECKING:
    from voicetui.engine.parts import Parts, TalkOptions

FIRST_CLAUSE_WORDS = 4
"""A reply begins to be spoken at the first clause of so many words: earlier, at no cost that was heard."""


def discussion_of(parts: Parts, options: TalkOptions, *, stay_open: bool) -> Discussion:
    """Return a discussion of these parts by these options; on the engine's thread."""
    talk = Discussion(
        parts.listener,
        parts.responder,
        parts.voice,
        options.policy,
        stay_open=stay_open,
        speech_text=partial(SpeechText, options.language, first_clause_words=FIRST_CLAUSE_WORDS),
    )
    parts.attach(talk)
    return talk

"""What a conversation goes on with where a part is missing: turns are typed, replies are read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from voicetui.engine.errors import PartError
from voicetui.engine.fakes import SilentVoice
from voicetui.engine.parts.build import Parts, responder_of

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from voicetui.engine.events import Heard
    from voicetui.engine.parts.options import TalkOptions
    from voicetui.engine.ports import Message, Responder

WORD_S = 0.2
"""A reply that is shown and not spoken holds the floor for about as long as it takes to read."""


class NoEars:
    """A `Listener` without ears: it says why, once."""

    name = "none: type your turns"

    def __init__(self, reason: PartError) -> None:
        self._reason = reason

    async def listen(self) -> AsyncGenerator[Heard]:
        """Raise the reason."""
        raise self._reason
        yield

    async def aclose(self) -> None:
        """Nothing to release."""


class NoMind:
    """A `Responder` without a model: every reply fails with the reason."""

    name = "none"

    def __init__(self, reason: PartError) -> None:
        self._reason = reason

    async def reply(self, messages: list[Message]) -> AsyncGenerator[str]:
        """Raise the reason."""
        del messages
        raise self._reason
        yield ""

    async def aclose(self) -> None:
        """Nothing to release."""


class ShownVoice(SilentVoice):
    """A `Voice` that makes no sound: replies are read."""

    name = "none: replies are shown"
    reports_audio = False

    def __init__(self) -> None:
        super().__init__(first_pcm_s=0.0, word_s=WORD_S)


def typing_only(options: TalkOptions, reason: PartError) -> Parts:
    """Return the parts of a conversation that is typed and shown, because a part is missing for `reason`."""
    try:
        responder: Responder = responder_of(options)
    except PartError as error:
        responder = NoMind(error)
    return Parts(NoEars(reason), responder, ShownVoice(), microphone=True)

"""What has to be fetched before a conversation can be held."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from voicetui.engine.errors import PartError
from voicetui.engine.parts.ask_ollama import model_to_talk_with, ollama_models
from voicetui.engine.parts.selection import (
    Choice,
    names_embedded,
    pick_detector,
    pick_embedded,
    pick_recogniser,
    pick_voice,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from voicetui.engine.models.catalogue import Model
    from voicetui.engine.parts.options import TalkOptions


def needed_models(options: TalkOptions) -> list[Model]:
    """Return the models of the catalogue that these options need and that are not here, in the order of the parts.

    A part whose library is missing asks for none: no model would make it run. Quick: libraries are only looked for, and
    Ollama is asked for at most a second.
    """
    picks: list[Callable[[], Choice]] = [pick_detector, lambda: pick_recogniser(options), lambda: pick_voice(options)]
    if not _ollama_will_do(options):
        picks.insert(2, lambda: pick_embedded(options))
    missing = []
    for pick in picks:
        try:
            choice = pick()
        except PartError:
            continue
        if choice.path is None and choice.model is not None:
            missing.append(choice.model)
    return missing


def _ollama_will_do(options: TalkOptions) -> bool:
    """Whether Ollama answers the user, so that no embedded model is needed."""
    if names_embedded(options):
        return False
    if options.model:
        return True  # one of Ollama's, there or not: the embedded model would not be used
    return find_spec("ollama") is not None and model_to_talk_with(ollama_models(options.ollama_host) or []) is not None

"""The models as the screens show them: which are here, which would be used, and what Ollama has.

`look` takes a moment (files, and Ollama for at most a second): never call it on Textual's thread.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, get_args

from voicetui.engine.errors import VoicetuiError
from voicetui.engine.models.catalogue import Purpose, catalogue
from voicetui.engine.models.store import find
from voicetui.engine.parts.ask_ollama import has_model, model_to_talk_with, ollama_address, ollama_models
from voicetui.engine.parts.probing import INSTALL_THINK
from voicetui.engine.parts.selection import (
    RUNTIMES,
    names_embedded,
    pick_detector,
    pick_embedded,
    pick_recogniser,
    pick_voice,
)
from voicetui.engine.parts.trial import is_installed
from voicetui.engine.think.ollama import SUGGESTED

if TYPE_CHECKING:
    from collections.abc import Callable

    from voicetui.engine.models import Found, Model
    from voicetui.engine.parts.options import TalkOptions
    from voicetui.engine.parts.selection import Choice

PURPOSES: tuple[Purpose, ...] = get_args(Purpose)


@dataclass(frozen=True, slots=True)
class Ollama:
    """What Ollama has; `names` is None where it does not answer. `fix` is what is to be done before it can be used."""

    address: str = ""
    names: tuple[str, ...] | None = None
    used: str = ""
    """The model of it that a conversation would use; "" where none would be."""
    error: str = ""
    fix: str = ""


@dataclass(frozen=True, slots=True)
class Shelf:
    """All models of the catalogue, and Ollama's."""

    options: TalkOptions
    models: tuple[Model, ...] = ()
    found: dict[str, Found] = field(default_factory=dict)
    """Those that are here, by id."""
    installs: dict[str, str] = field(default_factory=dict)
    """The runtimes whose library is missing, each with the command that brings it."""
    picked: dict[Purpose, str] = field(default_factory=dict)
    """What a conversation that begins now would use: a model's id, or the name of a file of the user's."""
    faults: dict[Purpose, VoicetuiError] = field(default_factory=dict)
    """Why there is nothing to use."""
    ollama: Ollama = Ollama()

    def used(self, model: Model) -> bool:
        """Tell whether a conversation that begins now would use a model, once it is here."""
        return self.picked.get(model.purpose) == model.id


def look(options: TalkOptions) -> Shelf:
    """Return what there is now."""
    models = tuple(catalogue())
    shelf = Shelf(
        options,
        models,
        found={model.id: found for model in models if (found := find(model)) is not None},
        installs={name: runtime.install for name, runtime in RUNTIMES.items() if not runtime.is_here()},
        ollama=_ollama(options),
    )
    picks: dict[Purpose, Callable[[], Choice]] = {
        "hear": lambda: pick_recogniser(options),
        "speak": lambda: pick_voice(options),
        "detect": pick_detector,
    }
    if not shelf.ollama.used and (not options.model or names_embedded(options)):
        picks["think"] = lambda: pick_embedded(options)
    for purpose, pick in picks.items():
        try:
            shelf.picked[purpose] = pick().name
        except VoicetuiError as error:
            shelf.faults[purpose] = error
    return shelf


def _ollama(options: TalkOptions) -> Ollama:
    try:
        address = ollama_address(options.ollama_host)
    except VoicetuiError as error:
        return Ollama(error=error.message, fix="voicetui config edit")
    names = ollama_models(options.ollama_host)
    if names is None:
        return Ollama(address, error=f"Ollama does not answer at {address}", fix="ollama serve")
    if not is_installed("ollama"):
        return Ollama(address, tuple(names), error="its client library is not installed", fix=INSTALL_THINK)
    wanted = options.model or model_to_talk_with(names) or ""
    if names_embedded(options):
        return Ollama(address, tuple(names))
    if not wanted or not has_model(names, wanted):
        what = f"it has no model {options.model}" if options.model else "it has no model to talk with"
        return Ollama(address, tuple(names), error=what, fix=f"ollama pull {options.model or SUGGESTED}")
    return Ollama(address, tuple(names), used=wanted if wanted in names else f"{wanted}:latest")

"""Which model each part would use: what is asked for, what is for the language, what its library is here for.

Quick and without side effects: libraries are looked for, not imported. `choose` builds on it, `probe` tries it out.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from voicetui.engine.errors import PartError
from voicetui.engine.models.catalogue import Model, catalogue
from voicetui.engine.parts.trial import is_installed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from voicetui.engine.parts.options import TalkOptions


@dataclass(frozen=True, slots=True)
class Runtime:
    """A library that runs models: the modules that it needs, and the extra of this package that brings them."""

    modules: tuple[str, ...]
    extra: str

    @property
    def install(self) -> str:
        """The command that brings it."""
        return f"pip install 'voicetui[{self.extra}]'"

    def is_here(self) -> bool:
        """Whether its modules can be found; whether they also work is another question."""
        return all(is_installed(module) for module in self.modules)


RUNTIMES = {
    "vosk": Runtime(("vosk",), "listen"),
    "moonshine": Runtime(("moonshine_voice",), "embedded"),
    "onnx": Runtime(("numpy", "onnxruntime", "samplerate"), "listen"),
    "llama": Runtime(("xllamacpp",), "embedded"),
    "piper": Runtime(("piper",), "speak"),
}
DETECTOR = "silero-vad"


@dataclass(frozen=True, slots=True)
class Choice:
    """What a part would run: a model of the catalogue or a file of the user's (then `model` is None).

    `path` is None where the model has to be fetched first.
    """

    name: str
    runtime: str
    model: Model | None
    path: Path | None

    def require(self, part: str) -> Path:
        """Return the path, or raise `PartError` with the command that fetches the model."""
        if self.path is None:
            fix = f"voicetui models get {self.name}"
            raise PartError(part, f"the model {self.name} is not on this machine", fix=fix, code="no-model")
        return self.path


def has_runtime(name: str) -> bool:
    """Whether the library of a runtime can be found here."""
    return name in RUNTIMES and RUNTIMES[name].is_here()


def pick_detector(usable: Callable[[str], bool] = has_runtime) -> Choice:
    """Return the speech detector."""
    return _pick("listen", [catalogue().find(DETECTOR)], "a speech detector", usable)


def pick_recogniser(options: TalkOptions, usable: Callable[[str], bool] = has_runtime) -> Choice:
    """Return the recogniser's model: the one named, else Vosk's where one for the language is here, else the first."""
    asked = options.recogniser.lower()
    models = [m for m in catalogue().choose("hear", "" if asked else options.language) if asked in ("", m.id.lower())]
    if asked and not models:
        raise _no_such("listen", "recogniser", options.recogniser)
    return _pick("listen", sorted(models, key=_vosk_first), f"a recogniser for {options.language!r}", usable)


def pick_voice(options: TalkOptions, usable: Callable[[str], bool] = has_runtime) -> Choice:
    """Return the voice: a file, a voice of the catalogue by its id or its speaker's name, or one for the language."""
    asked = options.voice
    if asked.endswith(".onnx"):
        return _own_file("speak", asked, "piper", also=f"{asked}.json")
    models: Iterable[Model] = catalogue().choose("speak", "" if asked else options.language)
    if asked:
        models = [m for m in models if asked.lower() in (m.id.lower(), *m.id.lower().split("-"))]
        if not models:
            raise _no_such("speak", "voice", asked)
    return _pick("speak", models, f"a voice for {options.language!r}", usable)


def pick_embedded(options: TalkOptions, usable: Callable[[str], bool] = has_runtime) -> Choice:
    """Return the embedded language model; its language matters less than that there is one."""
    if options.model.endswith(".gguf"):
        return _own_file("think", options.model, "llama")
    models = catalogue().choose("think")
    named = [m for m in models if m.id.lower() == options.model.lower()]
    return _pick("think", named or models, "an embedded model", usable)


def names_embedded(options: TalkOptions) -> bool:
    """Whether the options name a model that is not Ollama's."""
    known = {m.id.lower() for m in catalogue().choose("think")}
    return options.model.endswith(".gguf") or options.model.lower() in known


def instead_of_device(speaker: str) -> bool:
    """Whether what is given as the loudspeaker is none: `none`, or a WAV file to write."""
    return speaker == "none" or speaker.lower().endswith(".wav")


def _pick(part: str, models: Iterable[Model], what: str, usable: Callable[[str], bool] = has_runtime) -> Choice:
    """Return the first model that is here, else the first that can be fetched, among those whose library is here."""
    models = list(models)
    if not models:
        raise PartError(
            part, f"the catalogue has no {what.removeprefix('a ').removeprefix('an ')}", fix=_own_hint(part)
        )
    ready = [m for m in models if usable(m.runtime)]
    if not ready:
        runtime = RUNTIMES.get(models[0].runtime)
        fix = runtime.install if runtime else ""
        raise PartError(part, f"{what} needs a library that is not installed", fix=fix, code="missing")
    for model in ready:
        if path := model.locate():
            return Choice(model.id, model.runtime, model, path)
    return Choice(ready[0].id, ready[0].runtime, ready[0], None)


def _own_file(part: str, name: str, runtime: str, also: str = "") -> Choice:
    for needed in filter(None, (name, also)):
        if not Path(needed).is_file():
            raise PartError(part, f"there is no file {needed}", fix="voicetui models list", code="no-model")
    return Choice(Path(name).stem, runtime, None, Path(name))


def _no_such(part: str, what: str, name: str) -> PartError:
    return PartError(part, f"there is no {what} {name!r}", fix="voicetui models list", code="no-model")


def _own_hint(part: str) -> str:
    if part == "speak":
        return "name a voice: voicetui models list, then voicetui talk --voice ID"
    return "voicetui models list shows the languages; a model of your own goes into models.toml"


def _vosk_first(model: Model) -> bool:
    return model.runtime != "vosk"

"""What can really run here: each library is imported, each device listed, Ollama asked, each file looked at.

Never raises for a part that is missing: it is said in that part's state, with the one command that mends it.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from voicetui.engine.errors import PartError, UsageError
from voicetui.engine.parts.ask_ollama import has_model, model_to_talk_with, ollama_address, ollama_models
from voicetui.engine.parts.options import TalkOptions
from voicetui.engine.parts.selection import (
    RUNTIMES,
    Choice,
    has_runtime,
    instead_of_device,
    names_embedded,
    pick_detector,
    pick_embedded,
    pick_recogniser,
    pick_voice,
)
from voicetui.engine.parts.sound import Answer, ask_sound
from voicetui.engine.parts.trial import is_installed, try_import
from voicetui.engine.think.ollama import SUGGESTED

if TYPE_CHECKING:
    from collections.abc import Callable

    Pick = Callable[[Callable[[str], bool]], Choice]

INSTALL_THINK = "pip install 'voicetui[think]'"
NATIVE = {"libgomp.so": "libgomp1", "libatomic.so": "libatomic1", "libstdc++.so": "libstdc++6"}
"""System libraries that the packages need and do not bring, and Debian's packages that do."""


@dataclass(frozen=True, slots=True)
class PartState:
    """Whether a part can run here: what would run, more about it, and the command that mends it."""

    available: bool
    name: str = ""
    detail: str = ""
    fix: str = ""
    code: str = ""
    """Why not, for programs, as in `PartError`: `missing` (a library), `no-model`, `no-device`, …"""


def probe(options: TalkOptions | None = None) -> dict[str, PartState]:
    """Try every part for these options; takes some seconds, as heavy libraries are loaded in child processes.

    The keys, in order: `microphone`, `detect` (speech detector), `recognise`, `listen` (those three together), `think`,
    `speak` and `play` (the loudspeaker).
    """
    asked = options or TalkOptions()
    with ThreadPoolExecutor(max_workers=5, thread_name_prefix="voicetui-probe") as pool:
        sound = pool.submit(ask_sound, asked.device, "" if instead_of_device(asked.speaker) else asked.speaker)
        detect = pool.submit(_settle, pick_detector)
        recognise = pool.submit(_settle, lambda usable: pick_recogniser(asked, usable))
        think = pool.submit(_think, asked)
        speak = pool.submit(_settle, lambda usable: pick_voice(asked, usable))
    microphone = _device(sound.result().input)
    return {
        "microphone": microphone,
        "detect": detect.result(),
        "recognise": recognise.result(),
        "listen": _together(recognise.result(), detect.result(), microphone),
        "think": think.result(),
        "speak": speak.result(),
        "play": _loudspeaker(asked.speaker, sound.result().output),
    }


def _settle(pick: Pick) -> PartState:
    """Try the library of what is picked; where it does not work, see what would be picked without it."""
    broken: dict[str, str] = {}
    while True:
        try:
            choice = pick(lambda runtime: runtime not in broken and has_runtime(runtime))
        except PartError as error:
            reasons = "; ".join(f"{name}: {why}" for name, why in broken.items())
            fix = next((f"sudo apt-get install {p}" for lib, p in NATIVE.items() if lib in reasons), error.fix)
            return PartState(available=False, detail=reasons or error.message, fix=fix, code=error.code)
        if reason := try_import(*RUNTIMES[choice.runtime].modules):
            broken[choice.runtime] = reason
            continue
        if choice.path is None:
            fix = f"voicetui models get {choice.name}"
            return PartState(
                available=False, name=choice.name, detail="the model is not here yet", fix=fix, code="no-model"
            )
        note = f"; {choice.model.note}" if choice.model and choice.model.note else ""
        return PartState(available=True, name=choice.name, detail=f"{choice.runtime}{note}")


def _together(recognise: PartState, detect: PartState, microphone: PartState) -> PartState:
    for part in (recognise, detect, microphone):
        if not part.available:
            return replace(part, name=recognise.name)
    return recognise


def _think(options: TalkOptions) -> PartState:
    """Ollama where it answers with the model that is wanted, else the embedded model."""
    ollama = PartState(available=False) if names_embedded(options) else _ollama(options)
    if ollama.available or (options.model and not names_embedded(options)):
        return ollama
    embedded = _settle(lambda usable: pick_embedded(options, usable))
    return replace(embedded, detail="; ".join(filter(None, (embedded.detail, ollama.detail))))


def _ollama(options: TalkOptions) -> PartState:
    try:
        address = ollama_address(options.ollama_host)
    except UsageError as error:
        return PartState(available=False, detail=error.message, fix="voicetui config edit")
    names = ollama_models(options.ollama_host)
    if names is None:
        return PartState(
            available=False, detail=f"Ollama does not answer at {address}", fix="ollama serve", code="no-answer"
        )
    wanted = options.model or model_to_talk_with(names)
    if wanted is None or not has_model(names, wanted):
        detail = f"Ollama at {address} has no model {options.model}".rstrip()
        fix = f"ollama pull {options.model or SUGGESTED}"
        return PartState(available=False, name=options.model, detail=detail, fix=fix, code="no-model")
    if not is_installed("ollama"):
        detail = f"Ollama answers at {address}, its client library is not installed"
        return PartState(available=False, name=wanted, detail=detail, fix=INSTALL_THINK, code="missing")
    return PartState(available=True, name=wanted, detail=f"Ollama at {address}")


def _device(answer: Answer) -> PartState:
    if answer.error:
        return PartState(available=False, detail=answer.error, fix=answer.fix, code=answer.code)
    return PartState(available=True, name=answer.value["name"], detail=f"{answer.value['rate_hz']} Hz")


def _loudspeaker(wanted: str, answer: Answer) -> PartState:
    if instead_of_device(wanted):
        return PartState(available=True, name=wanted, detail="as asked, instead of a loudspeaker")
    return _device(answer)

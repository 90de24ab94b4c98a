"""What is still missing for a conversation: models to fetch, and what a command has to mend.

Both functions take a moment: never call them on Textual's thread.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from voicetui.engine.errors import PartError
from voicetui.engine.parts import needed_models, probe
from voicetui.engine.parts.selection import pick_detector, pick_recogniser, pick_voice

if TYPE_CHECKING:
    from collections.abc import Callable

    from voicetui.engine.models import Model
    from voicetui.engine.parts.options import TalkOptions
    from voicetui.engine.parts.selection import Choice

PARTS = {
    "microphone": "microphone",
    "detect": "speech detector",
    "recognise": "recogniser",
    "think": "model",
    "speak": "voice",
    "play": "loudspeaker",
}
"""The parts as `probe` names them, in words."""
INSTEAD = {
    "microphone": "the conversation begins with a recorded question",
    "play": "the reply is written to a file",
}
"""What happens without a device."""


@dataclass(frozen=True, slots=True)
class Needs:
    """The models that are missing, and the parts that need more than a model."""

    models: tuple[Model, ...] = ()
    problems: tuple[PartError, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.models or self.problems)


def look(options: TalkOptions) -> Needs:
    """Return what is missing, as far as it can be told within a second: libraries are looked for, not tried."""
    picks: list[Callable[[], Choice]] = [pick_detector, lambda: pick_recogniser(options), lambda: pick_voice(options)]
    problems = []
    for pick in picks:
        try:
            pick()
        except PartError as error:
            problems.append(error)
    return Needs(tuple(needed_models(options)), _once(problems))


def try_out(options: TalkOptions) -> tuple[PartError, ...]:
    """Return what cannot run here though its model may come: each library is tried, each device listed; seconds."""
    problems = []
    for name, state in probe(options).items():
        if state.available or state.code == "no-model" or name not in PARTS:
            continue
        reason = state.detail or "it does not work here"
        instead = f": {INSTEAD[name]}" if state.code == "no-device" and name in INSTEAD else ""
        problems.append(PartError(PARTS[name], f"{reason}{instead}", fix=state.fix, code=state.code))
    return _once(problems)


def _once(problems: list[PartError]) -> tuple[PartError, ...]:
    """Return each problem once: one command may mend several parts."""
    return tuple({(problem.message, problem.fix): problem for problem in problems}.values())

"""Sound devices, asked for in a child process: what PortAudio and its drivers print stays there; so does a crash."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from voicetui.engine.parts.trial import run_child

ASK = """
import json, sys
from dataclasses import asdict
from voicetui.engine.audio.devices import choose_device, list_devices
from voicetui.engine.errors import VoicetuiError

def tell(ask):
    try:
        return {"answer": ask()}
    except VoicetuiError as error:
        return {"error": error.message, "fix": error.fix, "code": getattr(error, "code", "usage")}

json.dump({
    "devices": tell(lambda: [asdict(device) for device in list_devices()]),
    "input": tell(lambda: asdict(choose_device("input", sys.argv[1]))),
    "output": tell(lambda: asdict(choose_device("output", sys.argv[2]))),
}, sys.stdout)
"""


@dataclass(frozen=True, slots=True)
class Answer:
    """What was asked for (JSON of `Device`, or a list of them), or why there is none and what mends it."""

    value: Any = None
    error: str = ""
    fix: str = ""
    code: str = ""
    """As in `PartError`: `missing` where the sound library does not work, `no-device` where there is no device."""


@dataclass(frozen=True, slots=True)
class Sound:
    """All devices, and those that a microphone's and a loudspeaker's name mean ("" the system's default)."""

    devices: Answer
    input: Answer
    output: Answer


def ask_sound(microphone: str = "", loudspeaker: str = "") -> Sound:
    """Ask which devices there are and which are meant; takes about half a second."""
    output, reason = run_child(ASK, microphone, loudspeaker)
    try:
        told = json.loads(output)
        return Sound(*(_answer(told[name]) for name in ("devices", "input", "output")))
    except (ValueError, KeyError, TypeError):
        why = reason or "it lists nothing"
        silent = Answer(error=f"the sound system does not answer: {why}", fix="voicetui devices", code="missing")
        return Sound(silent, silent, silent)


def _answer(told: dict[str, Any]) -> Answer:
    return Answer(told.get("answer"), told.get("error", ""), told.get("fix", ""), told.get("code", ""))

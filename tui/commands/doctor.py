"""`voicetui doctor`: what can run here, part by part, what is missing, and the one command that mends it.

The main job is a conversation. It needs ears (a recogniser and a speech detector), a mind, a voice, and a sound library
that works. Whether a microphone and a loudspeaker are connected does not decide the exit code: without the first
`voicetui` talks to the bundled question, without the second the reply goes to `reply.wav`, and both are said.
"""

from __future__ import annotations

import json
import textwrap
from dataclasses import asdict
from typing import TYPE_CHECKING

from voicetui.engine.parts import PartState, probe
from voicetui.tui.commands.settings import talk_options

if TYPE_CHECKING:
    import argparse

NEEDED = ("detect", "recognise", "think", "speak")
DEVICES = ("microphone", "play")
SHOWN = {
    "microphone": "microphone",
    "detect": "speech detector",
    "recognise": "recogniser",
    "think": "model",
    "speak": "voice",
    "play": "loudspeaker",
}
WIDTH = 80
LABEL = 17
STATE = 9


def run(args: argparse.Namespace) -> int:
    """Print the states; 0 where a conversation can be held, else 1."""
    states = probe(talk_options(args))
    missing = [name for name in NEEDED if not states[name].available]
    missing += [name for name in DEVICES if states[name].code == "missing"]
    if args.json:
        print(json.dumps({"ok": not missing, "parts": {name: asdict(s) for name, s in states.items()}}, indent=2))
        return 1 if missing else 0
    for name, label in SHOWN.items():
        for line in _rows(label, states[name]):
            print(line)
    print()
    print(textwrap.fill(_summary(states, missing), WIDTH))
    return 1 if missing else 0


def _rows(label: str, state: PartState) -> list[str]:
    """Return a part's lines, none wider than a terminal of 80 columns, save for a command that must not be broken."""
    text = ", ".join(filter(None, (state.name, state.detail)))
    indent = " " * (LABEL + STATE)
    first = f"{label:<{LABEL}}{'ok' if state.available else 'missing':<{STATE}}"
    lines = textwrap.wrap(text, WIDTH, initial_indent=first, subsequent_indent=indent, break_on_hyphens=False)
    if not state.available and state.fix:
        lines.append(f"{indent}mend it: {state.fix}")
    return lines or [first.rstrip()]


def _summary(states: dict[str, PartState], missing: list[str]) -> str:
    if missing:
        names = [SHOWN[name] for name in missing]
        return f"No conversation yet: {', '.join(names)} missing. What runs without any part: voicetui rehearse"
    words = ["voicetui holds a conversation here."]
    if not states["microphone"].available:
        words.append("No microphone: it talks to the bundled question.")
    if not states["play"].available:
        words.append("No loudspeaker: the reply goes to reply.wav.")
    return " ".join(words)

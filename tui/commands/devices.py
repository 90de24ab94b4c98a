"""`voicetui devices`: the microphones and loudspeakers, by the numbers and names that `talk` takes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from voicetui.engine.errors import PartError, UsageError
from voicetui.engine.parts.sound import ask_sound

if TYPE_CHECKING:
    import argparse


def run(args: argparse.Namespace) -> int:
    """Print the devices, the default ones marked."""
    if args.test:
        raise UsageError("devices --test is not part of this version yet")
    answer = ask_sound().devices
    if answer.error:
        raise PartError("play", answer.error, fix=answer.fix, code="missing")
    devices = answer.value
    if args.json:
        print(json.dumps(devices, indent=2, ensure_ascii=False))
        return 0
    for title, side in (("Microphones", "input"), ("Loudspeakers", "output")):
        print(f"{title}:")
        lines = [_line(d, side) for d in devices if d[f"{side}s"] > 0]
        print("\n".join(lines) or "  none")
    return 0


def _line(device: dict[str, Any], side: str) -> str:
    mark = "*" if device[f"default_{side}"] else " "
    count = device[f"{side}s"]
    channels = "mono" if count == 1 else f"{count} channels"
    default = ", the default" if device[f"default_{side}"] else ""
    return f"{mark} {device['index']:>3}  {device['name']}  ({device['rate_hz']} Hz, {channels}{default})"

"""What the Devices screen says: a row a device, and the words on the one under the cursor. Knows no widgets."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from voicetui.tui.text import one_line
from voicetui.tui.widgets.meters import FLOOR_DB, HOT_CELLS
from voicetui.tui.widgets.picker import Item, columns, item, remark
from voicetui.tui.widgets.signs import signs_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from voicetui.engine.audio.devices import Device
    from voicetui.tui.sound import Listing
    from voicetui.tui.text import Row
    from voicetui.tui.view import View

HEADS = {"input": "Microphones", "output": "Loudspeakers"}
SETTING = {"input": "device", "output": "speaker"}
NONE = {"input": "no microphone is connected", "output": "no loudspeaker is connected"}
DEFAULT_NAME = "the system's default"
METER_CELLS = 40
WIDE = 90
NARROW = 60
"""Columns below which a device's channels give way to its name."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Something to choose: a device, or None for the system's default."""

    kind: str
    device: Device | None

    @property
    def setting(self) -> str:
        """Return the name of the setting that it is written to."""
        return SETTING[self.kind]


def choices_of(listing: Listing) -> dict[str, Choice]:
    """Return all choices by a key that stays the same while other devices come and go."""
    found: dict[str, Choice] = {}
    for kind in HEADS:
        found[f"{kind} default"] = Choice(kind, None)
        for device in listing.devices:
            if device.channels(kind) > 0:
                key = f"{kind} {device.host_api} {device.name}"
                while key in found:
                    key += "+"
                found[key] = Choice(kind, device)
    return found


def value_of(choice: Choice, devices: Sequence[Device]) -> str:
    """Return what the setting is to say: the name, or the number where the name means several devices."""
    if choice.device is None:
        return ""
    name = choice.device.name
    alike = Counter(d.name.casefold() for d in devices if d.channels(choice.kind) > 0)
    return str(choice.device.index) if alike[name.casefold()] > 1 or name.isdecimal() else name


def is_meant(choice: Choice, setting: str, devices: Sequence[Device]) -> bool:
    """Tell whether a setting means this choice, as `choose_device` reads it."""
    if choice.device is None or not setting:
        return choice.device is None and not setting
    usable = [d for d in devices if d.channels(choice.kind) > 0]
    if setting.isdecimal() and any(d.index == int(setting) for d in usable):
        return choice.device.index == int(setting)
    text = setting.casefold()
    exact = [d for d in usable if d.name.casefold() == text]
    return [choice.device] == (exact or [d for d in usable if text in d.name.casefold()])


def default_of(kind: str, devices: Sequence[Device]) -> Device | None:
    """Return the device that the system uses when none is named."""
    usable = [d for d in devices if d.channels(kind) > 0]
    return next((d for d in usable if d.is_default(kind)), usable[0] if usable else None)


def is_in_use(device: Device | None, told: str) -> bool:
    """Tell whether what is told of a part in use (`name · rate`) is about this device."""
    return device is not None and (told == device.name or told.startswith(f"{device.name} "))


def device_items(listing: Listing, settings: dict[str, str], view: View, width: int) -> list[Item]:
    """Return the rows of both kinds."""
    told = {"input": view.facts.mic, "output": view.facts.out}
    listed: list[Item] = []
    by_key = choices_of(listing)
    for kind, head in HEADS.items():
        listed += [remark([])] * bool(listed) + [remark([(head, "title")])]
        of_kind = {key: choice for key, choice in by_key.items() if choice.kind == kind}
        if len(of_kind) == 1:
            listed.append(remark([(f"  {NONE[kind]}", "faint")]))
            continue
        for key, choice in of_kind.items():
            chosen = is_meant(choice, settings[choice.setting], listing.devices)
            used = is_in_use(choice.device, told[kind])
            listed.append(item(key, _row(choice, view, width, chosen=chosen, used=used)))
    return listed


def _row(choice: Choice, view: View, width: int, *, chosen: bool, used: bool) -> Row:
    device = choice.device
    words = ["chosen"] * chosen + ["in use"] * used
    words += ["default"] * (device is not None and device.is_default(choice.kind))
    mark = (signs_of(view).chosen if chosen else " ", "key", 1)
    said = (f" {view.glyphs.dot} ".join(words), "key" if chosen else "label", 25 if width >= WIDE else 16)
    if device is None:
        return columns([mark, (DEFAULT_NAME, "words", 0), said], width, view)
    cells = [mark, (one_line(device.name), "words", 0)]
    if width >= WIDE:
        cells.append((one_line(device.host_api), "faint", 14))
    cells.append((rate(device.rate_hz), "faint", 8))
    if width >= NARROW:
        cells.append((channels(device, choice.kind), "faint", 6))
    return columns([*cells, said], width, view)


def rate(rate_hz: int) -> str:
    """Return a sampling rate as people write it: `44.1 kHz`."""
    return f"{rate_hz / 1000:g} kHz"


def channels(device: Device, kind: str) -> str:
    """Return how many channels a device has."""
    count = device.channels(kind)
    return {1: "mono", 2: "stereo"}.get(count, f"{count} ch")


def about(choice: Choice, devices: Sequence[Device], view: View) -> Row:
    """Return what is known of a choice."""
    device = choice.device or default_of(choice.kind, devices)
    if device is None:
        return [(NONE[choice.kind], "words")]
    name = one_line(device.name)
    dot = f" {view.glyphs.dot} "
    first = f"{DEFAULT_NAME}: now {name}" if choice.device is None else name
    more = dot.join([one_line(device.host_api), rate(device.rate_hz), channels(device, choice.kind)])
    return [(first, "words"), (f"{dot}{more}" if device.host_api else f"{dot}{more[len(dot) :]}", "faint")]


def level_row(db: float | None, width: int, view: View) -> Row:
    """Return a meter as wide as there is room, with its figure; None: nothing has been measured yet."""
    if db is None:
        return [("level  ", "faint"), (f"opening{view.glyphs.ellipsis}", "faint")]
    cells = max(10, min(METER_CELLS, width - 16))
    on = max(0, min(cells, math.ceil((db - FLOOR_DB) / -FLOOR_DB * cells)))
    hot = max(0, on - cells * (10 - HOT_CELLS) // 10)
    figure = f"{db:4.0f} dB" if db > FLOOR_DB else "silence"
    return [
        ("level  ", "faint"),
        (view.glyphs.level_on * (on - hot), "level-on"),
        (view.glyphs.level_on * hot, "level-hot"),
        (view.glyphs.level_off * (cells - on), "level-off"),
        (f"  {figure}", "label"),
    ]

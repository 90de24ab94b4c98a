"""The sound devices as the Devices screen needs them: what there is now, one's level, one's test tone.

All of it happens in child processes (`engine/audio/sound_check.py`), so that no stream of the conversation is touched.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from voicetui.engine.audio.devices import Device
from voicetui.engine.workers import Worker

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

_TARGET = "voicetui.engine.audio.sound_check"
STALL_S = 15.0
"""A sound system that does not answer for so long has hung; a device that has to be woken takes seconds."""


@dataclass(frozen=True, slots=True)
class Listing:
    """The devices that there are, or why none can be listed and what mends it."""

    devices: tuple[Device, ...] = ()
    error: str = ""
    fix: str = ""


class SoundCheck(Protocol):
    """What the Devices screen asks. One level or tone at a time."""

    def watch(self) -> AsyncGenerator[Listing]:
        """Yield the devices, and again whenever one has come or gone. Raises `PartError`."""

    def listen(self, device: Device | None) -> AsyncGenerator[float]:
        """Yield the root mean square of what a microphone hears, some 30 times a second. Raises `PartError`."""

    async def play_tone(self, device: Device | None) -> None:
        """Return when the test tone has been played. Raises `PartError`."""

    async def aclose(self) -> None:
        """Release every device."""


class ChildSoundCheck:
    """The real one. Belongs to one asyncio loop."""

    def __init__(self) -> None:
        self._watcher = Worker("play", f"{_TARGET}:watch", {})
        self._trier = Worker("listen", f"{_TARGET}:try_device", {})

    async def watch(self) -> AsyncGenerator[Listing]:
        """Yield the devices."""
        async with contextlib.aclosing(self._watcher.stream({}, stall_s=STALL_S)) as answers:
            async for told, _ in answers:
                if told:
                    devices = tuple(Device(**device) for device in told["devices"])
                    yield Listing(devices, told.get("error", ""), told.get("fix", ""))

    async def listen(self, device: Device | None) -> AsyncGenerator[float]:
        """Yield levels."""
        async with contextlib.aclosing(self._trier.stream({"listen": _plain(device)}, stall_s=STALL_S)) as answers:
            async for told, _ in answers:
                yield told["level"]

    async def play_tone(self, device: Device | None) -> None:
        """Play the tone."""
        async with contextlib.aclosing(self._trier.stream({"tone": _plain(device)}, stall_s=STALL_S)) as answers:
            async for _ in answers:
                pass

    async def aclose(self) -> None:
        """End the children; what they hold is released with them."""
        await self._trier.aclose()
        await self._watcher.aclose()


def _plain(device: Device | None) -> dict[str, object] | None:
    if device is None:
        return None
    return {"index": device.index, "name": device.name, "host_api": device.host_api}

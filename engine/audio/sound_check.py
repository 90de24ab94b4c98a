"""Trying devices out, in child processes of their own: what there is now, a microphone's level, a test tone.

PortAudio lists the devices once and takes note of new ones only when it is started anew, which ends every stream of the
process. In a child there is no stream of a conversation to end, and what drivers print stays there. Both functions are
targets of a `Worker`.
"""

from __future__ import annotations

import contextlib
import math
import time
from dataclasses import asdict
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

from voicetui.engine.audio.devices import list_devices, sound_library
from voicetui.engine.errors import PartError, VoicetuiError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from voicetui.engine.ports import Samples
    from voicetui.engine.worker_child import Cancelled, Frame, Handler, Header

LOOK_EVERY_S = 2.0
STEP_S = 0.1
"""How soon it is seen that nobody wants an answer any more."""
READING_BLOCKS = 3
"""Blocks of 10 ms in one reading of a level: 33 readings a second."""
TONE_HZ = 440.0
TONE_S = 0.8
TONE_PEAK = 0.2
FADE_S = 0.02


def watch(config: Header) -> Handler:
    """Answer with the devices, and with them again whenever they have changed; `{}` says that they have not."""
    every_s = config.get("every_s", LOOK_EVERY_S)

    def handler(_request: Header, _payload: bytes, cancelled: Cancelled) -> Iterator[Frame]:
        last: Header | None = None
        while not cancelled():
            told = _tell()
            yield ({} if told == last else told), b""
            last = told
            end = time.monotonic() + every_s
            while time.monotonic() < end and not cancelled():
                time.sleep(min(STEP_S, every_s))

    return handler


def try_device(_config: Header) -> Handler:
    """Answer `{"listen": device}` with `{"level": rms}` until cancelled, `{"tone": device}` with `{}` when it is over.

    `device` is a `Device` as a dict, or None for the system's default. Raises what opening it raises.
    """

    def handler(request: Header, _payload: bytes, cancelled: Cancelled) -> Iterator[Frame]:
        _look_again()
        if "tone" in request:
            yield from _tone(_index("output", request["tone"]), cancelled)
        else:
            yield from _levels(_index("input", request["listen"]), cancelled)

    return handler


def _look_again() -> None:
    """Start PortAudio anew, so that it sees what is connected now; there is no stream in this process."""
    sd = sound_library()
    with contextlib.suppress(sd.PortAudioError):
        sd._terminate()  # noqa: SLF001 - there is no other way
    try:
        sd._initialize()  # noqa: SLF001
    except sd.PortAudioError as error:
        raise PartError("play", f"the sound system does not answer: {error}", code="no-device") from None


def _tell() -> Header:
    try:
        _look_again()
        return {"devices": [asdict(device) for device in list_devices()]}
    except VoicetuiError as error:
        return {"devices": [], "error": error.message, "fix": error.fix}


def _index(kind: str, wanted: dict[str, Any] | None) -> int | None:
    """Return the number that a device has now: numbers change with what is connected."""
    if wanted is None:
        return None
    same = [d for d in list_devices() if (d.name, d.host_api) == (wanted["name"], wanted["host_api"])]
    same = [d for d in same if d.channels(kind) > 0]
    if not same:
        raise PartError("play", f"{wanted['name']!r} is not connected any more", code="no-device")
    return next((d.index for d in same if d.index == wanted["index"]), same[0].index)


def _levels(index: int | None, cancelled: Cancelled) -> Iterator[Frame]:
    from voicetui.engine.audio.device import DeviceIn

    blocks: SimpleQueue[Samples | Exception | None] = SimpleQueue()
    microphone = DeviceIn(index)
    try:
        microphone.start(lambda block, _at_s: blocks.put(block), blocks.put)
        squares, count, seen = 0.0, 0, 0
        while not cancelled():
            try:
                block = blocks.get(timeout=STEP_S)
            except Empty:
                continue
            if block is None or isinstance(block, Exception):
                raise block or PartError("listen", f"microphone {microphone.name!r} has ended")
            squares, count, seen = squares + float(block @ block), count + len(block), seen + 1
            if seen == READING_BLOCKS:
                yield {"level": math.sqrt(squares / count)}, b""
                squares, count, seen = 0.0, 0, 0
    finally:
        microphone.close()


def _tone(index: int | None, cancelled: Cancelled) -> Iterator[Frame]:
    from voicetui.engine.audio.device import DeviceOut

    failed: list[Exception | None] = []
    loudspeaker = DeviceOut(index)
    samples = tone(loudspeaker.rate_hz)
    played = 0
    heard_s = math.inf  # when the last sample is heard: closing a device discards what is on its way

    def fill(block: Samples, heard_at_s: float) -> None:
        nonlocal played, heard_s
        piece = samples[played : played + len(block)]
        block[: len(piece)] = piece
        block[len(piece) :] = 0.0
        played += len(piece)
        if not len(piece):
            heard_s = min(heard_s, heard_at_s + STEP_S)

    try:
        loudspeaker.start(fill, failed.append)
        while not cancelled() and not failed and time.monotonic() < heard_s:
            yield {"playing": True}, b""
            time.sleep(STEP_S)
    finally:
        loudspeaker.close()
    if failed and failed[0] is not None:
        raise failed[0]


def tone(rate_hz: int) -> Samples:
    """Return the test tone: shape (n,), float32, `TONE_S` seconds at `rate_hz`, faded in and out."""
    import numpy as np

    t_s = np.arange(round(TONE_S * rate_hz)) / rate_hz
    envelope = np.minimum(1.0, np.minimum(t_s, TONE_S - t_s) / FADE_S)
    return (TONE_PEAK * envelope * np.sin(2 * math.pi * TONE_HZ * t_s)).astype(np.float32)

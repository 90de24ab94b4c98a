"""Sound devices: which there are, the one that a user means, and a stream on it at whatever rate it takes.

`sounddevice` is imported when it is first needed: without the package or the PortAudio library everything else works.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

from voicetui.engine.errors import PartError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_PART = {"input": "listen", "output": "play"}
_NAME = {"input": "microphone", "output": "loudspeaker"}
_LIBRARY_FIX = {"linux": "sudo apt-get install libportaudio2", "darwin": "brew install portaudio"}
_BUSY = -9985


@dataclass(frozen=True, slots=True)
class Device:
    """A sound device as the system names it; `rate_hz` is its own rate."""

    index: int
    name: str
    host_api: str
    inputs: int
    outputs: int
    rate_hz: int
    default_input: bool = False
    default_output: bool = False

    def channels(self, kind: str) -> int:
        """Return its channels as an `input` or an `output`."""
        return self.inputs if kind == "input" else self.outputs

    def is_default(self, kind: str) -> bool:
        """Tell whether the system uses it when none is named."""
        return self.default_input if kind == "input" else self.default_output


def sound_library(part: str = "play") -> Any:  # noqa: ANN401 - an untyped module
    """Return the module `sounddevice`. Raises `PartError` (`missing`) naming what is not installed."""
    try:
        import sounddevice
    except ImportError:
        raise PartError(
            part,
            "sound devices need the package sounddevice",
            fix="pip install 'voicetui[play]'",
            code="missing",
        ) from None
    except OSError as error:  # the package is there, the library that it loads is not
        fix = _LIBRARY_FIX.get(sys.platform, "pip install --force-reinstall sounddevice")
        raise PartError(part, f"sound devices need PortAudio: {error}", fix=fix, code="missing") from None
    return sounddevice


def list_devices() -> list[Device]:
    """Return the devices of this system, as they were when the library was first used. Raises `PartError`."""
    sd = sound_library()
    default_in, default_out = _defaults(sd)
    try:
        found = list(sd.query_devices())
        apis = [api["name"] for api in sd.query_hostapis()] if hasattr(sd, "query_hostapis") else []
    except sd.PortAudioError as error:
        raise PartError("play", f"the sound system does not answer: {_reason(error)}", code="no-device") from None
    return [_device(index, info, apis, default_in, default_out) for index, info in enumerate(found)]


def choose_device(kind: str, wanted: str | int | None) -> Device:
    """Return the `input` or `output` device meant by a name, part of a name, or index; None is the system's default.

    Raises `UsageError` listing the choices where none or several match, `PartError` (`no-device`) where there is none.
    """
    usable = [device for device in list_devices() if device.channels(kind) > 0]
    if not usable:
        raise PartError(
            _PART[kind],
            f"no {kind} device: no {_NAME[kind]} was found",
            fix=f"connect a {_NAME[kind]}, then: voicetui devices",
            code="no-device",
        )
    if wanted is None or wanted == "":
        return next((device for device in usable if device.is_default(kind)), usable[0])
    matches = _matches(usable, wanted)
    if len(matches) != 1:
        what = "several devices match" if matches else "there is no"
        choices = "; ".join(f"{device.index} {device.name}" for device in matches or usable)
        raise UsageError(f"{what} {_NAME[kind]} {str(wanted)!r}: choose from {choices}")
    return matches[0]


@dataclass(frozen=True, slots=True)
class Opened:
    """A stream that is open and not started, and how it was opened."""

    stream: Any
    rate_hz: int
    channels: int


def open_stream(
    kind: str,
    device: Device,
    rates_hz: Iterable[int],
    callback: Callable[[int], Callable[..., None]],
    finished: Callable[[], None],
) -> Opened:
    """Open a float32 stream of 10 ms blocks at the first rate and channel count that the device takes.

    `callback(rate_hz)` makes the stream's callback for a rate. Raises `PartError` with device and rates tried.
    """
    sd = sound_library(_PART[kind])
    stream_class = sd.InputStream if kind == "input" else sd.OutputStream
    rates = list(dict.fromkeys(rates_hz))
    most = max(device.channels(kind), 1)
    error: Exception | None = None
    for rate, channels in product(rates, sorted({1, min(2, most), most})):
        try:
            stream = stream_class(
                samplerate=rate,
                blocksize=rate // 100,
                device=device.index,
                channels=channels,
                dtype="float32",
                latency="low",
                callback=callback(rate),
                finished_callback=finished,
            )
        except (sd.PortAudioError, ValueError) as refused:
            error = refused
            if _is_busy(error):
                break
            continue
        return Opened(stream, rate, channels)
    tried = ", ".join(map(str, rates))
    busy = _is_busy(error)
    raise PartError(
        _PART[kind],
        f"{_NAME[kind]} {device.name!r} cannot be opened at {tried} Hz: {_reason(error)}",
        fix="close the program that uses it" if busy else "voicetui devices",
        code="busy" if busy else "refused",
    )


def _defaults(sd: Any) -> tuple[int, int]:  # noqa: ANN401 - an untyped module
    try:
        default_in, default_out = sd.default.device
        return int(default_in), int(default_out)
    except (AttributeError, TypeError, ValueError):
        return -1, -1


def _device(index: int, info: dict[str, Any], apis: list[str], default_in: int, default_out: int) -> Device:
    index = info.get("index", index)
    api = info.get("hostapi", -1)
    return Device(
        index=index,
        name=info["name"],
        host_api=apis[api] if 0 <= api < len(apis) else "",
        inputs=info["max_input_channels"],
        outputs=info["max_output_channels"],
        rate_hz=round(info.get("default_samplerate") or 48_000),
        default_input=index == default_in,
        default_output=index == default_out,
    )


def _matches(devices: list[Device], wanted: str | int) -> list[Device]:
    if isinstance(wanted, int) or wanted.isdecimal():
        by_index = [device for device in devices if device.index == int(wanted)]
        if by_index or isinstance(wanted, int):
            return by_index
    text = wanted.casefold()
    exact = [device for device in devices if device.name.casefold() == text]
    return exact or [device for device in devices if text in device.name.casefold()]


def _is_busy(error: Exception | None) -> bool:
    return error is not None and _BUSY in error.args[1:2]


def _reason(error: Exception | None) -> str:
    """Return an error's first line."""
    return str(error.args[0] if error is not None and error.args else error).strip().splitlines()[0]

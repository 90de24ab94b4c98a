"""Microphone and loudspeaker on PortAudio, in blocks of 10 ms at whatever rate the device takes.

The audio callbacks do the least: the microphone's queues its block, the loudspeaker's has it filled. Threads of their
own (`voicetui-microphone`, `voicetui-loudspeaker`) do the rest and notice within a second when a device is gone.
"""

from __future__ import annotations

import math
import threading
import time
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

import numpy as np
from voicetui.engine.audio.devices import Device, Opened, choose_device, list_devices, open_stream
from voicetui.engine.audio.resample import Resampler
from voicetui.engine.audio.stream_time import CaptureClock, capture_moment, heard_moment
from voicetui.engine.errors import PartError

if TYPE_CHECKING:
    from collections.abc import Callable

    from voicetui.engine.ports import Samples

__all__ = ["Device", "DeviceIn", "DeviceOut", "list_devices"]

RATE_HZ = 16_000
BLOCK = 160
LOST_S = 0.6
"""A device whose callbacks stay away for so long is gone."""
FIRST_S = 4.0
"""How long the first callback may take: a sound server may have to wake the device."""
WATCH_S = 0.1
CLOSE_S = 2.0
FAULTS = 50
"""So many blocks in a row that could not be filled, and the loudspeaker is given up."""
_NEVER = math.inf


class _Watch:
    """Tells a device that works from one that is gone, by the age of its last callback."""

    def __init__(self, part: str, name: str) -> None:
        self.finished = False
        self.last_s = _NEVER
        self._part, self._name = part, name
        self._begin_s = time.monotonic()

    def verdict(self) -> PartError | None:
        """Return the error of a device that is gone, else None."""
        now = time.monotonic()
        waited = now - self._begin_s - FIRST_S if self.last_s == _NEVER else now - self.last_s - LOST_S
        if not self.finished and waited < 0:
            return None
        how = "has stopped" if self.finished else "gives no sound any more"
        if self.last_s == _NEVER and not self.finished:
            how = f"gave nothing in {FIRST_S:g} s"
        return PartError(
            self._part, f"{self._name} {how}", fix="connect it again, then: voicetui devices", code="device-lost"
        )


class DeviceIn:
    """A microphone (`AudioIn`): the system's default, or by index, name or part of a name.

    It is opened by `start`, which raises `PartError` (no device, busy, no rate, no library) or `UsageError` (a name
    that means none or several). `ended(PartError)` follows within a second when it is gone.
    """

    def __init__(self, name: str | int | None = None) -> None:
        self.name = str(name if name is not None else "default microphone")
        self.rate_hz = RATE_HZ
        self.realtime = True
        self.live = True
        self._wanted = name
        self._blocks: SimpleQueue[tuple[Samples, float] | None] = SimpleQueue()
        self._stop = threading.Event()
        self._opened: Opened | None = None
        self._thread: threading.Thread | None = None

    def start(self, deliver: Callable[[Samples, float], None], ended: Callable[[Exception | None], None]) -> None:
        """Open and begin (see `AudioIn`); `deliver` is called on the thread `voicetui-microphone`."""
        device = choose_device("input", self._wanted)
        self.name = device.name
        self._watch = _Watch("listen", f"microphone {self.name!r}")
        rates = [RATE_HZ, 48_000, device.rate_hz, 44_100]
        self._opened = open_stream("input", device, rates, self._callback, self._finished)
        self._thread = threading.Thread(
            target=self._run, args=(self._opened.rate_hz, deliver, ended), name="voicetui-microphone", daemon=True
        )
        self._thread.start()
        self._opened.stream.start()

    def close(self) -> None:
        """Stop and release; idempotent."""
        self._stop.set()
        self._blocks.put(None)
        _release(self._opened, self._thread)
        self._opened = None

    def _callback(self, rate_hz: int) -> Callable[..., None]:
        clock = CaptureClock(rate_hz)

        def callback(indata: Samples, frames: int, times: Any, _status: Any) -> None:  # noqa: ANN401 - PortAudio's own
            now = time.monotonic()
            self._watch.last_s = now
            at_s = capture_moment(now, times.inputBufferAdcTime, times.currentTime, frames / rate_hz)
            self._blocks.put((indata.copy(), clock.moment(at_s, frames, now)))

        return callback

    def _finished(self) -> None:
        self._watch.finished = True
        self._blocks.put(None)

    def _run(
        self, rate_hz: int, deliver: Callable[[Samples, float], None], ended: Callable[[Exception | None], None]
    ) -> None:
        assembler = _Assembler(rate_hz)
        error: Exception | None = None
        try:
            while error is None and not self._stop.is_set():
                try:
                    item = self._blocks.get(timeout=WATCH_S)
                except Empty:
                    item = None
                if item is None:
                    error = self._watch.verdict()
                    continue
                for block, at_s in assembler.add(*item):
                    deliver(block, at_s)
        except Exception as raised:  # noqa: BLE001 - the top of the thread: the owner is told
            error = PartError("listen", f"microphone {self.name!r}: {raised}")
        if not self._stop.is_set():
            ended(error)


class _Assembler:
    """Makes 16 kHz mono blocks of 10 ms, with their moments, of what a device gives."""

    def __init__(self, rate_hz: int) -> None:
        self._resampler = Resampler(rate_hz, RATE_HZ)
        self._rest = np.zeros(0, np.float32)

    def add(self, block: Samples, at_s: float) -> list[tuple[Samples, float]]:
        mono = block.mean(axis=1, dtype=np.float32) if block.ndim > 1 else block
        audio = np.concatenate([self._rest, self._resampler.process(mono)])
        whole = len(audio) - len(audio) % BLOCK
        self._rest = audio[whole:]
        end_s = at_s - self._resampler.held_back_s - len(self._rest) / RATE_HZ
        return [(audio[n : n + BLOCK], end_s - (whole - n - BLOCK) / RATE_HZ) for n in range(0, whole, BLOCK)]


class DeviceOut:
    """A loudspeaker (`AudioOut`): the system's default, or by index, name or part of a name.

    It is opened at once, so that `rate_hz` (the device's own unless another is wanted and taken) is known; errors as
    for `DeviceIn.start`. `ended(PartError)` follows within a second when it is gone.
    """

    def __init__(self, name: str | int | None = None, *, rate_hz: int | None = None) -> None:
        device = choose_device("output", name)
        self.name = device.name
        self._watch = _Watch("play", f"loudspeaker {self.name!r}")
        self._fill: Callable[[Samples, float], None] | None = None
        self._fault: Exception | None = None
        self._faults = 0
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        rates = [rate_hz or device.rate_hz, 48_000, device.rate_hz, 44_100]
        self._opened: Opened | None = open_stream("output", device, rates, self._callback, self._finished)
        self.rate_hz = self._opened.rate_hz
        self._latency_s = float(getattr(self._opened.stream, "latency", 0.0) or 0.0)

    def start(self, fill: Callable[[Samples, float], None], ended: Callable[[Exception | None], None]) -> None:
        """Begin (see `AudioOut`); `fill` is called on PortAudio's thread."""
        if self._opened is None:
            raise PartError("play", f"loudspeaker {self.name!r} was closed", code="closed")
        self._fill = fill
        self._watch = _Watch("play", f"loudspeaker {self.name!r}")
        self._thread = threading.Thread(target=self._run, args=(ended,), name="voicetui-loudspeaker", daemon=True)
        self._thread.start()
        self._opened.stream.start()

    def close(self) -> None:
        """Stop and release; idempotent."""
        self._stop.set()
        _release(self._opened, self._thread)
        self._opened = None

    def _callback(self, rate_hz: int) -> Callable[..., None]:
        buffer = np.zeros(rate_hz // 10, np.float32)

        def callback(outdata: Samples, frames: int, times: Any, _status: Any) -> None:  # noqa: ANN401 - PortAudio's own
            now = time.monotonic()
            self._watch.last_s = now
            block = buffer[:frames] if frames <= len(buffer) else np.zeros(frames, np.float32)
            try:
                assert self._fill is not None
                self._fill(block, heard_moment(now, times.outputBufferDacTime, times.currentTime, self._latency_s))
                self._faults = 0
            except Exception as error:  # noqa: BLE001 - nothing may leave the callback; the thread reports it
                block.fill(0.0)
                self._fault, self._faults = error, self._faults + 1
            outdata[:] = block[:, np.newaxis]

        return callback

    def _finished(self) -> None:
        self._watch.finished = True

    def _run(self, ended: Callable[[Exception | None], None]) -> None:
        while not self._stop.wait(WATCH_S):
            error = self._watch.verdict()
            if error is None and self._faults >= FAULTS:
                error = PartError("play", f"loudspeaker {self.name!r} cannot be fed: {self._fault}")
            if error is not None:
                ended(error)
                return


def _release(opened: Opened | None, thread: threading.Thread | None) -> None:
    """Close a stream and join a thread, in bounded time: a driver whose device is gone may never answer."""
    if opened is not None:
        closer = threading.Thread(target=_close, args=(opened.stream,), name="voicetui-device-close", daemon=True)
        closer.start()
        closer.join(CLOSE_S)
    if thread is not None and thread is not threading.current_thread() and thread.is_alive():
        thread.join(CLOSE_S)


def _close(stream: Any) -> None:  # noqa: ANN401 - PortAudio's own
    for end in (stream.abort, stream.close):
        try:
            end()
        except Exception:  # noqa: BLE001, S112 - closing what is broken already: there is nobody to tell and nothing to do
            continue

"""What runs inside a worker's child process: load one model, answer requests until the parent goes away.

Kept light, and run as a script so that the package is not imported whole: of the standard library only the smallest
modules, of this package what the target imports. Two threads: the main one
loads the model and answers; `worker-inlet` reads the parent's frames, so that a cancel is seen while the main thread
works, and ends the process at once, whatever it is doing, when the parent closes the pipe or dies.

A frame is a fixed head (length of the JSON, length of the bytes), the JSON, then raw bytes. Frames come in on the
original standard input and go out on the original standard output; both are moved out of the way first, since C
libraries print: file descriptor 1 becomes standard error, 0 the null device.
"""

from __future__ import annotations

import json
import os
import signal
import struct
import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from queue import SimpleQueue
from types import ModuleType
from typing import Any, BinaryIO

Header = dict[str, Any]
Frame = tuple[Header, bytes]
Cancelled = Callable[[], bool]
"""Whether the request being answered is no longer wanted: cheap, to be asked at every step."""
Handler = Callable[[Header, bytes, Cancelled], Iterator[Frame]]
"""A generator that answers one request, piece by piece: `handler(request, payload, cancelled)`."""

HEAD = struct.Struct(">IQ")


def pack(header: Header, payload: bytes = b"") -> bytes:
    """Return one frame; `payload` is any bytes, `header` anything that JSON can say."""
    text = json.dumps(header).encode()
    return HEAD.pack(len(text), len(payload)) + text + payload


class _Inlet:
    """The parent's frames as they arrive: requests in order, and which of them are no longer wanted."""

    def __init__(self, pipe: BinaryIO) -> None:
        self._pipe = pipe
        self._cancelled_up_to = 0
        self.requests: SimpleQueue[tuple[int, Header, bytes]] = SimpleQueue()

    def read(self) -> Frame:
        """Return the next frame; at the end of the stream the process is over."""
        json_length, length = HEAD.unpack(self._exactly(HEAD.size))
        return json.loads(self._exactly(json_length)), self._exactly(length)

    def _exactly(self, length: int) -> bytes:
        data = self._pipe.read(length)
        if len(data) < length:
            os._exit(0)
        return data

    def run(self) -> None:
        """Read for ever. Requests are numbered upwards and served one at a time, so a cancel also covers older ones."""
        while True:
            header, payload = self.read()
            if "cancel" in header:
                self._cancelled_up_to = header["cancel"]
            else:
                self.requests.put((header["id"], header["request"], payload))

    def cancelled(self, number: int) -> bool:
        return number <= self._cancelled_up_to


def main() -> None:
    """Serve the parent at the other end of standard input and output; never returns."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's business
    inlet, outlet = _claim_pipes()
    hello, _ = inlet.read()
    threading.Thread(target=inlet.run, name="worker-inlet", daemon=True).start()
    try:
        handler = _load(hello)
        _send(outlet, {"ready": True})
        while True:
            number, request, payload = inlet.requests.get()
            cancelled = partial(inlet.cancelled, number)
            _answer(outlet, number, handler(request, payload, cancelled), cancelled)
    except BrokenPipeError:
        os._exit(0)
    except BaseException as error:  # noqa: BLE001 - the top of the process: the parent is told
        _send(outlet, {"error": _describe(error)})
        os._exit(1)  # models in a half-built state may crash in their destructors


def _claim_pipes() -> tuple[_Inlet, BinaryIO]:
    inlet, outlet = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    return _Inlet(os.fdopen(inlet, "rb")), os.fdopen(outlet, "wb")


def _load(hello: Header) -> Handler:
    sys.path[:] = hello["path"]
    engine = ModuleType("voicetui.engine")  # in place of its `__init__`, which imports the whole loop
    engine.__path__ = [os.path.dirname(__file__)]  # noqa: PTH120 - pathlib is 3 MB
    sys.modules[engine.__name__] = engine
    module, _, factory = hello["target"].partition(":")
    handler: Handler = getattr(import_module(module), factory)(hello["config"])
    return handler


def _answer(outlet: BinaryIO, number: int, answers: Iterator[Frame], cancelled: Cancelled) -> None:
    last: Header = {"id": number, "end": True}
    try:
        for answer, data in answers:
            if cancelled():
                break
            _send(outlet, {"id": number, "answer": answer}, data)
        if close := getattr(answers, "close", None):
            close()
    except BrokenPipeError:
        raise
    except Exception as error:  # noqa: BLE001 - a failed request is reported, the process goes on
        last = {"id": number, "error": _describe(error)}
    _send(outlet, last)


def _send(outlet: BinaryIO, header: Header, payload: bytes = b"") -> None:
    outlet.write(pack(header, payload))
    outlet.flush()


def _describe(error: BaseException) -> Header:
    """Return what the parent makes a `PartError` of; a surprise also leaves its traceback on standard error."""
    import traceback

    from voicetui.engine.errors import VoicetuiError

    if isinstance(error, VoicetuiError):
        return {"message": error.message, "fix": error.fix, "code": getattr(error, "code", "failed")}
    traceback.print_exception(error)
    return {"message": f"{type(error).__name__}: {error}", "fix": "", "code": "failed"}


if __name__ == "__main__":
    main()

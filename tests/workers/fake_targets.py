"""Fakes: scripted targets for `Worker`, run in a real child process. None of them loads a model."""

import os
import signal
import sys
import threading
from pathlib import Path


def scripted(config):
    """Answer as each request says: `do` names the function below."""

    def handle(request, payload, cancelled):
        return globals()[request["do"]](request, payload, cancelled)

    return handle


def count(request, payload, cancelled):
    for number in range(request["to"]):
        yield {"number": number}, b""


def echo(request, payload, cancelled):
    yield {"length": len(payload)}, payload


def nothing(request, payload, cancelled):
    yield from ()


def fail(request, payload, cancelled):
    yield {"number": 0}, b""
    raise ValueError("a bad request")


def die(request, payload, cancelled):
    yield {"number": 0}, b""
    os.write(2, b"the model ran out of tape\n")
    os.kill(os.getpid(), signal.SIGKILL)


def leave(request, payload, cancelled):
    yield from ()
    os._exit(3)


def hang(request, payload, cancelled):
    yield {"number": 0}, b""
    threading.Event().wait()


def wait_for_cancel(request, payload, cancelled):
    yield {"number": 0}, b""
    while not cancelled():
        threading.Event().wait(0.001)
    Path(request["leaves"]).write_text("cancelled")


def count_for_ever(request, payload, cancelled):
    number = 0
    while True:
        yield {"number": number}, b""
        number += 1


def write_to_1(request, payload, cancelled):
    os.write(1, b"\x00\x00\x00\xffchatter of a C library\n")
    os.system("echo chatter of a child")
    yield {"number": 0}, b""


def read_from_0(request, payload, cancelled):
    yield {"length": len(os.read(0, 10))}, b""


def list_modules(request, payload, cancelled):
    yield {"modules": sorted(sys.modules)}, b""


def never_ready(config):
    """Hang while loading."""
    threading.Event().wait()


def deaf(config):
    """Hang while loading, and ignore the wish to terminate."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    Path(config["ready"]).write_text("")
    threading.Event().wait()


def dies_loading(config):
    """Die while loading, as a C library that aborts."""
    os.write(2, b"weights.bin: unexpected end of file\n")
    os.abort()


def missing_part(config):
    """Say what is missing, as a factory should."""
    from voicetui.engine.errors import PartError

    raise PartError("speak", "piper-tts is not installed", fix="pip install 'voicetui[speak]'", code="missing")


def surprised(config):
    """Fail in a way that nobody foresaw."""
    return {}["no such key"]


def fails_after_first(config):
    """Load once; every later child dies loading, until the file that says so is removed."""
    mark = Path(config["mark"])
    if mark.exists():
        os.write(2, b"no memory\n")
        os._exit(1)
    mark.write_text("")
    return scripted(config)

"""The evaluated prompt on disk, so that only the first start of all evaluates it (7 MB for the demo model).

llama.cpp saves and restores the state of a conversation by HTTP only. Its server is never open to others: it listens on
a socket file in a folder of the user's, with a key that nobody else has, and the file is gone when the prompt is ready.
Without such sockets (Windows) it is a port on the loopback, with that key.
"""

from __future__ import annotations

import contextlib
import hashlib
import http.client
import json
import os
import secrets
import shutil
import socket
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from voicetui.engine.worker_child import Header

LONGEST_PATH = 100
"""A socket's path may have so many bytes (macOS: 104, Linux: 108)."""
LIMIT_S = 5.0


class Slot:
    """The state of a model's one conversation. `config` is the worker's (see `EmbeddedResponder`)."""

    def __init__(self, config: Header, version: str) -> None:
        self._key = secrets.token_hex()
        self._server: Any = None
        self._folder, self._temporary = _folder(config["cache"])
        self._socket = None if sys.platform == "win32" else self._folder / f"llama-{os.getpid()}.sock"
        model = Path(config["model"])
        file = model.stat()
        facts = [file.st_size, file.st_mtime_ns, version, config["context"], config["prompt"]]
        self._stem = model.stem
        self._name = f"{self._stem}-{hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:16]}.kv"

    def configure(self, params: Any) -> None:  # noqa: ANN401 - the library has no types
        """Say where the server listens and keeps states."""
        params.api_keys = [self._key]
        params.n_threads_http = 1
        if not self._temporary:
            params.slot_save_path = f"{self._folder}{os.sep}"
        if self._socket is not None:
            for stale in self._folder.glob("llama-*.sock"):
                stale.unlink(missing_ok=True)
            params.hostnames = [str(self._socket)]

    def restore(self, server: Any) -> bool:  # noqa: ANN401 - the library has no types
        """Bring the prompt back as it was evaluated once; return whether there was such a state."""
        self._server = server
        return self._is_sound(self._folder / self._name) and self._ask("restore", self._name)

    def save(self) -> None:
        """Keep the prompt that was just evaluated; where that cannot be, the next start evaluates it again."""
        fresh = f"{self._name}.{os.getpid()}"
        if self._temporary or not self._ask("save", fresh):
            return
        with contextlib.suppress(OSError):
            for outdated in self._folder.glob(f"{self._stem}-*.kv"):
                outdated.unlink()
                _sum_of(outdated).unlink(missing_ok=True)
            kept = (self._folder / fresh).replace(self._folder / self._name)
            _sum_of(kept).write_text(hashlib.sha256(kept.read_bytes()).hexdigest())

    def close(self) -> None:
        """Put the server out of everybody's reach."""
        if self._socket is not None:
            with contextlib.suppress(OSError):
                self._socket.unlink()
        if self._temporary:
            shutil.rmtree(self._folder, ignore_errors=True)

    @staticmethod
    def _is_sound(state: Path) -> bool:
        """Tell whether a state is what was saved: a damaged one would end the process."""
        try:
            return _sum_of(state).read_text() == hashlib.sha256(state.read_bytes()).hexdigest()
        except (OSError, ValueError):
            return False

    def _ask(self, action: str, name: str) -> bool:
        try:
            connection = self._connect()
            with contextlib.closing(connection):
                headers = {"Content-Type": "application/json", "Authorization": f"Bearer {self._key}"}
                connection.request("POST", f"/slots/0?action={action}", json.dumps({"filename": name}), headers)
                return connection.getresponse().status == http.client.OK
        except (OSError, http.client.HTTPException):
            return False

    def _connect(self) -> http.client.HTTPConnection:
        if self._socket is None:
            address = urlsplit(self._server.listening_address)
            return http.client.HTTPConnection(address.hostname or "", address.port, timeout=LIMIT_S)
        connection = http.client.HTTPConnection("localhost")
        connection.sock = socket.socket(socket.AF_UNIX)
        connection.sock.settimeout(LIMIT_S)
        connection.sock.connect(str(self._socket))
        return connection


def _sum_of(state: Path) -> Path:
    return state.with_suffix(".sha256")


def _folder(wanted: str) -> tuple[Path, bool]:
    """Return a folder of the user's alone for states and the socket; a temporary one where that cannot be."""
    folder = Path(wanted, "llama")
    if len(os.fsencode(folder / "llama-1234567.sock")) <= LONGEST_PATH or sys.platform == "win32":
        with contextlib.suppress(OSError):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if os.access(folder, os.W_OK):
                return folder, False
    return Path(tempfile.mkdtemp(prefix="voicetui-")), True

"""A web server on the loopback that can misbehave, and a data folder of the test's own."""

from __future__ import annotations

import re
import threading
from dataclasses import dataclass, field
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from voicetui.engine.models.catalogue import Model, ModelFile, catalogue


@dataclass
class Web:
    """Files by path; what to do with a path: `cut` after so many bytes (each once), `status` (each once), `goto`."""

    port: int
    files: dict[str, bytes] = field(default_factory=dict)
    cut: dict[str, list[int]] = field(default_factory=dict)
    status: dict[str, list[int]] = field(default_factory=dict)
    goto: dict[str, str] = field(default_factory=dict)
    ranges: bool = True
    etag: str = '"v1"'
    asked: list[tuple[str, str | None]] = field(default_factory=list)
    """Each request's path and Range header."""

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.port}{path}"


@pytest.fixture
def web():
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = True
    server.web = Web(server.server_port)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), name="web")
    thread.start()
    yield server.web
    server.shutdown()
    thread.join()
    server.server_close()


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        web: Web = self.server.web
        asked = self.headers.get("Range")
        web.asked.append((self.path, asked))
        if web.status.get(self.path):
            self.send_error(web.status[self.path].pop(0))
            return
        if self.path in web.goto:
            self.send_response(302)
            self.send_header("Location", web.goto[self.path])
            self.end_headers()
            return
        if self.path not in web.files:
            self.send_error(404)
            return
        content = web.files[self.path]
        start = int(re.fullmatch(r"bytes=(\d+)-", asked)[1]) if asked and web.ranges else 0
        if self.headers.get("If-Range") not in (None, web.etag):
            start = 0
        if start >= len(content) > 0:
            self.send_response(416)
            self.send_header("Content-Range", f"bytes */{len(content)}")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        self.send_response(206 if start else 200)
        if web.etag:
            self.send_header("ETag", web.etag)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
        self.send_header("Content-Length", str(len(content) - start))
        self.end_headers()
        cuts = web.cut.get(self.path)
        self.wfile.write(content[start:][: cuts.pop(0)] if cuts else content[start:])
        self.close_connection = True

    def log_message(self, *args):
        pass


@pytest.fixture(autouse=True)
def data_folder(tmp_path, monkeypatch):
    """Each test has its own data and settings folders, and no proxy between it and the loopback."""
    monkeypatch.setenv("VOICETUI_MODELS", str(tmp_path / "models"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("no_proxy", "*")
    catalogue.cache_clear()
    yield tmp_path / "models"
    catalogue.cache_clear()


@pytest.fixture
def make_model():
    """Make a model of one file, `weights.bin`, with these contents and sources; `known=False` for no checksum."""

    def make(
        content: bytes, *sources, known: bool = True, right: str = "", name: str = "weights.bin", **other
    ) -> Model:
        digest = (right or sha256(content).hexdigest()) if known else ""
        file = ModelFile(name, len(content) if known else 0, digest)
        given = {
            "id": "tiny",
            "purpose": "think",
            "runtime": "llama",
            "title": "Tiny",
            "languages": ("en",),
            "licence": "MIT",
            "size": len(content),
            "files": (file,),
            "entry": name,
        }
        return Model(**(given | other), sources=sources)

    return make

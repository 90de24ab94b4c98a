"""Asking Ollama what it has, with a short time-out and without its client library."""

from __future__ import annotations

import json
import os
import urllib.request
from types import SimpleNamespace
from urllib.parse import urlsplit

from voicetui.engine.errors import UsageError

DEFAULT_PORT = 11434
LIMIT_S = 1.0
BYTES_LIMIT = 1 << 22


def ollama_address(host: str = "") -> str:
    """Return the address for a host as Ollama takes it (`$OLLAMA_HOST`): `host`, `host:port`, `:port` or a URL."""
    text = (host or os.environ.get("OLLAMA_HOST", "")).strip().rstrip("/")
    scheme, _, rest = text.rpartition("://")
    try:
        parts = urlsplit(f"//{rest}")
        name, port = parts.hostname or "127.0.0.1", parts.port
    except ValueError as error:
        raise UsageError(f"the address of Ollama is {text!r}, it must be host:port ({error})") from error
    if name == "0.0.0.0":  # noqa: S104 - where a server listens, which is not where it is reached
        name = "127.0.0.1"
    name = f"[{name}]" if ":" in name else name
    port = port or {"http": 80, "https": 443}.get(scheme, DEFAULT_PORT)
    return f"{scheme or 'http'}://{name}:{port}{parts.path}"


def ollama_models(host: str = "", *, timeout_s: float = LIMIT_S) -> list[str] | None:
    """Return the names of the models that Ollama has, or None where it does not answer in time."""
    try:
        address = ollama_address(host)
        handlers = [urllib.request.ProxyHandler({})] if urlsplit(address).hostname in ("127.0.0.1", "localhost") else []
        with urllib.request.build_opener(*handlers).open(f"{address}/api/tags", timeout=timeout_s) as answer:
            data = json.loads(answer.read(BYTES_LIMIT))
        return [str(m["name"]) for m in data.get("models") or []]
    except (OSError, ValueError, KeyError, TypeError, AttributeError, UsageError):
        return None


def model_to_talk_with(names: list[str]) -> str | None:
    """Return the model that a conversation would take of those that Ollama has, None where none of them talks."""
    from voicetui.engine.think.ollama import preferred

    return preferred([SimpleNamespace(model=name, details=None) for name in names])


def has_model(names: list[str], wanted: str) -> bool:
    """Whether Ollama has a model of that name; without a tag, `:latest` is meant."""
    return wanted in names or f"{wanted}:latest" in names

"""A file from an https address: resumable, in the calling thread, with time-outs and retries.

The unfinished file is `<target>.part`; `<target>.part.json` holds what the server said of it (its ETag or date), so
that a later call goes on only if the file at the address is still the same one (RFC 9110, `If-Range`).
"""

from __future__ import annotations

import http.client
import json
import ssl
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

BLOCK_BYTES = 1 << 18
TRIES = 5
TIMEOUT_S = 30.0
BUSY = (408, 425, 429, 500, 502, 503, 504)
"""Answers after which it is worth asking again."""


class DownloadError(Exception):
    """What went wrong with a download, in one line that names the host."""


@dataclass(slots=True)
class _Answer:
    """What the server sends: from byte `start` of a file of `total` bytes (None: it does not say)."""

    body: IO[bytes]
    start: int
    total: int | None


def download(
    url: str,
    target: Path,
    *,
    size: int = 0,
    progress: Callable[[int, int], None] | None = None,
    timeout_s: float = TIMEOUT_S,
    pause: Callable[[float], None] = time.sleep,
) -> None:
    """Fetch `url` into `target`, going on from where an earlier call stopped.

    `size` is the exact size in bytes where it is known, else 0. `progress(done, total)` in bytes may raise to stop;
    what was fetched is kept. Raises `DownloadError` after `TRIES` failures in a row that brought nothing, or at once
    where asking again is useless; `OSError` where the disk refuses.
    """
    part = target.with_name(target.name + ".part")
    failures = 0
    while True:
        before = part.stat().st_size if part.exists() else 0
        try:
            _attempt(url, part, size, progress, timeout_s)
        except _RetryError as error:
            failures = failures + 1 if not part.exists() or part.stat().st_size <= before else 1
            if failures >= TRIES:
                raise DownloadError(f"{urlsplit(url).hostname}: {error}, {TRIES} times in a row") from error
            pause(0.5 * 2 ** (failures - 1))
        else:
            part.replace(target)
            _notes(part).unlink(missing_ok=True)
            return


class _RetryError(Exception):
    """The connection failed or broke; another try may go further."""


def _attempt(url: str, part: Path, size: int, progress: Callable[[int, int], None] | None, timeout_s: float) -> None:
    with _ask(url, part, timeout_s) as answer:
        if answer is None:  # the file is whole already
            return
        total = answer.total or size
        if size and answer.total and answer.total != size:
            raise DownloadError(f"{url} holds {answer.total} bytes, the catalogue says {size}")
        done = answer.start
        with part.open("r+b" if done else "wb") as file:
            file.seek(done)
            file.truncate()
            while block := _read(answer.body):
                file.write(block)
                done += len(block)
                if size and done > size:
                    raise DownloadError(f"{url} holds more than the {size} bytes that the catalogue says")
                if progress:
                    progress(done, total)
    if total and done < total:
        raise _RetryError(f"the connection broke off after {done} of {total} bytes")


def _read(body: IO[bytes]) -> bytes:
    """Read a block; what the network does to it is a reason to try again, unlike what the disk does."""
    try:
        return body.read(BLOCK_BYTES)
    except (OSError, http.client.HTTPException) as error:
        raise _RetryError(_reason(error)) from error


@contextmanager
def _ask(url: str, part: Path, timeout_s: float) -> Iterator[_Answer | None]:
    """Ask for the file, or for the rest of it; None where the unfinished file turns out to be all of it."""
    have, notes = _state(part, url)
    headers = {"User-Agent": "voicetui", "Accept-Encoding": "identity"}
    if have:
        headers |= {"Range": f"bytes={have}-", "If-Range": notes}
    request = urllib.request.Request(url, headers=headers)  # noqa: S310 - the catalogue admits https alone
    try:
        response = urllib.request.build_opener(_Redirects).open(request, timeout=timeout_s)
    except urllib.error.HTTPError as error:
        with error:
            if error.code == http.HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE and have:
                if error.headers.get("Content-Range") == f"bytes */{have}":
                    yield None
                    return
                part.unlink()
                raise _RetryError("the unfinished file does not match the one at the address") from error
            if error.code in BUSY:
                raise _RetryError(f"answers {error.code} {error.reason}") from error
            raise DownloadError(f"{url} answers {error.code} {error.reason}") from error
    except (OSError, http.client.HTTPException) as error:
        reason = getattr(error, "reason", error)
        if isinstance(reason, ssl.SSLCertVerificationError | _UnsafeRedirectError):
            raise DownloadError(f"{urlsplit(url).hostname}: {reason}") from error
        raise _RetryError(_reason(reason)) from error
    with response:
        yield _answer(response, url, part, have)


def _answer(response: Any, url: str, part: Path, have: int) -> _Answer:  # noqa: ANN401 - urllib's response has no type
    length = response.headers.get("Content-Length")
    total = int(length) if length and length.isdigit() else None
    if response.status == http.HTTPStatus.PARTIAL_CONTENT:
        unit_range, _, whole = response.headers.get("Content-Range", "").partition("/")
        if have and unit_range.startswith(f"bytes {have}-"):
            return _Answer(response, have, int(whole) if whole.isdigit() else None)
        part.unlink(missing_ok=True)
        raise _RetryError("answers with another part of the file than was asked for")
    tag = response.headers.get("ETag", "")
    same = tag if tag and not tag.startswith("W/") else response.headers.get("Last-Modified", "")
    _notes(part).write_text(json.dumps({"url": url, "same": same}), "utf-8")
    return _Answer(response, 0, total)


def _state(part: Path, url: str) -> tuple[int, str]:
    """Return how many bytes there are already and what identifies the file they are from; 0 to begin afresh."""
    try:
        notes = json.loads(_notes(part).read_text("utf-8"))
        same = notes["same"] if notes["url"] == url else ""
        return (part.stat().st_size, same) if same else (0, "")
    except (OSError, ValueError, KeyError, TypeError):
        return 0, ""


def _notes(part: Path) -> Path:
    return part.with_name(part.name + ".json")


def _reason(error: object) -> str:
    if isinstance(error, TimeoutError):
        return "no answer in time"
    text = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return f"cannot be reached ({text})"


class _UnsafeRedirectError(OSError):
    """The address leads away from https."""


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follow redirections, but never from https to something that anybody on the way can change."""

    def redirect_request(self, req: Any, *rest: Any) -> Any:  # noqa: ANN401 - the base class has no types
        newurl = rest[-1]
        if urlsplit(req.full_url).scheme == "https" != urlsplit(newurl).scheme:
            raise _UnsafeRedirectError(f"it redirects to an address that is not https: {newurl}")
        return super().redirect_request(req, *rest)

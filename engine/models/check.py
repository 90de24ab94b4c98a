"""Whether a model's files are what the catalogue, or the stamp of its fetch, says: the whole content is read."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from voicetui.engine.errors import PartError
from voicetui.engine.models import store
from voicetui.engine.models.catalogue import Model, ModelFile

if TYPE_CHECKING:
    from pathlib import Path


def compare(model: Model, folder: Path) -> PartError | None:
    """Return what is wrong with a model's files, naming both checksums, or None where all is well."""
    stamp = store.read_stamp(folder)
    recorded = {f["name"]: f["sha256"] for f in stamp["files"]} if stamp else {}
    wanted = {f.name: f.sha256 or recorded.get(f.name, "") for f in model.files}
    for name, right in (recorded | wanted).items():
        if not (folder / name).is_file():
            return PartError(model.part, f"{model.id}: {name} is missing in {folder}", code="no-member")
        if right and (seen := sha256_of(folder / name)) != right:
            return mismatch(model, name, right, seen)
    return None


def mismatch(model: Model, name: str, right: str, seen: str) -> PartError:
    """Say that a file has another SHA-256 than it must have."""
    return PartError(
        model.part,
        f"{model.id}: {name} is not the right file: its SHA-256 is {seen}, it must be {right}",
        fix=f"voicetui models get {model.id}",
        code="checksum",
    )


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file, in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def files_of(folder: Path) -> list[ModelFile]:
    """Return every file below a folder with its size in bytes and SHA-256."""
    files = (p for p in sorted(folder.rglob("*")) if p.is_file())
    return [ModelFile(p.relative_to(folder).as_posix(), p.stat().st_size, sha256_of(p)) for p in files]

"""Where models lie: in installed packages, in the user's folders, and in the data folder with a stamp beside each.

A model in the data folder is a folder with its files and `voicetui-model.json`, the stamp: where it came from, whether
the catalogue vouched for it, and the size and SHA-256 of each file as it was fetched.
"""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from voicetui.engine.errors import PartError
from voicetui.engine.models.catalogue import FolderSource, Model, ModelFile, PackageSource
from voicetui.engine.models.lock import only_one

STAMP = "voicetui-model.json"


@dataclass(frozen=True, slots=True)
class Found:
    """A model on this machine: `ours` where it lies in the data folder and may be removed; `origin` says where from."""

    path: Path
    """What the runtime opens."""
    folder: Path
    origin: str
    ours: bool
    checked: bool
    """Whether its content was compared with the catalogue's checksums when it was fetched."""
    package: str = ""
    """The distribution that it is part of."""


def models_folder() -> Path:
    """Return the folder of fetched models: `$VOICETUI_MODELS`, or `models` in the user's data folder."""
    if chosen := os.environ.get("VOICETUI_MODELS"):
        return Path(chosen).expanduser()
    from platformdirs import user_data_path

    return user_data_path("voicetui", appauthor=False) / "models"


def config_folder() -> Path:
    """Return the folder of the user's settings."""
    from platformdirs import user_config_path

    return user_config_path("voicetui", appauthor=False)


def find(model: Model) -> Found | None:
    """Return where a model lies, by a quick look at sizes and stamps; None where it is missing or incomplete."""
    for source in model.sources:
        match source:
            case PackageSource():
                folder = package_folder(source)
                if folder and _complete(folder, model):
                    dist = source.dist or source.package
                    return Found(
                        folder / model.entry, folder, f"package {dist}", ours=False, checked=False, package=dist
                    )
            case FolderSource():
                folder = Path(source.path).expanduser()
                if _complete(folder, model):
                    return Found(folder / model.entry, folder, "your folder", ours=False, checked=False)
    return _find_fetched(model)


def package_folder(source: PackageSource) -> Path | None:
    """Return the folder inside an installed package, without importing it; None where it is not installed."""
    try:
        spec = find_spec(source.package)
    except (ImportError, ValueError):
        return None
    for place in (spec.submodule_search_locations or ()) if spec else ():
        folder = Path(place) / source.path
        if folder.is_dir():
            return folder
    return None


def _complete(folder: Path, model: Model) -> bool:
    if not model.files:
        return (folder / model.entry).exists() and any(folder.iterdir())
    return all(_size(folder / f.name) == (f.size or _size(folder / f.name) or 1) for f in model.files)


def _size(path: Path) -> int:
    """Return a file's size in bytes; 0 where there is no file."""
    try:
        return path.stat().st_size if path.is_file() else 0
    except OSError:
        return 0


def _find_fetched(model: Model) -> Found | None:
    folder = models_folder() / model.id
    stamp = read_stamp(folder)
    if stamp is None:
        return None
    recorded = {f["name"]: ModelFile(**f) for f in stamp["files"]}
    if any(_size(folder / f.name) != f.size for f in recorded.values()):
        return None
    for file in model.files:
        if file.name not in recorded or (file.sha256 and file.sha256 != recorded[file.name].sha256):
            return None
    return Found(folder / model.entry, folder, stamp["source"], ours=True, checked=bool(stamp["checked"]))


def read_stamp(folder: Path) -> dict[str, Any] | None:
    """Return a fetched model's stamp; None where it is missing or damaged."""
    try:
        stamp = json.loads((folder / STAMP).read_text("utf-8"))
        stamp["source"], stamp["checked"], [f["name"] for f in stamp["files"]]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return stamp  # type: ignore[no-any-return] # JSON


def write_stamp(folder: Path, *, source: str, checked: bool, files: list[ModelFile]) -> None:
    """Write the stamp of a model that has just been fetched into `folder`."""
    stamp = {"source": source, "checked": checked, "files": [asdict(f) for f in files]}
    (folder / STAMP).write_text(json.dumps(stamp, indent=1), "utf-8")


def put_in_place(made: Path, model: Model) -> Path:
    """Move a finished folder to where models are looked for, in one step, and return its new path."""
    folder = models_folder() / model.id
    if folder.exists():
        old = made.with_name(f"{made.name}.old")
        shutil.rmtree(old, ignore_errors=True)
        folder.rename(old)
        made.rename(folder)
        shutil.rmtree(old, ignore_errors=True)
    else:
        made.rename(folder)
    return folder


def partial_folder(model: Model) -> Path:
    """Return where a model's unfinished download is kept."""
    return models_folder() / ".partial" / model.id


def remove(model: Model) -> bool:
    """Remove a fetched model and what is left of unfinished downloads; False where there was nothing.

    `PartError` (code `not-ours`) where the model is part of an installed package or lies in the user's own folder.
    """
    found = find(model)
    if found and not found.ours:
        fix = f"pip uninstall {found.package}" if found.package else f"remove {found.folder} yourself"
        raise PartError(
            model.part, f"{model.id} is not ours to remove: it lies in {found.origin}", fix=fix, code="not-ours"
        )
    folder = models_folder() / model.id
    if not folder.exists() and not partial_folder(model).exists():
        return False
    try:
        with only_one(models_folder() / f".{model.id}.lock"):
            for path in (folder, partial_folder(model)):
                if path.exists():
                    shutil.rmtree(path)
    except OSError as error:
        raise PartError(model.part, f"cannot remove {folder}: {error.strerror}", code="no-permission") from error
    return True

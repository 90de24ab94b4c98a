"""Files out of zip archives and wheels, never outside the folder that they are meant for."""

from __future__ import annotations

import shutil
import stat
import zipfile
from typing import TYPE_CHECKING

from voicetui.engine.models.catalogue import is_inside

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

SWELL = 40
"""An archive may unpack to so many times its own size; Kaldi's graphs reach about 6."""


class UnpackError(Exception):
    """What is wrong with an archive, in one line."""


def unpack(archive: Path, root: str, folder: Path, names: Iterable[str] = ()) -> None:
    """Unpack what lies below `root` in a zip file into `folder`: the files `names`, or all where none are given.

    Raises `UnpackError` on a damaged archive, a missing member, a name that would leave the folder, a link, or an
    archive that swells beyond reason; `OSError` where the disk refuses.
    """
    prefix = f"{root.strip('/')}/" if root else ""
    try:
        with zipfile.ZipFile(archive) as zipped:
            members = {i.filename.removeprefix(prefix): i for i in zipped.infolist() if i.filename.startswith(prefix)}
            wanted = list(names) or [name for name, info in members.items() if name and not info.is_dir()]
            if not wanted:
                raise UnpackError(f"{archive.name} holds nothing in {root}")
            for name in wanted:
                if name not in members:
                    raise UnpackError(f"{archive.name} holds no {prefix}{name}")
                _check(name, members[name], archive)
            if sum(members[name].file_size for name in wanted) > SWELL * archive.stat().st_size:
                raise UnpackError(f"{archive.name} unpacks to more than {SWELL} times its size")
            for name in wanted:
                target = folder / name
                target.parent.mkdir(parents=True, exist_ok=True)
                with zipped.open(members[name]) as source, target.open("wb") as file:
                    shutil.copyfileobj(source, file, 1 << 20)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError) as error:
        raise UnpackError(f"{archive.name} is not a sound zip file ({error})") from error


def _check(name: str, info: zipfile.ZipInfo, archive: Path) -> None:
    if not is_inside(name) or stat.S_ISLNK(info.external_attr >> 16):
        raise UnpackError(f"{archive.name} has a member that does not belong in it: {info.filename}")

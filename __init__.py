"""voicetui: a spoken conversation at the terminal, and the loop behind it as a library.

The names of `voicetui.engine` are names of this package too; they are imported when first used, so that the command
line can answer `--help` without them.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from voicetui.engine import *  # noqa: F403

os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")  # newer onnxruntime, here and in child processes: report nothing


def __getattr__(name: str) -> Any:  # noqa: ANN401 - any public name
    if name == "__version__":
        from importlib.metadata import version

        return version("voicetui")
    if name.startswith("_") or name not in import_module("voicetui.engine").__all__:
        raise AttributeError(f"module 'voicetui' has no attribute {name!r}")
    return getattr(import_module("voicetui.engine"), name)


def __dir__() -> list[str]:
    return sorted([*import_module("voicetui.engine").__all__, "__version__"])

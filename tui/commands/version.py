"""The version of this installation."""

from __future__ import annotations

import os


def version() -> str:
    """Return the version; `importlib.metadata` takes longer than all the rest, so the usual place comes first."""
    site = os.path.dirname(os.path.abspath(f"{__file__}/../../.."))  # noqa: PTH100, PTH120 - no pathlib: quick
    for name in os.listdir(site):  # noqa: PTH208
        if name.startswith("voicetui-") and name.endswith(".dist-info"):
            return name.removeprefix("voicetui-").removesuffix(".dist-info")
    from importlib.metadata import version as look_up

    return look_up("voicetui")

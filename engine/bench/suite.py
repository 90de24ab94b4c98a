"""The benches by name, each imported when it is run."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from voicetui.engine.errors import PartError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from voicetui.engine.bench.figure import Figure

BENCHES = {
    "overhead": "what the loop costs, against the same parts in bare asyncio",
    "release": "how soon a sentence is let go, and whether it is cut where a reader would",
    "start": "how soon it listens, and how much memory it takes; needs the models (Linux)",
    "stop": "how much of a cut reply still leaves the gate",
}
"""Each name with what it measures; modules of this package."""


def named(names: Sequence[str]) -> list[str]:
    """Return the benches asked for, once each; all of them where none is. Raises `UsageError` on an unknown name."""
    for name in names:
        if name not in BENCHES:
            raise UsageError(f"there is no bench {name!r}; what there is: {', '.join(BENCHES)}")
    return list(dict.fromkeys(names)) or list(BENCHES)


def measure(names: Sequence[str]) -> Iterator[Figure]:
    """Run the named benches and yield each figure as it is there. Raises `PartError`."""
    for name in named(names):
        try:
            bench = import_module(f"voicetui.engine.bench.{name}")
        except ModuleNotFoundError as error:
            fix = "pip install 'voicetui[listen]'"
            raise PartError("bench", f"the bench {name!r} needs {error.name}", fix=fix, code="missing") from None
        yield from bench.run()

"""What is measured of the engine: each figure with its unit, how it was made, and what it has to beat."""

from __future__ import annotations

from voicetui.engine.bench.figure import Figure

__all__ = ["Figure"]

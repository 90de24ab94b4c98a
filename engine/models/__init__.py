"""Models: the catalogue, where each comes from, and how it gets onto this machine."""

from __future__ import annotations

from voicetui.engine.models.catalogue import Catalogue, Model, ModelFile, catalogue
from voicetui.engine.models.fetch import fetch
from voicetui.engine.models.sources import Progress
from voicetui.engine.models.store import Found, find, models_folder, remove

__all__ = [
    "Catalogue",
    "Found",
    "Model",
    "ModelFile",
    "Progress",
    "catalogue",
    "fetch",
    "find",
    "models_folder",
    "remove",
]

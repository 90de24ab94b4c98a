"""Which parts can run here, which would be chosen, and building them for a conversation."""

from __future__ import annotations

from voicetui.engine.parts.build import Parts, choose
from voicetui.engine.parts.needed import needed_models
from voicetui.engine.parts.options import TalkOptions
from voicetui.engine.parts.probing import PartState, probe

__all__ = ["PartState", "Parts", "TalkOptions", "choose", "needed_models", "probe"]

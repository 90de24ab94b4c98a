"""What a user chooses about a conversation: the parts and devices, and the policy of the loop."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from voicetui.engine.policy import Policy

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class TalkOptions:
    """Everything that decides which parts a conversation is held with; an empty text leaves the choice to `choose`."""

    language: str = "en"
    """The language spoken, as a tag: `en`, `fr`, `fr-CA`."""
    recogniser: str = ""
    """A recogniser of the catalogue, whatever its language."""
    voice: str = ""
    """A voice of the catalogue, or the path of a Piper voice (`.onnx`, its `.onnx.json` beside it)."""
    model: str = ""
    """A model of Ollama's, a model of the catalogue, or the path of a `.gguf` file."""
    ollama_host: str = ""
    """Where Ollama answers; empty is `$OLLAMA_HOST`, or this machine."""
    device: str = ""
    """The microphone: a device's name, part of it, or its number."""
    speaker: str = ""
    """The loudspeaker: the same, or `none`, or a `.wav` file to write."""
    wav: tuple[Path, ...] = ()
    """WAV files that are streamed in real time instead of a microphone."""
    record: Path | None = None
    """A folder that both sides are recorded into."""
    policy: Policy = field(default_factory=Policy)

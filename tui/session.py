"""What the application is started with. Imports neither Textual nor anything heavy."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from voicetui.tui.view import Facts, Gauges, NoGauges

if TYPE_CHECKING:
    from collections.abc import Callable

    from voicetui.engine.discussion import Discussion
    from voicetui.engine.events import Event
    from voicetui.engine.parts.options import TalkOptions


@dataclass(slots=True, kw_only=True)
class Session:
    """One conversation and what is known of its parts. `make` is called on the engine's thread, within its loop."""

    make: Callable[[], Discussion]
    facts: Callable[[], Facts] = Facts
    """The parts in use, asked for now and then: it may answer with more once `make` is done."""
    gauges: Gauges = field(default_factory=NoGauges)
    hear: Callable[[Event], object] = bool
    """Hears every event, on the engine's thread, before the screen does."""
    theme: str = ""
    """The theme to begin with; empty: one that suits the terminal."""
    keymap: dict[str, str] = field(default_factory=dict)
    """The user's keys, checked; `run_app` reads them from the settings file."""
    complaints: list[str] = field(default_factory=list)
    """What in the user's files could not be used: shown once."""
    options: TalkOptions | None = None
    """What the parts are chosen by; what is missing for them is offered before the conversation begins."""
    barge_in: bool = True
    """Whether the policy allows it at the start."""

"""What the widgets draw from: the state of the talk, the moment, and what is polled instead of told."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from voicetui.tui.glyphs import UNICODE, Glyphs
from voicetui.tui.state import TalkState

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, slots=True)
class Facts:
    """The parts in use, in words for the screen; "" where there is none or it is not known yet."""

    mic: str = ""
    out: str = ""
    hear: str = ""
    think: str = ""
    speak: str = ""
    notes: tuple[str, ...] = ()
    """What the user should read before it begins."""


class Gauges(Protocol):
    """Values that move all the time: plain reads, from any thread, thirty times a second."""

    def mic_level(self) -> float | None:
        """Return the root mean square of the microphone's last block, 0 … 1; None without a microphone."""

    def out_level(self) -> float | None:
        """Return the same of what is being heard from the loudspeaker."""

    def xruns(self) -> int:
        """Return how often audio was lost since the start."""


class NoGauges:
    """Gauges of a conversation without audio."""

    def mic_level(self) -> float | None:
        """Return None: there is no microphone."""
        return None

    def out_level(self) -> float | None:
        """Return None: there is no loudspeaker."""
        return None

    def xruns(self) -> int:
        """Return 0."""
        return 0


@dataclass(frozen=True, slots=True)
class Hint:
    """A key in the last row; the lower its rank, the later it gives way."""

    key: str
    what: str
    action: str
    rank: int


@dataclass(slots=True)
class View:
    """Everything that is shown. The application writes it, widgets only read it; all on Textual's thread."""

    state: TalkState = field(default_factory=TalkState)
    glyphs: Glyphs = UNICODE
    facts: Facts = Facts()
    gauges: Gauges = field(default_factory=NoGauges)
    clock: Callable[[], float] = float
    """Seconds since the conversation began."""
    session: str = ""
    """When the conversation began, as the clock on the wall shows it."""
    muted: bool = False
    barge_in: bool = True
    notice: str = ""
    """A word on what the user just did, for a moment."""
    fps: int = 0
    """How often the gauges were read in the last second."""
    engine_share: float | None = None
    """The share of a core that the engine's thread takes, 0 … 1."""
    hints: list[Hint] = field(default_factory=list)
    """The keys for the last row, from left to right."""

    @property
    def now_s(self) -> float:
        """Return the moment that is shown: after the end it stands still."""
        ended = self.state.ended_s
        return self.clock() if ended is None else ended

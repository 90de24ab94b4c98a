"""What a scenario is made of: the scripted parts, what the user does on a time line, and what is expected.

Plain data; `reading` makes it from a TOML file, `stage` plays it, `expect` checks it. Times are seconds.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from voicetui.engine.events import Floor, Heard, Source
from voicetui.engine.policy import Policy

if TYPE_CHECKING:
    from voicetui.engine.scenario.expect import Expectation

LIMIT_S = 600.0


@dataclass(frozen=True, slots=True)
class Ears:
    """How the scripted ears behave: as real ones that end a turn by a silence rule."""

    word_s: float = 0.3
    """How long a spoken word is; its draft comes at its end."""
    detect_s: float = 0.05
    """How late the beginning and the end of a sound are noticed."""
    eager_s: float = 0.0
    """After so much silence the ears guess that the turn is over; 0: they never guess."""
    endpoint_s: float = 0.5
    """After so much silence the turn is over; a longer gap in what the user says makes it two turns."""
    recognise_s: float = 0.09
    """How long the final text takes from there."""


@dataclass(frozen=True, slots=True)
class ReplyScript:
    """What the scripted model does when it is asked once."""

    text: str | None = None
    """What it says; None: the user's words again, `echo` times."""
    echo: int = 3
    first_token_s: float = 0.1
    token_s: float = 0.02
    thinking: str = ""
    """Hidden reasoning that comes before the answer, between think tags."""
    fail_after_tokens: int | None = None
    hang_after_tokens: int | None = None
    failure: str = "the model broke off"


@dataclass(frozen=True, slots=True)
class VoiceScript:
    """How the scripted voice behaves. Sentences are numbered from 1 through the whole conversation."""

    first_pcm_s: float = 0.05
    word_s: float = 0.3
    sentence_s: float | None = None
    """How long every sentence plays, whatever its words."""
    failing_sentences: frozenset[int] = frozenset()
    silent_sentences: frozenset[int] = frozenset()
    """Sentences of which not one sample ever comes."""
    failure: str = "the voice broke off"


@dataclass(frozen=True, slots=True)
class When:
    """When a stimulus comes: at a moment of the conversation, or `wait_s` after the floor has come to `floor`.

    Without either it comes `wait_s` after the stimulus before it.
    """

    at_s: float | None = None
    floor: Floor | None = None
    wait_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Say:
    """A spoken turn: phrases with silent gaps between them."""

    phrases: tuple[str, ...]
    gaps_s: tuple[float, ...] = ()
    words_s: tuple[float, ...] = ()
    """How long a word is in each phrase; empty: as long as the ears say."""


@dataclass(frozen=True, slots=True)
class Cough:
    """A sound without words, of which no turn comes."""

    length_s: float


@dataclass(frozen=True, slots=True)
class Backchannel:
    """An acknowledgement that the ears themselves know for one."""

    text: str
    word_s: float | None = None


@dataclass(frozen=True, slots=True)
class Echo:
    """The sentence that the agent says now comes back through the microphone and is taken for the user's turn."""

    word_s: float | None = None


@dataclass(frozen=True, slots=True)
class BargeIn:
    """Speech over the agent without one recognised word, which the ears declare a turn when it has lasted so long."""

    length_s: float


@dataclass(frozen=True, slots=True)
class Pause:
    """Silence."""

    length_s: float


@dataclass(frozen=True, slots=True)
class Typed:
    """A typed turn."""

    text: str
    source: Source = Source.KEY


@dataclass(frozen=True, slots=True)
class Interrupt:
    """The stop key, or another way to stop the agent."""

    source: Source = Source.KEY


@dataclass(frozen=True, slots=True)
class Microphone:
    """The microphone goes away or comes back."""

    back: bool


@dataclass(frozen=True, slots=True)
class RecogniserError:
    """The recogniser fails: for a moment, or (`fatal`) for good, and nothing more is heard."""

    message: str
    fatal: bool = False


@dataclass(frozen=True, slots=True)
class Hear:
    """One event of the ears, just as it is given; its `turn_index` is filled in."""

    event: Heard


@dataclass(frozen=True, slots=True)
class End:
    """The user ends the conversation."""

    reason: str


Act = Say | Cough | Backchannel | Echo | BargeIn | Pause | Typed | Interrupt | Microphone | RecogniserError | Hear | End


@dataclass(frozen=True, slots=True)
class Stimulus:
    """One thing that the user or the world does; `place` says where it was written."""

    act: Act
    when: When = When()
    place: str = ""


@dataclass(frozen=True, slots=True)
class Scenario:
    """A conversation to rehearse and what must come of it."""

    stimuli: tuple[Stimulus, ...]
    expectations: tuple[Expectation, ...] = ()
    title: str = ""
    policy: Policy = field(default_factory=Policy)
    replies: tuple[ReplyScript, ...] = (ReplyScript(),)
    """What the model does in each exchange; the last one again and again."""
    voice: VoiceScript = VoiceScript()
    ears: Ears = Ears()
    limit_s: float = LIMIT_S
    """A conversation that has not ended by then is ended, which counts as a failure."""

    @property
    def outlives_ears(self) -> bool:
        """Return whether something still happens after the ears failed for good."""
        fatal = [isinstance(s.act, RecogniserError) and s.act.fatal for s in self.stimuli]
        return any(fatal[:-1])

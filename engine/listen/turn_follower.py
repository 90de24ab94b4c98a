"""What is said, turn by turn: from windows of sound and the recogniser's words to the events that `Ears` yields.

Runs on the conversation's loop; nothing here waits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from voicetui.engine import events as ev
from voicetui.engine.listen.endpoint import Change, Endpoint, EndpointRule, Phase
from voicetui.engine.listen.patience import is_dictating
from voicetui.engine.listen.voicing import Voicing
from voicetui.engine.words import words_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from voicetui.engine.listen.turn_text import TurnText, Words
    from voicetui.engine.listen.windows import Window

RATE_HZ = 16_000
DRAFT_S = 0.25
INVENTED = frozenset(["you", "the", "a", "so", "and", "thank", "thanks", "bye", "uh", "oh"])
"""What recognisers make of coughs and clicks …"""
INVENTED_BELOW_S = 0.3
"""… when they hold less voice than this."""


@dataclass(slots=True)
class _Pause:
    """A silence in a turn: what is known when it turns out to be the end."""

    request: int
    last_voice: int
    text: str | None = None
    text_s: float | None = None
    decided_s: float | None = None
    eager: bool = False


class TurnFollower:
    """Follows one turn after another; `now` is the conversation's clock."""

    def __init__(self, text: TurnText, rule: EndpointRule, preroll_s: float, now: Callable[[], float]) -> None:
        self._text, self._rule, self._now = text, rule, now
        self._preroll = round(preroll_s * RATE_HZ)
        self._endpoint = Endpoint(rule)
        self._voicing = Voicing()
        self._pause: _Pause | None = None
        self._turn_index = 0
        self._committed_end = 0
        self._draft = ""
        self._draft_due = 0
        self._anchor_s = 0.0

    @property
    def must_end(self) -> bool:
        """Whether the turn is too long: nothing more belongs to it, its words are all that is waited for."""
        return self._endpoint.too_long

    def hear(self, window: Window) -> Iterator[ev.Heard]:
        """Take the next window: what it says about the turn, and whether that is over."""
        length_s = len(window.samples) / RATE_HZ
        change = self._endpoint.step(window.probability, length_s)
        self._voicing.add(window.samples, voiced=self._endpoint.phase is not Phase.QUIET)
        self._anchor_s = window.at_s
        if change is Change.BEGAN:
            yield self._begin(len(window.samples))
            return
        if self._endpoint.phase is Phase.QUIET:
            return
        self._text.add(window.samples)
        if change is Change.RESUMED:
            yield from self._resume(len(window.samples))
        elif change is Change.PAUSED:
            yield self._pause_turn()
        elif self._endpoint.phase is Phase.VOICED and self._voicing.end >= self._draft_due:
            self._draft_due = self._voicing.end + round(DRAFT_S * RATE_HZ)
            self._text.want_draft()
        if self._endpoint.too_long and self._pause is None:
            yield self._pause_turn()
        yield from self._commit_if_over()

    def draft(self, words: Words) -> Iterator[ev.Heard]:
        """Take the recogniser's words so far."""
        if self._pause is None and words.text and words.text != self._draft:
            self._draft = words.text
            yield ev.Draft(turn_index=self._turn_index, text=words.text)

    def final(self, words: Words) -> Iterator[ev.Heard]:
        """Take the recogniser's words of a turn that is silent."""
        pause = self._pause
        if pause is None or pause.request != words.request or pause.text is not None:
            return  # they went on meanwhile
        pause.text, pause.text_s = self._worth(words.text), self._now()
        if pause.text:
            pause.eager = True
            yield ev.EagerEndOfTurn(turn_index=self._turn_index, text=pause.text)
        yield from self._commit_if_over()

    def close_turn(self) -> Iterator[ev.Heard]:
        """Have what was said decoded, if it is not yet: the audio has ended."""
        if self._endpoint.phase is not Phase.QUIET and self._pause is None:
            yield self._pause_turn()

    def commit_now(self) -> Iterator[ev.Heard]:
        """Commit the turn, its words being there: nobody waits for a silence that cannot come."""
        if self._pause is not None:
            self._pause.decided_s = self._pause.decided_s or self._now()
            yield self._commit(self._pause)

    def _begin(self, window: int) -> ev.SpeechStart:
        onset = self._voicing.onset(window)
        self._draft, self._draft_due = "", self._voicing.end + round(DRAFT_S * RATE_HZ)
        self._text.begin(self._voicing.since(max(onset - self._preroll, self._committed_end)))
        return self._speech_start(onset)

    def _resume(self, window: int) -> Iterator[ev.Heard]:
        pause, self._pause = self._pause, None
        if pause is not None and pause.eager:
            yield ev.TurnResumed(turn_index=self._turn_index)
        yield self._speech_start(self._voicing.end - window)

    def _speech_start(self, onset: int) -> ev.SpeechStart:
        return ev.SpeechStart(turn_index=self._turn_index, audio_ms=onset / 16, onset_s=self._moment(onset))

    def _pause_turn(self) -> ev.SpeechEnd:
        """Note the silence and have the turn decoded while it lasts."""
        silent_from = self._voicing.end - round(self._endpoint.silence_s * RATE_HZ)
        last_voice = self._voicing.last_voice(silent_from)
        self._pause = _Pause(self._text.want_final(), last_voice)
        return ev.SpeechEnd(turn_index=self._turn_index, audio_ms=last_voice / 16)

    def _worth(self, text: str) -> str:
        """Return a turn's text, or "" for what the recogniser made of a noise."""
        words = words_of(text)
        invented = self._endpoint.voiced_s < INVENTED_BELOW_S and len(words) == 1 and words[0] in INVENTED
        return text if words and not invented else ""

    def _commit_if_over(self) -> Iterator[ev.Heard]:
        pause = self._pause
        if pause is None:
            return
        limit_s = self._rule.digits_silence_s if is_dictating(pause.text or "") else self._rule.silence_s
        if not self._endpoint.over(limit_s) and not self._endpoint.too_long:
            pause.decided_s = None
            return
        pause.decided_s = pause.decided_s or self._now()
        if pause.text is not None:
            yield self._commit(pause)

    def _commit(self, pause: _Pause) -> ev.Committed:
        marks = ev.HearingMarks(self._moment(pause.last_voice), pause.decided_s, pause.text_s)
        text = pause.text or ""
        committed = ev.Committed(
            turn_index=self._turn_index,
            text=text,
            user_turn=bool(text),
            turn_kind=ev.TurnKind.TURN if text else ev.TurnKind.NOISE,
            reason="silence" if text else "no words recognised",
            marks=marks,
        )
        self._pause = None
        self._endpoint.commit()
        self._committed_end = self._voicing.end
        self._turn_index += 1
        return committed

    def _moment(self, sample: int) -> float:
        """Return when a sample was captured, on the conversation's clock."""
        return self._anchor_s - (self._voicing.end - sample) / RATE_HZ

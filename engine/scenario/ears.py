"""What ears report of the sounds that a scripted user makes: pure, moments in, events out."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from voicetui.engine import events as ev

if TYPE_CHECKING:
    from collections.abc import Sequence

    from voicetui.engine.scenario.script import Ears


@dataclass(slots=True)
class Hearing:
    """Collects what is reported of one sound after another, in the order in which ears report it.

    Moments are seconds on the loop's clock; `began_s` is that of the first sample. Nothing is reported before what
    came before it: a turn that begins while the last one is still being recognised is announced after that one's text.
    """

    ears: Ears
    began_s: float
    turn_index: int
    reports: list[tuple[float, ev.Heard]] = field(default_factory=list)

    def report(self, at_s: float, heard: ev.Heard) -> None:
        """Add a report."""
        latest = self.reports[-1][0] if self.reports else at_s
        self.reports.append((max(at_s, latest), heard))

    def start(self, onset_s: float) -> None:
        """Report the beginning of a sound."""
        at = onset_s + self.ears.detect_s
        self.report(at, ev.SpeechStart(turn_index=self.turn_index, audio_ms=self._audio_ms(at), onset_s=onset_s))

    def end(self, last_voice_s: float) -> None:
        """Report the end of a sound."""
        at = last_voice_s + self.ears.detect_s
        self.report(at, ev.SpeechEnd(turn_index=self.turn_index, audio_ms=self._audio_ms(at)))

    def draft(self, at_s: float, words: Sequence[str]) -> None:
        """Report the words so far."""
        self.report(at_s, ev.Draft(turn_index=self.turn_index, text=" ".join(words)))

    def commit(self, last_voice_s: float, text: str, kind: ev.TurnKind = ev.TurnKind.TURN) -> None:
        """Report a turn, over after the silence that the ears wait for."""
        decided = last_voice_s + self.ears.endpoint_s
        final = decided + self.ears.recognise_s
        turn = ev.Committed(
            turn_index=self.turn_index,
            text=text,
            user_turn=kind is ev.TurnKind.TURN,
            turn_kind=kind,
            reason="silence",
            marks=ev.HearingMarks(last_voice_s, decided, final),
        )
        self.report(final, turn)
        self.turn_index += 1

    def _audio_ms(self, at_s: float) -> float:
        return (at_s - self.began_s) * 1000


def hear_speech(
    hearing: Hearing, onset_s: float, phrases: Sequence[str], gaps_s: Sequence[float], words_s: Sequence[float]
) -> None:
    """Report phrases with silent gaps between them: drafts, guesses at an end and their withdrawal, and the turns.

    `words_s` holds how long a word is in each phrase.
    """
    ears = hearing.ears
    words: list[str] = []
    at, sounding, guessed = onset_s, False, False
    for phrase, gap, word_s in zip(phrases, [*gaps_s, math.inf], words_s, strict=True):
        if not sounding:
            hearing.start(at)
        if guessed:
            hearing.report(at + ears.detect_s, ev.TurnResumed(turn_index=hearing.turn_index))
        for word in phrase.split():
            at += word_s
            words.append(word)
            hearing.draft(at, words)
        sounding = gap <= ears.detect_s
        if not sounding:
            hearing.end(at)
        guessed = 0 < ears.eager_s < min(gap, ears.endpoint_s)
        if guessed:
            text = " ".join(words)
            hearing.report(at + ears.eager_s, ev.EagerEndOfTurn(turn_index=hearing.turn_index, text=text))
        if gap > ears.endpoint_s:
            hearing.commit(at, " ".join(words))
            words, guessed = [], False
        at += gap


def hear_acknowledgement(hearing: Hearing, onset_s: float, text: str, word_s: float) -> None:
    """Report an acknowledgement that the ears know for one."""
    words = text.split()
    end = onset_s + word_s * len(words)
    hearing.start(onset_s)
    hearing.draft(end, words)
    hearing.end(end)
    hearing.report(end + hearing.ears.detect_s, ev.UserBackchannel(turn_index=hearing.turn_index, text=text))
    hearing.commit(end, text, ev.TurnKind.BACKCHANNEL)


def hear_cough(hearing: Hearing, onset_s: float, length_s: float) -> None:
    """Report a sound of which no words and no turn come."""
    hearing.start(onset_s)
    hearing.end(onset_s + length_s)


def hear_barge_in(hearing: Hearing, onset_s: float, length_s: float) -> None:
    """Report speech without words that takes the floor when it has lasted `length_s`."""
    hearing.start(onset_s)
    end = onset_s + length_s
    hearing.report(end, ev.UserTurnTaken(turn_index=hearing.turn_index))
    hearing.end(end)
    hearing.commit(end, "", ev.TurnKind.NOISE)

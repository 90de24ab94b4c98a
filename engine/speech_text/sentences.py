"""Where a piece ends: at the end of a sentence, of a line, of an early clause, or where it becomes too long to wait.

Units come one by one and each decision looks at what came before and at most at the next word, so the pieces cannot
depend on how the stream was cut.

When is an end unambiguous? Strictly, never at a full stop: "today" may turn out to be "today..." or "today.com". But
waiting for one more character costs a token in every sentence, so the word decides. After an ordinary word, with no
quote, bracket or emphasis open, the sentence is released with its full stop. One more character is waited for after a
number, an initial, a word by itself, a word of one or two letters, odd capitals, and words of `lexicon` that often
trail off or have an ending behind the dot; after an abbreviation, as much of the next word as it takes. Where the guess
is wrong, the rest begins the next piece: heard as a pause. From then on, and from the first dot, "?!" or `name.ending`
that a reply has, one more character is waited for in all of it. Seen with SmolLM2's tokens, 40 replies: 272 of 289
sentences were out with their full stop, 17 one token later, none wrongly. In a text full of undeclared code (the
docstrings of the standard library) 2 % are cut wrongly. "?" and "!" wait for one more character ("?!", "!!!"), but not
at the end of a long sentence.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from voicetui.engine.speech_text import ends
from voicetui.engine.speech_text.draft import Draft, Piece
from voicetui.engine.speech_text.ends import Stop
from voicetui.engine.speech_text.units import Guard, Unit

LONG_SENTENCE_WORDS = 7
"""From so many words on, a sentence ends with its first "?" or "!": nobody writes "?!" or "!!!" after a long one."""
CLAUSE_CHARS = 280
"""A piece that is so long is cut at the next clause."""
WORD_CHARS = 360
"""A piece that is so long is cut before the next white space that follows a letter."""
SPACE_CHARS = 480
"""A piece that is so long is cut before any white space."""
HARD_CHARS = 600
"""A piece that is so long is cut anywhere: no language has such words."""

_FULL_STOPS = "。｡।॥۔։።။"
_ASKING = "?!？！؟‽\u037e"
_DOTS = tuple(".?!…")
_TERMINATORS = _FULL_STOPS + _ASKING + ".…"
_CLAUSE_MARKS = ",;，；،؛"
_AFTER_WORD = tuple(ends.CLOSERS + _CLAUSE_MARKS + ":—")
_LONGEST_WORD = 24
_NO_ITEM = -2


@dataclass(slots=True)
class _Pending:
    """A mark after which the sentence may be over, and what came since."""

    stop: Stop
    spaced: bool = False
    following: str = ""
    ender: str = ""
    after: list[Unit] = field(default_factory=list)


class Sentences:
    """Units in, pieces out."""

    def __init__(self, language: str, first_clause_words: int) -> None:
        self._language = language
        self._clause_words = first_clause_words
        self._draft = Draft()
        self._pending: _Pending | None = None
        self._queue: deque[Unit] = deque()
        self._pieces: list[Piece] = []
        self._began = False
        self._careful = False
        self._behind_mark = False
        self._item = _NO_ITEM

    def feed(self, unit: Unit) -> list[Piece]:
        """Take one unit and return the pieces that ended with it."""
        self._queue.append(unit)
        while self._queue:
            unit = self._queue.popleft()
            if unit.spoken == "\n":
                self._end_line(unit)
            elif self._pending is not None:
                self._decide(self._pending, unit)
            else:
                self._take(unit)
        pieces, self._pieces = self._pieces, []
        return pieces

    def flush(self) -> list[Piece]:
        """Return what is left when the stream ends."""
        pieces = self.feed(Unit("", "\n"))
        self._began = self._careful = False
        return pieces

    # -- one unit ----------------------------------------------------------------------------------------------------

    def _end_line(self, unit: Unit) -> None:
        pending, self._pending = self._pending, None
        if pending is not None:
            if not pending.following or ends.verdict(pending.stop, pending.following, "\n"):
                self._cut(ends_sentence=True)
            self._queue.appendleft(unit)
            self._queue.extendleft(reversed(pending.after))
            return
        if unit.shown.strip():
            self._draft.add_shown(unit.shown)
        self._cut(ends_sentence=True)
        if not unit.shown.strip():
            self._draft.add_shown(unit.shown)
        self._draft.end_line()
        self._behind_mark, self._item = False, _NO_ITEM

    def _take(self, unit: Unit) -> None:
        draft, char = self._draft, unit.spoken
        if draft.length >= WORD_CHARS and char and self._too_long(char):
            self._cut(ends_sentence=False)
        run, sealed = draft.run, draft.sealed
        if char:
            self._watch(char, run)
        draft.add(unit)
        if len(char) != 1 or char.isalnum() or char == " " or unit.guard is Guard.SEALED or not draft.words:
            return
        calm = unit.guard is Guard.FREE and not draft.quotes and not sealed
        stop = self._stop_at(char, run, sealed=sealed)
        if stop is None and calm:
            stop = self._clause_at(char, run)
            if stop is Stop.NOW:
                self._cut(ends_sentence=False)
                return
        if stop is Stop.NOW and calm and (char in _FULL_STOPS or not self._careful):
            self._cut(ends_sentence=True)
            self._behind_mark = char not in _FULL_STOPS
        elif stop is Stop.NOW:
            self._pending = _Pending(Stop.ANY if char in _FULL_STOPS else Stop.SPACE)
        elif stop is not None and stop is not Stop.NEVER:
            self._pending = _Pending(stop)

    def _watch(self, char: str, run: str) -> None:
        """Become careful once the reply has put a dot, another mark or a letter straight behind a mark."""
        if self._behind_mark or (run[-1:] in _DOTS and len(run[:-1].rpartition(".")[2]) > 1):
            self._careful = self._careful or char.isalpha() or char in _DOTS
        self._behind_mark = False

    def _stop_at(self, char: str, run: str, *, sealed: bool) -> Stop | None:
        """Say what must follow this character for a sentence to end with it; None where it ends none."""
        draft = self._draft
        if char in _FULL_STOPS:
            return Stop.NOW
        if char in _ASKING or (char == ";" and "\u0370" <= run[-1:] <= "\u1fff"):
            if draft.words >= LONG_SENTENCE_WORDS and run.isalpha():
                return Stop.NOW
            return Stop.ANY if char in "？！" else Stop.SPACE
        if char == "…":
            return Stop.TRAILS_OFF
        if char != ".":
            return None
        stop = Stop.SPACE if sealed else ends.after_dot(run, draft.previous, draft.words, self._language)
        return self._count_items(run, stop)

    def _count_items(self, run: str, stop: Stop) -> Stop:
        """Keep a list inside a line together: after "1." a "2." ends nothing either."""
        if len(run) > 2 or not run.isdecimal():
            return stop
        if stop is not Stop.NEVER and int(run) != self._item + 1:
            return stop
        self._item = int(run)
        return Stop.NEVER

    def _clause_at(self, char: str, run: str) -> Stop | None:
        """Say the same of a clause, where one is wanted."""
        wanted = not self._began and 0 < self._clause_words <= self._draft.words
        if not wanted and self._draft.length < CLAUSE_CHARS:
            return None
        if char in _CLAUSE_MARKS:
            return Stop.CLAUSE if run[-1:].isdigit() else Stop.NOW
        if char in ":：–":
            return Stop.CLAUSE
        return Stop.NOW if char == "—" else None

    def _too_long(self, char: str) -> bool:
        """Whether the draft must be cut before this character."""
        draft = self._draft
        if char.isspace():
            return draft.last.isalpha() or draft.last in _AFTER_WORD or draft.length >= SPACE_CHARS
        return draft.length >= HARD_CHARS or (ends.is_cjk(char[0]) and ends.is_cjk(draft.last))

    # -- after a mark ------------------------------------------------------------------------------------------------

    def _decide(self, pending: _Pending, unit: Unit) -> None:
        over = self._look_on(pending, unit) if pending.spaced else self._look_behind_mark(pending, unit)
        if over is None:
            return
        self._pending = None
        self._queue.extendleft(reversed(pending.after))
        if over:
            self._cut(ends_sentence=pending.stop is not Stop.CLAUSE)

    def _look_behind_mark(self, pending: _Pending, unit: Unit) -> bool | None:
        """Judge what follows a mark directly: more marks and closing quotes belong to it."""
        char = unit.spoken
        if self._draft.length >= HARD_CHARS:
            pending.after.append(unit)
            return True
        plain = unit.guard is not Guard.SEALED and pending.stop is not Stop.CLAUSE
        if not char or (plain and len(char) == 1 and (char in ends.CLOSERS or self._draft.quotes.awaits(char))):
            self._draft.add(unit)
            if char and pending.stop is Stop.SPACE:
                pending.stop = Stop.NOT_LOWER
            return None
        if plain and len(char) == 1 and char in _TERMINATORS:
            self._draft.add(unit)
            self._careful = True
            pending.stop = _more_marks(pending.stop, char)
            return None
        pending.after.append(unit)
        if not char.isspace():
            return self._ends_before(char, pending.stop)
        pending.spaced = True
        at_once = pending.stop is Stop.ANY or pending.stop is Stop.SPACE
        return True if at_once and not self._draft.quotes.french else None

    def _ends_before(self, char: str, stop: Stop) -> bool:
        """Say whether a sentence ended when no white space follows: in Chinese and Japanese there is none."""
        quoted = char in "とっ，、" and self._draft.last in ends.CLOSERS
        return (stop is Stop.ANY and not quoted) or (stop is Stop.SPACE and ends.is_cjk(char[0]))

    def _look_on(self, pending: _Pending, unit: Unit) -> bool | None:
        """Judge what follows after white space: the first letter of the next word, or the whole word."""
        pending.after.append(unit)
        char = unit.spoken
        if char and char in "»›" and not pending.following and self._draft.quotes.french:
            for passed in pending.after:
                self._draft.add(passed)
            pending.after.clear()
            pending.spaced, pending.stop = False, Stop.NOT_LOWER
            return None
        if not char or (char.isspace() and not pending.following):
            return None
        if char.isalnum() or (char in "'’-" and pending.following) or char in ends.OPENERS:
            pending.following += char
            ender = " " if len(pending.following) > _LONGEST_WORD else ""
        else:
            ender = char[0]
        return ends.verdict(pending.stop, pending.following, ender)

    def _cut(self, *, ends_sentence: bool) -> None:
        piece = self._draft.cut(ends_sentence=ends_sentence)
        if piece is not None:
            self._pieces.append(piece)
            self._began = self._began or bool(piece.spoken)


def _more_marks(stop: Stop, char: str) -> Stop:
    """Say what must follow after a further mark: dots make an ellipsis, "?" and "!" end a sentence."""
    if char in _FULL_STOPS or char in "？！" or stop is Stop.ANY:
        return Stop.ANY
    if char in _ASKING or (stop is Stop.SPACE and char not in ".…"):
        return Stop.SPACE
    return Stop.TRAILS_OFF

"""Where the time of the current exchange goes: a bar a stage as it really ran, overlaps and all, against 800 ms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from voicetui.engine.timing import BUDGET_S, Stage
from voicetui.tui.text import wrap_runs
from voicetui.tui.widgets.lines import Lines, framed

if TYPE_CHECKING:
    from voicetui.tui.glyphs import Glyphs
    from voicetui.tui.state import LiveExchange
    from voicetui.tui.text import Row

NAMES = {
    Stage.ENDPOINT: "endpointing",
    Stage.RECOGNISE: "recognition",
    Stage.THINK: "first token",
    Stage.SPEAK: "first audio",
}
ADVICE = {
    Stage.ENDPOINT: "Most of it is waiting to be sure that you have finished: see Settings.",
    Stage.RECOGNISE: "A smaller recogniser writes your last words down sooner: see Models.",
    Stage.THINK: "A smaller model, or one kept loaded, begins to answer sooner: see Models.",
    Stage.SPEAK: "A faster voice, or a shorter first sentence, is heard sooner: see Models.",
}
_NAME_WIDTH = max(map(len, NAMES.values())) + 1
_VALUE_WIDTH = 11
_STEPS_S = (1.0, 1.25, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 15.0, 20.0, 30.0, 45.0, 60.0)


@dataclass(frozen=True, slots=True)
class Bar:
    """One stage: from and to in seconds since the user's last voiced sample, its share of the wait, still growing."""

    stage: Stage
    from_s: float = 0.0
    to_s: float = 0.0
    share_s: float | None = None
    growing: bool = False


def bars(exchange: LiveExchange, now_s: float) -> list[Bar]:
    """Return the four bars of an exchange, as measured or, while it runs, as far as is known."""
    if exchange.timing is not None:
        return _measured(exchange.timing, exchange.eager_s)
    return _running(exchange, now_s)


def total_s(exchange: LiveExchange, now_s: float) -> float | None:
    """Return the seconds to first audio, or so far; None before there is anything to count."""
    if exchange.timing is not None:
        measured: float | None = exchange.timing.get("to_first_audio_s")
        return measured
    began = exchange.began_s
    return None if began is None else max(0.0, (exchange.over_s or now_s) - began)


def _measured(timing: dict[str, Any], eager_s: float | None) -> list[Bar]:
    marks = timing["marks"]
    known = [at for at in marks.values() if at is not None]
    origin = min(known) if marks.get("last_voice") is None and known else marks.get("last_voice") or 0.0
    at = {name: None if moment is None else moment - origin for name, moment in marks.items()}
    eager = None if eager_s is None else eager_s - origin
    spans = {
        Stage.ENDPOINT: (0.0, at["decided"]),
        Stage.RECOGNISE: (_from(at["decided"], at["final_text"]), at["final_text"]),
        Stage.THINK: (_from(at["final_text"], at["first_token"], eager), at["first_token"]),
        Stage.SPEAK: (at["first_token"] or at["final_text"] or 0.0, at["first_audible"]),
    }
    return [
        Bar(stage, from_s, to_s, timing[f"{stage}_s"]) if to_s is not None else Bar(stage)
        for stage, (from_s, to_s) in spans.items()
    ]


def _from(before: float | None, end: float | None, early: float | None = None) -> float:
    """Return where a stage began: at the end of the one before, or earlier, if it ended before that."""
    if early is not None and end is not None and early < end:
        return early if before is None else min(early, before)
    if before is None or end is None:
        return 0.0
    return before if end >= before else 0.0


def _running(exchange: LiveExchange, now_s: float) -> list[Bar]:
    origin = exchange.began_s
    if origin is None:
        return [Bar(stage) for stage in Stage]
    voice, decided, final = exchange.last_voice_s, exchange.decided_s, exchange.final_text_s
    moments = {
        Stage.ENDPOINT: (voice, decided if decided is not None else final),
        Stage.RECOGNISE: (decided, final),
        Stage.THINK: (final if exchange.eager_s is None else exchange.eager_s, exchange.first_sentence_s),
        Stage.SPEAK: (exchange.first_sentence_s, None),
    }
    made, over = [], exchange.over_s
    for stage, (begin, end) in moments.items():
        if begin is None:
            made.append(Bar(stage))
            continue
        to = end if end is not None else over if over is not None else now_s
        share = max(0.0, to - begin) if end is not None or over is None else None
        made.append(Bar(stage, begin - origin, max(begin, to) - origin, share, growing=end is None and over is None))
    return made


def worst(drawn: list[Bar]) -> Stage | None:
    """Return the stage with the largest share."""
    shares = {bar.stage: bar.share_s for bar in drawn if bar.share_s is not None}
    return max(shares, key=lambda stage: shares[stage]) if shares else None


def axis_s(drawn: list[Bar]) -> float:
    """Return what the whole width stands for: a round figure, so that a growing bar does not change it all the time."""
    longest = max(bar.to_s for bar in drawn) * 1.02
    return next((step for step in _STEPS_S if step >= longest), longest)


def bar_row(bar: Bar, axis: float, width: int, glyphs: Glyphs, *, marked: bool) -> Row:
    """Return a stage's row: its name, its bar under the budget's line, its share, and a mark on the worst."""
    room = max(4, width - _NAME_WIDTH - _VALUE_WIDTH)
    line = min(room - 1, round(BUDGET_S / axis * room))
    start = min(room - 1, int(bar.from_s / axis * room))
    stop = min(room, max(start + 1, round(bar.to_s / axis * room))) if bar.to_s > bar.from_s or bar.growing else start
    sign = glyphs.growing if bar.growing else glyphs.bar
    kept, missed = max(0, min(stop, line) - start), max(0, stop - max(start, line))
    value = f"{bar.share_s * 1000:.0f} ms" if bar.share_s is not None else glyphs.dash
    row: Row = [
        (f"{NAMES[bar.stage]:<{_NAME_WIDTH}}", "label"),
        *_gap(0, start, line, glyphs),
        (sign * kept, f"stage-{bar.stage}"),
        (sign * missed, "missed"),
        *_gap(stop, room, line, glyphs),
        (f"{value:>{_VALUE_WIDTH - 2}}", "words" if marked else "label"),
        (f" {glyphs.worst}" if marked else "  ", "missed"),
    ]
    return [run for run in row if run[0]]


def _gap(begin: int, end: int, line: int, glyphs: Glyphs) -> Row:
    """Return the empty cells from `begin` to `end`, with the budget's line where it falls among them."""
    if not begin <= line < end:
        return [(" " * (end - begin), "faint")]
    return [(" " * (line - begin), "faint"), (glyphs.budget, "budget"), (" " * (end - line - 1), "faint")]


def verdict(total: float) -> str:
    """Return how a total stands to the budget: `50 under 800`."""
    over = round((total - BUDGET_S) * 1000)
    return f"{abs(over)} {'over' if over > 0 else 'under'} {BUDGET_S * 1000:.0f}"


class Waterfall(Lines):
    """The current exchange, or the last one. Six rows, or more with the verdict and the advice written out."""

    def rows(self, width: int, height: int) -> list[Row]:
        """Return the framed rows."""
        now, glyphs = self.view.now_s, self.view.glyphs
        exchange = self.view.state.current(now)
        drawn = bars(exchange, now)
        total = total_s(exchange, now)
        done = exchange.timing is not None and total is not None
        slowest = worst(drawn) if done else None
        axis = axis_s(drawn)
        rows = [bar_row(bar, axis, width - 4, glyphs, marked=bar.stage is slowest) for bar in drawn]
        title = f"exchange {exchange.number}" if exchange.number else "exchange"
        right = self._summary(exchange, total, slowest)
        spare = height - 2 - len(rows)
        if spare < 2:
            foot = ADVICE[slowest] if slowest is not None and done else ""
            return framed(rows, title, right, width, glyphs, foot)
        if slowest is None or total is None or not done:
            return framed([*rows, *([[]] * spare)], title, right, width, glyphs)
        written = self._written(total, slowest, drawn, width - 4)[:spare]
        return framed([*rows, *written, *([[]] * (spare - len(written)))], title, "", width, glyphs)

    def _summary(self, exchange: LiveExchange, total: float | None, slowest: Stage | None) -> str:
        dot = f" {self.view.glyphs.dot} "
        if total is None:
            return "no audio" if exchange.timing is not None or exchange.over_s is not None else ""
        ms = f"{total * 1000:.0f} ms"
        if exchange.timing is None:
            if exchange.over_s is not None:
                return f"stopped after {ms}"
            return f"{ms} and counting" + (f"{dot}{verdict(total)}" if total > BUDGET_S else "")
        return dot.join([ms, verdict(total), *([f"worst {NAMES[slowest]}"] if slowest is not None else [])])

    @staticmethod
    def _written(total: float, slowest: Stage, drawn: list[Bar], width: int) -> list[Row]:
        over = round((total - BUDGET_S) * 1000)
        share = next(bar.share_s or 0.0 for bar in drawn if bar.stage is slowest)
        how = f"{abs(over)} {'over' if over > 0 else 'under'}"
        first: Row = [
            (f"{total * 1000:.0f} ms", "words"),
            (", ", "faint"),
            (how, "missed" if over > 0 else "kept"),
            (f" the {BUDGET_S * 1000:.0f} ms budget", "faint"),
        ]
        percent = f" ({share / total:.0%})".replace("%", " %") if total else ""
        second: Row = [("worst: ", "faint"), (NAMES[slowest], "words"), (percent, "faint")]
        return [first, second, *wrap_runs([(ADVICE[slowest], "faint")], width)]

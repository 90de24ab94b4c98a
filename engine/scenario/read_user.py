"""The `[[user]]` tables of a scenario file: one stimulus each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, fields
from typing import TYPE_CHECKING, Any, get_args

from voicetui.engine import events as ev
from voicetui.engine.scenario import script
from voicetui.engine.scenario.script import Stimulus, When

if TYPE_CHECKING:
    from voicetui.engine.scenario.table import Table

HEARD: dict[str, type[ev.Event]] = {kind.kind: kind for kind in get_args(ev.Heard)}
AFTER = ("listening", "thinking", "speaking", "previous")
FILLED_IN = ("seq", "at_s", "turn_index", "audio_ms", "onset_s", "marks")
"""Fields of a heard event that the ears fill in."""


def stimuli(tables: list[Table]) -> tuple[Stimulus, ...]:
    """Read all stimuli, in order. Raises `UsageError`."""
    read = tuple(_stimulus(table) for table in tables)
    for table, stimulus in zip(tables[:-1], read[:-1], strict=True):
        if isinstance(stimulus.act, script.End):
            table.fail("nothing can follow the end", "end")
    return read


def _stimulus(table: Table) -> Stimulus:
    given = [act for act in ACTS if act in table.data]
    if len(given) != 1:
        what = f"it says {' and '.join(given)} at once" if given else "nothing happens in it"
        table.fail(f"{what}: it needs one of {', '.join(ACTS)}")
    act = ACTS[given[0]](table)
    when = _when(table)
    table.finish()
    return Stimulus(act, when, table.place())


def _when(table: Table) -> When:
    at_s = table.seconds("at_s", None)
    after = table.choice("after", AFTER)
    wait_s = table.seconds("wait_s", None)
    if at_s is not None and (after is not None or wait_s is not None):
        table.fail("give either `at_s`, or `after` and `wait_s`", "at_s")
    floor = None if after in (None, "previous") else ev.Floor(after)
    return When(at_s, floor, wait_s or 0.0)


def _say(table: Table) -> script.Say:
    phrases = table.texts("say", spoken=True) or ()
    gaps = _for_each(table, "gaps_s", len(phrases) - 1, "between each two phrases of `say`")
    if len(gaps) < len(phrases) - 1:
        table.wrong("gaps_s", "the silence between the phrases of `say`")
    return script.Say(phrases, gaps, _for_each(table, "word_s", len(phrases), "for each phrase of `say`"))


def _for_each(table: Table, key: str, count: int, what: str) -> tuple[float, ...]:
    """Read seconds that are the same for all, or given one by one; none where there are none."""
    values = table.many_seconds(key) or ()
    if len(values) == 1:
        return values * count
    if len(values) not in (0, count):
        table.wrong(key, f"one number, or {count}: one {what}")
    return values


def _echo(table: Table) -> script.Echo:
    if table.take("echo") is not True:
        table.wrong("echo", "true")
    return script.Echo(table.seconds("word_s", None))


def _typed(table: Table) -> script.Typed:
    text = table.text("typed", "", spoken=True)
    return script.Typed(text, ev.Source(table.choice("source", ev.Source) or ev.Source.KEY))


def _interrupt(table: Table) -> script.Interrupt:
    return script.Interrupt(ev.Source(table.choice("interrupt", ev.Source) or ""))


def _microphone(table: Table) -> script.Microphone:
    return script.Microphone(back=table.choice("microphone", ("lost", "back")) == "back")


def _recogniser_error(table: Table) -> script.RecogniserError:
    return script.RecogniserError(table.text("recogniser_error", ""), fatal=table.flag("fatal"))


def _hear(table: Table) -> script.Hear:
    kind = HEARD[table.choice("hear", HEARD) or ""]
    values: dict[str, Any] = {}
    for f in fields(kind):
        if f.name in FILLED_IN:
            continue
        value = _field(table, f.name)
        if value is not None:
            values[f.name] = value
        elif f.default is MISSING:
            table.fail(f"{kind.kind} needs {f.name}")
    return script.Hear(kind(**values))  # type: ignore[arg-type] # every kind of HEARD is one of Heard


def _field(table: Table, name: str) -> object:
    match name:
        case "user_turn" | "recovered":
            return table.flag(name) if name in table.data else table.take(name)
        case "turn_kind":
            kind = table.choice(name, ev.TurnKind)
            return None if kind is None else ev.TurnKind(kind)
        case "source":
            source = table.choice(name, ev.Source)
            return None if source is None else ev.Source(source)
        case _:
            return table.text(name, None)


ACTS: dict[str, Callable[[Table], script.Act]] = {
    "say": _say,
    "cough_s": lambda table: script.Cough(table.seconds("cough_s", 0.0)),
    "backchannel": lambda table: script.Backchannel(
        table.text("backchannel", "", spoken=True), table.seconds("word_s", None)
    ),
    "echo": _echo,
    "barge_in_s": lambda table: script.BargeIn(table.seconds("barge_in_s", 0.0)),
    "pause_s": lambda table: script.Pause(table.seconds("pause_s", 0.0)),
    "typed": _typed,
    "interrupt": _interrupt,
    "microphone": _microphone,
    "recogniser_error": _recogniser_error,
    "hear": _hear,
    "end": lambda table: script.End(table.text("end", "")),
}
"""What can happen, by the key that says so."""

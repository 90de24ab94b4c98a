"""The `[[expect]]` tables of a scenario file: one expectation each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from voicetui.engine.events import Floor
from voicetui.engine.scenario.conditions import Condition, Pick
from voicetui.engine.scenario.expect import FloorIs, Happens, HeardIs, InOrder, TranscriptIs
from voicetui.engine.scenario.observed import KINDS

if TYPE_CHECKING:
    from voicetui.engine.scenario.expect import Expectation
    from voicetui.engine.scenario.table import Table

FORMS = ("event", "order", "floor", "transcript", "heard")
BOUNDS = {"min": "least", "max": "most", "contains": "contains", "absent": "absent"}
COUNTS = ("count", "at_least", "at_most", "never")


def expectation(table: Table) -> Expectation:
    """Read one expectation. Raises `UsageError`."""
    given = [form for form in FORMS if form in table.data]
    if len(given) != 1:
        what = f"it says {' and '.join(given)} at once" if given else "it expects nothing"
        table.fail(f"{what}: it needs one of {', '.join(FORMS)}")
    place = table.place()
    read: Expectation
    match given[0]:
        case "event":
            read = _happens(table, place)
        case "order":
            read = _in_order(table, place)
        case "floor":
            holders = table.texts("floor") or ()
            if not set(holders) <= set(Floor):
                table.wrong("floor", f"a list of {', '.join(Floor)}")
            read = FloorIs(place, holders)
        case "transcript":
            read = TranscriptIs(place, table.texts("transcript") or ())
        case _:
            read = HeardIs(place, table.texts("heard") or ())
    table.finish()
    return read


def _happens(table: Table, place: str) -> Happens:
    kind = _kind(table, "event", table.take("event"))
    pick = Pick(kind, _conditions(table, "where", table.take("where"), kind))
    has = _conditions(table, "has", table.take("has"), kind)
    after = _pick(table, "after", table.take("after"))
    within_s = table.seconds("within_s", None)
    until = _pick(table, "until", table.take("until"))
    if after is None and (within_s is not None or until is not None):
        table.fail("`within_s` and `until` need `after`: the event from which they count", "within_s")
    least, most = _count(table)
    return Happens(place, pick, least, most, has, after, within_s, until)


def _count(table: Table) -> tuple[int, int | None]:
    count, never = table.whole("count", 0, None), table.flag("never")
    least, most = table.whole("at_least", 0, None), table.whole("at_most", 0, None)
    if sum((count is not None, never, least is not None or most is not None)) > 1:
        table.fail("give one of `count`, `never`, or `at_least` with `at_most`")
    if never:
        return 0, 0
    if count is not None:
        return count, count
    if least is None:
        return (1, None) if most is None else (0, most)
    if most is not None and most < least:
        table.fail("at_most is less than at_least", "at_most")
    return least, most


def _in_order(table: Table, place: str) -> InOrder:
    value = table.take("order")
    if not isinstance(value, list) or len(value) < 2:
        table.wrong("order", "a list of two events or more")
    picks = [_pick(table, "order", item) for item in value]
    return InOrder(place, [pick for pick in picks if pick is not None])


def _pick(table: Table, key: str, value: object) -> Pick | None:
    """Read an event's kind, or a table of its kind (`event`) and the fields that it must have."""
    if value is None:
        return None
    if isinstance(value, str):
        return Pick(_kind(table, key, value))
    if not isinstance(value, dict) or "event" not in value:
        table.wrong(key, 'an event\'s kind, or a table of it: { event = "floor", floor = "speaking" }')
    kind = _kind(table, key, value["event"])
    fields = {name: wanted for name, wanted in value.items() if name != "event"}
    return Pick(kind, _conditions(table, key, fields, kind))


def _kind(table: Table, key: str, value: object) -> str:
    if not isinstance(value, str) or value not in KINDS:
        table.fail(f"{key} is {value!r}, it must be one of {', '.join(KINDS)}", key)
    return value


def _conditions(table: Table, key: str, value: object, kind: str, prefix: str = "") -> dict[str, Condition]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        table.wrong(key, "a table of fields: { silent_ms = { max = 150 } }")
    known = KINDS[kind]
    read: dict[str, Condition] = {}
    for name, wanted in value.items():
        if not prefix and known is not None and name not in known:
            table.fail(f"{key}: {kind} has no {name!r}; it has {', '.join(known)}", key)
        if isinstance(wanted, dict) and not wanted.keys() <= BOUNDS.keys():
            if known is not None:
                table.fail(f"{key}: {name} is {wanted}, it must be a value, or bounds: {', '.join(BOUNDS)}", key)
            read |= _conditions(table, key, wanted, kind, f"{prefix}{name}.")
        else:
            read[prefix + name] = _condition(table, key, name, wanted)
    return read


def _condition(table: Table, key: str, name: str, wanted: Any) -> Condition:  # noqa: ANN401 - what stands there
    if isinstance(wanted, str | int | float):
        return Condition(equals=wanted)
    bounds = wanted if isinstance(wanted, dict) else {}
    numbers = [value for bound, value in bounds.items() if bound in ("min", "max")]
    well = bool(bounds) and all(isinstance(n, int | float) and not isinstance(n, bool) for n in numbers)
    well = well and isinstance(bounds.get("contains", ""), str) and isinstance(bounds.get("absent", False), bool)
    if not well:
        table.fail(f"{key}: {name} is {wanted}, it must be a value, or bounds: {', '.join(BOUNDS)}", key)
    return Condition(**{BOUNDS[bound]: value for bound, value in bounds.items()})

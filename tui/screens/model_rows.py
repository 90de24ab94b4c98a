"""What the Models screen says: a row a model, and the words on the one under the cursor. Knows no widgets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from voicetui.engine.errors import PartError
from voicetui.engine.models.catalogue import FolderSource, Model, PackageSource, Purpose, WheelSource
from voicetui.engine.models.sources import origin_of
from voicetui.tui.commands.progress import megabytes
from voicetui.tui.fetching import Fetch, Stage
from voicetui.tui.screens.words import fault
from voicetui.tui.text import one_line, wrap_runs
from voicetui.tui.widgets.picker import Item, columns, item, remark
from voicetui.tui.widgets.signs import progress_row, signs_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from voicetui.tui.shelf import Shelf
    from voicetui.tui.text import Row
    from voicetui.tui.view import View

HEADS: dict[Purpose, str] = {
    "hear": "Hear: recognisers",
    "think": "Think: models",
    "speak": "Speak: voices",
    "detect": "Detect: speech and its end",
}
AUTO = {
    "hear": "one for the language",
    "think": "the best that is here: Ollama's, else the demo model",
    "speak": "one for the language",
}
SETTING = {"hear": "recogniser", "think": "model", "speak": "voice"}
WIDE = 90
STATE_WIDTH = 18
BAR_WIDTH = 12
UNVERIFIED = "the catalogue has no checksum for it: it is taken as it comes"


@dataclass(frozen=True, slots=True)
class Entry:
    """Something to choose for a purpose: a model of the catalogue, one of Ollama's, or neither: what suits best."""

    purpose: Purpose
    model: Model | None = None
    ollama: str = ""

    @property
    def key(self) -> str:
        """Return what it is known by."""
        return f"{self.purpose} {self.model.id if self.model else self.ollama or '(auto)'}"

    @property
    def value(self) -> str:
        """Return what the setting is to say."""
        return self.model.id if self.model else self.ollama


def entries(shelf: Shelf, fetches: Mapping[str, Fetch], *, all_languages: bool) -> list[Entry]:
    """Return what can be chosen, in order; models of other languages only if they are here, used, or asked for."""
    made: list[Entry] = []
    for purpose in HEADS:
        if purpose in SETTING:
            made.append(Entry(purpose))
        if purpose == "think":
            made += [Entry(purpose, ollama=name) for name in shelf.ollama.names or ()]
        for model in shelf.models:
            wanted = all_languages or model.speaks(shelf.options.language) or purpose == "think"
            wanted = wanted or model.id in shelf.found or model.id in fetches or shelf.used(model)
            if model.purpose == purpose and wanted:
                made.append(Entry(purpose, model))
    return made


def setting_of(entry: Entry, shelf: Shelf) -> str:
    """Return what the setting for an entry's purpose says now."""
    name = SETTING.get(entry.purpose, "")
    return str(getattr(shelf.options, name)) if name else ""


def is_chosen(entry: Entry, shelf: Shelf) -> bool:
    """Tell whether the setting names this entry."""
    says = setting_of(entry, shelf).lower()
    return entry.purpose in SETTING and says in (entry.value.lower(), entry.value.lower().removesuffix(":latest"))


def model_items(
    shelf: Shelf, fetches: Mapping[str, Fetch], view: View, width: int, *, all_languages: bool
) -> list[Item]:
    """Return the rows of all purposes."""
    shown = entries(shelf, fetches, all_languages=all_languages)
    listed: list[Item] = []
    for purpose, head in HEADS.items():
        listed += [remark([])] * bool(listed) + [remark([(head, "title")])]
        for entry in (e for e in shown if e.purpose == purpose):
            fetch = fetches.get(entry.model.id) if entry.model else None
            listed.append(item(entry.key, _row(entry, shelf, fetch, view, width)))
        if purpose == "think" and shelf.ollama.error:
            listed.append(remark([("   ", "faint"), (one_line(f"{shelf.ollama.error}: {shelf.ollama.fix}"), "faint")]))
        hidden = sum(m.purpose == purpose for m in shelf.models) - sum(
            e.purpose == purpose and e.model is not None for e in shown
        )
        if hidden:
            listed.append(remark([(f"   {hidden} for other languages: a shows them", "faint")]))
    return listed


def _row(entry: Entry, shelf: Shelf, fetch: Fetch | None, view: View, width: int) -> Row:
    signs = signs_of(view)
    model = entry.model
    chosen = is_chosen(entry, shelf)
    here = model is None or model.id in shelf.found
    mark = (signs.chosen, "key") if chosen else (signs.here, "kept") if here and model else (" ", "faint")
    mark = mark if here or chosen else (signs.absent, "faint")
    if model is None:
        title = one_line(entry.ollama) or AUTO[entry.purpose]
        used = bool(entry.ollama) and entry.ollama == shelf.ollama.used
        words = ["chosen"] * chosen + ["used"] * used + ["Ollama's"] * (bool(entry.ollama) and not chosen and not used)
        said = (f" {view.glyphs.dot} ".join(words), "key" if chosen else "label", STATE_WIDTH)
        return columns([(*mark, 1), (title, "words", 0), said], width, view)
    cells = [(*mark, 1), (one_line(model.title), "words" if here else "label", 0)]
    cells += [(",".join(model.languages) or "any", "faint", 4), (f"{megabytes(model.size):>6}", "faint", 6)]
    if width >= WIDE:
        cells.append((one_line(model.licence), "faint", 20))
    if fetch is not None and not fetch.over:
        return [*columns([*cells, ("", "faint", STATE_WIDTH)], width, view)[:-1], *_coming(fetch, view)]
    if fetch is not None and fetch.stage is Stage.FAILED and not here:
        return columns([*cells, (f"{signs.bad} failed", "cut", STATE_WIDTH)], width, view)
    state = _state(model, shelf, chosen=chosen)
    return columns([*cells, (state, "key" if chosen else "label", STATE_WIDTH)], width, view)


def _state(model: Model, shelf: Shelf, *, chosen: bool) -> str:
    words = ["chosen"] * chosen
    if model.id in shelf.found:
        words += ["used" if shelf.used(model) else "here"] if not chosen or shelf.used(model) else []
        return ", ".join([*words, *["no library"] * (model.runtime in shelf.installs)])
    return ", ".join([*words, "needed" if shelf.used(model) else "not here"])


def _coming(fetch: Fetch, view: View) -> Row:
    if fetch.share is None or fetch.stage is not Stage.FETCHING or fetch.stopping:
        word = "stopping" if fetch.stopping else str(fetch.stage)
        return [(f"{signs_of(view).coming} {word}", "notice")]
    return [*progress_row(fetch.share, BAR_WIDTH, signs_of(view)), (f" {fetch.share:>4.0%}", "notice")]


def about(entry: Entry, shelf: Shelf, view: View, width: int, *, brief: bool = False) -> list[Row]:
    """Return what is known of an entry; in brief, what it is."""
    dot = f" {view.glyphs.dot} "
    model = entry.model
    if model is None:
        return _about_auto(entry, shelf, width) if not entry.ollama else _about_ollama(entry, shelf, dot, width)
    langs = ", ".join(model.languages) or "any language"
    facts = [model.id, langs, megabytes(model.size), model.licence, f"run by {model.runtime}"]
    rows = wrap_runs([(one_line(dot.join(facts)), "words")], width)
    if brief:
        return rows
    rows += wrap_runs([(dot.join([where(model, shelf), *filter(None, [one_line(model.note)])]), "faint")], width)
    if model.runtime in shelf.installs:
        need = PartError(model.part, "the library that runs it is not installed", fix=shelf.installs[model.runtime])
        rows += fault(need, width, view)
    return rows


def _about_auto(entry: Entry, shelf: Shelf, width: int) -> list[Row]:
    rows = wrap_runs([(AUTO[entry.purpose], "words")], width)
    if setting_of(entry, shelf):
        return rows
    now = shelf.picked.get(entry.purpose, "")
    if entry.purpose == "think" and shelf.ollama.used:
        now = f"{shelf.ollama.used}, Ollama's"
    why = shelf.faults.get(entry.purpose)
    return rows + wrap_runs([(one_line(f"now {now}" if now else str(why or "nothing yet")), "faint")], width)


def _about_ollama(entry: Entry, shelf: Shelf, dot: str, width: int) -> list[Row]:
    rows = wrap_runs([(f"{one_line(entry.ollama)}{dot}Ollama at {one_line(shelf.ollama.address)}", "words")], width)
    return rows + wrap_runs([("fetched and removed with Ollama's own commands", "faint")], width)


def where(model: Model, shelf: Shelf) -> str:
    """Return where a model is, or where it comes from."""
    found = shelf.found.get(model.id)
    if found is not None:
        return f"here, from {one_line(found.origin)}"
    return f"comes from {origin(model)}" + ("" if model.verified else f"; {UNVERIFIED}")


def origin(model: Model) -> str:
    """Return where a model would be fetched from."""
    for source in model.sources:
        if isinstance(source, PackageSource | FolderSource):
            continue
        if isinstance(source, WheelSource):
            return f"your package index ({source.wheel})"
        return origin_of(source)
    return "nowhere"


def fetch_rows(fetch: Fetch, width: int, view: View) -> list[Row]:
    """Return how a fetch goes, or how it ended."""
    match fetch.stage:
        case Stage.FAILED:
            return fault(fetch.error or PartError(fetch.model.part, "it failed"), width, view)
        case Stage.STOPPED:
            return [[("stopped; g goes on from there", "notice")]]
        case Stage.DONE:
            return wrap_runs([(one_line(fetch.note) or "fetched and checked", "notice")], width)
        case Stage.QUEUED:
            return [[("waits for the one before it", "notice")]]
        case Stage.WAITING:
            return wrap_runs([(f"{one_line(fetch.text)}, waiting for it", "notice")], width)
        case Stage.CHECKING:
            return [[("checking what came", "notice")]]
    whole = f" of {megabytes(fetch.total)}" if fetch.total else ""
    percent = "" if fetch.share is None else f"{fetch.share:4.0%}  "
    words = f"  {percent}{megabytes(fetch.done)}{whole}"
    return [[*progress_row(fetch.share, max(8, min(40, width - len(words))), signs_of(view)), (words, "label")]]

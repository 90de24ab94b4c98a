"""Models: what hears, thinks, speaks and detects; got, chosen and removed. What takes time happens on other threads."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding
from voicetui.engine.errors import UsageError, VoicetuiError
from voicetui.engine.models import remove
from voicetui.tui import shelf as shelves
from voicetui.tui.aside import aside
from voicetui.tui.commands.progress import megabytes
from voicetui.tui.fetching import fetches_of
from voicetui.tui.screens.model_rows import SETTING, Entry, about, entries, fetch_rows, model_items
from voicetui.tui.screens.sheet import Sheet
from voicetui.tui.screens.words import counts_from, fault, rule
from voicetui.tui.settings import load
from voicetui.tui.settings_file import reset, write
from voicetui.tui.text import wrap_runs
from voicetui.tui.view import Hint
from voicetui.tui.widgets.block import Block
from voicetui.tui.widgets.picker import GUTTER, Picker, remark
from voicetui.tui.widgets.signs import signs_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from textual.widget import Widget
    from voicetui.engine.models import Model
    from voicetui.engine.parts.options import TalkOptions
    from voicetui.tui.fetching import Fetch, Fetches
    from voicetui.tui.shelf import Shelf
    from voicetui.tui.text import Row

PROGRESS_FPS = 10
ONLY_ONE = "it is always used: there is no other to choose"


class ModelsScreen(Sheet[frozenset[str]]):
    """Closed with the names of the settings that were written: `recogniser`, `language`, `model`, `voice`."""

    TITLE = "Models"
    CSS_PATH: ClassVar = ["sheet.tcss", "models.tcss"]
    BINDINGS: ClassVar = [
        Binding("g", "get", "Get", id="models.get", show=False),
        Binding("x", "remove", "Stop or remove", id="models.remove", show=False),
        Binding("y", "yes", "Yes", id="models.yes", show=False),
        Binding("a", "all_languages", "All languages", id="models.languages", show=False),
        Binding("r", "look_again", "Refresh", id="models.refresh", show=False),
    ]

    def __init__(
        self,
        *,
        fetches: Fetches | None = None,
        look: Callable[[TalkOptions], Shelf] = shelves.look,
        discard: Callable[[Model], bool] = remove,
        path: Path | None = None,
    ) -> None:
        super().__init__()
        self._given, self._look, self._discard, self._path = fetches, look, discard, path
        self._shelf: Shelf | None = None
        self._all = False
        self._asked: Model | None = None
        """The model that is to be removed, if the user says yes."""
        self._written: set[str] = set()
        self._over: set[str] = set()
        self._error: VoicetuiError | None = None
        self._said = ""

    def body(self) -> Iterable[Widget]:
        """Return the list, and the words on the model under the cursor."""
        self._fetches = self._given or fetches_of(self.app)
        self._over = {name for name, fetch in self._fetches.by_id.items() if fetch.over}
        self._picker = Picker(self.talk, id="models-list")
        self._detail = Block(self.talk, self._words, id="models-detail")
        yield self._picker
        yield self._detail

    def hints(self) -> list[Hint]:
        """Return the keys."""
        if self._asked is not None:
            return [Hint("y", "Yes, remove it", "yes", 0)]
        enter = signs_of(self.talk).enter
        keys = []
        entry = self._entry()
        model = entry.model if entry else None
        if entry is not None and (model is None or self._is_here(model)):
            keys.append(Hint(enter, "Choose", "choose", 0))
        if model is not None:
            if self._coming(model) is not None:
                keys.append(Hint("x", "Stop", "remove", 0))
            elif self._is_here(model):
                keys.append(Hint("x", "Remove", "remove", 0))
            else:
                keys.append(Hint(enter, "Get", "get", 0))
        return [*keys, Hint("a", "Your language" if self._all else "All languages", "all_languages", 0)]

    def closing_word(self) -> str:
        """Return what Escape does."""
        return "No, keep it" if self._asked else "Close"

    def result(self) -> frozenset[str]:
        """Return the names of the settings that were written."""
        return frozenset(self._written)

    def on_mount(self) -> None:
        """Begin to look, and let the bars move."""
        self.action_look_again()
        if self.app.moves:
            self.set_interval(1 / PROGRESS_FPS, self.tick)

    def action_look_again(self) -> None:
        """Look again what is here."""
        self.run_worker(self._take(), group="look", exclusive=True)

    async def _take(self) -> None:
        options = load(self._path).options()
        try:
            self._shelf = await aside(lambda: self._look(options), "models")
        except VoicetuiError as error:  # the user's own catalogue cannot be read
            self._error = error
        self.show()

    # -- drawing -----------------------------------------------------------------------------------------------------

    def tick(self) -> None:
        """Let the bars move while a model is on its way; look again when it has come."""
        over = {name for name, fetch in self._fetches.by_id.items() if fetch.over}
        if over != self._over:
            self._over = over
            self.action_look_again()
        if self._fetches.under_way():
            self.show()

    def show(self) -> None:
        """Draw what may have changed."""
        width = max(1, self._picker.size.width - GUTTER - 2)
        if self._shelf is None:
            word = "" if self._error else f"looking for models{self.talk.glyphs.ellipsis}"
            self._picker.put([remark([(word, "faint")])])
        else:
            known = self._fetches.by_id
            self._picker.put(model_items(self._shelf, known, self.talk, width, all_languages=self._all))
        self._detail.show()
        self.show_keys()

    def _words(self, width: int, _height: int) -> list[Row]:
        """Return the words on the model under the cursor."""
        rows = [rule(width, self.talk)]
        entry = self._entry()
        if entry is not None and self._shelf is not None:
            more = bool(self._said or self._error or self._asked)
            fetch = self._fetches.by_id.get(entry.model.id) if entry.model and not more else None
            rows += about(entry, self._shelf, self.talk, width, brief=more or fetch is not None)
            rows += fetch_rows(fetch, width, self.talk) if fetch is not None else []
        if self._asked is not None:
            question = f"remove {self._asked.id} ({megabytes(self._asked.size)})? y removes it, Escape keeps it"
            return rows + wrap_runs([(question, "notice")], width)
        if self._error is not None:
            return rows + fault(self._error, width, self.talk)
        return rows + wrap_runs([(self._said, "notice")], width)

    def _entry(self) -> Entry | None:
        if self._shelf is None:
            return None
        listed = entries(self._shelf, self._fetches.by_id, all_languages=self._all)
        return next((entry for entry in listed if entry.key == self._picker.cursor), None)

    def _is_here(self, model: Model) -> bool:
        return self._shelf is not None and model.id in self._shelf.found

    def _coming(self, model: Model) -> Fetch | None:
        fetch = self._fetches.by_id.get(model.id)
        return fetch if fetch is not None and not fetch.over else None

    # -- what the user does ------------------------------------------------------------------------------------------

    def on_picker_moved(self, _: Picker.Moved) -> None:
        """Say what is under the cursor."""
        self._error, self._said, self._asked = None, "", None
        self._detail.show()
        self.show_keys()

    def on_picker_chosen(self, _: Picker.Chosen) -> None:
        """Choose what is under the cursor, or get it first."""
        entry = self._entry()
        if entry is not None and entry.model is not None and not self._is_here(entry.model):
            self.action_get()
        else:
            self.action_choose()

    def action_all_languages(self) -> None:
        """Show the models of all languages, or those of the user's."""
        self._all = not self._all
        self.show()

    def action_get(self) -> None:
        """Fetch the model under the cursor."""
        entry = self._entry()
        if entry is not None and entry.model is not None:
            self._error, self._said = None, ""
            self._fetches.get(entry.model)
            self.show()

    def action_choose(self) -> None:
        """Write what is under the cursor into the settings."""
        entry = self._entry()
        if entry is None:
            return
        if entry.purpose not in SETTING:
            self._said = ONLY_ONE if self._shelf and entry.model and self._shelf.used(entry.model) else "not used yet"
            self._detail.show()
            return
        changes = self._changes(entry)
        try:
            for name, value in changes.items():
                if value:
                    write(name, value, self._path)
                else:
                    reset(name, self._path)
                self._written.add(name)
        except UsageError as error:
            self._error = error
        else:
            self._error = None
            also = f", and language = {changes['language']}" if "language" in changes else ""
            self._said = f"chosen{also}; {counts_from(SETTING[entry.purpose])}"
        self.action_look_again()

    def _changes(self, entry: Entry) -> dict[str, str]:
        """Return the settings to write: a recogniser of another language brings its language."""
        changes = {SETTING[entry.purpose]: entry.value}
        model, shelf = entry.model, self._shelf
        if entry.purpose == "hear" and model and shelf and not model.speaks(shelf.options.language):
            changes["language"] = model.languages[0]
        return changes

    def action_remove(self) -> None:
        """Stop the fetch of the model under the cursor, or ask whether it is to be removed."""
        entry = self._entry()
        if entry is None or entry.model is None:
            return
        fetch = self._coming(entry.model)
        if fetch is not None:
            fetch.stop()
        elif self._is_here(entry.model):
            self._asked, self._error, self._said = entry.model, None, ""
        self.show()

    def action_yes(self) -> None:
        """Remove the model that was asked about."""
        if self._asked is not None:
            self.run_worker(self._remove(self._asked), group="remove")
            self._asked = None
            self.show()

    async def _remove(self, model: Model) -> None:
        try:
            await aside(lambda: self._discard(model), "remove")
        except VoicetuiError as error:
            self._error = error
        else:
            self._said = f"{model.id} is removed"
            self._fetches.by_id.pop(model.id, None)
        self.action_look_again()

    def action_close(self) -> None:
        """Keep the model that was asked about, or leave; what is on its way still comes."""
        if self._asked is not None:
            self._asked = None
            self.show()
            return
        super().action_close()

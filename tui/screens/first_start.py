"""First start: what a conversation still needs, with size, licence and source; one key gets it all."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding
from voicetui.engine.errors import PartError, VoicetuiError
from voicetui.tui import needs
from voicetui.tui.aside import aside
from voicetui.tui.commands.progress import megabytes
from voicetui.tui.fetching import Fetch, Stage, fetches_of
from voicetui.tui.needs import Needs
from voicetui.tui.screens.model_rows import fetch_rows, origin
from voicetui.tui.screens.sheet import Sheet
from voicetui.tui.screens.words import fault, rule
from voicetui.tui.text import one_line, wrap_runs
from voicetui.tui.view import Hint
from voicetui.tui.widgets.block import Block, Page
from voicetui.tui.widgets.picker import columns
from voicetui.tui.widgets.signs import signs_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from textual.widget import Widget
    from voicetui.engine.models import Model
    from voicetui.engine.parts.options import TalkOptions
    from voicetui.tui.app import TalkApp
    from voicetui.tui.fetching import Fetches
    from voicetui.tui.text import Row

PROGRESS_FPS = 10
DOES = {"hear": "to hear", "think": "to think", "speak": "to speak", "detect": "to notice speech"}
INDENT = 3
NARROW = 66
"""Columns below which a model's figures take the row below its name."""
TYPING = "Without them a turn can still be typed, and the Models screen gets them at any time."
ONCE = "Models are fetched once and run on this machine."


async def offer(app: TalkApp, options: TalkOptions) -> bool:
    """Open the screen if something is missing; return, once it is closed, whether all that was wanted is here."""
    missing = await aside(lambda: needs.look(options), "needs")
    if not missing:
        return True
    closed: asyncio.Future[bool] = asyncio.get_running_loop().create_future()

    def answer(ready: bool | None) -> None:
        if not closed.done():
            closed.set_result(bool(ready))

    await app.push_screen(FirstStartScreen(options, missing), answer)
    return await closed


class FirstStartScreen(Sheet[bool]):
    """Closed with whether everything that was missing is here."""

    TITLE = "Before the first conversation"
    CSS_PATH: ClassVar = ["sheet.tcss", "first_start.tcss"]
    BINDINGS: ClassVar = [
        Binding("enter", "go_on", "Get it all, or begin", id="first-start.go", show=False),
        Binding("x", "stop", "Stop", id="first-start.stop", show=False),
        Binding("r", "look_again", "Look again", id="first-start.refresh", show=False),
    ]

    def __init__(
        self,
        options: TalkOptions,
        missing: Needs,
        *,
        fetches: Fetches | None = None,
        look: Callable[[TalkOptions], Needs] = needs.look,
        try_out: Callable[[TalkOptions], tuple[PartError, ...]] = needs.try_out,
    ) -> None:
        super().__init__()
        self._options, self._given = options, fetches
        self._look, self._try_out = look, try_out
        self._models = list(missing.models)
        self._problems = missing.problems
        self._trying = False
        self._were_over = 0

    def body(self) -> Iterable[Widget]:
        """Return the page and the words under it."""
        self._fetches = self._given or fetches_of(self.app)
        self._page = Page(self.talk, self._rows, id="first-start-page")
        self._foot = Block(self.talk, self._words, id="first-start-foot")
        yield self._page
        yield self._foot

    def hints(self) -> list[Hint]:
        """Return the keys."""
        enter = signs_of(self.talk).enter
        if self._under_way():
            return [Hint("x", "Stop", "stop", 0)]
        if self._still_missing():
            size = megabytes(sum(model.size for model in self._still_missing()))
            return [Hint(enter, f"Get it all ({size})", "go_on", 0), Hint("r", "Look again", "look_again", 0)]
        return [Hint(enter, "Begin", "go_on", 0), Hint("r", "Look again", "look_again", 0)]

    def closing_word(self) -> str:
        """Return what Escape does."""
        return "Go on without" if self._still_missing() else "Begin"

    def result(self) -> bool:
        """Return whether everything that was missing is here."""
        return not self._still_missing() and not self._problems

    def on_mount(self) -> None:
        """Try out the parts, and let the bars move."""
        self.run_worker(self._try(), group="look", exclusive=True)
        if self.app.moves:
            self.set_interval(1 / PROGRESS_FPS, self.tick)

    # -- what is missing ---------------------------------------------------------------------------------------------

    def _fetch(self, model: Model) -> Fetch | None:
        return self._fetches.by_id.get(model.id)

    def _under_way(self) -> list[Model]:
        return [model for model in self._models if (fetch := self._fetch(model)) is not None and not fetch.over]

    def _still_missing(self) -> list[Model]:
        return [m for m in self._models if (fetch := self._fetch(m)) is None or fetch.stage is not Stage.DONE]

    def action_look_again(self) -> None:
        """Look again what is missing."""
        self.run_worker(self._see(), group="look", exclusive=True)

    async def _see(self) -> None:
        found = await aside(lambda: self._look(self._options), "needs")
        done = [model for model in self._models if model not in self._still_missing()]
        self._models = [*done, *(model for model in found.models if model not in done)]
        self._problems = found.problems
        await self._try()

    async def _try(self) -> None:
        self._trying = True
        self.show()
        try:
            self._problems = await aside(lambda: self._try_out(self._options), "probe")
        except VoicetuiError as error:
            self._problems = (PartError("engine", error.message, fix=error.fix),)
        self._trying = False
        self.show()

    # -- drawing -----------------------------------------------------------------------------------------------------

    def tick(self) -> None:
        """Let the bars move; when the last model has come, try out the parts with it."""
        over = sum((fetch := self._fetch(model)) is not None and fetch.over for model in self._models)
        ended, self._were_over = over > self._were_over, over
        if ended and not self._under_way():
            self.run_worker(self._try(), group="look", exclusive=True)
        if ended or self._under_way():
            self.show()

    def show(self) -> None:
        """Draw what may have changed."""
        self._page.show()
        self._foot.show()
        self.show_keys()

    def _rows(self, width: int) -> list[Row]:
        """Return what is missing."""
        rows: list[Row] = [[(self._head(), "title")], []]
        for model in self._models:
            rows += [*self._model(model, width), []]
        if self._problems:
            rows[-1] = [(" ", "faint")]  # stays, where there is no room for empty rows
            rows += [[("What a command has to mend", "title")], []]
            for problem in self._problems:
                part = "" if problem.part in ("listen", "think", "speak", "play") else f"{problem.part}: "
                named = PartError(problem.part, f"{part}{problem.message}", fix=problem.fix)
                rows += [*fault(named, width, self.talk), []]
        if self._trying:
            rows += [[(f"trying out what is here{self.talk.glyphs.ellipsis}", "faint")]]
        return rows if len(rows) <= self._page.size.height else [row for row in rows if row]

    def _head(self) -> str:
        count = len(self._still_missing())
        if count:
            return f"A conversation here needs {'one more model' if count == 1 else f'{count} more models'}"
        return "The models are here" if self._models else "No model is missing"

    def _model(self, model: Model, width: int) -> list[Row]:
        """Return a model's rows: what it is and for what, where it comes from, and how its fetch goes."""
        signs, fetch = signs_of(self.talk), self._fetch(model)
        done = fetch is not None and fetch.stage is Stage.DONE
        mark = (signs.chosen, "kept") if done else (signs.absent, "faint")
        mark = (signs.coming, "notice") if fetch is not None and not fetch.over else mark
        cells = [(*mark, 1), (one_line(model.title), "words", 0)]
        size, licence = (f"{megabytes(model.size):>6}", "label", 6), (one_line(model.licence), "faint", 16)
        cells += [size] if width < NARROW else [(DOES[model.purpose], "label", 16), size, licence]
        inner = width - INDENT
        more = f"{DOES[model.purpose]}, {one_line(model.licence)}, " if width < NARROW else ""
        words = [(f"{more}from {origin(model)}", "faint")]
        rows = wrap_runs(words, inner) if fetch is None else fetch_rows(fetch, inner, self.talk)
        return [columns(cells, width, self.talk), *([(" " * INDENT, "faint"), *row] for row in rows)]

    def _words(self, width: int, _height: int) -> list[Row]:
        """Return what is good to know."""
        done = "" if self._trying else " Everything is here."
        about = f" {TYPING}" if self._still_missing() or self._problems else done
        return [rule(width, self.talk), *wrap_runs([(f"{ONCE}{about}", "faint")], width)]

    # -- what the user does ------------------------------------------------------------------------------------------

    def action_go_on(self) -> None:
        """Get what is missing, or begin."""
        if self._under_way():
            return
        missing = self._still_missing()
        if not missing:
            self.action_close()
            return
        for model in missing:
            self._fetches.get(model)
        self._were_over = len(self._models) - len(missing)
        self.show()

    def action_stop(self) -> None:
        """Stop fetching; what has come stays, and is gone on from."""
        self._fetches.stop()
        self.show()

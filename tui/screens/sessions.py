"""Sessions: the conversations of this run, and what of earlier ones is kept: nothing yet."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding
from voicetui.engine.timing import percentile
from voicetui.tui.screens.sheet import Sheet
from voicetui.tui.screens.words import rule
from voicetui.tui.text import one_line, wrap_runs
from voicetui.tui.turns import USER
from voicetui.tui.view import Hint
from voicetui.tui.widgets.block import Block
from voicetui.tui.widgets.picker import GUTTER, Item, Picker, columns, item, remark

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from textual.widget import Widget
    from voicetui.tui.text import Row
    from voicetui.tui.view import View

NOT_KEPT = (
    "Conversations are not kept in this version: this list is of this run alone and is gone with it. "
    "Keeping, searching and playing them back comes later; until then y copies one, and "
    "voicetui talk --record DIR keeps the sound of it."
)
COLUMNS = (("began", 5), ("length", 8), ("turns", 5), ("cut", 3), ("p50 ms", 6), ("p95 ms", 6))


def figures(view: View) -> list[str]:
    """Return what is said of a conversation, in the order of `COLUMNS`."""
    state = view.state
    seconds = max(0, int(view.now_s if state.begun else 0.0))
    totals = [t["to_first_audio_s"] for t in state.timings if t["to_first_audio_s"] is not None]
    waits = [percentile(totals, share) for share in (0.5, 0.95)]
    return [
        view.session,
        f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}",
        str(state.transcript.by_user),
        str(state.transcript.cut),
        *(view.glyphs.dash if wait is None else f"{wait * 1000:.0f}" for wait in waits),
    ]


def transcript(view: View) -> str:
    """Return what was said and heard, a line a turn."""
    turns = [turn for turn in view.state.turns if not turn.live]
    return "\n".join(f"{'you' if turn.speaker == USER else ' it'}: {turn.heard}" for turn in turns)


def session_items(talks: Sequence[View], width: int, view: View) -> list[Item]:
    """Return the head of the table and a row a conversation, the newest first."""
    head = [(name, "faint", size) for name, size in COLUMNS]
    listed = [remark(columns([*head, ("", "faint", 0)], width, view))]
    for number, talk in reversed(list(enumerate(talks))):
        state = "running" if talk.state.ended is None else "over"
        cells = [(text, "words", size) for text, (_, size) in zip(figures(talk), COLUMNS, strict=True)]
        listed.append(item(str(number), columns([*cells, (state, "faint", 0)], width, view)))
    return listed


class SessionsScreen(Sheet[None]):
    """A list and the beginning of what was said. `talks` are the conversations of this run; None: the one that runs."""

    TITLE = "Sessions"
    CSS_PATH: ClassVar = ["sheet.tcss", "sessions.tcss"]
    BINDINGS: ClassVar = [Binding("y", "copy", "Copy", id="sessions.copy", show=False)]

    def __init__(self, talks: Sequence[View] | None = None) -> None:
        super().__init__()
        self._talks = talks

    def body(self) -> Iterable[Widget]:
        """Return the list and the words under it."""
        self._all = [self.talk] if self._talks is None else list(self._talks)
        self._picker = Picker(self.talk, id="sessions-list")
        self._detail = Block(self.talk, self._words, id="sessions-detail")
        yield self._picker
        yield self._detail

    def hints(self) -> list[Hint]:
        """Return the keys."""
        return [Hint("y", "Copy it as text", "copy", 0)]

    def on_mount(self) -> None:
        """Keep the figures right."""
        if self.app.moves:
            self.set_interval(1.0, self.show)

    def show(self) -> None:
        """Draw what may have changed."""
        items = session_items(self._all, max(1, self._picker.size.width - GUTTER - 2), self.talk)
        self._picker.put(items)
        if self._picker.styles.height is None or self._picker.styles.height.value != len(items):
            self._picker.styles.height = len(items)
        self._detail.show()
        self.show_keys()

    def on_picker_moved(self, _: Picker.Moved) -> None:
        """Show the beginning of that one."""
        self._detail.show()

    def _words(self, width: int, height: int) -> list[Row]:
        """Return the last turns that fit, and what is not kept."""
        foot = [rule(width, self.talk), *wrap_runs([(NOT_KEPT, "faint")], width)]
        rows = [rule(width, self.talk)]
        view = self._under_cursor()
        said = [] if view is None else [turn for turn in view.state.turns if not turn.live and turn.heard]
        room = height - len(rows) - len(foot)
        rows = rows if room > 0 else []
        words = [self._turn(turn.speaker, turn.heard, width) for turn in said[-max(0, room) :]] if room > 0 else []
        if not words and room > 0:
            words = [[("nothing has been said yet", "faint")]]
        return [*rows, *words, *([[]] * (room - len(words))), *foot]

    def _turn(self, speaker: str, text: str, width: int) -> Row:
        who = ("you", "you") if speaker == USER else ("it", "it")
        return columns([(*who, 5), (one_line(text), "words", 0)], width, self.talk, gap=1)

    def _under_cursor(self) -> View | None:
        return self._all[int(self._picker.cursor)] if self._picker.cursor else None

    def action_copy(self) -> None:
        """Copy what was said."""
        view = self._under_cursor()
        text = "" if view is None else transcript(view)
        if text:
            self.app.copy_to_clipboard(text)
        self.app.note("copied" if text else "nothing to copy yet")
        self.keys.hints[0] = Hint("y", "Copied" if text else "Nothing to copy yet", "copy", 1)
        self.query_one("#sheet-keys").show()  # type: ignore[attr-defined]

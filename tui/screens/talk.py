"""The talk screen: the floor, the meters, the transcript, and where the time goes. All of it drawn from the view."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.containers import Horizontal, Vertical
from textual.screen import Screen
from voicetui.engine.errors import UsageError
from voicetui.tui.keys import TALK_KEYS, bindings
from voicetui.tui.turns import USER
from voicetui.tui.widgets.exchanges import Exchanges
from voicetui.tui.widgets.facts import EngineFacts
from voicetui.tui.widgets.floor import FloorLine
from voicetui.tui.widgets.keybar import KeyBar
from voicetui.tui.widgets.lines import Lines
from voicetui.tui.widgets.meters import Meters
from voicetui.tui.widgets.minute import Minute
from voicetui.tui.widgets.problems import Problems
from voicetui.tui.widgets.status import StatusLine
from voicetui.tui.widgets.transcript import Transcript, TranscriptTop
from voicetui.tui.widgets.waterfall import Waterfall

if TYPE_CHECKING:
    from textual import events
    from textual.app import ComposeResult
    from voicetui.tui.app import TalkApp
    from voicetui.tui.widgets.turn_box import TurnBox

FPS = 30
"""How often the meters are read while anything moves."""
STILL_FPS = 6
"""The same while nothing has moved for a second."""
COUNTING_FPS = 15


class TalkScreen(Screen[None]):
    """Draws what has changed: on news all that shows events, on a tick what moves with time."""

    BINDINGS = bindings(TALK_KEYS)
    AUTO_FOCUS = ""
    HORIZONTAL_BREAKPOINTS = [(0, "-slim"), (56, "-narrow"), (100, "-wide")]  # noqa: RUF012 - Textual's own way
    VERTICAL_BREAKPOINTS = [(0, "-tiny"), (15, "-short"), (34, "-tall")]  # noqa: RUF012

    app: TalkApp

    def compose(self) -> ComposeResult:
        """Place the widgets; which of them are shown is the style sheet's matter."""
        view = self.app.view
        with Horizontal(id="top"):
            yield FloorLine(view, id="floor")
            yield Meters(view, id="meters")
        yield Problems(view, id="problems")
        with Horizontal(id="middle"):
            with Vertical(id="left"):
                yield TranscriptTop(view, id="transcript-top")
                yield Transcript(view, id="transcript")
                yield Exchanges(view, id="all-exchanges")
            with Vertical(id="right"):
                yield Waterfall(view, id="waterfall")
                yield Exchanges(view, id="exchanges")
                yield Minute(view, id="minute")
                yield EngineFacts(view, id="facts")
        yield Minute(view, id="minute-row")
        yield Waterfall(view, id="waterfall-below")
        yield StatusLine(view, id="status")
        yield KeyBar(view, id="keys")

    def on_mount(self) -> None:
        """Begin to move."""
        self._moving = list(self.query(Lines))
        self._transcript = self.query_one(Transcript)
        self._meters = self.query_one(Meters)
        self._counting = list(self.query(Waterfall))
        clocks = (FloorLine, StatusLine, EngineFacts, Minute)
        self._clocks = [lines for lines in self._moving if isinstance(lines, clocks)]
        self._box: TurnBox | None = None
        self.query_one("#all-exchanges", Exchanges).expanded = True
        self.set_class(bool(self.app.view.glyphs.encoding), "-ascii")
        self._frame = self._still = self._next_clock = 0
        if self.app.moves:
            self._fast = self.set_interval(1 / FPS, self._tick)
            self._slow = self.set_interval(1 / STILL_FPS, self._look, pause=True)

    def show(self) -> None:
        """Draw what events may have changed."""
        self._wake()
        self._transcript.show()
        for lines in self._moving:
            lines.show()

    def _tick(self) -> None:
        """Move what moves with time, each at its own pace."""
        self._frame += 1
        moved = self._meters.poll()
        if self._frame % (FPS // COUNTING_FPS) == 0:
            moved = self._count() or moved
        self._tell_time()
        self._still = 0 if moved else self._still + 1
        if self._still > FPS:
            self._fast.pause()
            self._slow.resume()

    def _look(self) -> None:
        """Look whether anything moves again."""
        self._tell_time()
        if self._meters.poll():
            self._wake()

    def _wake(self) -> None:
        self._still = 0
        if self.app.moves:
            self._slow.pause()
            self._fast.resume()

    def _tell_time(self) -> None:
        """Show the time on one of the clocks, the next one at the next call: Textual paints all between two changes."""
        self._next_clock = (self._next_clock + 1) % len(self._clocks)
        self._clocks[self._next_clock].show()

    def _count(self) -> bool:
        """Let the bars grow while an answer is awaited; return whether one is."""
        state = self.app.view.state
        exchange = state.current(self.app.view.now_s)
        counts = exchange.began_s is not None and exchange.timing is None and exchange.over_s is None
        if counts and state.ended is None:
            for waterfall in self._counting:
                waterfall.show()
            return True
        return False

    # -- what the user does ------------------------------------------------------------------------------------------

    def action_interrupt(self) -> None:
        """Silence the agent now."""
        if not self.app.bridge.interrupt():
            self.app.note("nothing to interrupt")

    def action_mute(self) -> None:
        """Stop hearing, or hear again."""
        self.app.mute(on=not self.app.view.muted)

    def action_barge_in(self) -> None:
        """Let speech over the agent stop it, or not."""
        self.app.allow_barge_in(on=not self.app.view.barge_in)

    def action_repeat(self) -> None:
        """Hear the last reply again."""
        self.app.repeat()

    def action_copy(self) -> None:
        """Copy what is selected, or everything."""
        text = self.get_selected_text() or self._as_text()
        self.app.copy_to_clipboard(text)
        self.app.note("copied" if text else "nothing to copy yet")

    def _as_text(self) -> str:
        turns = [turn for turn in self.app.view.state.turns if not turn.live]
        return "\n".join(f"{'you' if turn.speaker == USER else 'it'}: {turn.heard}" for turn in turns)

    def action_expand(self) -> None:
        """Show all exchanges in the transcript's place, or the transcript again."""
        self.toggle_class("-expanded")
        self.call_after_refresh(self.show)

    # -- scrolling ---------------------------------------------------------------------------------------------------

    def action_scroll(self, rows: int) -> None:
        """Scroll by rows."""
        if self.has_class("-expanded"):
            self.query_one("#all-exchanges", Exchanges).scroll_rows(-rows)
        else:
            self._transcript.scroll_relative(y=rows, animate=False)

    def action_page(self, pages: int) -> None:
        """Scroll by pages."""
        self.action_scroll(pages * max(1, self._transcript.size.height - 1))

    def action_edge(self, side: int) -> None:
        """Scroll to the first turn or to the newest."""
        self.action_scroll(side * (len(self.app.view.state.timings) + self._transcript.virtual_size.height))

    def on_transcript_end_moved(self) -> None:
        """Say that there is more below, or no longer."""
        self.query_one(TranscriptTop).show()

    # -- typing ------------------------------------------------------------------------------------------------------

    async def action_type(self) -> None:
        """Open the box for a typed turn."""
        if self.app.view.state.ended is not None:
            self.app.note("the conversation is over")
            return
        (await self._open_box()).focus()

    async def on_paste(self, event: events.Paste) -> None:
        """Open the box with what was pasted."""
        event.stop()
        if self.app.view.state.ended is not None:
            return
        box = await self._open_box()
        box.focus()
        box.take_paste(event)

    async def _open_box(self) -> TurnBox:
        """Return the box, made when it is first needed: not everybody types."""
        self.add_class("-typing")
        if self._box is None:
            from voicetui.tui.widgets.turn_box import TurnBox

            self._box = TurnBox(id="turn-box")
            await self.mount(self._box, before="#status")
        return self._box

    def on_turn_box_sent(self, message: TurnBox.Sent) -> None:
        """Take the turn."""
        try:
            self.app.bridge.say(message.text)
        except UsageError as error:
            self.app.note(error.message)
        self._close_box()

    def on_turn_box_left(self) -> None:
        """Cut in, if there is something to stop; else go back."""
        if not self.app.bridge.interrupt():
            self._close_box()

    def on_turn_box_refused(self, message: TurnBox.Refused) -> None:
        """Say what the limit is."""
        self.app.note(f"a turn has at most {message.limit:,} characters; {message.characters:,} more were not taken")

    def _close_box(self) -> None:
        self.remove_class("-typing")
        self.set_focus(None)

"""The application: wires the engine's bridge, the view and the screens together. It draws nothing itself."""

from __future__ import annotations

import asyncio
import os
import sys
from datetime import datetime
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from textual.app import App
from voicetui.engine import events as ev
from voicetui.tui import themes
from voicetui.tui.bridge import Bridge, CpuShare, News
from voicetui.tui.glyphs import glyphs_for
from voicetui.tui.inks import defaults, styles
from voicetui.tui.keys import ALL_KEYS, APP_KEYS, BAR, FIRST_IN_BAR, bindings, shown
from voicetui.tui.palette import Actions
from voicetui.tui.screens.talk import FPS, TalkScreen
from voicetui.tui.turns import AGENT
from voicetui.tui.view import Hint, View

if TYPE_CHECKING:
    from rich.style import Style
    from textual.driver import Driver
    from textual.screen import Screen
    from textual.timer import Timer
    from voicetui.engine.errors import PartError
    from voicetui.tui.session import Session
    from voicetui.tui.terminal import Terminal

SCREENS = {
    "devices": ("devices", "DevicesScreen"),
    "models": ("models", "ModelsScreen"),
    "sessions": ("sessions", "SessionsScreen"),
    "settings": ("settings", "SettingsScreen"),
    "help": ("help", "HelpScreen"),
}
"""The other screens: module and class, imported when first opened."""
NOTE_S = 3.0
"""How long a word on what the user just did stands."""


class TalkApp(App[None], inherit_bindings=False):
    """One conversation on the screen."""

    TITLE = "voicetui"
    CSS_PATH = Path(__file__).parent / "screens" / "talk.tcss"
    BINDINGS = bindings(APP_KEYS)
    COMMANDS = {Actions}  # noqa: RUF012 - Textual's own way
    moves = True
    """Whether time passes and the engine runs; a picture of one moment has neither."""

    def __init__(self, session: Session, terminal: Terminal | None = None) -> None:
        self.session, self.terminal = session, terminal
        self.inks: dict[str, Style] = {}
        super().__init__(ansi_color=True if "NO_COLOR" in os.environ else None)
        self.bridge = Bridge(session.make, self.post_message, session.hear)
        self.view = View(glyphs=glyphs_for(), gauges=session.gauges, clock=self.bridge.now_s)
        self.view.barge_in = session.barge_in
        self.view.session = datetime.now().astimezone().strftime("%H:%M")
        self.failure: PartError | None = None
        """Why the engine broke off, if it did."""
        self._cpu = CpuShare()
        self._note: Timer | None = None
        self._take_themes()

    # -- looks -------------------------------------------------------------------------------------------------------

    def _take_themes(self) -> None:
        found = themes.load()
        for theme in found.by_name.values():
            self.register_theme(theme)
        few = self.no_color or self.console.color_system in (None, "standard", "windows")
        self.theme = themes.first_choice(self.session.theme, found, few_colours=few)
        for name in set(self.available_themes) - set(found.by_name):
            self.unregister_theme(name)
        self.session.complaints.extend(found.complaints)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Return the default of every variable that the screens use."""
        return defaults(self.current_theme)

    def get_css_variables(self) -> dict[str, str]:
        """Return the theme's variables; the inks follow them."""
        variables = super().get_css_variables()
        self.inks = styles(variables, flat=self.no_color or self.current_theme.ansi)
        return variables

    def get_default_screen(self) -> Screen[None]:
        """Return the talk screen."""
        return TalkScreen(id="talk")

    def get_driver_class(self) -> type[Driver]:
        """Return a driver that survives bad input, where there is a terminal to survive it on."""
        usual = super().get_driver_class()
        if self.terminal is None or sys.platform == "win32":
            return usual
        from voicetui.tui.driver import driver_for

        made = driver_for(self.terminal)
        return made if usual in made.__mro__ else usual

    def key_name(self, action: str) -> str:
        """Return the first key of an action as it is set now, as it is written on the screen."""
        return shown(self._keys(action)[0])

    def key_names(self, action: str) -> str:
        """Return all keys of an action."""
        return " ".join(map(shown, self._keys(action)))

    def _keys(self, action: str) -> list[str]:
        usual = next(key.keys for key in ALL_KEYS if key.id == action)
        return self.session.keymap.get(action, usual).split(",")

    # -- from start to end -------------------------------------------------------------------------------------------

    def on_mount(self) -> None:
        """Show the first frame, then load the parts behind it."""
        self.set_keymap(self.session.keymap)
        by_id = {key.id: key for key in ALL_KEYS}
        self.view.hints = [
            Hint(self.key_name(name), by_id[name].label, by_id[name].action, _rank(name)) for name in BAR
        ]
        self.app_resume_signal.subscribe(self, self._resumed)
        if self.terminal is not None:
            loop = asyncio.get_running_loop()
            self.terminal.stop = lambda _: loop.call_soon_threadsafe(self.leave)
        if self.session.complaints:
            self.note("; ".join(self.session.complaints), for_s=10 * NOTE_S)
        if self.moves:
            self.set_interval(1.0, self._second)
            self.call_after_refresh(self.run_worker, self._begin(), exit_on_error=True)

    async def _begin(self) -> None:
        """Offer what is missing, then begin the conversation, with or without it."""
        if self.session.options is not None:
            from voicetui.tui.screens.first_start import offer

            await offer(self, self.session.options)
        self.bridge.start()

    def on_news(self, _: News) -> None:
        """Fold the events that wait into the state, and show it."""
        self.fold(self.bridge.take())
        error = self.bridge.error
        if error is not None and error.code in ("engine", "usage"):
            self.leave(1)

    def fold(self, events: list[ev.Event]) -> None:
        """Fold events in and show what has changed."""
        state = self.view.state
        for event in events:
            state.apply(event)
        self.show_talk()

    def show_talk(self) -> None:
        """Draw what may have changed on the talk screen."""
        screen = self.screen_stack[0] if self.screen_stack else None
        if isinstance(screen, TalkScreen) and screen.is_mounted:
            screen.show()

    def leave(self, code: int = 0) -> None:
        """End the conversation and the application; the engine winds up while the screen is taken down."""
        self.failure = self.bridge.error
        self.bridge.engine.end("closed")
        if (fetching := sys.modules.get("voicetui.tui.fetching")) is not None:
            fetching.fetches_of(self).stop()
        self.exit(return_code=code)

    def _fatal_error(self) -> None:
        """End after an error; `run` says it in a line. Textual would draw every frame with its locals, for seconds."""
        self._close_messages_no_wait()

    async def action_quit(self) -> None:
        """Leave."""
        self.leave()

    def action_cancel(self) -> None:
        """Clear what is being typed, or leave: Ctrl-C as in a shell."""
        clear = getattr(self.focused, "clear_typed", None)
        if clear is None or not clear():
            self.leave()

    def _resumed(self, _: object) -> None:
        """Draw everything anew after `fg`: the shell has drawn over it."""
        self.refresh(layout=True)

    def _second(self) -> None:
        """Look once a second at what nobody tells."""
        if self.terminal is not None and self.terminal.gone:
            self.leave(129)
        self.view.engine_share = self._cpu.read()
        self.view.fps = FPS
        self.view.facts = self.session.facts()

    # -- what the user does ------------------------------------------------------------------------------------------

    def action_open(self, name: str) -> None:
        """Open another screen."""
        module, screen = SCREENS[name]
        self.push_screen(getattr(import_module(f"voicetui.tui.screens.{module}"), screen)())

    def action_next_theme(self) -> None:
        """Go on to the next theme."""
        names = sorted(self.available_themes)
        self.theme = names[(names.index(self.theme) + 1) % len(names)]
        self.note(f"theme {self.theme}")

    def note(self, text: str, *, for_s: float = NOTE_S) -> None:
        """Say something in the status line, for a moment."""
        self.view.notice = text
        if self._note is not None:
            self._note.stop()
        self._note = self.set_timer(for_s, self._note_over)
        self.show_talk()

    def _note_over(self) -> None:
        self.view.notice = ""
        self.show_talk()

    def mute(self, *, on: bool) -> None:
        """Stop hearing, or hear again, where the ears can."""
        if not self.bridge.engine.can_mute:
            self.note("there is nothing to mute here")
            return
        self.bridge.engine.mute(on)
        self.view.muted = on
        self.note("muted" if on else "you can be heard again")

    def allow_barge_in(self, *, on: bool) -> None:
        """Let speech over the agent stop it, or not; the key always does."""
        self.bridge.engine.allow_barge_in(on)
        self.view.barge_in = on
        self.note("speech over the agent stops it" if on else "speech over the agent waits; the key still stops it")

    def repeat(self) -> None:
        """Say the last reply again."""
        state = self.view.state
        if not any(turn.speaker == AGENT and not turn.live for turn in reversed(state.turns)):
            self.note("nothing to repeat yet")
        elif state.floor is not ev.Floor.LISTENING:
            self.note("the agent has the floor")
        else:
            self.bridge.engine.repeat()


def _rank(name: str) -> int:
    return FIRST_IN_BAR.index(name) if name in FIRST_IN_BAR else len(FIRST_IN_BAR) + BAR.index(name)

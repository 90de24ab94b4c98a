"""`voicetui talk`: hold the conversation in the plain terminal, a line for whatever happens.

The conversation runs on the engine's thread; here the main thread waits for its end, or for a signal.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from typing import TYPE_CHECKING

from voicetui.engine import Discussion, Engine, Event, Floor, Source, UsageError
from voicetui.engine import events as ev
from voicetui.tui.commands.discussion import discussion_of
from voicetui.tui.commands.report import as_json, one_line, timing_line, turn_line

if TYPE_CHECKING:
    import argparse
    from types import FrameType

    from voicetui.engine.parts import Parts, TalkOptions

CLOSE_LIMIT_S = 5.0


def run(args: argparse.Namespace) -> int:
    """Talk until the user ends it, on the full screen where there is one; return the exit code."""
    from voicetui.tui.commands.first_start import offer_missing
    from voicetui.tui.commands.settings import talk_options
    from voicetui.tui.terminal import refusal

    options = talk_options(args)
    plain = args.json or args.events or args.plain or refusal()
    if plain or args.yes or os.environ.get("VOICETUI_YES"):  # else the screen offers it
        offer_missing(options, assume_yes=args.yes, interactive=sys.stdin.isatty() and not args.json)
    if plain:
        return Talk(options, as_json_report=args.json, events=args.events).hold()
    from voicetui.tui.commands.on_screen import hold

    return hold(options)


class Talk:
    """One conversation at the plain terminal."""

    def __init__(self, options: TalkOptions, *, as_json_report: bool, events: bool) -> None:
        self._options, self._json, self._events = options, as_json_report, events
        self._over = threading.Event()
        self._signal = 0
        self._engine = Engine(self._make, self._hear)
        self._floor = Floor.IDLE
        self._parts: Parts | None = None
        self._shown = 0

    def hold(self) -> int:
        """Run the conversation to its end and print what belongs at its end."""
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            if hasattr(signal, name):
                signal.signal(getattr(signal, name), self._stop)
        self._engine.start()
        if sys.stdin.isatty():
            threading.Thread(target=self._read_turns, name="voicetui-typing", daemon=True).start()
        while not self._over.wait(0.5):  # a bare wait() would hold signals back on some systems
            if not self._engine.running:
                break
        self._engine.close(CLOSE_LIMIT_S)
        self._print_end()
        error = self._engine.error
        if error is not None:
            raise UsageError(error.message) if error.code == "usage" else error
        talk = self._engine.conversation
        if self._options.wav and not self._signal and talk is not None and not talk.utterances:
            self._say("no words were recognised in what was listened to")
        return 128 + self._signal if self._signal not in (0, signal.SIGINT) else 0

    def _make(self) -> Discussion:
        from voicetui.engine.parts import choose

        parts = choose(self._options)
        self._parts = parts
        return discussion_of(parts, self._options, stay_open=self._may_type(parts))

    def _may_type(self, parts: Parts) -> bool:
        return sys.stdin.isatty() and parts.microphone

    def _say_ready(self) -> None:
        """Say who talks here, what there is to know about it, and what the user can do."""
        parts = self._parts
        if parts is not None:
            names = (getattr(part, "name", "") for part in (parts.listener, parts.responder, parts.voice))
            note = getattr(parts.responder, "note", "")
            for line in (", ".join(filter(None, names)), note, *parts.notes):
                self._say(one_line(line)) if line else None
        hands = "type a turn to say it, Enter alone cuts in, " if sys.stdin.isatty() else ""
        self._say(f"listening: {hands}Ctrl-C ends")

    # -- what happens ------------------------------------------------------------------------------------------------

    def _hear(self, event: Event) -> None:
        """Show an event; on the engine's thread."""
        if self._events:
            sys.stderr.write(json.dumps(event.as_dict(), ensure_ascii=False) + "\n")
            sys.stderr.flush()
        match event:
            case ev.FloorPassed():
                if event.cause == "started":
                    self._say_ready()
                self._floor = event.floor
            case ev.UtteranceAdded() if not self._json:
                self._show_turns()
            case ev.PartFailed() if self._floor is Floor.IDLE:
                pass  # it could not start: that is raised in the end
            case ev.PartFailed() | ev.DeviceChanged():
                fix = f" ({one_line(event.fix)})" if event.fix else ""
                self._say(f"{event.part}: {one_line(event.message)}{fix}")
            case ev.Ended():
                self._over.set()
            case _:
                pass

    def _show_turns(self) -> None:
        """Print the turns that were added since the last time."""
        talk = self._engine.conversation
        if talk is None:
            return
        for turn in talk.utterances[self._shown :]:
            self._shown += 1
            print(turn_line(turn), flush=True)

    def _print_end(self) -> None:
        talk = self._engine.conversation
        if talk is None:
            return
        if self._json:
            print(as_json(talk), flush=True)
            return
        self._show_turns()
        for timing in talk.timings:
            print(timing_line(timing), flush=True)

    def _say(self, line: str) -> None:
        if not self._events:
            sys.stderr.write(f"{line}\n")
            sys.stderr.flush()

    # -- what the user does ------------------------------------------------------------------------------------------

    def _read_turns(self) -> None:
        for line in sys.stdin:
            if not line.strip():
                self._engine.interrupt(Source.KEY)
                continue
            try:
                self._engine.say(line.strip(), Source.KEY)
            except UsageError as err:
                self._say(str(err))

    def _stop(self, number: int, _: FrameType | None) -> None:
        if self._signal:  # asked twice: do not wait for anything
            os._exit(128 + number if number != signal.SIGINT else 0)
        self._signal = number
        self._engine.end("stopped")
        self._over.set()

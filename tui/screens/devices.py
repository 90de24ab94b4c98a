"""Devices: microphones and loudspeakers, tried out and chosen.

The level of the microphone under the cursor is measured in a child process, which lets go of it when the cursor moves
on; the one that the conversation uses is not opened a second time, its own level is shown.
"""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding
from voicetui.engine.errors import PartError, UsageError, VoicetuiError
from voicetui.tui.screens.device_rows import (
    Choice,
    about,
    choices_of,
    default_of,
    device_items,
    is_in_use,
    level_row,
    value_of,
)
from voicetui.tui.screens.sheet import FPS, Sheet
from voicetui.tui.screens.words import counts_from, fault, rule
from voicetui.tui.settings import load
from voicetui.tui.settings_file import reset, write
from voicetui.tui.sound import ChildSoundCheck, Listing
from voicetui.tui.text import one_line, wrap_runs
from voicetui.tui.view import Hint
from voicetui.tui.widgets.block import Block
from voicetui.tui.widgets.meters import Needle
from voicetui.tui.widgets.picker import GUTTER, Item, Picker, remark
from voicetui.tui.widgets.signs import signs_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from textual.widget import Widget
    from voicetui.engine.audio.devices import Device
    from voicetui.tui.sound import SoundCheck
    from voicetui.tui.text import Row

SETTLE_S = 0.25
"""How long the cursor rests on a microphone before it is opened."""
SILENT_S = 2.0
"""A microphone that gives nothing but zeros for so long is switched off, or not allowed to be heard."""
IN_USE = "in use by this conversation: this is what it hears"


class DevicesScreen(Sheet[frozenset[str]]):
    """Closed with the names of the settings that were written: `device`, `speaker`."""

    TITLE = "Devices"
    CSS_PATH: ClassVar = ["sheet.tcss", "devices.tcss"]
    BINDINGS: ClassVar = [
        Binding("t", "tone", "Test tone", id="devices.tone", show=False),
        Binding("r", "look_again", "Refresh", id="devices.refresh", show=False),
    ]

    def __init__(self, sound: SoundCheck | None = None, path: Path | None = None) -> None:
        super().__init__()
        self._sound: SoundCheck = sound or ChildSoundCheck()
        self._path = path
        self._listing: Listing | None = None
        self._written: set[str] = set()
        self._needle = Needle()
        self._level: float | None = None
        self._db: float | None = None
        self._zeros = 0
        self._shared = False
        self._error: VoicetuiError | None = None
        self._said = ""

    def body(self) -> Iterable[Widget]:
        """Return the list, and the words on the device under the cursor."""
        self._take_settings()
        self._picker = Picker(self.talk, id="devices-list")
        self._detail = Block(self.talk, self._words, id="devices-detail")
        yield self._picker
        yield self._detail

    def hints(self) -> list[Hint]:
        """Return the keys."""
        choice = self._choice()
        keys = [Hint(signs_of(self.talk).enter, "Choose", "choose", 0)] if choice else []
        if choice is not None and choice.kind == "output":
            keys.append(Hint("t", "Test tone", "tone", 0))
        return [*keys, Hint("r", "Refresh", "look_again", 0)]

    def result(self) -> frozenset[str]:
        """Return the names of the settings that were written."""
        return frozenset(self._written)

    def on_mount(self) -> None:
        """Begin to look, and let the meter move."""
        self.action_look_again()
        if self.app.moves:
            self.set_interval(1 / FPS, self.tick)

    async def on_unmount(self) -> None:
        """Release every device."""
        self.workers.cancel_node(self)
        await self._sound.aclose()

    def _take_settings(self) -> None:
        settings = load(self._path)
        self._settings = {name: str(settings.value(name)) for name in ("device", "speaker")}

    # -- drawing -----------------------------------------------------------------------------------------------------

    def show(self) -> None:
        """Draw what may have changed."""
        width = max(1, self._picker.size.width - GUTTER - 2)
        self._picker.put(self._items(width))
        self._detail.show()
        self.show_keys()

    def _items(self, width: int) -> list[Item]:
        listing = self._listing
        if listing is None:
            return [remark([(f"looking for devices{self.talk.glyphs.ellipsis}", "faint")])]
        if listing.error:
            rows = fault(PartError("play", listing.error, fix=listing.fix), width, self.talk)
            rows += [[], [("without them a turn can still be typed: / on the talk screen", "faint")]]
            return [remark(row) for row in rows]
        return device_items(listing, self._settings, self.talk, width)

    def _words(self, width: int, _height: int) -> list[Row]:
        """Return the words on the device under the cursor."""
        rows = [rule(width, self.talk)]
        choice = self._choice()
        if choice is None or self._listing is None:
            return rows
        rows += wrap_runs(about(choice, self._listing.devices, self.talk), width)
        if self._error is not None:
            return rows + fault(self._error, width, self.talk)
        if choice.kind == "input":
            rows.append(level_row(self._db, width, self.talk))
        return rows + wrap_runs(self._remark(choice), width)

    def _remark(self, choice: Choice) -> Row:
        if self._said:
            return [(self._said, "notice")]
        if self._shared:
            return [(IN_USE, "faint")]
        if choice.kind == "output":
            return [("t plays a test tone here", "faint")]
        if self._zeros > SILENT_S * FPS:
            return [("nothing but zeros: it is muted, or the system does not let this terminal hear it", "notice")]
        return [("say something: the level shows what it hears", "faint")]

    def tick(self) -> None:
        """Move the needle to the level of this moment."""
        if self._shared:
            self._level = self.talk.gauges.mic_level()
        self._zeros = self._zeros + 1 if self._level == 0.0 else 0
        self._db = self._needle.follow(self._level)
        self._detail.show()

    # -- what there is -----------------------------------------------------------------------------------------------

    def action_look_again(self) -> None:
        """Look again which devices there are, and go on looking."""
        self.run_worker(self._watch(), group="watch", exclusive=True)

    async def _watch(self) -> None:
        try:
            async with contextlib.aclosing(self._sound.watch()) as listings:
                async for listing in listings:
                    self._take(listing)
        except PartError as error:
            self._take(Listing(error=error.message, fix=error.fix or "voicetui devices"))

    def _take(self, listing: Listing) -> None:
        """Show other devices; name those that came or went."""
        before, self._listing = self._listing, listing
        if before is not None and not before.error:
            self._say_what_changed(before, listing)
        self.show()

    def _say_what_changed(self, before: Listing, after: Listing) -> None:
        old, new = (list(dict.fromkeys(d.name for d in listing.devices)) for listing in (before, after))
        came = [f"{one_line(name)} is here" for name in new if name not in old]
        gone = [f"{one_line(name)} is gone" for name in old if name not in new]
        if came or gone:
            self._said = "; ".join(came + gone)

    def _choice(self) -> Choice | None:
        if self._listing is None or self._listing.error:
            return None
        return choices_of(self._listing).get(self._picker.cursor)

    # -- the device under the cursor ---------------------------------------------------------------------------------

    def on_picker_moved(self, message: Picker.Moved) -> None:
        """Let go of the device before, and listen to this one."""
        self.workers.cancel_group(self, "try")
        self._needle, self._level, self._db, self._zeros = Needle(), None, None, 0
        self._error, self._shared = None, False
        self._said = self._said if message.by_itself else ""
        choice = self._choice()
        if choice is not None and choice.kind == "input" and self._listing is not None:
            device = choice.device or default_of("input", self._listing.devices)
            self._shared = self.talk.state.ended is None and is_in_use(device, self.talk.facts.mic)
            if not self._shared:
                self.run_worker(self._listen(choice.device), group="try", exclusive=True)
        self._detail.show()
        self.show_keys()

    async def _listen(self, device: Device | None) -> None:
        await asyncio.sleep(SETTLE_S)
        try:
            async with contextlib.aclosing(self._sound.listen(device)) as levels:
                async for level in levels:
                    self._level = level
        except PartError as error:
            self._level, self._error = None, error
            self._detail.show()

    def action_tone(self) -> None:
        """Play the test tone on the loudspeaker under the cursor."""
        choice = self._choice()
        if choice is not None and choice.kind == "output":
            self.run_worker(self._play(choice.device), group="try", exclusive=True)

    async def _play(self, device: Device | None) -> None:
        self._error, self._said = None, f"playing the test tone{self.talk.glyphs.ellipsis}"
        self._detail.show()
        try:
            await self._sound.play_tone(device)
        except PartError as error:
            self._error = error
        self._said = "that was the test tone"
        self._detail.show()

    # -- choosing ----------------------------------------------------------------------------------------------------

    def on_picker_chosen(self, _: Picker.Chosen) -> None:
        """Choose the device under the cursor."""
        self.action_choose()

    def action_choose(self) -> None:
        """Write the device under the cursor into the settings."""
        choice = self._choice()
        if choice is None or self._listing is None:
            return
        value = value_of(choice, self._listing.devices)
        try:
            if value:
                write(choice.setting, value, self._path)
            else:
                reset(choice.setting, self._path)
        except UsageError as error:
            self._error = error
        else:
            self._written.add(choice.setting)
            self._error = None
            number = choice.device is not None and value != choice.device.name
            why = "by its number, since its name is not its own; " if number else ""
            self._said = f"chosen: {why}{counts_from(choice.setting)}"
        self._take_settings()
        self.show()

"""Every key: its action, its words, and the user's own choice of keys, checked before it counts.

The user's choice stands in the settings file under `[keys]`, a line an action: `mute = "x"`. The interrupt always keeps
Escape, and no other action can take its keys.
"""

from __future__ import annotations

import contextlib
import tomllib
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from textual.binding import Binding, BindingType
from textual.keys import Keys

if TYPE_CHECKING:
    from pathlib import Path

INTERRUPT = "interrupt"
ALWAYS_INTERRUPTS = "escape"
SECTION = "keys"


@dataclass(frozen=True, slots=True)
class Key:
    """An action and the keys that it has by default, separated by commas; `label` is for the last row."""

    id: str
    keys: str
    action: str
    label: str
    what: str
    everywhere: bool = False
    """Whether it also works while a turn is typed and on every other screen."""


TALK_KEYS = (
    Key(INTERRUPT, "space,escape", "interrupt", "Interrupt", "Silence the agent at once; the floor is yours"),
    Key("mute", "m", "mute", "Mute", "Stop hearing, or hear again"),
    Key("barge-in", "b", "barge_in", "Barge-in", "Whether speech over the agent may stop it"),
    Key("type", "slash,i", "type", "Type", "Type a turn instead of speaking it"),
    Key("repeat", "r", "repeat", "Repeat", "Hear the last reply again"),
    Key("copy", "y", "copy", "Copy", "Copy what is selected, else the whole transcript"),
    Key("expand", "e", "expand", "Exchanges", "All exchanges, stage by stage, or the transcript again"),
    Key("devices", "d", "app.open('devices')", "Devices", "Choose the microphone and the loudspeaker"),
    Key("models", "o", "app.open('models')", "Models", "Choose and fetch what hears, thinks and speaks"),
    Key("sessions", "h", "app.open('sessions')", "Sessions", "Earlier conversations"),
    Key("settings", "comma", "app.open('settings')", "Settings", "How the conversation is held"),
    Key("theme", "t", "app.next_theme", "Theme", "The next theme"),
    Key("help", "f1,question_mark", "app.open('help')", "Help", "The keys, and what is on the screen"),
    Key("quit-here", "q", "app.quit", "Quit", "End the conversation and leave"),
    Key("up", "up,k", "scroll(-1)", "", "Scroll up"),
    Key("down", "down,j", "scroll(1)", "", "Scroll down"),
    Key("page-up", "pageup", "page(-1)", "", "Scroll up a page"),
    Key("page-down", "pagedown", "page(1)", "", "Scroll down a page"),
    Key("first", "home", "edge(-1)", "", "To the first turn"),
    Key("last", "end", "edge(1)", "", "To the newest turn"),
)
APP_KEYS = (
    Key("palette", "ctrl+p", "command_palette", "Palette", "Find any action by its name", everywhere=True),
    Key("quit", "ctrl+q", "quit", "Quit", "End the conversation and leave", everywhere=True),
    Key("cancel", "ctrl+c", "cancel", "", "Clear what is typed; else end the conversation and leave", everywhere=True),
    Key("suspend", "ctrl+z", "suspend_process", "", "Back to the shell; `fg` returns", everywhere=True),
)
ALL_KEYS = (*TALK_KEYS, *APP_KEYS)
BAR = ("interrupt", "mute", "barge-in", "devices", "models", "sessions", "settings", "theme", "palette", "help")
"""The actions in the last row, from left to right."""
FIRST_IN_BAR = ("interrupt", "mute", "help", "devices", "models", "sessions", "settings")
"""Those that stay when there is no room for all, the most wanted first."""


def bindings(keys: tuple[Key, ...]) -> list[BindingType]:
    """Return Textual's bindings, each with its id so that the user's keymap reaches it."""
    return [Binding(key.keys, key.action, key.what, id=key.id, show=False, priority=key.everywhere) for key in keys]


def shown(name: str) -> str:
    """Return a key as it is written on the screen: `^p`, `F1`, `,`."""
    modifier, _, base = name.rpartition("+")
    base = {"comma": ",", "slash": "/", "question_mark": "?"}.get(base, base)
    base = base.upper() if base[:1] == "f" and base[1:].isdecimal() else base
    if len(base) > 1 and base not in ("space", "escape", "enter", "tab") and not base[1:].isdecimal():
        with contextlib.suppress(KeyError):
            base = unicodedata.lookup(base.replace("_", " "))
    return {"": "", "ctrl": "^"}.get(modifier, f"{modifier}+") + base


def normal(name: str) -> str:
    """Return a key's name as Textual knows it: `?` is `question_mark`."""
    name = name.strip()
    if len(name) == 1 and not name.isalnum():
        return unicodedata.name(name, name).lower().replace("-", "_").replace(" ", "_")
    return {"space_bar": "space", "esc": "escape", "return": "enter", "solidus": "slash"}.get(name, name)


def read_keymap(path: Path) -> tuple[dict[str, str], list[str]]:
    """Return the user's keys from the settings file, checked, and a line for each that cannot be used."""
    try:
        wanted = tomllib.loads(path.read_text("utf-8")).get(SECTION, {})
    except FileNotFoundError:
        return {}, []
    except (OSError, UnicodeError) as error:
        return {}, [f"{path} cannot be read ({error}); the keys are the usual ones"]
    except tomllib.TOMLDecodeError as error:
        return {}, [f"{path}: [{SECTION}] cannot be read ({error}); the keys are the usual ones"]
    if not isinstance(wanted, dict):
        return {}, [f"{path}: {SECTION} is a table: [{SECTION}]"]
    return check_keymap(wanted)


def check_keymap(wanted: dict[str, Any]) -> tuple[dict[str, str], list[str]]:
    """Return a keymap that is safe to set, and a line for each wish that is not: unknown, clashing, or no key."""
    known = {key.id: [normal(name) for name in key.keys.split(",")] for key in ALL_KEYS}
    chosen, complaints = dict(known), []
    for action, value in wanted.items():
        if action not in known:
            complaints.append(f"keys: there is no action {action!r}")
            continue
        names, fault = _names(value)
        if fault:
            complaints.append(f"keys: {action} is {value!r}: {fault}")
            continue
        if action == INTERRUPT and ALWAYS_INTERRUPTS not in names:
            names.append(ALWAYS_INTERRUPTS)
        chosen[action] = names
    _drop_clashes(chosen, known, complaints)
    return {action: ",".join(names) for action, names in chosen.items() if names != known[action]}, complaints


def _names(value: object) -> tuple[list[str], str]:
    if not isinstance(value, str) or not value.strip():
        return [], "it must be a key, or several with commas between"
    names = [normal(name) for name in value.split(",")] if value.strip() != "," else ["comma"]
    names = list(dict.fromkeys(names))
    unknown = [name for name in names if not _is_key(name)]
    return names, f"there is no key {unknown[0]!r}" if unknown else ""


def _is_key(name: str) -> bool:
    base = name
    for modifier in ("ctrl+", "alt+", "shift+", "super+"):
        base = base.removeprefix(modifier)
    if len(base) == 1:
        return base.isprintable()
    if base in {key.value for key in Keys} or base in ("slash", "space", "comma"):
        return True
    try:
        unicodedata.lookup(base.replace("_", " "))
    except KeyError:
        return False
    return True


def _drop_clashes(chosen: dict[str, list[str]], known: dict[str, list[str]], complaints: list[str]) -> None:
    """Give each key to one action: the interrupt first, then those that keep their usual keys, then the order above."""
    order = sorted(chosen, key=lambda action: (action != INTERRUPT, chosen[action] != known[action]))
    taken: dict[str, str] = {}
    for action in order:
        clash = next((name for name in chosen[action] if name in taken), None)
        if clash is not None:
            complaints.append(f"keys: {action} cannot have {clash}, which is for {taken[clash]}")
            chosen[action] = [name for name in known[action] if name not in taken]
        taken |= dict.fromkeys(chosen[action], action)

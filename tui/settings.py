"""The settings file, `config.toml`: one setting a line, each optional, and the user's keys under `[keys]`.

A line that cannot be used is named with its number, and the default stands; nothing in the file can stop the program.
`settings_file.py` writes it.
"""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any

from voicetui.engine.errors import UsageError
from voicetui.engine.models.store import config_folder
from voicetui.engine.parts.options import TalkOptions
from voicetui.engine.policy import Policy

if TYPE_CHECKING:
    from pathlib import Path

PARTS = {
    "language": "the language spoken: en, fr, de, …",
    "recogniser": "a recogniser of `voicetui models list`; empty: one for the language",
    "voice": "a voice of `voicetui models list`, or the path of a Piper voice; empty: one for the language",
    "model": "an Ollama model, a model of `voicetui models list`, or a .gguf file; empty: the best that is here",
    "ollama_host": "where Ollama answers; empty: OLLAMA_HOST, or this machine",
    "device": "the microphone, as in `voicetui devices`; empty: the system's default",
    "speaker": "the loudspeaker, likewise",
}
POLICY = {
    "allow_barge_in": "whether speech over the agent may stop it",
    "barge_in_grace_s": "speech that ends so soon after first audio does not stop the agent, in seconds",
    "max_reply_sentences": "a reply ends after so many sentences; 0: no limit",
    "silence_timeout_s": "the conversation ends after so long a silence, in seconds; 0: never",
    "on_speech": "until it is decided what a sound over the agent was: pause, duck or stop",
    "resume_false_interruptions": "whether the agent carries on after a cough or mm-hm",
    "eager": "whether a reply is prepared while it is not yet certain that you have finished",
    "history": "what the model is told that it said: heard, or generated",
}
SENTENCES = PARTS | POLICY
"""Every setting, with a sentence on what it does."""
KEYS_SECTION = "[keys]"
"""The one section of the file; `keys.py` reads it."""
_ENDS_A_LINE = re.compile("[\x7f\x85\u2028\u2029]")
"""What JSON leaves as it is and a line of the file cannot hold."""


@dataclass(slots=True)
class Settings:
    """What the file says: values by name, the line that each stands on, and what could not be used."""

    path: Path
    values: dict[str, Any] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    complaints: list[str] = field(default_factory=list)

    def value(self, name: str) -> Any:  # noqa: ANN401 - settings are of several types
        """Return a setting, or its default."""
        return self.values.get(name, DEFAULTS[name])

    def options(self) -> TalkOptions:
        """Return the options of a conversation that is begun with nothing but these settings."""
        policy = Policy(**{name: self.value(name) for name in POLICY})
        return TalkOptions(**{name: self.value(name) for name in PARTS}, policy=policy)


def _defaults() -> dict[str, Any]:
    options, policy = TalkOptions(), Policy()
    return {n: getattr(options, n) for n in PARTS} | {n: getattr(policy, n) for n in POLICY}


DEFAULTS = _defaults()


def config_file() -> Path:
    """Return where the settings file is, or would be."""
    return config_folder() / "config.toml"


def load(path: Path | None = None) -> Settings:
    """Read the settings; a file that is not there is an empty one."""
    settings = Settings(path or config_file())
    try:
        text = settings.path.read_text("utf-8")
    except FileNotFoundError:
        return settings
    except (OSError, UnicodeError) as error:
        settings.complaints.append(f"{settings.path} cannot be read ({error}); the defaults are used")
        return settings
    skipping = False
    for number, line in enumerate(text.splitlines(), start=1):
        stripped = line.strip()
        if stripped.startswith("["):
            skipping = True
            if not stripped.startswith(KEYS_SECTION):
                settings.complaints.append(
                    f"{settings.path} line {number}: there is no section {stripped}; it is passed over"
                )
        elif stripped and not stripped.startswith("#") and not skipping:
            _take(settings, number, line)
    return settings


def _take(settings: Settings, number: int, line: str) -> None:
    """Take one line, or say what is wrong with it."""
    try:
        ((name, value),) = tomllib.loads(line).items()
    except (tomllib.TOMLDecodeError, ValueError):
        settings.complaints.append(
            f"{settings.path} line {number}: {line.strip()!r} is not `name = value`; passed over"
        )
        return
    if name not in DEFAULTS:
        settings.complaints.append(f"{settings.path} line {number}: there is no setting {name!r}; passed over")
        return
    try:
        settings.values[name] = checked(name, value)
        settings.lines[name] = number
    except UsageError as error:
        default = as_toml(DEFAULTS[name])
        settings.complaints.append(f"{settings.path} line {number}: {error.message}; the default {default} is used")


def checked(name: str, value: object) -> Any:  # noqa: ANN401 - settings are of several types
    """Return a setting's value as its own type. Raises `UsageError` saying what is accepted."""
    if name in POLICY:
        try:
            return getattr(Policy(**{name: value}), name)  # type: ignore[arg-type] # Policy checks it
        except UsageError as error:
            raise UsageError(error.message.removeprefix("policy: ")) from None
    if not isinstance(value, str):
        raise UsageError(f"{name} is {value!r}, it must be text in quotes")
    return value


def typed(name: str, text: str) -> Any:  # noqa: ANN401 - settings are of several types
    """Return the value that `text` means for a setting, typed without quotes. Raises `UsageError` as `checked`."""
    if isinstance(DEFAULTS[name], str):
        return checked(name, text.strip())
    try:
        value = tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        value = text
    return checked(name, value)


def choices(name: str) -> tuple[Any, ...]:
    """Return the values that a setting can have; empty where there are too many to name."""
    default = DEFAULTS[name]
    if isinstance(default, bool):
        return (True, False)
    return tuple(type(default)) if isinstance(default, Enum) else ()


def as_toml(value: object) -> str:
    """Return a setting's value as it is written in the file."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _ENDS_A_LINE.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(str(value), ensure_ascii=False))
    return str(value)


def as_file(settings: Settings) -> str:
    """Return the whole file: every setting with its explanation, those left at their defaults commented out."""
    parts = ["# voicetui's settings. A line that begins with # is a default; take the # away to change it.", ""]
    for name, text in SENTENCES.items():
        mark = "" if name in settings.values else "# "
        parts += [f"# {text}", f"{mark}{name} = {as_toml(settings.value(name))}", ""]
    return "\n".join(parts)

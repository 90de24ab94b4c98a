"""The settings file, `config.toml`: one setting a line, each optional.

A line that cannot be used is named with its number, and the default stands; nothing in the file can stop the program.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from voicetui.engine.errors import UsageError
from voicetui.engine.models.store import config_folder
from voicetui.engine.parts.options import TalkOptions
from voicetui.engine.policy import Policy

if TYPE_CHECKING:
    from pathlib import Path

PARTS = {
    "language": "the language spoken: en, fr, de, …",
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
        settings.values[name] = _checked(name, value)
        settings.lines[name] = number
    except UsageError as error:
        reason = error.message.removeprefix("policy: ")
        default = as_toml(DEFAULTS[name])
        settings.complaints.append(f"{settings.path} line {number}: {reason}; the default {default} is used")


def _checked(name: str, value: object) -> Any:  # noqa: ANN401
    if name in POLICY:
        return getattr(Policy(**{name: value}), name)  # type: ignore[arg-type] # Policy checks it
    if not isinstance(value, str):
        raise UsageError(f"{name} is {value!r}, it must be text in quotes")
    return value


def as_toml(value: object) -> str:
    """Return a setting's value as it is written in the file."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{escaped}"'
    return str(value)


def as_file(settings: Settings) -> str:
    """Return the whole file: every setting with its explanation, those left at their defaults commented out."""
    parts = ["# voicetui's settings. A line that begins with # is a default; take the # away to change it.", ""]
    for name, text in (PARTS | POLICY).items():
        mark = "" if name in settings.values else "# "
        parts += [f"# {text}", f"{mark}{name} = {as_toml(settings.value(name))}", ""]
    return "\n".join(parts)

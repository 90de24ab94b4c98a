"""`voicetui models`: what there is, what is here, fetching and removing."""

from __future__ import annotations

import json
import os
import sys
import textwrap
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from voicetui.engine.errors import PartError, UsageError
from voicetui.engine.models import Model, catalogue, fetch, find, models_folder, remove
from voicetui.tui.commands.progress import ProgressLine, megabytes

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable

    from voicetui.engine.models.catalogue import Purpose

PURPOSES: dict[Purpose, str] = {"hear": "Recognisers", "think": "Models", "speak": "Voices", "detect": "Detectors"}


def run(args: argparse.Namespace) -> int:
    """List, get or remove."""
    match args.action:
        case "get":
            return _get(args)
        case "remove":
            return _remove([catalogue().find(i) for i in args.ids], assume_yes=args.yes)
        case _ if args.json:
            print(json.dumps([_as_dict(m) for m in catalogue()], indent=2))
        case _:
            _list()
    return 0


def _list() -> None:
    for purpose, title in PURPOSES.items():
        print(f"{title}:")
        for model in catalogue().choose(purpose):
            found = find(model)
            here = f"here, {found.origin}" if found else f"{'' if model.verified else 'unverified, '}not here"
            if found and not found.ours and not model.verified:
                here += ", unverified"
            langs = ",".join(model.languages) or "any"
            print(f"  {model.id:<28} {langs:<5} {megabytes(model.size):>7}  {model.licence}")
            print(f"  {'':<28} {here}")
            if model.note:
                print(textwrap.fill(model.note, 80, initial_indent=" " * 31, subsequent_indent=" " * 31))
    print(f"Fetched models are in {models_folder()}")


def _as_dict(model: Model) -> dict[str, Any]:
    found = find(model)
    return {
        "id": model.id,
        "purpose": model.purpose,
        "runtime": model.runtime,
        "title": model.title,
        "languages": list(model.languages),
        "licence": model.licence,
        "size": model.size,
        "verified": model.verified,
        "note": model.note,
        "installed": found is not None,
        "path": str(found.path) if found else None,
        "origin": found.origin if found else None,
        "removable": bool(found and found.ours),
        "sources": [asdict(s) for s in model.sources],
    }


def _get(args: argparse.Namespace) -> int:
    if bool(args.ids) == args.all_needed:
        raise UsageError("models get takes ids, or --all-needed")
    if args.language and not args.all_needed:
        raise UsageError("--language goes with --all-needed")
    if args.ids:
        wanted = [catalogue().find(i) for i in args.ids]
    else:
        from voicetui.engine.parts import needed_models
        from voicetui.tui.commands.settings import talk_options

        wanted = needed_models(talk_options(args))
        if not wanted:
            print("Nothing to fetch: what a conversation needs is here.", file=sys.stderr)
    return get_all(wanted)


def get_all(models: Iterable[Model]) -> int:
    """Fetch models one after another, saying how it goes; 0 where all are there, else 1."""
    line = ProgressLine()
    code = 0
    for model in models:
        before = find(model)
        try:
            path = fetch(model, line)
        except PartError as error:
            line.end()
            print(f"voicetui: {error.message}", file=sys.stderr)
            if error.fix:
                print(f"  mend it: {error.fix}", file=sys.stderr)
            code = 1
            continue
        except KeyboardInterrupt:
            line.end()
            print(f"Stopped. Later: voicetui models get {model.id}", file=sys.stderr)
            raise
        line.end()
        print(f"{model.id}: {'is here, checked' if before else 'fetched'}: {path}", file=sys.stderr)
    return code


def _remove(models: list[Model], *, assume_yes: bool) -> int:
    assume_yes = assume_yes or bool(os.environ.get("VOICETUI_YES"))
    for model in models:
        found = find(model)
        fetched = found is not None and found.ours
        if fetched and not assume_yes and not _confirmed(f"Remove {model.id} ({megabytes(model.size)})?"):
            print(f"{model.id} stays.")
        elif remove(model):
            print(f"{model.id} removed." if fetched else f"The unfinished download of {model.id} is removed.")
        else:
            print(f"{model.id} is not here.")
    return 0


def _confirmed(question: str) -> bool:
    if not sys.stdin.isatty():
        raise UsageError("models remove asks first; without a terminal say --yes")
    return input(f"{question} [y/N] ").strip().lower() in ("y", "yes")

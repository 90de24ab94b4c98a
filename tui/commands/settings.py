"""From flags and settings to the options of a conversation: a flag wins over the file, the file over the defaults."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from voicetui.engine.parts.options import TalkOptions
from voicetui.engine.policy import Policy
from voicetui.tui.settings import PARTS, POLICY, load

if TYPE_CHECKING:
    import argparse

FLAGS = {
    "allow_barge_in": "barge_in",
    "barge_in_grace_s": "grace",
    "max_reply_sentences": "max_sentences",
    "silence_timeout_s": "silence_timeout",
}
"""The flag of a setting, where its name differs."""


def talk_options(args: argparse.Namespace) -> TalkOptions:
    """Return the options of a conversation; what is wrong in the settings file is said on standard error."""
    settings = load()
    for complaint in settings.complaints:
        print(f"voicetui: {complaint}", file=sys.stderr)

    def chosen(name: str) -> Any:  # noqa: ANN401 - settings are of several types
        given = getattr(args, FLAGS.get(name, name), None)
        return settings.value(name) if given is None else given

    record = getattr(args, "record", None)
    return TalkOptions(
        **{name: chosen(name) for name in PARTS},
        wav=tuple(getattr(args, "wav", None) or ()),
        record=Path(record) if record else None,
        policy=Policy(**{name: chosen(name) for name in POLICY}),
    )

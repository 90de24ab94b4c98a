"""A recogniser may be named, whatever the language."""

from __future__ import annotations

import pytest
from voicetui.engine.errors import PartError
from voicetui.engine.parts import TalkOptions
from voicetui.engine.parts.selection import pick_recogniser


def test_the_named_recogniser_is_taken(machine):
    machine.models.add("vosk-model-small-en-us-0.15")
    assert pick_recogniser(TalkOptions(recogniser="Moonshine-tiny-en")).name == "moonshine-tiny-en"
    assert pick_recogniser(TalkOptions(recogniser="vosk-model-small-fr-0.22")).path is None


def test_one_that_is_not_in_the_catalogue_is_named(machine):
    with pytest.raises(PartError, match="there is no recogniser 'whisper'") as caught:
        pick_recogniser(TalkOptions(recogniser="whisper"))
    assert (caught.value.code, caught.value.fix) == ("no-model", "voicetui models list")

"""What an engine that cannot be built says."""

from __future__ import annotations

from voicetui.engine import Engine
from voicetui.engine import events as ev
from voicetui.engine.errors import UsageError


def test_a_file_that_cannot_be_used_is_wrong_usage_and_no_failure_of_the_engine():
    told = []

    def make():
        raise UsageError("empty.wav holds no sound")

    engine = Engine(make, told.append)
    engine.start()
    engine.close()
    assert (engine.error.code, engine.error.message) == ("usage", "empty.wav holds no sound")
    assert [type(event) for event in told] == [ev.PartFailed, ev.Ended]

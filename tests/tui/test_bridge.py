"""From the engine's thread to Textual's: order is kept, nothing is lost, a burst costs one message."""

from __future__ import annotations

import threading

import pytest
from voicetui.engine import Discussion, EchoResponder, PartError, ScriptedListener, SilentVoice, UsageError, Wait
from voicetui.engine import events as ev
from voicetui.tui.bridge import Bridge, News


def drafts(first, last):
    return [ev.Draft(turn_index=0, text=str(number)) for number in range(first, last)]


def bridge(post):
    return Bridge(make=lambda: None, post=post)


def test_a_burst_costs_one_message():
    posted = []
    between = bridge(posted.append)
    for event in drafts(0, 1000):
        between.tell(event)
    assert [type(message) for message in posted] == [News]
    assert between.take() == drafts(0, 1000)


def test_what_comes_after_the_taking_is_posted_again():
    posted = []
    between = bridge(posted.append)
    for number in range(3):
        between.tell(*drafts(number, number + 1))
        assert between.take() == drafts(number, number + 1)
    assert len(posted) == 3


def test_nothing_is_lost_between_two_threads():
    """The application takes as fast as it can while the engine tells: every event once, in order."""
    count = 20_000
    waiting = threading.Semaphore(0)
    between = bridge(lambda _: waiting.release())
    engine = threading.Thread(target=lambda: [between.tell(event) for event in drafts(0, count)])
    engine.start()
    taken = []
    while len(taken) < count:
        assert waiting.acquire(timeout=10), "events wait, and nobody was told"
        taken += between.take()
    engine.join()
    assert [event.text for event in taken] == [str(number) for number in range(count)]


def test_an_application_that_is_gone_harms_nothing_and_the_last_look_finds_all():
    def gone(_):
        raise RuntimeError("Event loop is closed")

    between = bridge(gone)
    for event in drafts(0, 3):
        between.tell(event)
    assert between.take() == drafts(0, 3)


def test_the_clock_counts_as_the_events_do():
    between = bridge(lambda _: None)
    between.tell(ev.Draft(turn_index=0, text="", at_s=100.0))
    assert 100.0 <= between.now_s() < 160.0


def test_the_key_is_the_very_same_stop_as_the_voice():
    """A whole conversation on the engine's thread: the key cuts the reply, as its own source."""
    speaking = threading.Event()
    heard = []

    def hear(event):
        heard.append(event)
        if event.kind == "speaking":
            speaking.set()

    listener = ScriptedListener(["go on", Wait(1000)], word_s=0, endpoint_s=0, recognise_s=0)

    class Attached(Discussion):
        async def __aenter__(self):
            await super().__aenter__()
            listener.attach(self.subscribe)
            return self

    def make():
        return Attached(listener, EchoResponder(first_token_s=0, token_s=0), SilentVoice(sentence_s=100.0))

    between = Bridge(make, lambda _: None, hear)
    between.start()
    assert speaking.wait(10)
    assert between.interrupt()
    assert not between.interrupt()
    assert between.close(5.0)
    assert [event.source for event in heard if event.kind == "stop"] == [ev.Source.KEY]
    assert heard == between.take()
    assert heard[-1].kind == "ended"
    assert between.error is None


def test_a_part_that_cannot_be_had_is_an_event_and_the_end():
    def make():
        raise PartError("listen", "no microphone", fix="plug one in")

    between = Bridge(make, lambda _: None)
    between.start()
    assert between.close(5.0)
    assert [event.kind for event in between.take()] == ["error", "ended"]
    assert between.error.code == "failed"


def test_a_turn_without_a_word_is_refused_here():
    with pytest.raises(UsageError):
        bridge(lambda _: None).say(" ... ")

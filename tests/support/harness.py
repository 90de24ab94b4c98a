"""Hold a discussion with scripted parts on the virtual clock, and keep everything that happened."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from voicetui.engine import Discussion, Event, Floor, FloorPassed, ScriptedListener, SilentVoice, VirtualLoop


@dataclass
class Held:
    events: list[Event] = field(default_factory=list)
    talk: Discussion | None = None
    voice: SilentVoice | None = None
    acts: dict[float, object] = field(default_factory=dict)

    @property
    def conversation(self):
        return self.talk.conversation

    def of(self, kind):
        return [event for event in self.events if event.kind == kind]

    def floor_at(self, at_s):
        passes = [event for event in self.events if isinstance(event, FloorPassed) and event.at_s <= at_s]
        return passes[-1].floor if passes else Floor.IDLE

    def audible(self, from_s=0.0, to_s=float("inf")):
        """Seconds of sound between two moments."""
        spans = [(max(p.from_s, from_s), min(p.to_s, to_s)) for p in self.voice.played]
        return sum(end - start for start, end in spans if end > start)

    def texts(self, speaker):
        return [u.text for u in self.conversation.utterances if u.speaker == speaker]


def hold(script, responder, voice=None, policy=None, acts=None, for_s=None, stay_open=False):
    """Run a conversation; `acts` maps moments to `callable(held)`; `for_s` ends it (else it ends with the listener).

    A moment may be a pair ("speaking", s): s seconds after the first audio of the first reply.
    """
    held = Held()

    async def main():
        problems = []
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: problems.append(context))
        listener = script if hasattr(script, "listen") else ScriptedListener(script)
        held.voice = voice if voice is not None else SilentVoice()
        async with Discussion(listener, responder, held.voice, policy, stay_open=stay_open) as talk:
            held.talk = talk
            if hasattr(listener, "attach"):
                listener.attach(talk.subscribe)
            talk.subscribe(held.events.append)
            for at, act in (acts or {}).items():
                if isinstance(at, tuple):
                    _after_floor(talk, loop, Floor(at[0]), at[1], lambda act=act: act(held))
                else:
                    loop.call_at(at, act, held)
            if for_s is not None:
                loop.call_at(for_s, talk.end, "test over")
            await talk.run()
        left = asyncio.all_tasks() - {asyncio.current_task()}
        assert not left, left
        assert not problems, problems

    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        runner.run(main())
    assert held.events[-1].kind == "ended"
    assert [event.seq for event in held.events] == list(range(len(held.events)))
    return held


def _after_floor(talk, loop, floor, seconds, act):
    done = []

    def follow(event):
        if isinstance(event, FloorPassed) and event.floor is floor and not done:
            done.append(loop.call_later(seconds, act))

    talk.subscribe(follow)

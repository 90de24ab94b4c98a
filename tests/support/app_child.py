"""The application in a process of its own, with parts that misbehave: `python app_child.py MODE EVENTS`.

Every event is written to the file EVENTS, a line of JSON each.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from pathlib import Path


def parts(mode):
    from voicetui.engine import ScriptedResponder, SilentVoice, Spoken
    from voicetui.engine import events as ev

    class Ears:
        """A fake that says one turn, then blocks a thread in a read that never ends."""

        async def listen(self):
            if mode != "listening":
                yield ev.Committed(turn_index=0, text="go on")
            if mode == "engine-raises":
                await asyncio.Event().wait()
            never, self._write = os.pipe()
            self._read = asyncio.get_running_loop().run_in_executor(None, os.read, never, 1)
            await asyncio.shield(self._read)

        async def aclose(self):
            """Does not reach the thread that blocks."""

    class SlowModel:
        """A fake that says nothing for a minute."""

        async def reply(self, messages):
            await asyncio.sleep(60)
            yield "Late."

        async def aclose(self):
            """Nothing to release."""

    class StuckVoice:
        """A fake that blocks the engine's whole thread for half a minute."""

        async def speak(self, sentence):
            print("blocking", file=sys.stderr, flush=True)
            time.sleep(30)  # noqa: ASYNC251 - that is what is wrong with it
            return Spoken(sentence, 1.0)

        def stop(self):
            return None

        async def aclose(self):
            """Nothing to release."""

    mind = SlowModel() if mode == "thinking" else ScriptedResponder(["A long story. " * 50], first_token_s=0, token_s=0)
    voice = StuckVoice() if mode == "synthesis" else SilentVoice()
    return Ears(), mind, voice


def main(mode, log):
    from voicetui.engine import Discussion
    from voicetui.tui.run import run_app
    from voicetui.tui.session import Session

    class Broken(Discussion):
        """A fake whose loop breaks a moment after it has begun."""

        async def run(self):
            asyncio.get_running_loop().call_later(0.2, self.end)
            await super().run()
            raise ZeroDivisionError("the engine breaks")

    if mode == "screen-raises":
        from voicetui.tui.screens.talk import TalkScreen

        def broken(self):
            raise ZeroDivisionError("the screen breaks [/ here")

        TalkScreen.action_mute = broken

    def make():
        return (Broken if mode == "engine-raises" else Discussion)(*parts(mode), stay_open=True)

    def hear(event):
        with Path(log).open("a", encoding="utf-8") as file:
            file.write(json.dumps(event.as_dict()) + "\n")

    return run_app(Session(make=make, hear=hear))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

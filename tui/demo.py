"""`python -m voicetui.tui.demo`: a scripted conversation in the application, in real time, on nothing but scripts.

Three exchanges: a backchannel over the first reply, an interruption of the second, a short third one.
"""

from __future__ import annotations

import sys

from voicetui.engine.errors import UsageError
from voicetui.engine.events import Floor
from voicetui.engine.scenario.script import Backchannel, Ears, ReplyScript, Say, Scenario, Stimulus, VoiceScript, When
from voicetui.tui.rehearsal import show

DEMO = Scenario(
    title="The weather in Lyon",
    stimuli=(
        Stimulus(Say(("what's the weather in Lyon",)), When(floor=Floor.LISTENING, wait_s=1.0)),
        Stimulus(Backchannel("mm-hm"), When(floor=Floor.SPEAKING, wait_s=1.4)),
        Stimulus(Say(("tell me everything", "about the wind"), gaps_s=(0.3,)), When(floor=Floor.LISTENING, wait_s=1.2)),
        Stimulus(Say(("no, just today",)), When(floor=Floor.SPEAKING, wait_s=3.2)),
    ),
    replies=(
        ReplyScript(text="Clear and twelve degrees this morning, with wind from the north.", first_token_s=0.18),
        ReplyScript(
            text="The mistral is a strong, cold, north-westerly wind that blows down the Rhône valley. It can last for "
            "days, and it clears the sky. In winter it may reach a hundred kilometres an hour.",
            first_token_s=0.24,
        ),
        ReplyScript(text="Today it will ease by four in the afternoon.", first_token_s=0.16),
    ),
    voice=VoiceScript(first_pcm_s=0.07, word_s=0.32),
    ears=Ears(word_s=0.28, endpoint_s=0.45, recognise_s=0.09, eager_s=0.3),
)

if __name__ == "__main__":
    try:
        sys.exit(show(DEMO))
    except UsageError as error:
        sys.exit(f"voicetui: {error.message}")

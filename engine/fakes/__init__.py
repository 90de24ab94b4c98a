"""Scripted parts: the same loop with no microphone, model or loudspeaker. They wait on the loop's own clock."""

from __future__ import annotations

from voicetui.engine.fakes.listener import ScriptedListener, Wait
from voicetui.engine.fakes.responder import EchoResponder, ScriptedResponder
from voicetui.engine.fakes.voice import DUCKED_GAIN, Played, SilentVoice

__all__ = ["DUCKED_GAIN", "EchoResponder", "Played", "ScriptedListener", "ScriptedResponder", "SilentVoice", "Wait"]

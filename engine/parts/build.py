"""Building the parts of a conversation: listener, responder and voice, as the options and this machine have it.

The parts' own modules, and with them the heavy libraries, are imported here and nowhere earlier. Models are loaded and
devices opened when the conversation warms up; a part that fails then says so itself.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from voicetui.engine.errors import PartError, UsageError
from voicetui.engine.events import Floor
from voicetui.engine.parts.selection import (
    Choice,
    names_embedded,
    pick_detector,
    pick_embedded,
    pick_recogniser,
    pick_voice,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from voicetui.engine.audio.recorder import Recorder
    from voicetui.engine.audio.wav import StartLine, WavIn
    from voicetui.engine.discussion import Discussion
    from voicetui.engine.listen.recogniser import Recogniser
    from voicetui.engine.parts.options import TalkOptions
    from voicetui.engine.ports import AudioIn, AudioOut, Listener, Responder, Samples, Voice

QUESTION = "question.wav"
"""In the folder of `voicetui.engine.audio`: what is asked where there is no microphone."""
REPLY = "reply.wav"
"""In the working folder: what is written where there is no loudspeaker."""


@dataclass(slots=True)
class Parts:
    """What a conversation is held with; `notes` are lines that the user should read before it begins."""

    listener: Listener
    responder: Responder
    voice: Voice
    microphone: bool
    """Whether it listens to a microphone, which has no end, rather than to files."""
    notes: list[str] = field(default_factory=list)
    files: WavIn | None = None
    """The files that are listened to, which wait for the conversation between each other."""

    def attach(self, talk: Discussion) -> None:
        """Let the parts know the conversation that they are used in."""
        if self.files is not None:
            self.files.free = lambda: talk.conversation.floor is Floor.LISTENING


def choose(options: TalkOptions) -> Parts:
    """Build the parts of a conversation.

    Raises `PartError` with the command that mends it where a part cannot be had, `UsageError` where a file or a device
    that the options name cannot be used.
    """
    pick_detector().require("listen")  # before anything is imported: it says which extra brings the libraries
    hears, speaks = pick_recogniser(options), pick_voice(options)

    from voicetui.engine.audio.wav import StartLine, WavIn
    from voicetui.engine.listen.ears import Ears
    from voicetui.engine.speak.local import LocalVoice
    from voicetui.engine.speak.piper import PiperSynthesiser

    recogniser = _recogniser(hears)
    voice = PiperSynthesiser(speaks.require("speak"))
    responder = responder_of(options)
    notes: list[str] = []
    start = StartLine()
    source, is_device = _microphone(options, start, notes)
    files = source if isinstance(source, WavIn) else None
    out = _loudspeaker(options, None if is_device else start, notes)
    if options.record:
        from voicetui.engine.audio.recorder import Recorder

        recorder = Recorder.in_folder(options.record)
        source, out = recorder.hear(source), _Recorded(out, recorder)
    return Parts(Ears(source, recogniser), responder, LocalVoice(voice, out), is_device, notes, files)


def responder_of(options: TalkOptions) -> Responder:
    """Return the mind: the model that is asked for, or Ollama where it answers, else the embedded model."""
    from voicetui.engine.think.auto import AutoResponder
    from voicetui.engine.think.embedded import EmbeddedResponder
    from voicetui.engine.think.ollama import OllamaResponder

    def embedded() -> EmbeddedResponder:
        return EmbeddedResponder(pick_embedded(options).require("think"), language=options.language)

    if names_embedded(options):
        return embedded()
    ollama = OllamaResponder(options.model, options.ollama_host, language=options.language)
    return ollama if options.model else AutoResponder(ollama, embedded)


def _recogniser(choice: Choice) -> Recogniser:
    path = choice.require("listen")
    if choice.runtime == "vosk":
        from voicetui.engine.listen.vosk import VoskRecogniser

        return VoskRecogniser(path)
    from voicetui.engine.listen.moonshine import MoonshineRecogniser

    return MoonshineRecogniser(path)


def _microphone(options: TalkOptions, start: StartLine, notes: list[str]) -> tuple[AudioIn, bool]:
    """Return what is listened to, and whether that is a device."""
    from voicetui.engine.audio.wav import WavIn

    if options.wav:
        return WavIn(options.wav, waits=True, start=start), False
    from voicetui.engine.audio.device import DeviceIn
    from voicetui.engine.audio.devices import choose_device

    try:
        choose_device("input", options.device)
    except PartError as error:
        if error.code != "no-device" or options.device:
            raise
        notes.append("no microphone: this is the bundled question; connect one, or: voicetui talk --wav FILE")
        return WavIn(bundled_question(), start=start), False
    return DeviceIn(options.device or None), True


def bundled_question() -> Path:
    """Return the WAV file with a spoken question that comes with the package."""
    from voicetui.engine import audio

    return Path(audio.__file__).with_name(QUESTION)


def _loudspeaker(options: TalkOptions, start: StartLine | None, notes: list[str]) -> AudioOut:
    from voicetui.engine.audio.wav import NullOut, WavOut

    if options.speaker == "none":
        return NullOut(start=start)
    if options.speaker.lower().endswith(".wav"):
        return WavOut(options.speaker, start=start)
    from voicetui.engine.audio.device import DeviceOut

    try:
        return DeviceOut(options.speaker or None)
    except PartError as error:
        if error.code != "no-device" or options.speaker:
            raise
    try:
        out = WavOut(REPLY, start=start)
    except UsageError as error:
        notes.append(f"no loudspeaker, and {error.message}: the reply is shown and not heard")
        return NullOut(start=start)
    notes.append(f"no loudspeaker: the reply is written to {REPLY}; connect one, or: voicetui talk --speaker FILE.wav")
    return out


class _Recorded:
    """A loudspeaker (`AudioOut`) that is recorded; closing it completes the recording."""

    def __init__(self, out: AudioOut, recorder: Recorder) -> None:
        self._out, self._recorder = recorder.play(out), recorder
        self.name, self.rate_hz = out.name, out.rate_hz

    def start(self, fill: Callable[[Samples, float], None], ended: Callable[[Exception | None], None]) -> None:
        self._out.start(fill, ended)

    def close(self) -> None:
        self._out.close()
        self._recorder.close()

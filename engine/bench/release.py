"""How soon the splitter lets a sentence go, and whether where it cuts is where a reader would: the fixed list."""

from __future__ import annotations

from voicetui.engine.bench.figure import Figure
from voicetui.engine.speech_text import SpeechText
from voicetui.engine.speech_text.fixed_list import SENTENCES, UNAMBIGUOUS, Labelled, tokens


def run() -> list[Figure]:
    """Feed every text of the fixed list token by token and return the tokens waited for and the errors."""
    waited = [count for row in UNAMBIGUOUS for count in tokens_waited(row)]
    wrong = [float(sentences_of(row) != row.sentences) for row in (*SENTENCES, *UNAMBIGUOUS)]
    return [
        Figure(
            name="release.tokens-waited",
            value=max(waited),
            unit="tokens",
            samples=waited,
            method="from the last token of a sentence whose end is unambiguous to its release, most of all",
            goal=0.0,
        ),
        Figure(
            name="release.split-errors",
            value=sum(wrong),
            unit="texts",
            samples=wrong,
            method="texts of the fixed list that are not cut where a reader would",
            goal=0.0,
        ),
    ]


def sentences_of(row: Labelled) -> tuple[str, ...]:
    """Return the sentences that a text is cut into when it comes token by token."""
    speech = SpeechText(row.language)
    pieces = [piece for token in tokens(row.text) for piece in speech.feed(token)] + speech.flush()
    return tuple(piece.shown for piece in pieces)


def tokens_waited(row: Labelled) -> list[float]:
    """Return for each sentence how many tokens came between its last one and its release."""
    speech, fed = SpeechText(row.language), 0
    came: list[int] = []
    ends: list[int] = []
    end = 0
    for sentence in row.sentences:
        end = row.text.index(sentence, end) + len(sentence)
        ends.append(end)
    last: list[int] = []
    for number, token in enumerate(tokens(row.text)):
        came += [number] * len(speech.feed(token))
        fed += len(token)
        last += [number] * sum(fed - len(token) < end <= fed for end in ends)
    came += [len(tokens(row.text))] * len(speech.flush())
    return [float(at - whole) for at, whole in zip(came, last, strict=True)]

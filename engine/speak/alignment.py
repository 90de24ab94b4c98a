"""Which words a synthesiser said when, from the times of its groups of phonemes.

A synthesiser may say two words as one ("of the") or one as several ("1984"). So words and groups are matched by dynamic
programming: their lengths in letters and phonemes must agree.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from voicetui.engine.heard import Span

DIGIT_LETTERS = 4.0
"""A digit is about as long to say as so many letters."""
EXTRA = 1.0
"""What it costs, in letters, to join a word or a group to another."""
MOST = 6
"""The most words in a group, or groups in a word."""


class Group(NamedTuple):
    """Phonemes that were said without a space: how many, and when."""

    phonemes: int
    begin_s: float
    end_s: float


def align(words: list[str], groups: list[Group]) -> list[Span] | None:
    """Return when each word was said; None where that cannot be told."""
    lengths = [_letters(word) for word in words]
    if not groups or not sum(lengths):
        return None
    rate = sum(lengths) / max(1, sum(group.phonemes for group in groups))
    best: dict[tuple[int, int], tuple[float, int, int]] = {(0, 0): (0.0, 0, 0)}
    steps = [(1, 1), *((n, 1) for n in range(2, MOST + 1)), *((1, n) for n in range(2, MOST + 1)), (1, 0), (0, 1)]
    for i in range(len(words) + 1):
        for j in range(len(groups) + 1):
            for di, dj in steps:
                if di > i or dj > j or (i - di, j - dj) not in best:
                    continue
                said = rate * sum(group.phonemes for group in groups[j - dj : j])
                cost = best[i - di, j - dj][0] + abs(sum(lengths[i - di : i]) - said) + EXTRA * abs(di - dj)
                if (i, j) not in best or cost < best[i, j][0]:
                    best[i, j] = (cost, di, dj)
    return _spans(lengths, groups, best)


def _spans(
    lengths: list[float], groups: list[Group], best: dict[tuple[int, int], tuple[float, int, int]]
) -> list[Span] | None:
    """Follow the cheapest way back; words that share a group share its time by their lengths."""
    i, j = len(lengths), len(groups)
    if (i, j) not in best:
        return None
    spans: list[Span] = []
    while i or j:
        _, di, dj = best[i, j]
        if di:
            begin = groups[j - dj].begin_s if dj else (groups[j - 1].end_s if j else groups[0].begin_s)
            end = groups[j - 1].end_s if dj else begin
            pace = (end - begin) / (sum(lengths[i - di : i]) or 1.0)
            for length in reversed(lengths[i - di : i]):
                spans.append((end - pace * length, end))
                end -= pace * length
        i, j = i - di, j - dj
    return spans[::-1]


def _letters(word: str) -> float:
    return sum(DIGIT_LETTERS if char.isdigit() else 1.0 for char in word if char.isalnum())

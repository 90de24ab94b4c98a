"""How much of a conversation a model is given: whole turns, the newest, as many as its context holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from voicetui.engine.ports import Message

MESSAGE_TOKENS = 6
"""What the chat template puts around a message."""
BYTES_A_TOKEN = 3.0
"""Fewer than in any language's usual text (English: 4.3), so that the estimate is high."""


def estimated_tokens(messages: list[Message]) -> int:
    """Return about how many tokens messages take, on the high side."""
    return sum(MESSAGE_TOKENS + round(len(m["content"].encode()) / BYTES_A_TOKEN) for m in messages)


def exchanges(messages: list[Message]) -> list[list[Message]]:
    """Return the messages by exchange: each begins with a message of the user."""
    parts: list[list[Message]] = []
    for message in messages:
        if message["role"] == "user" or not parts:
            parts.append([])
        parts[-1].append(message)
    return parts


def newest(messages: list[Message], room: int) -> list[Message]:
    """Return the newest whole exchanges that fit into `room` tokens, and the last one whether it fits or not."""
    parts = exchanges(messages)
    kept: list[Message] = []
    for part in reversed(parts):
        if kept and estimated_tokens(part) + estimated_tokens(kept) > room:
            break
        kept = part + kept
    return kept


def newer_half(messages: list[Message]) -> list[Message]:
    """Return the messages without the older half of the exchanges; [] where there was but one."""
    parts = exchanges(messages)
    return [message for part in parts[(len(parts) + 1) // 2 :] for message in part]

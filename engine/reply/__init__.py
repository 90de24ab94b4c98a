"""Replies: each from the model's text to what was heard of it."""

from __future__ import annotations

from voicetui.engine.reply.observer import Outcome, ReplyObserver
from voicetui.engine.reply.replies import Replies
from voicetui.engine.reply.reply import Reply

__all__ = ["Outcome", "Replies", "Reply", "ReplyObserver"]

"""The embedded model: a small language model in a child process, for when there is no Ollama."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from voicetui.engine.think.prompt import demo_prompt, system_prompt
from voicetui.engine.workers import Worker

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable

    from voicetui.engine.errors import PartError
    from voicetui.engine.ports import Message

DEMO_NOTE = "demo model: fluent, often wrong; for real answers install Ollama, then: ollama pull llama3.2"
DEMO_CONTEXT = 1024
DEMO_SETTINGS = {"temperature": 0.0, "repeat_penalty": 1.05, "repeat_last_n": 64, "max_tokens": 80}
"""Found by 20 everyday questions: a higher penalty makes it wander, a lower one lets it repeat itself for ever."""
CONTEXT = 4096
SETTINGS = {"temperature": 0.7, "max_tokens": 400}
DEMO_BYTES = 300_000_000
"""A model file smaller than this is a demonstration, not a source of answers."""


class EmbeddedResponder:
    """Implements `Responder` on llama.cpp in a child process; `model_path` is a GGUF file of a chat model.

    A very small model (see `DEMO_BYTES`) is given examples to follow instead of instructions. Older exchanges that do
    not fit into the context are left out. Raises `PartError` (`missing`, `no-model`, `died`, `stalled`, `too-long`).
    """

    def __init__(self, model_path: str | Path, *, language: str = "", threads: int = 0) -> None:
        path = Path(model_path)
        demo = path.is_file() and path.stat().st_size < DEMO_BYTES
        self.name = path.stem
        self.note = DEMO_NOTE if demo else "embedded model"
        prompt = demo_prompt() if demo else [{"role": "system", "content": system_prompt(language)}]
        from platformdirs import user_cache_dir

        config: dict[str, Any] = {
            "model": str(path),
            "cache": user_cache_dir("voicetui", appauthor=False),
            "context": DEMO_CONTEXT if demo else CONTEXT,
            "threads": threads or sensible_threads(),
            "prompt": prompt,
            "settings": DEMO_SETTINGS if demo else SETTINGS,
        }
        self._worker = Worker("think", "voicetui.engine.think.llama:load", config)

    @property
    def pid(self) -> int | None:
        """The child's process id."""
        return self._worker.pid

    @property
    def on_replaced(self) -> Callable[[PartError], None] | None:
        """What is called, with the reason, when the child was replaced."""
        return self._worker.on_replaced

    @on_replaced.setter
    def on_replaced(self, call: Callable[[PartError], None] | None) -> None:
        self._worker.on_replaced = call

    async def warmup(self) -> None:
        """Start the child and load the model."""
        await self._worker.start()

    async def reply(self, messages: list[Message]) -> AsyncGenerator[str]:
        """Yield the reply as it is produced; closing the iterator stops the model within a token or `BATCH`."""
        async with contextlib.aclosing(self._worker.stream({"messages": messages})) as answers:
            async for answer, _ in answers:
                if answer["text"]:
                    yield answer["text"]

    async def aclose(self) -> None:
        """End the child."""
        await self._worker.aclose()


def sensible_threads() -> int:
    """Return half the processors, 1 to 4: threads that wait for each other beside a busy voice are slower than one."""
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(4, processors // 2))

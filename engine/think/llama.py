"""What runs in the embedded model's child process: llama.cpp by `xllamacpp`, one conversation at a time.

The prompt is evaluated once and stays cached; when old exchanges are dropped, what follows them is shifted in the cache
instead of being evaluated again (`n_cache_reuse`), so a long conversation does not get slower.
"""

from __future__ import annotations

import threading
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

from voicetui.engine.errors import PartError
from voicetui.engine.think.history import estimated_tokens, newer_half, newest
from voicetui.engine.think.llama_slot import Slot

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from voicetui.engine.ports import Message
    from voicetui.engine.worker_child import Cancelled, Frame, Handler, Header

BATCH = 128
"""Tokens of a prompt between two looks at whether the reply is still wanted."""
REUSE = 8
"""The shortest stretch of the cache, in tokens, that is worth shifting."""
LOOK_S = 0.02
"""Between two looks at whether a reply that waits for the prompt is still wanted."""

Chunk = dict[str, Any]


def load(config: Header) -> Handler:
    """Load the model of `config` (see `EmbeddedResponder`); return what answers `{"messages"}` with `{"text"}`.

    The prompt is restored, or at the very first start evaluated, while the user says the first words.
    """
    server, slot = _start(config)
    prompt: list[Message] = config["prompt"]
    settings = config["settings"]
    room = config["context"] - settings["max_tokens"]

    def get_prompt_ready() -> None:
        try:
            if not slot.restore(server):
                greeting = [*prompt, {"role": "user", "content": "Hello"}]
                for _ in _chunks(server, {**settings, "messages": greeting, "max_tokens": 1}):
                    pass
                slot.save()
        finally:
            slot.close()

    def answer(request: Header, _: bytes, cancelled: Cancelled) -> Iterator[Frame]:
        while evaluation.is_alive():
            evaluation.join(LOOK_S)
            yield {"text": ""}, b""
        before, dialogue = _split(request["messages"], prompt)
        dialogue = newest(dialogue, room - estimated_tokens(before))
        while dialogue:
            too_long = False
            for chunk in _chunks(server, {**settings, "messages": [*before, *dialogue]}, cancelled):
                if "error" in chunk:
                    too_long = _is_too_long(chunk["error"])
                    continue
                yield {"text": _text(chunk)}, b""
            if not too_long:
                return
            dialogue = newer_half(dialogue)
        raise PartError("think", "what was said is too long for this model", code="too-long")

    evaluation = threading.Thread(target=get_prompt_ready, name="prompt", daemon=True)
    evaluation.start()
    return answer


def _split(messages: list[Message], prompt: list[Message]) -> tuple[list[Message], list[Message]]:
    """Return what is always kept, and the dialogue; a leading system message stands for the prompt."""
    if messages and messages[0]["role"] == "system":
        return messages[:1], messages[1:]
    return prompt, messages


def _start(config: Header) -> tuple[Any, Slot]:
    try:
        import xllamacpp
    except ImportError as error:
        raise PartError(
            "think",
            f"the embedded model's library is not installed ({error})",
            fix="pip install 'voicetui[embedded]'",
            code="missing",
        ) from error
    if not Path(config["model"]).is_file():
        raise PartError("think", f"there is no model {config['model']}", fix="voicetui models list", code="no-model")
    params = xllamacpp.CommonParams()
    params.model.path = config["model"]
    params.n_ctx = config["context"]
    params.n_parallel = 1
    params.n_batch = params.n_ubatch = BATCH
    params.n_cache_reuse = REUSE
    params.cache_ram_mib = params.n_ctx_checkpoints = 0  # one conversation: its prefix is in the slot itself
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = config["threads"]
    params.verbosity = -1
    slot = Slot(config, xllamacpp.__version__)
    slot.configure(params)
    try:
        return xllamacpp.Server(params), slot
    except Exception as error:
        slot.close()
        raise PartError("think", f"the model {config['model']} cannot be loaded: {error}") from error


def _chunks(server: Any, body: Chunk, cancelled: Callable[[], bool] = lambda: False) -> Iterator[Chunk]:  # noqa: ANN401
    """Yield what the model sends. The library calls back from inside one long call, so that runs in a thread."""
    arrived: SimpleQueue[Chunk | Exception | None] = SimpleQueue()

    def take(chunk: Chunk) -> bool:
        arrived.put(chunk)
        return cancelled()

    def run() -> None:
        try:
            server.handle_chat_completions({**body, "stream": True, "return_progress": True}, take)
        except Exception as error:  # noqa: BLE001 - raised below, where it is waited for
            arrived.put(error)
        arrived.put(None)

    thread = threading.Thread(target=run, name="llama", daemon=True)
    thread.start()
    try:
        while (chunk := arrived.get()) is not None:
            if isinstance(chunk, Exception):
                raise chunk
            yield chunk
    finally:
        thread.join()


def _is_too_long(error: Chunk) -> bool:
    """Tell a request that exceeds the context from other faults, which are raised."""
    if error.get("type") == "exceed_context_size_error":
        return True
    raise PartError("think", f"the model failed: {error.get('message', error)}")


def _text(chunk: Chunk) -> str:
    """Return the text of a chunk; "" for those that only tell of progress, which keep the watchdog quiet."""
    choices = chunk.get("choices") or [{}]
    return choices[0].get("delta", {}).get("content") or ""

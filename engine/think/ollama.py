"""The user's Ollama, by its own client library.

Closing a reply closes the HTTP response, the only way to make the server stop. There is no time-out between two pieces:
a model that is being loaded may take a minute, and how long is too long is the loop's business.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from importlib import import_module
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from voicetui.engine.errors import PartError
from voicetui.engine.think.prompt import system_prompt, with_prompt

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator

    import ollama
    from voicetui.engine.ports import Message

CONNECT_S = 4.0
"""A server that takes longer to accept a connection is not there."""
NESTED_STEPS = 40
"""The HTTP library leaves its nested generators to the event loop, which closes ten of them in two steps each."""
LIST_S = 2.0
"""A server may take so long to say which models it has before the conversation begins without that."""
PREFERRED = ("llama3.2", "gemma3", "qwen3", "qwen2.5", "llama3.1", "mistral", "phi4-mini", "llama3", "gemma2", "phi3")
"""Models for conversation that answer quickly on a usual machine; the first that is installed is taken."""
SUGGESTED = PREFERRED[0]


class OllamaResponder:
    """Implements `Responder` on an Ollama server at `host` (as in `$OLLAMA_HOST`, which is the default).

    Without a `model` the best of the installed ones is taken (see `preferred`). `options` are Ollama's own
    (`temperature`, `num_ctx`, …). Raises `UsageError` on an address that is none; its methods raise `PartError`:
    `missing` (the client library), `no-answer`, `no-model`, `incomplete`, `failed`.
    """

    def __init__(
        self, model: str = "", host: str = "", *, language: str = "", options: dict[str, Any] | None = None
    ) -> None:
        from voicetui.engine.parts.ask_ollama import ollama_address

        self.address = ollama_address(host)
        self.model = model
        self._prompt: list[Message] = [{"role": "system", "content": system_prompt(language)}]
        self._options = options
        self._client: ollama.AsyncClient | None = None
        self._loading: asyncio.Task[None] | None = None
        self._may_think_off = True

    @property
    def name(self) -> str:
        """The model's name, once it is known."""
        return self.model or "Ollama"

    @property
    def note(self) -> str:
        """Where it runs."""
        return f"Ollama at {self.address}"

    async def models(self) -> list[str]:
        """Return the names of the installed models, the most recently changed first."""
        client = await self._connect()
        async with self._faults():
            return [str(m.model) for m in (await client.list()).models]

    async def warmup(self) -> None:
        """Choose the model, make sure that the server has it, and have it loaded meanwhile: that may take a minute.

        A reply waits until it is loaded.
        """
        await self._choose()
        with contextlib.suppress(TimeoutError):  # a busy server: the first reply will wait for it, and may be stopped
            async with asyncio.timeout(LIST_S):
                if not {self.model, f"{self.model}:latest"} & set(await self.models()):
                    raise self._no_model()
        if self._loading is None:
            self._loading = asyncio.create_task(self._load(), name="ollama-loading")

    async def reply(self, messages: list[Message]) -> AsyncGenerator[str]:
        """Yield the reply as it is produced, without its hidden reasoning; closing the iterator stops the server."""
        client = await self._connect()
        await self._choose()
        if self._loading is not None:
            await asyncio.wait({self._loading})
        complete = False
        async with self._faults(), contextlib.aclosing(self._parts(client, messages)) as parts:
            async for part in parts:
                complete = bool(part.done)
                if part.message.content:
                    yield part.message.content
        if not complete:
            raise PartError("think", f"the reply of {self.model} broke off before its end", code="incomplete")

    async def aclose(self) -> None:
        """Close every connection."""
        if self._loading is not None:
            self._loading.cancel()
            await asyncio.wait({self._loading})
        client, self._client = self._client, None
        if client is not None:
            await client.close()  # type: ignore[no-untyped-call]  # the library's

    async def _load(self) -> None:
        client = await self._connect()
        with contextlib.suppress(PartError):  # the first reply meets the same fault, and tells
            async with self._faults():
                await client.generate(model=self.model)

    async def _parts(self, client: ollama.AsyncClient, messages: list[Message]) -> AsyncGenerator[ollama.ChatResponse]:
        """Yield the server's pieces, with the model's reasoning switched off where the model has such a switch."""
        from ollama import ResponseError

        dialogue = with_prompt(messages, self._prompt)
        think = False if self._may_think_off else None
        try:
            stream = await client.chat(self.model, dialogue, stream=True, think=think, options=self._options)
            async with contextlib.aclosing(stream):  # type: ignore[type-var]  # it is a generator
                async for part in stream:
                    yield part
        except ResponseError as error:
            if think is None or error.status_code != 400 or "think" not in error.error:
                raise
            self._may_think_off = False
        else:
            return
        async with contextlib.aclosing(self._parts(client, messages)) as parts:
            async for part in parts:
                yield part

    async def _connect(self) -> ollama.AsyncClient:
        if self._client is None:
            try:
                library = await asyncio.to_thread(import_module, "ollama")  # half a second
            except ImportError as error:
                raise PartError(
                    "think", "the Ollama client is not installed", fix="pip install 'voicetui[think]'", code="missing"
                ) from error
            import httpx

            self._client = self._client or library.AsyncClient(
                self.address,
                timeout=httpx.Timeout(None, connect=CONNECT_S),
                limits=httpx.Limits(max_keepalive_connections=0),  # between two turns the server would drop it anyway
                trust_env=not _is_loopback(self.address),  # a proxy of the environment cannot reach this machine
            )
        return self._client

    async def _choose(self) -> None:
        if self.model:
            return
        client = await self._connect()
        async with self._faults():
            found = preferred((await client.list()).models)
        if found is None:
            raise PartError(
                "think", f"Ollama at {self.address} has no model", fix=f"ollama pull {SUGGESTED}", code="no-model"
            )
        self.model = found

    @contextlib.asynccontextmanager
    async def _faults(self) -> AsyncIterator[None]:
        """Turn what goes wrong with a request into a `PartError`; then let the HTTP library close what it left open."""
        try:
            yield
        except Exception as error:
            fault = self._fault(error)
            if fault is None:
                raise
            raise fault from error.with_traceback(None)  # its frames would keep the response from being closed
        finally:
            for _ in range(NESTED_STEPS):
                await asyncio.sleep(0)

    def _fault(self, error: Exception) -> PartError | None:
        import httpx
        from ollama import ResponseError
        from pydantic import ValidationError

        match error:
            case ResponseError():
                return self._refusal(error)
            case ConnectionError() | httpx.ConnectError() | httpx.ConnectTimeout():
                reason = f"Ollama does not answer at {self.address}"
                return PartError("think", reason, fix="ollama serve", code="no-answer")
            case json.JSONDecodeError():
                return PartError("think", f"the reply of {self.model} broke off in mid-line", code="incomplete")
            case httpx.HTTPError():
                reason = f"the connection to Ollama at {self.address} broke off: {error or type(error).__name__}"
                return PartError("think", reason, code="incomplete")
            case ValidationError():
                return PartError("think", f"{self.address} does not speak Ollama's protocol")
        return None

    def _no_model(self) -> PartError:
        fix = f"ollama pull {self.model}"
        return PartError("think", f"Ollama has no model {self.model}", fix=fix, code="no-model")

    def _refusal(self, error: ollama.ResponseError) -> PartError:
        if error.status_code == 404 and "not found" in error.error:
            return self._no_model()
        how = f"HTTP {error.status_code}" if error.status_code > 0 else "in mid-reply"
        return PartError("think", f"Ollama failed ({how}): {error.error.strip()[:300]}")


def preferred(models: Any) -> str | None:  # noqa: ANN401 - a sequence of the library's models
    """Return the model to talk with: the first of `PREFERRED` that is installed, else the one changed last.

    Models that only embed, and those that run on somebody else's machine, are never chosen.
    """
    names = [str(m.model) for m in models if _can_talk(m)]
    for wanted in PREFERRED:
        for name in names:
            if name.partition(":")[0] == wanted:
                return name
    return names[0] if names else None


def _can_talk(model: Any) -> bool:  # noqa: ANN401 - the library's model
    name = str(model.model)
    family = (model.details.family or "") if model.details else ""
    return not ("embed" in name or "bert" in family or name.endswith("cloud"))


def _is_loopback(address: str) -> bool:
    host = urlsplit(address).hostname or ""
    return host in ("localhost", "::1") or host.startswith("127.")

"""A fake: an HTTP server on the loopback that speaks as much of Ollama's protocol as a test writes, byte by byte."""

import asyncio
import contextlib
import json

TAGS = {"models": [{"model": "llama3.2:latest", "name": "llama3.2:latest"}]}


class Connection:
    """One connection of a client; `gone` is set when the client has closed it."""

    def __init__(self, reader, writer):
        self._reader, self._writer = reader, writer
        self.gone = asyncio.Event()

    async def request(self):
        """Return the method, the path and the JSON body of the request, or None at the end."""
        head = await self._reader.readuntil(b"\r\n\r\n")
        line, *fields = head.decode().split("\r\n")
        length = next((int(f.partition(":")[2]) for f in fields if f.lower().startswith("content-length:")), 0)
        body = await self._reader.readexactly(length)
        method, path, _ = line.split()
        return method, path, json.loads(body or b"{}")

    async def watch(self):
        while await self._reader.read(4096):
            pass
        self.gone.set()

    async def write(self, data):
        self._writer.write(data)
        await self._writer.drain()

    async def answer(self, status, body):
        """Send a whole answer."""
        data = json.dumps(body).encode()
        head = f"HTTP/1.1 {status} Whatever\r\nContent-Type: application/json\r\nContent-Length: {len(data)}\r\n\r\n"
        await self.write(head.encode() + data)

    async def begin(self):
        """Begin a stream of lines."""
        await self.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n")

    async def raw(self, data):
        """Send bytes of the stream, as one chunk."""
        await self.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")

    async def line(self, **part):
        """Send one line of the stream."""
        await self.raw(json.dumps({"model": "llama3.2", **part}).encode() + b"\n")

    async def say(self, content, **message):
        """Send a piece of the reply."""
        await self.line(message={"role": "assistant", "content": content, **message}, done=False)

    async def done(self):
        """Send the last line, and end the stream."""
        await self.line(message={"role": "assistant", "content": ""}, done=True, done_reason="stop")
        await self.end()

    async def end(self):
        """End the stream cleanly."""
        await self.write(b"0\r\n\r\n")


class FakeOllama:
    """`async with FakeOllama(chat) as server`; `await chat(connection, body)` answers each POST to /api/chat.

    While `list` is cleared, it does not say which models it has. While `load` is cleared, the model is being loaded;
    `loading` is set when somebody waits for that.
    """

    def __init__(self, chat, *, tags=TAGS):
        self._chat, self._tags = chat, tags
        self.asked = []
        self.open_now = self.most_open = 0
        self.loading, self.load = asyncio.Event(), asyncio.Event()
        self.load.set()
        self.list = asyncio.Event()
        self.list.set()

    async def __aenter__(self):
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.host = f"127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *_):
        self._server.close()
        await self._server.wait_closed()
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        serving = [task for task in tasks if "FakeOllama._serve" in repr(task)]
        for task in serving:
            task.cancel()
        await asyncio.gather(*serving, return_exceptions=True)

    async def _serve(self, reader, writer):
        self.open_now += 1
        self.most_open = max(self.most_open, self.open_now)
        connection = Connection(reader, writer)
        try:
            with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
                _, path, body = await connection.request()
                self.asked.append((path, body))
                watching = asyncio.create_task(connection.watch())
                try:
                    await self._answer(connection, path, body)
                finally:
                    watching.cancel()
        finally:
            self.open_now -= 1
            writer.close()

    async def _answer(self, connection, path, body):
        if path == "/api/tags":
            await self.list.wait()
            await connection.answer(200, self._tags)
        elif path == "/api/generate":
            self.loading.set()
            await self.load.wait()
            await connection.answer(200, {"model": body["model"], "response": "", "done": True, "done_reason": "load"})
        else:
            await self._chat(connection, body)

    def chats(self):
        """Return the bodies of the chat requests."""
        return [body for path, body in self.asked if path == "/api/chat"]

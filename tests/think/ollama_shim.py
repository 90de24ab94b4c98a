"""A stand-in for Ollama: its protocol over the embedded model, so that the real client talks to a real model.

    python tests/think/ollama_shim.py MODEL.gguf [PORT]

prints the address that it listens on (a free port without PORT) and serves until it is ended. It knows one model,
`demo:latest`, and the requests that a conversation needs: list, load, streaming chat, closed by hanging up.
"""

import asyncio
import contextlib
import json
import sys

from voicetui.engine.think.embedded import EmbeddedResponder

MODEL = "demo:latest"
NAMES = (MODEL, "demo")


class Shim:
    def __init__(self, responder):
        self.responder = responder

    async def serve(self, reader, writer):
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            fields = dict(line.lower().split(": ", 1) for line in head.splitlines()[1:] if ": " in line)
            body = json.loads(await reader.readexactly(int(fields.get("content-length", 0))) or b"{}")
            await self.answer(head.split()[1], body, reader, writer)
        writer.close()

    async def answer(self, path, body, reader, writer):
        if path == "/api/tags":
            return send(writer, 200, {"models": [{"model": MODEL, "name": MODEL}]})
        if body.get("model") not in NAMES:
            return send(writer, 404, {"error": f"model '{body.get('model')}' not found"})
        if path == "/api/generate":
            return send(writer, 200, {"model": MODEL, "response": "", "done": True, "done_reason": "load"})
        chat = asyncio.create_task(self.chat(body["messages"], writer))
        hung_up = asyncio.create_task(reader.read())
        await asyncio.wait({chat, hung_up}, return_when=asyncio.FIRST_COMPLETED)
        for task in (chat, hung_up):
            task.cancel()
        await asyncio.gather(chat, hung_up, return_exceptions=True)
        return None

    async def chat(self, messages, writer):
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n")
        dialogue = [m for m in messages if m["role"] != "system"]  # the small model has a prompt of its own
        async with contextlib.aclosing(self.responder.reply(dialogue)) as pieces:
            async for piece in pieces:
                await chunk(writer, {"message": {"role": "assistant", "content": piece}, "done": False})
        await chunk(writer, {"message": {"role": "assistant", "content": ""}, "done": True, "done_reason": "stop"})
        writer.write(b"0\r\n\r\n")
        await writer.drain()


def send(writer, status, body):
    data = json.dumps(body).encode()
    head = f"HTTP/1.1 {status} -\r\nContent-Type: application/json\r\nContent-Length: {len(data)}\r\n\r\n"
    writer.write(head.encode() + data)


async def chunk(writer, part):
    data = json.dumps({"model": MODEL, **part}).encode() + b"\n"
    writer.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
    await writer.drain()


async def main(model, port=0):
    responder = EmbeddedResponder(model)
    await responder.warmup()
    try:
        server = await asyncio.start_server(Shim(responder).serve, "127.0.0.1", int(port))
        print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
        await asyncio.Event().wait()
    finally:
        await responder.aclose()


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(main(*sys.argv[1:]))

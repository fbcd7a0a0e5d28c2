"""A local OpenAI-compatible server that behaves as badly as it is told to, for tests and benchmarks.

In a test:

    async with ChatServer(lambda request: completion("Two lists.")) as server:
        ... server.base_url ...

As a process of its own, for benchmarks: ``python tests/chat/server.py --latency 1`` prints its address. With
``--smollm2`` it serves SmolLM2-135M-Instruct.

It listens on the loopback only.
"""

from __future__ import annotations

import argparse
import asyncio
import inspect
import json
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

FAULTS = ("429", "500", "503", "reset", "half", "garbage", "slow", "drip", "timeout", "empty")


@dataclass
class Request:
    """One request: its number on this server (from 0), its JSON body and its headers (lower case)."""

    number: int
    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def messages(self) -> list[dict[str, Any]]:
        return self.body["messages"]

    @property
    def text(self) -> str:
        """All text of the messages."""
        return "\n".join(m["content"] if isinstance(m["content"], str) else str(m["content"]) for m in self.messages)


@dataclass
class Answer:
    """What is sent back, and how badly.

    ``delay``: seconds before the first byte. ``cut``: close after this many bytes of the body. ``chunked``: send chunks
    instead of a length. ``drip``: seconds between bytes of the body. ``reset``: close without any answer.
    """

    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    cut: int | None = None
    chunked: bool = False
    drip: float = 0.0
    reset: bool = False

    def payload(self) -> bytes:
        if isinstance(self.body, bytes):
            return self.body
        return self.body.encode() if isinstance(self.body, str) else json.dumps(self.body).encode()


def completion(
    content: Any, finish: str | None = "stop", *, tokens: tuple[int, int] = (100, 10), **message: Any
) -> Answer:
    """An answer with a reply; further fields go into its message."""
    choice = {"index": 0, "message": {"role": "assistant", "content": content, **message}, "finish_reason": finish}
    usage = {"prompt_tokens": tokens[0], "completion_tokens": tokens[1], "total_tokens": sum(tokens)}
    return Answer(body={"id": "x", "object": "chat.completion", "model": "m", "choices": [choice], "usage": usage})


def failure(
    status: int, message: str, *, code: Any = None, type: str | None = None, param: str | None = None
) -> Answer:
    """An error as OpenAI words it."""
    return Answer(status, {"error": {"message": message, "type": type, "param": param, "code": code}})


def fault(kind: str, text: str = "A list.") -> Answer:
    """One of :data:`FAULTS`; only what a client can do nothing about but try again."""
    good = completion(text)
    if kind in ("429", "500", "503"):
        return failure(int(kind), "busy", type="overloaded")
    if kind == "empty":
        return completion("")
    if kind == "garbage":
        return Answer(200, "<html>502 Bad Gateway</html>", {"content-type": "text/html"})
    if kind == "reset":
        return Answer(reset=True)
    if kind == "half":
        return Answer(200, good.body, cut=40, chunked=True)
    if kind == "slow":
        return Answer(200, good.body, delay=0.3)
    if kind == "drip":
        return Answer(200, good.body, drip=0.2)
    assert kind == "timeout", kind
    return Answer(200, good.body, delay=60)


Play = Callable[[Request], Answer | Awaitable[Answer]]


class _Connection(asyncio.Protocol):
    """One keep-alive connection; requests come one after the other."""

    def __init__(self, server: ChatServer) -> None:
        self.server = server
        self.buffer = bytearray()
        self.task: asyncio.Task[None] | None = None

    def connection_made(self, transport: Any) -> None:
        self.transport = transport
        self.server.open.add(self)

    def connection_lost(self, _: Any) -> None:
        self.server.open.discard(self)
        if self.task is not None:
            self.task.cancel()

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        end = self.buffer.find(b"\r\n\r\n")
        if end < 0:
            return
        first, *lines = self.buffer[:end].decode("latin-1").split("\r\n")
        headers = {k.lower(): v.strip() for k, _, v in (line.partition(":") for line in lines)}
        length = int(headers.get("content-length", 0))
        if len(self.buffer) < end + 4 + length:
            return
        body = json.loads(bytes(self.buffer[end + 4 : end + 4 + length]) or b"{}")
        del self.buffer[: end + 4 + length]
        request = Request(self.server.count, first.split(" ")[1], headers, body)
        self.server.count += 1
        if self.server.keep:
            self.server.requests.append(request)
        self.task = asyncio.ensure_future(self.answer(request))

    async def answer(self, request: Request) -> None:
        result = self.server.play(request)
        answer = await result if inspect.isawaitable(result) else result
        delay = answer.delay + self.server.latency
        if delay:
            await asyncio.sleep(delay)
        if answer.reset:
            self.transport.abort()
            return
        payload = answer.payload()
        head = [f"HTTP/1.1 {answer.status} X", "connection: keep-alive"]
        headers = {"content-type": "application/json", **answer.headers}
        head += [f"{name}: {value}" for name, value in headers.items()]
        head.append("transfer-encoding: chunked" if answer.chunked else f"content-length: {len(payload)}")
        start = ("\r\n".join(head) + "\r\n\r\n").encode()
        if answer.drip:
            self.transport.write(start)
            for i in range(len(payload)):
                self.transport.write(payload[i : i + 1])
                await asyncio.sleep(answer.drip)
            return
        sent = payload if answer.cut is None else payload[: answer.cut]
        if answer.chunked:
            sent = f"{len(sent):x}\r\n".encode() + sent + b"\r\n" + (b"" if answer.cut is not None else b"0\r\n\r\n")
        self.transport.write(start + sent)
        if answer.cut is not None:
            self.transport.close()


class ChatServer:
    """Serves ``play(request) -> Answer`` on a free port of the loopback.

    ``keep`` remembers requests; turn it off for long runs. ``latency`` is added to every answer.
    """

    def __init__(self, play: Play, *, latency: float = 0.0, keep: bool = True, port: int = 0) -> None:
        self.play, self.latency, self.keep, self.port = play, latency, keep, port
        self.requests: list[Request] = []
        self.count = 0
        self.open: set[_Connection] = set()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    async def __aenter__(self) -> ChatServer:
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(lambda: _Connection(self), "127.0.0.1", self.port, backlog=1024)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for connection in list(self.open):
            connection.transport.abort()
        await asyncio.sleep(0)


def smollm2(**options: Any) -> Play:
    """Plays a real small model."""
    from colbench.chat.local import LocalModel

    model = LocalModel("smollm2", **options)

    async def play(request: Request) -> Answer:
        model.temperature = float(request.body.get("temperature", 1.0))
        model.max_tokens = int(request.body.get("max_tokens") or 128)
        reply = await model.complete(request.messages, seed=int(request.body.get("seed", 0)))
        used = (reply.usage.prompt_tokens, reply.usage.completion_tokens)
        return completion(reply.text, reply.finish_reason, tokens=used)

    return play


def random_faults(share: float, seed: int = 0) -> Play:
    """Answers every request, a share of them with a fault of any kind."""
    rng = random.Random(seed)

    def play(_: Request) -> Answer:
        return fault(rng.choice(FAULTS)) if rng.random() < share else completion("A list.")

    return play


async def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--latency", type=float, default=0.0)
    parser.add_argument("--faults", type=float, default=0.0, help="share of requests that meet a fault")
    parser.add_argument("--text", default="A list.", help="what every reply says")
    parser.add_argument("--smollm2", action="store_true")
    chosen = parser.parse_args()
    fixed = completion(chosen.text)
    play: Play = smollm2() if chosen.smollm2 else random_faults(chosen.faults) if chosen.faults else lambda _: fixed
    async with ChatServer(play, latency=chosen.latency, keep=False, port=chosen.port) as server:
        print(server.base_url, flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":
    try:
        asyncio.run(_main())
    except KeyboardInterrupt:
        pass

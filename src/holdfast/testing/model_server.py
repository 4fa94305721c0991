"""A model server that says what it is told to: any dialect, on loopback, in a thread of its own.

    with ModelServer(Said("hello"), Said(calls=(ToolCall("Write", {...}),))) as server:
        ...                                  # ask server.url, or a proxy in front of it
        server.requests[0].body              # the bytes as they came

Answers are given in order, whatever asks for them; when none is left the last thing it says is
`server.otherwise`. It speaks HTTP/1.1 by itself, so that every byte and every cut of it, and every
way to break off, can be chosen. Nothing here is a server for real use.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable
from typing import Any, Final, Self, TypeAlias

import msgspec

from holdfast.testing.model_answers import CREATED, Said, ToolCall, spell
from holdfast.testing.model_http import (
    Connection,
    Received,
    Reply,
    Way,
    chunks_of,
    close,
    die,
    framed,
    or_gone,
    read_request,
)
from holdfast.wire.events import Dialect

__all__ = ["ModelServer", "Received", "Reply", "Said", "ToolCall", "Way"]

DIALECTS: Final[dict[str, Dialect]] = {
    "/v1/chat/completions": "chat",
    "/v1/responses": "responses",
    "/v1/messages": "messages",
    "/v1/completions": "completions",
    "/api/chat": "ollama-chat",
    "/api/generate": "ollama-generate",
}


Scripted: TypeAlias = Said | Reply | Callable[[Received], "Said | Reply"]


class ModelServer:
    """A scripted model server; a context manager that is up while it is open."""

    def __init__(self, *answers: Scripted, way: Way = Way(), port: int = 0) -> None:  # noqa: B008
        self.requests: list[Received] = []
        """What was asked, in order of arrival."""
        self.broken = 0
        """Answers during which the other side went away."""
        self.sent = 0
        """Bytes of answers that the system took."""
        self.otherwise: Scripted = Said("ok")
        self.way = way
        """How what is said is sent; a `Reply` has its own."""
        self._answers = deque[Scripted](answers)
        self._asked_port = port
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="model-server", daemon=True)
        self._ready = threading.Event()
        self._changed = threading.Condition()
        self._steps = asyncio.Semaphore(0)
        self.port = 0

    @property
    def url(self) -> str:
        """Return where it listens."""
        return f"http://127.0.0.1:{self.port}"

    def say(self, *answers: Scripted) -> None:
        """Put answers behind those that are waiting."""
        self._answers.extend(answers)

    def step(self, chunks: int = 1) -> None:
        """Let so many gated chunks go."""
        for _ in range(chunks):
            self._loop.call_soon_threadsafe(self._steps.release)

    def wait_for(self, what: Callable[[ModelServer], bool], timeout_s: float = 20.0) -> bool:
        """Wait until something is so, looked at after each request and each break; say if it is."""
        with self._changed:
            return self._changed.wait_for(lambda: what(self), timeout_s)

    def __enter__(self) -> Self:
        self._thread.start()
        self._ready.wait()
        if not self.port:
            raise OSError("the model server did not start")
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stop)
        self._thread.join()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_until_complete(self._serve())
        finally:
            self._ready.set()
            self._loop.close()

    async def _serve(self) -> None:
        self._over = asyncio.Event()
        server = await self._loop.create_server(
            lambda: Connection(self._connected, self._loop), "127.0.0.1", self._asked_port
        )
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._over.wait()
        server.close()
        await asyncio.sleep(0)  # who was let in just now begins
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        await asyncio.sleep(0)  # the connections go

    def _stop(self) -> None:
        self._over.set()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while (asked := await read_request(reader, writer)) is not None:
                self._tell(lambda asked=asked: self.requests.append(asked))  # type: ignore[misc]
                if not await self._send(writer, asked, self._reply(asked)):
                    break
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            self._tell(self._count_break)
        finally:
            writer.transport.abort()

    def _count_break(self) -> None:
        self.broken += 1

    def _tell(self, change: Callable[[], None]) -> None:
        with self._changed:
            change()
            self._changed.notify_all()

    def _reply(self, asked: Received) -> Reply:
        dialect = DIALECTS.get(asked.path) if asked.method == "POST" else None
        if dialect is None and not (self._answers and isinstance(self._answers[0], Reply)):
            return _aside(asked)
        scripted = self._answers.popleft() if self._answers else self.otherwise
        answer = scripted if isinstance(scripted, Said | Reply) else scripted(asked)
        if isinstance(answer, Reply):
            return answer
        assert dialect is not None
        return said_reply(dialect, answer, asked.body, self.way)

    async def _send(self, writer: asyncio.StreamWriter, asked: Received, reply: Reply) -> bool:
        """Send an answer; say whether the connection goes on."""
        way, chunks = reply.way, chunks_of(reply)
        if way.dies_after is not None and way.dies_after < 0:
            return await die(writer)
        framing = way.framing or ("length" if len(chunks) < 2 else "chunked")
        head = [f"HTTP/1.1 {reply.status} {reply.reason}"]
        head += [f"{name}: {value}" for name, value in reply.headers]
        if framing == "chunked":
            head.append("Transfer-Encoding: chunked")
        elif framing == "length":
            head.append(f"Content-Length: {sum(map(len, chunks))}")
        else:
            head.append("Connection: close")
        pending = ("\r\n".join(head) + "\r\n\r\n").encode("latin-1")
        bodiless = asked.method == "HEAD" or reply.status in (204, 304)
        for place, chunk in enumerate(() if bodiless else chunks):
            if place == way.dies_after:
                break
            await self._paced(writer, way, place)
            writer.write(pending + (framed(chunk) if framing == "chunked" else chunk))
            pending = b""
            await writer.drain()
            self.sent += len(chunk)
        if framing == "chunked" and not bodiless and way.dies_after is None:
            pending += b"0\r\n\r\n"
        writer.write(pending)
        await writer.drain()
        if way.dies_after is not None:
            return await die(writer)
        return framing != "close" or await close(writer)

    async def _paced(self, writer: asyncio.StreamWriter, way: Way, place: int) -> None:
        if way.gated:
            await or_gone(writer, self._steps.acquire())
        elif way.pace_s and place:
            await asyncio.sleep(way.pace_s)


def said_reply(dialect: Dialect, said: Said, body: bytes, way: Way) -> Reply:
    """Spell what is said for a request."""
    try:
        asked = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        asked = {}
    given = asked if isinstance(asked, dict) else {}
    stream = given.get("stream", dialect.startswith("ollama"))
    model = given.get("model")
    chunks = spell(
        dialect, said, model=model if isinstance(model, str) else "scripted", streamed=bool(stream)
    )
    kind = "application/json"
    if stream:
        kind = "application/x-ndjson" if dialect.startswith("ollama") else "text/event-stream"
    content = tuple(chunks) if way.cuts is None else b"".join(chunks)
    framing = way.framing or ("chunked" if stream else "length")
    headers = (("Content-Type", kind), ("X-Request-Id", "req_1"))
    return Reply(content, headers=headers, way=msgspec.structs.replace(way, framing=framing))


def _aside(asked: Received) -> Reply:
    """Answer what is asked beside the model."""
    known: dict[str, Any] = {
        "/v1/models": {"object": "list", "has_more": False, "first_id": None, "last_id": None,
                       "data": [{"id": "scripted", "object": "model", "created": CREATED,
                                 "type": "model", "display_name": "scripted",
                                 "created_at": "2023-11-14T22:13:20Z",
                                 "owned_by": "holdfast"}]},
        "/v1/messages/count_tokens": {"input_tokens": 11},
        "/api/tags": {"models": [{"name": "scripted", "model": "scripted"}]},
        "/api/version": {"version": "0.0.0"},
        "/": {},
    }  # fmt: skip
    if asked.path in known:
        return Reply(msgspec.json.encode(known[asked.path]))
    body = msgspec.json.encode({"error": {"message": f"no such path: {asked.path}"}})
    return Reply(body, status=404, reason="Not Found")

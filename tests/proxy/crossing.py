"""A proxy with a desk that does as it is told, and a client that sees every byte."""

from __future__ import annotations

import asyncio
import itertools
import socket
import threading
from collections.abc import Callable, Mapping
from typing import Any, Self

import msgspec

from holdfast.proxy.app import Proxy
from holdfast.proxy.guard import Guard
from holdfast.proxy.upstreams import Upstream, Upstreams, read_upstream
from holdfast.proxy.values import Answered, Asked, Job, Prepared

TOKEN = "a-token-of-the-test"
PATHS = {
    "chat": "/v1/chat/completions",
    "responses": "/v1/responses",
    "messages": "/v1/messages",
    "completions": "/v1/completions",
    "ollama-chat": "/api/chat",
    "ollama-generate": "/api/generate",
}
WAIT_S = 20.0
"""What a test waits at most for what must come; none waits that long when all is well."""


class FakeDesk:
    """Puts behind each request what it is told to."""

    def __init__(self, add: Callable[[Asked], bytes] = lambda _: b"") -> None:
        self.add = add
        self.asked: list[Asked] = []

    async def glance(self, _: Asked) -> bool:
        return False

    def note(self, _: Asked) -> None:
        pass

    async def ready(self, asked: Asked) -> bool:
        self.asked.append(asked)
        return True

    def prepare(self, asked: Asked) -> Prepared:
        added = self.add(asked)
        return Prepared(asked, asked.body + added if added else asked.body, "c", added=str(added))

    def lighten(self, answered: Answered) -> Answered:
        return answered


class FakeQueue:
    """Keeps what is handed over."""

    def __init__(self) -> None:
        self.jobs: list[Job] = []
        self.missed: list[str] = []
        self.broken: Exception | None = None
        self._changed = threading.Condition()

    def miss(self, why: str) -> None:
        self.missed.append(why)

    def submit(self, job: Job) -> bool:
        if self.broken is not None:
            raise self.broken
        with self._changed:
            self.jobs.append(job)
            self._changed.notify_all()
        return True

    def answered(self, count: int = 1) -> Answered:
        """Wait for an exchange to be handed over, and return it."""
        with self._changed:
            assert self._changed.wait_for(lambda: len(self.jobs) >= count, WAIT_S)
            job = self.jobs[count - 1]
        assert isinstance(job, Answered)
        return job


class FakePage(msgspec.Struct):
    status: int
    body: bytes


class FakeDiagnostics:
    def __init__(self) -> None:
        self.seen: list[Prepared] = []
        self.asked: list[tuple[str, Mapping[str, str]]] = []

    def saw(self, prepared: Prepared) -> None:
        self.seen.append(prepared)

    async def answer(self, path: str, query: Mapping[str, str]) -> FakePage:
        self.asked.append((path, query))
        return FakePage(200, b'{"page":"' + path.encode() + b'"}\n')


class Crossing:
    """A proxy before some upstreams, in a thread of its own."""

    def __init__(
        self, *upstreams: str | Upstream, desk: Any = None, names: tuple[str, ...] = ()
    ) -> None:
        self.desk = FakeDesk() if desk is None else desk
        self.queue = FakeQueue()
        self.diagnostics = FakeDiagnostics()
        self.said: list[str] = []
        counter = itertools.count(1)
        self.proxy = Proxy(
            self.desk,
            self.queue,
            Upstreams(read_upstream(one) if isinstance(one, str) else one for one in upstreams),
            self.diagnostics,
            Guard(TOKEN, names=names),
            episodes=lambda: f"episode-{next(counter)}",
            say=self.said.append,
        )
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.port = 0

    def __enter__(self) -> Self:
        self._thread.start()
        self.port = self.run(self.proxy.start())
        return self

    def __exit__(self, *_: object) -> None:
        self.run(self.proxy.stop())
        self.run(self._end_tasks())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join()
        self.loop.close()

    async def _end_tasks(self) -> None:
        """Let connections that were just taken in end, too."""
        left = asyncio.all_tasks() - {asyncio.current_task()}
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)

    def run(self, coroutine: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result(WAIT_S)

    def client(self) -> Client:
        return Client(self.port)

    def slow_client(self) -> Client:
        """Return a client that takes in little before it reads."""
        return Client(self.port, buffer_bytes=4096)

    def post(self, path: str, body: bytes, *headers: str) -> Heard:
        """Ask once, on a connection of its own."""
        with self.client() as client:
            client.send(spelled("POST", path, body, *headers))
            return client.hear()

    def get(self, path: str, *headers: str, method: str = "GET") -> Heard:
        with self.client() as client:
            client.send(spelled(method, path, None, *headers))
            return client.hear(method)


class Heard(msgspec.Struct):
    """An answer, as it came over the wire."""

    status: int
    reason: str
    headers: list[tuple[str, str]]
    body: bytes
    whole: bool
    """It ended as its framing says it must."""
    chunks: list[bytes] = []

    def header(self, name: str) -> str | None:
        return next((value for key, value in self.headers if key.lower() == name.lower()), None)


class Client:
    """A connection to a port."""

    def __init__(self, port: int, *, buffer_bytes: int | None = None) -> None:
        self.socket = socket.socket()
        self.socket.settimeout(WAIT_S)
        if buffer_bytes is not None:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer_bytes)
        self.socket.connect(("127.0.0.1", port))
        self._buffer = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def send(self, raw: bytes) -> None:
        self.socket.sendall(raw)

    def hear(self, method: str = "GET") -> Heard:
        """Read one answer to its end, or to where it breaks off."""
        heard = self.hear_head()
        framing = (heard.header("transfer-encoding") or "").lower()
        length = heard.header("content-length")
        if method == "HEAD" or heard.status in (204, 304):
            heard.whole = True
        elif framing == "chunked":
            self._hear_chunks(heard)
        elif length is not None:
            heard.body = self._take(int(length))
            heard.whole = len(heard.body) == int(length)
        else:
            while self._more():
                pass
            heard.body, heard.whole = self._buffer, True
        return heard

    def hear_head(self) -> Heard:
        """Read the head of an answer."""
        while b"\r\n\r\n" not in self._buffer:
            assert self._more(), self._buffer
        head, _, self._buffer = self._buffer.partition(b"\r\n\r\n")
        first, *lines = head.decode("utf-8", "surrogateescape").split("\r\n")
        _, status, reason = first.split(" ", 2)
        headers = [(name, value.strip()) for name, _, value in (x.partition(":") for x in lines)]
        return Heard(int(status), reason, headers, b"", False)

    def hear_chunk(self) -> bytes | None:
        """Read one chunk; empty at the end, None where the connection broke off before it."""
        while b"\r\n" not in self._buffer:
            if not self._more():
                return None
        size, _, self._buffer = self._buffer.partition(b"\r\n")
        chunk = self._take(int(size, 16) + 2)
        return chunk[:-2] if chunk.endswith(b"\r\n") else None

    def _hear_chunks(self, heard: Heard) -> None:
        while chunk := self.hear_chunk():
            heard.chunks.append(chunk)
        heard.body, heard.whole = b"".join(heard.chunks), chunk == b""

    def _take(self, count: int) -> bytes:
        while len(self._buffer) < count and self._more():
            pass
        taken, self._buffer = self._buffer[:count], self._buffer[count:]
        return taken

    def _more(self) -> bool:
        try:
            data = self.socket.recv(1 << 16)
        except ConnectionResetError:
            data = b""
        self._buffer += data
        return bool(data)


def spelled(method: str, path: str, body: bytes | None, *headers: str) -> bytes:
    """Spell a request; a `Host` is given unless there is one."""
    lines = [f"{method} {path} HTTP/1.1", *headers]
    if not any(line.lower().startswith("host:") for line in headers):
        lines.insert(1, "Host: 127.0.0.1")
    if body is not None:
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + (body or b"")


def asking(dialect: str, *, streamed: bool = True, words: str = "hello") -> bytes:
    """Spell a small request of a dialect, with fields that nobody knows."""
    said: dict[str, Any] = {"messages": [{"role": "user", "content": words}]}
    if dialect == "responses":
        said = {"input": words}
    elif dialect in ("completions", "ollama-generate"):
        said = {"prompt": words}
    unknown = ' {"model" : "m",\n "x_unknown":{"ä":[1.0,1e2]},'
    return unknown.encode() + msgspec.json.encode({"stream": streamed} | said)[1:]

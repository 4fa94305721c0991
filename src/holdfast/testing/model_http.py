"""The HTTP/1.1 of the scripted model server: requests as they came, answers cut as told."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from itertools import pairwise
from typing import Any, Final, Literal

import msgspec

_LINE_MAX: Final = 1 << 20


class Way(msgspec.Struct, frozen=True):
    """How an answer is sent."""

    cuts: tuple[int, ...] | None = None
    """Where its bytes are cut into chunks; None: one chunk for each event."""
    framing: Literal["chunked", "length", "close"] | None = None
    """None: chunked for streams, a length for the others."""
    pace_s: float = 0.0
    """What it waits before each chunk but the first."""
    gated: bool = False
    """Each chunk waits for one `server.step()`, the head goes out with the first."""
    dies_after: int | None = None
    """The connection breaks off after so many chunks; below zero: before the head."""


class Reply(msgspec.Struct, frozen=True):
    """An answer by its bytes."""

    content: bytes | tuple[bytes, ...] = b""
    """Chunks, or the bytes that `way` cuts."""
    status: int = 200
    reason: str = "OK"
    headers: tuple[tuple[str, str], ...] = (("Content-Type", "application/json"),)
    way: Way = Way()


class Received(msgspec.Struct, frozen=True):
    """A request, as it came."""

    method: str
    target: str
    headers: tuple[tuple[str, str], ...]
    body: bytes
    head: bytes
    """The request line and the headers, raw."""

    @property
    def path(self) -> str:
        """Return the target without its query."""
        return self.target.partition("?")[0]

    def header(self, name: str) -> str | None:
        """Return the first header of that name, in any case."""
        return next((value for key, value in self.headers if key.lower() == name.lower()), None)

    def json(self) -> Any:
        """Read the body."""
        return msgspec.json.decode(self.body)


class Connection(asyncio.StreamReaderProtocol):
    """A connection that knows when the other side went away."""

    def __init__(self, connected: Any, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(asyncio.StreamReader(limit=_LINE_MAX, loop=loop), connected, loop=loop)
        self.gone = asyncio.Event()

    def eof_received(self) -> bool | None:
        self.gone.set()
        return super().eof_received()

    def connection_lost(self, exc: Exception | None) -> None:
        self.gone.set()
        super().connection_lost(exc)


async def or_gone(writer: asyncio.StreamWriter, waiting: Coroutine[Any, Any, Any]) -> None:
    """Wait for something, or for the other side to go away."""
    connection = writer.transport.get_protocol()
    assert isinstance(connection, Connection)
    step, gone = asyncio.ensure_future(waiting), asyncio.ensure_future(connection.gone.wait())
    done, _ = await asyncio.wait({step, gone}, return_when=asyncio.FIRST_COMPLETED)
    gone.cancel()
    if step not in done:
        step.cancel()
        raise ConnectionResetError("the other side went away")


def chunks_of(reply: Reply) -> list[bytes]:
    if isinstance(reply.content, tuple):
        return [one for one in reply.content if one]
    marks = sorted({at for at in reply.way.cuts or () if 0 < at < len(reply.content)})
    places: Sequence[int] = [0, *marks, len(reply.content)]
    return [reply.content[a:b] for a, b in pairwise(places) if a < b]


def framed(chunk: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(chunk), chunk)


async def die(writer: asyncio.StreamWriter) -> bool:
    """Break off, after what was written has left."""
    await close(writer)
    return False


async def close(writer: asyncio.StreamWriter) -> bool:
    writer.close()
    await writer.wait_closed()
    return False


async def read_request(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> Received | None:
    """Read one request; None when the connection ended between two."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError as end:
        if end.partial:
            raise
        return None
    first, *lines = head[:-4].decode("latin-1").split("\r\n")
    method, target, _ = first.split(" ", 2)
    headers = tuple((name, value.strip()) for name, _, value in (x.partition(":") for x in lines))
    named = {name.lower(): value for name, value in headers}
    if named.get("expect", "").lower() == "100-continue":
        writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
    if "chunked" in named.get("transfer-encoding", "").lower():
        body = await _read_chunked(reader)
    else:
        body = await reader.readexactly(int(named.get("content-length", "0")))
    return Received(method, target, headers, body, head)


async def _read_chunked(reader: asyncio.StreamReader) -> bytes:
    parts = []
    while size := int((await reader.readuntil(b"\r\n")).split(b";")[0], 16):
        parts.append(await reader.readexactly(size))
        await reader.readexactly(2)
    while await reader.readuntil(b"\r\n") != b"\r\n":
        pass
    return b"".join(parts)

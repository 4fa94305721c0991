"""Asking an upstream: connections and the reading of answers are aiohttp's, the request is ours.

A request is bytes already, and goes up as such. aiohttp's session would make a request of its own
out of it, look for cookies, redirects and proxies, and take a quarter of the time that a request is
on its way through here.

    reaching = Reaching()                     # in the loop that it is used in
    up = await reaching.ask(upstream, Asking("POST", "/v1/messages", headers, body))
    ...                                       # up.status, up.raw_headers, up.content
    up.close()                                # unless all of it was read
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

import aiohttp
import msgspec
from aiohttp.connector import Connection
from aiohttp.http import HttpProcessingError, RawResponseMessage
from multidict import CIMultiDictProxy
from yarl import URL

from holdfast.kernel.limits import (
    MIB,
    PROXY_CONNECT_S,
    PROXY_HEADER_BYTES_MAX,
    PROXY_HEADERS_MAX,
)

UNREACHED: Final = (aiohttp.ClientError, HttpProcessingError, OSError, TimeoutError)
"""What goes wrong on the way to an upstream and back."""

_SWITCHING: Final = 101
_INFORMS: Final = range(100, 200)
_TIMEOUT: Final = aiohttp.ClientTimeout(total=None, sock_connect=PROXY_CONNECT_S)


class Asking(msgspec.Struct, frozen=True):
    """A request as it goes up."""

    method: str
    target: str
    headers: Sequence[tuple[bytes, bytes]]
    body: bytes | None
    """None for a request that has none, and says nothing of its length."""

    def head(self, host: bytes) -> bytes:
        """Return what stands before the body."""
        target = self.target.encode("utf-8", "surrogateescape")
        lines = [b"%b %b HTTP/1.1" % (self.method.encode(), target), b"Host: " + host]
        lines += [b"%b: %b" % header for header in self.headers]
        if self.body is not None:
            lines.append(b"Content-Length: %d" % len(self.body))
        return b"\r\n".join((*lines, b"", b""))


class Answering:
    """An answer that has begun. Its connection is used again when all of it was read."""

    def __init__(
        self,
        connection: Connection,
        message: RawResponseMessage,
        content: aiohttp.StreamReader,
        sending: asyncio.Task[None] | None,
    ) -> None:
        self.status: int = message.code
        self.reason: str = message.reason
        self.headers: CIMultiDictProxy[str] = message.headers
        self.raw_headers = message.raw_headers
        self.content = content
        self._connection: Connection | None = connection
        self._sending = sending
        content.on_eof(self._ended)

    @property
    def closed(self) -> bool:
        """Tell whether the connection is somebody else's, or ended."""
        return self._connection is None

    def close(self) -> None:
        """Hang up, in the middle of the answer."""
        connection, self._connection = self._connection, None
        _stop(self._sending)
        if connection is not None:
            connection.close()

    def _ended(self) -> None:
        if self.status == _SWITCHING or self._connection is None:
            return
        if self._sending is not None and not self._sending.done():
            self.close()  # it answered before it had read everything
            return
        self._connection.release()
        self._connection = None


class Reaching:
    """Asks upstreams, and keeps connections to them; in the loop that it is used in."""

    def __init__(self) -> None:
        self._connector = aiohttp.TCPConnector(limit=0)
        self._targets: dict[str, aiohttp.ClientRequest] = {}
        """By the base address: what aiohttp needs to know to connect there."""

    async def ask(self, base: str, asking: Asking) -> Answering:
        """Send a request and wait for the head of its answer, or raise one of `UNREACHED`."""
        target = self._target(base)
        connection = await self._connector.connect(target, [], _TIMEOUT)
        sending: asyncio.Task[None] | None = None
        try:
            protocol = connection.protocol
            assert protocol is not None
            protocol.set_response_params(
                skip_payload=asking.method == "HEAD",
                read_until_eof=True,
                auto_decompress=False,
                max_line_size=PROXY_HEADER_BYTES_MAX,
                max_field_size=PROXY_HEADER_BYTES_MAX,
                max_headers=PROXY_HEADERS_MAX,
            )
            sending = _send(connection, asking.head(target.headers["Host"].encode()), asking.body)
            while True:
                message, content = await protocol.read()
                if message.code == _SWITCHING or message.code not in _INFORMS:
                    return Answering(connection, message, content, sending)
        except BaseException:
            _stop(sending)
            connection.close()
            raise

    async def close(self) -> None:
        """Hang up."""
        await self._connector.close()

    def _target(self, base: str) -> aiohttp.ClientRequest:
        if base not in self._targets:
            loop = asyncio.get_running_loop()
            self._targets[base] = aiohttp.ClientRequest("GET", URL(base), loop=loop)
        return self._targets[base]


def _send(connection: Connection, head: bytes, body: bytes | None) -> asyncio.Task[None] | None:
    """Send a request; of a long one the rest, in a task of its own: others get their turn, and the
    upstream may answer before it has read everything."""
    transport = connection.transport
    if transport is None:
        raise aiohttp.ClientConnectionError("The connection is gone.")
    if body is None or len(body) <= MIB:
        transport.write(head + (body or b""))
        return None
    transport.write(head)
    return asyncio.create_task(_send_pieces(connection, body))


async def _send_pieces(connection: Connection, body: bytes) -> None:
    rest, protocol = memoryview(body), connection.protocol
    with suppress(*UNREACHED):  # whoever waits for the answer is told of it
        while rest and protocol is not None and protocol.transport is not None:
            protocol.transport.write(bytes(rest[:MIB]))
            rest = rest[MIB:]
            await protocol._drain_helper()


def _stop(sending: asyncio.Task[None] | None) -> None:
    if sending is not None:
        sending.cancel()

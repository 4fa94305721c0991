"""A connection to an upstream, and the answer on it.

HTTP is read by llhttp. What an answer says goes straight from the socket to the sink: nobody has to
wake up for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Final, Literal, Protocol, TypeAlias

import msgspec
from httptools import HttpParserError, HttpParserUpgrade, HttpResponseParser

from holdfast.kernel.limits import MIB, PROXY_HEADER_BYTES_MAX, PROXY_HEADERS_MAX
from holdfast.proxy.headers import Headers

Framing: TypeAlias = Literal["chunked", "length", "close", "none"]
"""How the end of an answer is told: by chunks, its length, the end of the connection; or it is no
more than a head."""
Sink: TypeAlias = Callable[[bytes, bool], object]
"""Is given what came, and whether that was the end."""

_SWITCHING: Final = 101
_INFORMS: Final = range(100, 200)
_BODILESS: Final = frozenset({204, 304})
_CODINGS: Final = frozenset({b"transfer-encoding"})
_SILENT_BYTES_MAX: Final = 2 * PROXY_HEADER_BYTES_MAX  # a header is measured when all of it came


class NotReached(ConnectionError):
    """There is no connection to an upstream."""


class HungUp(ConnectionError):
    """An upstream ended the connection without an answer."""


class NoHttp(ValueError):
    """What an upstream sends is no HTTP."""


UNREACHED: Final = (OSError, NoHttp)
"""What goes wrong on the way to an upstream and back."""


class Asking(msgspec.Struct, frozen=True):
    """A request as it goes up."""

    method: str
    target: str
    headers: Sequence[tuple[bytes, bytes]]
    body: bytes | None
    """None for a request that has none, and says nothing of its length."""

    def head(self, host: bytes) -> bytes:
        """Return what stands before the body."""
        lines = [b"%b %b HTTP/1.1" % (self.method.encode(), self.target.encode())]
        lines.append(b"Host: " + host)
        lines += [b"%b: %b" % header for header in self.headers]
        if self.body is not None:
            lines.append(b"Content-Length: %d" % len(self.body))
        return b"\r\n".join((*lines, b"", b""))


class Answering:
    """An answer that has begun. Its connection is used again when all of it came."""

    def __init__(
        self, connection: Connection, status: int, reason: bytes, headers: Headers, *, bare: bool
    ) -> None:
        """`bare`: it is no more than a head, whatever that says."""
        self.status = status
        self.reason = reason
        self.headers = headers
        self.framing: Framing = "none" if bare else _framing(headers)
        self.ended: Literal["", "whole", "cut"] = ""
        self._connection: Connection | None = connection
        self._came: list[bytes] = []
        self._sink: Sink | None = None
        self._over: asyncio.Future[None] | None = None

    @property
    def closed(self) -> bool:
        """Tell whether the connection is somebody else's, or ended."""
        return self._connection is None

    @property
    def waits(self) -> bool:
        """Tell whether something came already, or the end."""
        return bool(self._came or self.ended)

    async def pour(self, sink: Sink) -> bool:
        """Give what came and what comes to a sink; return whether the answer came whole."""
        self._sink = sink
        try:
            if self.waits:
                self.flow()
            if not self.ended:
                self._over = asyncio.get_running_loop().create_future()
                await self._over
        finally:
            self._sink = self._over = None  # who knows the sink may be known by it
        return self.ended == "whole"

    def pause(self) -> None:
        """Take in nothing for now: whoever gets it cannot take it."""
        if self._connection is not None:
            self._connection.pause()

    def resume(self) -> None:
        """Take in what comes again."""
        if self._connection is not None:
            self._connection.resume()

    def close(self) -> None:
        """Hang up, in the middle of the answer."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def cut(self) -> None:
        """Take no more of the answer; whoever pours it is told that it is not whole."""
        self.close()
        self.end(whole=False)

    # From the connection

    def bring(self, data: bytes) -> None:
        """Keep what came until it flows."""
        self._came.append(data)

    def flow(self) -> None:
        """Give on what came."""
        if self._sink is None:
            return
        data = self._came[0] if len(self._came) == 1 else b"".join(self._came)
        self._came.clear()
        if data or self.ended == "whole":
            self._sink(data, self.ended == "whole")

    def end(self, *, whole: bool) -> None:
        """Note that nothing more comes, and give on what came."""
        self.ended = "whole" if whole else "cut"
        self._connection = None
        try:
            self.flow()
        finally:
            if self._over is not None and not self._over.done():
                self._over.set_result(None)


def _framing(headers: Headers) -> Framing:
    coding = headers.get("transfer-encoding")
    if coding is None:
        return "length" if "content-length" in headers else "close"
    if coding != "chunked":  # the last one counts, in the last of these headers
        coding = headers.all_of(_CODINGS)[-1].rpartition(",")[2].strip().lower()
    return "chunked" if coding == "chunked" else "close"


class Pool(Protocol):
    """Where connections come from, and wait for the next request."""

    @property
    def buffer(self) -> memoryview:
        """Return where to put what comes: it is read at once, so that one place does for all."""

    def keep(self, connection: Connection) -> None:
        """Keep a connection for the next request."""

    def forget(self, connection: Connection) -> None:
        """Forget a connection that ended."""


class Connection(asyncio.BufferedProtocol):
    """A connection to an upstream, for one request at a time."""

    def __init__(self, pool: Pool, base: str) -> None:
        self.base = base
        self.idle_since = 0.0
        self._pool = pool
        self._transport: asyncio.Transport | None = None
        self._parser: Any = None
        self._method = ""
        self._head: asyncio.Future[Answering] | None = None
        """Of the request that is answered here, until its answer has ended."""
        self._answer: Answering | None = None
        self._complete = False
        self._lasting = False
        """The connection outlasts the answer."""
        self._stray = False
        """Something came that nobody asked for."""
        self._problem = ""
        self._silent = 0
        """Bytes that nothing came out of."""
        self._informed = 0
        """Heads that came before that of the answer."""
        self._reason = b""
        self._headers: list[tuple[bytes, bytes]] = []
        self._sending: asyncio.Task[None] | None = None
        self._writable: asyncio.Future[None] | None = None

    # For those who ask

    @property
    def usable(self) -> bool:
        """Tell whether a request may be sent here."""
        return self._transport is not None and not self._transport.is_closing()

    async def ask(self, asking: Asking, host: bytes) -> Answering:
        """Send a request and wait for the head of its answer."""
        transport = self._transport
        if transport is None:
            raise HungUp("The connection is gone.")
        self._method, self._complete, self._informed = asking.method, False, 0
        head: asyncio.Future[Answering] = asyncio.get_running_loop().create_future()
        self._head = head
        try:
            self._send(transport, asking.head(host), asking.body)
            return await head
        except BaseException:
            if self._head is head:  # else it is somebody else's by now
                self.close()
            raise
        finally:
            del head  # it knows the problem, which knows this frame

    def pause(self) -> None:
        """Read nothing for now."""
        if self.usable and self._transport is not None:
            self._transport.pause_reading()

    def resume(self) -> None:
        """Read again."""
        if self.usable and self._transport is not None:
            self._transport.resume_reading()

    def close(self) -> None:
        """Hang up at once; whoever waits is told in the next turn of the loop."""
        if self._transport is not None:
            self._transport.abort()

    def _send(self, transport: asyncio.Transport, head: bytes, body: bytes | None) -> None:
        """Send a request; of a long one the rest, in a task of its own: others get their turn, and
        the upstream may answer before it has read everything."""
        self._sending = None
        if body is None or len(body) <= MIB:
            transport.write(head + (body or b""))
            return
        transport.write(head)
        self._sending = asyncio.create_task(self._send_pieces(transport, memoryview(body)))

    async def _send_pieces(self, transport: asyncio.Transport, rest: memoryview) -> None:
        while rest and not transport.is_closing():
            transport.write(bytes(rest[:MIB]))
            rest = rest[MIB:]
            if self._writable is not None:
                await self._writable

    # From the loop

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._parser = HttpResponseParser(self)
        self._parser.set_dangerous_leniencies(
            lenient_headers=True,
            lenient_optional_cr_before_lf=True,
            lenient_spaces_after_chunk_size=True,
        )

    def get_buffer(self, _sizehint: int) -> memoryview:
        """Return where to put what comes."""
        return self._pool.buffer

    def buffer_updated(self, nbytes: int) -> None:
        """Read what came."""
        if self._head is None:
            self.close()  # nobody asked
            return
        self._silent += nbytes
        try:
            self._parser.feed_data(self._pool.buffer[:nbytes])
        except HttpParserUpgrade:
            self._stray = True
        except HttpParserError as problem:
            self._problem = str(problem)
        if self._silent > _SILENT_BYTES_MAX:
            self._problem = "A header is too long."
        self._go_on()

    def eof_received(self) -> None:
        """End, whatever is still to be sent: an answer that ends with its connection is whole."""
        if self.usable and self._answer is not None and self._answer.framing == "close":
            self._end(self._answer)
        else:
            self.close()

    def connection_lost(self, _exc: Exception | None) -> None:
        """End: what is not whole by now is cut."""
        head, answer = self._head, self._answer
        self._transport = self._parser = self._head = self._answer = None
        self._pool.forget(self)
        if self._sending is not None:
            self._sending.cancel()
        if head is not None and not head.done():
            head.set_exception(NoHttp(self._problem) if self._problem else HungUp("It hung up."))
        if answer is not None:
            answer.end(whole=False)

    def pause_writing(self) -> None:
        """Let the rest of a long request wait."""
        self._writable = asyncio.get_running_loop().create_future()

    def resume_writing(self) -> None:
        """Let it go on."""
        writable, self._writable = self._writable, None
        if writable is not None and not writable.done():
            writable.set_result(None)

    def _go_on(self) -> None:
        """Give on what was read."""
        answer = self._answer
        if answer is not None and self._complete:
            self._end(answer)
        elif self._problem:
            self.close()
        elif answer is not None:
            answer.flow()

    def _end(self, answer: Answering) -> None:
        """Let go of a whole answer; the connection is kept if there is nothing left on it."""
        self._head = self._answer = None
        if self._lasting and self._sent() and not (self._stray or self._problem):
            self.resume()
            self._pool.keep(self)
        else:
            self.close()
        answer.end(whole=True)

    def _sent(self) -> bool:
        """Tell whether nothing of the request is still to be sent."""
        if self._transport is None or self._transport.get_write_buffer_size():
            return False
        return self._sending is None or self._sending.done()

    # From the parser

    def on_message_begin(self) -> None:
        """Begin with a head."""
        self._stray = self._stray or self._complete
        self._reason, self._headers = b"", []

    def on_status(self, reason: bytes) -> None:
        """Take in what the status is called; it comes in parts, and may never end."""
        self._reason += reason

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take in a header; those behind the body are nobody's."""
        self._silent = 0
        if self._answer is None:
            self._headers.append((name, value))
            size = len(name) + len(value)
            if size > PROXY_HEADER_BYTES_MAX or len(self._headers) > PROXY_HEADERS_MAX:
                self._problem = "There are too many headers, or too long ones."

    def on_headers_complete(self) -> None:
        """Tell whoever waits that an answer has begun, unless it only informs."""
        self._silent = 0
        status = self._parser.get_status_code()
        if len(self._reason) > PROXY_HEADER_BYTES_MAX or self._informed > PROXY_HEADERS_MAX:
            self._problem = "The status is too long, or there are too many."
        informs = status in _INFORMS and status != _SWITCHING
        self._informed += informs
        if informs or self._stray or self._problem or self._head is None or self._head.done():
            return
        bare = self._method == "HEAD" or status in _BODILESS or status == _SWITCHING
        headers = Headers(self._headers)
        self._answer = Answering(self, status, self._reason, headers, bare=bare)
        self._complete = self._method == "HEAD"
        self._lasting = self._parser.should_keep_alive() and not self._complete
        self._head.set_result(self._answer)

    def on_body(self, data: bytes) -> None:
        """Take in a part of the answer."""
        self._silent = 0
        if self._answer is not None and not self._complete:
            self._answer.bring(data)

    def on_message_complete(self) -> None:
        """Note that the answer is whole."""
        self._silent = 0
        self._complete = self._answer is not None and self._answer.status != _SWITCHING

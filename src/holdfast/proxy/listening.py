"""The proxy's side towards its clients: requests in, one after the other, and answers out.

    listener = Listener(admit, answer)        # in the loop that it is used in
    port = await listener.start("127.0.0.1", 0)
    await listener.stop(grace_s)

HTTP is read by llhttp, which refuses whatever two readers could understand in two ways. A request
is looked at by `admit` as soon as its head is there, and answered by `answer` when all of it came,
or at once when it was refused. Upgrades are not heard: such a request is a plain one.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, Final, TypeAlias

from httptools import HttpParserError, HttpParserUpgrade, HttpRequestParser

from holdfast.kernel.limits import (
    PROXY_BODY_BYTES_MAX,
    PROXY_HEADER_BYTES_MAX,
    PROXY_HEADERS_MAX,
    PROXY_IDLE_S,
    PROXY_LINGER_S,
    PROXY_SOCKET_BYTES,
    PROXY_STOP_S,
)
from holdfast.proxy.down import Down, Request, look_at_head, too_large
from holdfast.proxy.headers import Headers
from holdfast.proxy.refusals import Refused

_BACKLOG: Final = 128
"""Also how many connections are taken before those that are open get their turn."""
_VERSIONS: Final = ("1.1", "1.0")
_CONTINUE: Final = b"HTTP/1.1 100 Continue\r\n\r\n"
_WAITING_MAX: Final = 16
_SILENT_BYTES_MAX: Final = 3 * PROXY_HEADER_BYTES_MAX
"""More than a target and a header behind it, which are heard of together."""


Admit: TypeAlias = Callable[[Request], object]
"""Looks at the head of a request; raises `Refused` when it is not to be answered."""

Answer: TypeAlias = Callable[[Request, Down], Awaitable[object]]
"""Answers a request. It is cancelled when the client is gone; an answer that it does not end breaks
off."""


class Listener:
    """Takes connections while it is started."""

    def __init__(self, admit: Admit, answer: Answer) -> None:
        self.admit = admit
        self.answer = answer
        self.buffer = memoryview(bytearray(PROXY_SOCKET_BYTES))
        self.open: set[_Connection] = set()
        self._all_gone = asyncio.Event()
        self._server: asyncio.Server | None = None
        self._sweeping: asyncio.TimerHandle | None = None

    @property
    def listening(self) -> bool:
        """Tell whether it is started."""
        return self._server is not None

    @property
    def port(self) -> int:
        """Return where it listens; 0 while it does not."""
        return self._server.sockets[0].getsockname()[1] if self._server is not None else 0

    async def start(self, host: str, port: int) -> int:
        """Listen; return the port."""
        loop = asyncio.get_running_loop()
        make = lambda: _Connection(self)  # noqa: E731
        self._server = await loop.create_server(make, host, port, backlog=_BACKLOG)
        self._sweeping = loop.call_later(PROXY_IDLE_S, self._sweep)
        return self.port

    async def stop(self, grace_s: float) -> None:
        """Stop listening, let answers on their way end for a while, and hang up."""
        if self._server is None:
            return
        self._server.close()
        self._server = None
        if self._sweeping is not None:
            self._sweeping.cancel()
        answering = [one.task for one in self.open if one.task is not None]
        for connection in list(self.open):
            connection.leave()
        if self.open:
            self._all_gone.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._all_gone.wait(), grace_s)
        for connection in list(self.open):
            connection.abort()
        if answering:
            await asyncio.wait(answering, timeout=PROXY_STOP_S)
        await asyncio.sleep(0)

    def forget(self, connection: _Connection) -> None:
        """Forget a connection that ended."""
        self.open.discard(connection)
        if not self.open:
            self._all_gone.set()

    def _sweep(self) -> None:
        """Hang up where nobody asked for a while."""
        loop = asyncio.get_running_loop()
        for connection in list(self.open):
            connection.sweep(loop.time())
        self._sweeping = loop.call_later(PROXY_IDLE_S / 5, self._sweep)


class _Connection(asyncio.BufferedProtocol):
    """A connection of a client."""

    def __init__(self, listener: Listener) -> None:
        self.task: asyncio.Task[None] | None = None
        """Answers the oldest request."""
        self._heard_at = 0.0
        self._unsent = 0
        """Bytes of answers that the client had not taken when it was last looked at."""
        self._listener = listener
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport | None = None
        self._parser: Any = HttpRequestParser(self)
        self._down: Down | None = None
        self._slow = False
        self._waiting: deque[Request] = deque()
        """Requests that came whole, or were refused."""
        self._deaf = False
        """What comes is nothing: the connection ends after the next answers."""
        # Of the request that is being read
        self._target = b""
        self._headers: list[tuple[bytes, bytes]] = []
        self._request: Request | None = None
        """It, once its head is there."""
        self._again: Request | None = None
        """It, while its head is read again without the upgrade."""
        self._body: bytes | bytearray = b""
        self._size = 0
        self._silent = 0
        """Bytes that nothing came out of."""

    # From the loop

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._heard_at = self._loop.time()
        self._listener.open.add(self)
        if not self._listener.listening:
            transport.abort()

    def connection_lost(self, _exc: Exception | None) -> None:
        """End; so does what is on its way."""
        self._listener.forget(self)
        self._transport = self._parser = None
        self._waiting.clear()
        if self.task is not None:
            self.task.cancel()

    def get_buffer(self, _sizehint: int) -> memoryview:
        """Return where to put what comes: it is read at once, so that one place does for all."""
        return self._listener.buffer

    def buffer_updated(self, nbytes: int) -> None:
        """Read what came."""
        if self._deaf:
            return
        self._heard_at = self._loop.time()
        self._silent += nbytes
        try:
            self._feed(self._listener.buffer[:nbytes])
        except HttpParserError:
            self._refuse(Refused(400, "This is no request of HTTP."))
        if self._silent > _SILENT_BYTES_MAX or len(self._headers) > PROXY_HEADERS_MAX:
            self._refuse(Refused(431, "The head of the request is too long."))
        self._look_at_rest()
        self._next()

    def pause_writing(self) -> None:
        """Let the source of the answer wait: the client does not take more."""
        self._slow = True
        if self._down is not None:
            self._down.slow(True)

    def resume_writing(self) -> None:
        """Let it go on."""
        self._slow = False
        if self._down is not None:
            self._down.slow(False)
        else:
            self._next()

    # For the listener

    def leave(self) -> None:
        """End after what is being answered."""
        self._deaf = True
        self._waiting.clear()
        if self.task is None and self._transport is not None:
            self._transport.close()

    def sweep(self, now: float) -> None:
        """End if nobody asked for a while, and the client takes nothing of an answer."""
        unsent = self._transport.get_write_buffer_size() if self._transport is not None else 0
        if self.task is not None or unsent != self._unsent:
            self._heard_at, self._unsent = now, unsent
        elif now - self._heard_at >= PROXY_IDLE_S:
            self.abort()

    def abort(self) -> None:
        """End at once."""
        if self._transport is not None:
            self._transport.abort()

    # Answering

    def _next(self) -> None:
        """Answer the next request, once the client took enough of the answers before it."""
        transport = self._transport
        if transport is None or transport.is_closing():
            return
        if self.task is None and self._waiting and not self._slow:
            request = self._waiting.popleft()
            self._down = Down(transport, request)
            self.task = self._loop.create_task(self._answer(request, self._down))
        if self._waiting and self._is_full():
            transport.pause_reading()
        else:
            transport.resume_reading()

    def _is_full(self) -> bool:
        """Tell whether enough waits; until then is read on, to see whether the client leaves."""
        bodies = sum(len(request.body) for request in self._waiting)
        return len(self._waiting) > _WAITING_MAX or bodies > PROXY_SOCKET_BYTES

    async def _answer(self, request: Request, down: Down) -> None:
        try:
            await self._listener.answer(request, down)
        finally:
            self.task = self._down = None
            request.refused = None  # it may know who raised it, and so the request
            self._answered(down)

    def _answered(self, down: Down) -> None:
        if self._transport is None:
            return
        if down.ended and down.lasting and (self._waiting or not self._deaf):
            self._look_at_rest()
            self._next()
        elif down.ended and self._listener.listening:
            self._linger(self._transport)
        else:
            self._transport.close()

    def _linger(self, transport: asyncio.Transport) -> None:
        """End, but let what the client still sends come in: else it may lose the answer."""
        self._let_go()
        self._waiting.clear()
        transport.resume_reading()
        if transport.can_write_eof():
            transport.write_eof()
        self._loop.call_later(PROXY_LINGER_S, _hang_up, transport)

    # Reading

    def _feed(self, data: memoryview) -> None:
        while data:
            try:
                self._parser.feed_data(data)
            except HttpParserUpgrade as upgrade:
                data = data[upgrade.args[0] :]
                self._read_again()
            else:
                return

    def _read_again(self) -> None:
        """Read a head that asks for another protocol as if it did not."""
        self._again, request = self._request, self._request
        if request is None or request.method == "CONNECT":
            raise HttpParserError("There is no other protocol here.")
        lines = [f"{request.method} {request.target} HTTP/1.1".encode()]
        lines += [
            b"%b: %b" % header
            for header in request.headers.raw
            if header[0].lower() not in (b"connection", b"upgrade")
        ]
        self._parser = HttpRequestParser(self)
        self._parser.feed_data(b"\r\n".join((*lines, b"", b"")))

    def _refuse(self, refused: Refused) -> None:
        """Answer that what came cannot be read; nothing else is."""
        if self._deaf:
            return
        request = self._request or Request("GET", "", Headers(()))
        request.refused, request.lasting = refused, False
        self._let_go()
        self._waiting.append(request)

    def _let_go(self) -> None:
        """Hear nothing more, and keep nothing of what came of a request."""
        self._deaf = True
        self._request, self._target, self._headers, self._body = None, b"", [], b""

    def _look_at_rest(self) -> None:
        """See to a request of which the head is there and the rest is not."""
        request = self._request
        if request is None or self._deaf or self._transport is None:
            return
        if request.refused is not None:
            self._refuse(request.refused)
        elif "expect" in request.headers and self.task is None and not self._waiting:
            request.headers.pop("expect")
            if not self._size and not request.old:
                self._transport.write(_CONTINUE)

    # From the parser

    def on_message_begin(self) -> None:
        """Begin with a request."""
        self._target, self._headers, self._body, self._size = b"", [], b"", 0

    def on_url(self, part: bytes) -> None:
        """Take in a part of the target."""
        self._target += part

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take in a header; those behind the body are nobody's, and count as a part of it."""
        self._silent = 0
        if self._request is None:
            self._headers.append((name, value))
        elif self._again is None:
            self._grow(len(name) + len(value))

    def on_headers_complete(self) -> None:
        """Look at the head."""
        self._silent = 0
        if self._again is not None:
            self._request, self._again = self._again, None
            return
        version = self._parser.get_http_version()
        method, target = self._parser.get_method().decode(), self._target.decode()
        headers, self._headers = Headers(self._headers), []
        self._request = request = Request(method, target, headers, old=version == "1.0")
        lasting, request.lasting = self._parser.should_keep_alive(), False
        try:
            if version not in _VERSIONS:
                raise Refused(400, "Only HTTP/1.1 and HTTP/1.0 are spoken here.")
            look_at_head(request)
            request.lasting = lasting
            self._listener.admit(request)
        except Refused as refused:
            request.refused = refused.with_traceback(None)

    def on_body(self, data: bytes) -> None:
        """Take in a part of the body, up to the bound."""
        self._silent = 0
        request = self._request
        if request is None or request.refused is not None:
            return
        if not self._body:
            self._body = data  # most come in one piece, which is not copied
        else:
            if isinstance(self._body, bytes):
                self._body = bytearray(self._body)
            self._body += data
        self._grow(len(data))

    def _grow(self, nbytes: int) -> None:
        """Refuse the request when it becomes too large."""
        self._size += nbytes
        if self._size > PROXY_BODY_BYTES_MAX and self._request is not None:
            self._body = b""
            self._request.refused = too_large()

    def on_message_complete(self) -> None:
        """Let the request be answered."""
        self._silent = 0
        request = self._request
        if request is None or self._deaf or self._parser.should_upgrade():
            return
        request.body = bytes(self._body)
        self._request, self._body = None, b""
        self._waiting.append(request)
        self._deaf = not request.lasting


def _hang_up(transport: asyncio.Transport) -> None:
    """End, unless the client still takes the answer; then the sweep looks after it."""
    if not transport.get_write_buffer_size():
        transport.abort()

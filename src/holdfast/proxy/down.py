"""A request of a client, and the answer on its way to it."""

from __future__ import annotations

import asyncio
import struct
from collections.abc import Iterable
from http import HTTPStatus
from socket import SO_LINGER, SOL_SOCKET
from typing import Final, Protocol

from holdfast.kernel.limits import (
    MIB,
    PROXY_BODY_BYTES_MAX,
    PROXY_HEADER_BYTES_MAX,
    PROXY_HEADERS_MAX,
)
from holdfast.proxy.answering import Framing
from holdfast.proxy.headers import Headers
from holdfast.proxy.refusals import Refused

_BODILESS: Final = frozenset({204, 304})
_ONCE: Final = (frozenset({b"host"}), frozenset({b"transfer-encoding"}))


class Request:
    """A request of a client."""

    def __init__(
        self, method: str, target: str, headers: Headers, *, old: bool = False, lasting: bool = True
    ) -> None:
        """`old`: HTTP/1.0; `lasting`: the connection may go on after the answer."""
        self.method = method
        self.target = target
        self.headers = headers
        self.old = old
        self.lasting = lasting
        self.body = b""
        self.refused: Refused | None = None
        """Why it is not answered by anybody else."""

    @property
    def path(self) -> str:
        """Return the target without its query."""
        return self.target.partition("?")[0]

    @property
    def has_body(self) -> bool:
        """Tell whether it says that it has one, an empty one too."""
        return "content-length" in self.headers or "transfer-encoding" in self.headers


def look_at_head(request: Request) -> None:
    """Refuse a head that says too much, or what others could read in another way."""
    raw, headers = request.headers.raw, request.headers
    if len(request.target) > PROXY_HEADER_BYTES_MAX or len(raw) > PROXY_HEADERS_MAX:
        raise Refused(431, "The target is too long, or there are too many headers.")
    if any(len(name) + len(value) > PROXY_HEADER_BYTES_MAX for name, value in raw):
        raise Refused(431, "A header of the request is too long.")
    if len(headers) < len(raw) and any(len(headers.all_of(name)) > 1 for name in _ONCE):
        raise Refused(400, "A header that there can be one of is there twice.")
    coding = headers.get("transfer-encoding")
    if coding is not None and (request.old or coding.lower() != "chunked"):
        raise Refused(400, "The only coding of a transfer is `chunked`, and that of HTTP/1.1.")
    if int(headers.get("content-length", "0")) > PROXY_BODY_BYTES_MAX:
        raise too_large()
    if headers.get("expect", "100-continue").lower() != "100-continue":
        raise Refused(417, "The only thing that can be expected here is 100-continue.")


def too_large() -> Refused:
    """Say that a request is larger than what is taken."""
    return Refused(
        413,
        f"The request is larger than {PROXY_BODY_BYTES_MAX // MIB} MiB.",
        remedy="Send it to the model server itself.",
    )


class Flow(Protocol):
    """Where an answer comes from: it waits while the client cannot take more."""

    def pause(self) -> None:
        """Wait."""

    def resume(self) -> None:
        """Go on."""


class Down:
    """The answer to one request, on its way to the client."""

    def __init__(self, transport: asyncio.Transport, request: Request) -> None:
        self.begun = False
        self.ended = False
        self.lasting = request.lasting
        """The connection goes on after it."""
        self._slow = False
        self._flow: Flow | None = None
        self._transport = transport
        self._request = request
        self._head = b""
        self._chunked = False
        self._bare = False
        self._told = True
        """Where the answer ends is told by itself, not by the end of the connection."""

    def begin(
        self,
        status: int,
        reason: bytes,
        headers: Iterable[tuple[bytes, bytes]],
        framing: Framing = "length",
    ) -> None:
        """Say how the answer begins; that goes down with what follows, or with `flush`."""
        old = self._request.old
        self._bare = self._request.method == "HEAD" or status in _BODILESS or framing == "none"
        self._chunked = framing == "chunked" and not old and not self._bare
        self._told = self._bare or self._chunked or framing == "length"
        self.lasting = self.lasting and self._told
        lines = [b"HTTP/1.%d %d %b" % (not old, status, reason)]
        lines += [b"%b: %b" % header for header in headers]
        if self._chunked:
            lines.append(b"Transfer-Encoding: chunked")
        if self.lasting and old:
            lines.append(b"Connection: keep-alive")
        elif not self.lasting and not old:
            lines.append(b"Connection: close")
        self._head = b"\r\n".join((*lines, b"", b""))
        self.begun = True

    def come_from(self, flow: Flow) -> None:
        """Let the source of the answer wait whenever the client does not take more."""
        self._flow = flow
        if self._slow:
            flow.pause()

    def slow(self, slow: bool) -> None:
        """Note whether the client takes more."""
        self._slow = slow
        if self._flow is not None:
            if slow:
                self._flow.pause()
            else:
                self._flow.resume()

    def flush(self) -> None:
        """Send the head without waiting for what follows it."""
        self._send(self._head)
        self._head = b""

    def write(self, data: bytes, last: bool = False) -> None:
        """Send a part of the answer, and its end with the last."""
        parts = [self._head] if self._head else []
        self._head = b""
        if data and not self._bare:
            parts += (b"%x\r\n" % len(data), data, b"\r\n") if self._chunked else (data,)
        if last and not self.ended:
            self.ended = True
            if self._chunked:
                parts.append(b"0\r\n\r\n")
        if parts:
            self._send(parts[0] if len(parts) == 1 else b"".join(parts))

    def break_off(self) -> None:
        """Let the client see that the answer is not whole: the connection ends before it does, and
        not as one ends whose answer is over."""
        if self._head:
            self.flush()
        if not self._told and not self._transport.is_closing():
            reset = struct.pack("ii", 1, 0)
            taken = self._transport.get_extra_info("socket")
            taken.setsockopt(SOL_SOCKET, SO_LINGER, reset)

    def _send(self, data: bytes) -> None:
        if not self._transport.is_closing():
            self._transport.write(data)

    def whole(self, status: int, headers: Iterable[tuple[bytes, bytes]], body: bytes) -> None:
        """Send an answer that is known whole."""
        length = (b"Content-Length", b"%d" % len(body))
        reason = HTTPStatus(status).phrase.encode()
        self.begin(status, reason, (*headers, length))
        self.write(body, last=True)

"""From a client to its model server and back: bytes, as they are, as they come.

Up goes what the client sent, and behind it what the desk adds. Down comes what the upstream sends,
chunk by chunk; a slow client slows the upstream. On the stream's path a chunk is written and kept,
nothing else: what it says is read afterwards, elsewhere. An upstream that breaks off breaks the
client's connection off; a client that leaves ends the upstream's work.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final, Literal, Protocol

import aiohttp
from aiohttp.http import HttpProcessingError
from aiohttp.web_exceptions import HTTPRequestEntityTooLarge
from aiohttp.web_protocol import RequestHandler, RequestPayloadError
from aiohttp.web_request import BaseRequest
from aiohttp.web_response import StreamResponse

from holdfast.kernel.limits import (
    MIB,
    PROXY_BODY_BYTES_MAX,
    PROXY_LANDING_LOOKS,
    PROXY_LANDING_S,
)
from holdfast.proxy.decoding import Undecodable, decoded
from holdfast.proxy.guard import DIALECTS
from holdfast.proxy.headers import conversation_of, is_delegated, key_of, upward
from holdfast.proxy.passing import Exchange, Relayed, waiting
from holdfast.proxy.reaching import UNREACHED, Answering, Asking, Reaching
from holdfast.proxy.refusals import Refused
from holdfast.proxy.upstreams import Upstream, Upstreams, kind_asked, model_of
from holdfast.proxy.values import Asked, Ended, Job, Prepared

_SWITCHING: Final = 101
_BODILESS: Final = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})
"""Methods of requests that usually have no body, and then say nothing of its length."""


class Desk(Protocol):
    """Prepares requests; see `desk`."""

    async def ready(self, asked: Asked) -> bool:
        """Let a request be settled, and wait a little for what it builds on."""

    def prepare(self, asked: Asked) -> Prepared:
        """Return the request as it goes up."""


class Queue(Protocol):
    """Where exchanges wait to be settled; see `writing`."""

    def submit(self, job: Job) -> bool:
        """Let a job be settled after those before it."""

    def miss(self, why: str) -> None:
        """Count an exchange that could not be submitted."""


class Relay:
    """Passes requests up and answers down. `open` it in the loop that it is used in."""

    def __init__(
        self,
        desk: Desk,
        queue: Queue,
        upstreams: Upstreams,
        *,
        episodes: Callable[[], str],
        saw: Callable[[Prepared], object],
        say: Callable[[str], object],
    ) -> None:
        """`episodes` makes a new name for each; `saw` is shown what goes up."""
        self._desk = desk
        self._queue = queue
        self._upstreams = upstreams
        self._episodes = episodes
        self._saw = saw
        self._say = say
        self._reaching: Reaching | None = None
        self._passing: set[Exchange] = set()

    async def open(self) -> None:
        """Get ready to ask upstreams."""
        self._reaching = Reaching()

    async def close(self) -> None:
        """Hang up."""
        if self._reaching is not None:
            await self._reaching.close()
            self._reaching = None

    async def relay(self, request: BaseRequest) -> StreamResponse:
        """Answer a request with what the upstream answers, or raise `Refused`."""
        path = request.raw_path.partition("?")[0]
        dialect = DIALECTS.get(path) if request.method == "POST" else None
        body = await read_body(request)
        said = await _plain(request, body)
        model = model_of(said) if said and self._upstreams.by_model else None
        upstream = self._upstreams.choose(kind_asked(path, dialect, request.headers), model)
        if dialect is None:
            up = await self._ask(request, upstream, body)
            return await self._pass(request, up, None)
        client, delegated = conversation_of(request.headers), is_delegated(request.headers)
        # what has a coding that nobody here can read says nothing, whatever its bytes look like
        asked = Asked(self._episodes(), dialect, said or b"", client, delegated=delegated)
        exchange = Exchange(asked, upstream.name, key_of(request.headers))
        try:
            exchange.prepared = await self._prepare(asked)
            up = await self._ask(request, upstream, body, exchange.prepared)
        except BaseException as problem:
            self._end(exchange, "failed" if isinstance(problem, Refused) else "gone")
            raise
        exchange.opened(up)
        self._passing.add(exchange)
        return await self._pass(request, up, exchange)

    async def _prepare(self, asked: Asked) -> Prepared:
        """Let the desk look at a request; when it cannot, the request goes as it is."""
        try:
            await self._desk.ready(asked)
            prepared = self._desk.prepare(asked)
            self._saw(prepared)
        except Exception as problem:  # what goes wrong here is not the client's
            self._say(f"A request could not be looked at and passes as it is: {_told(problem)}")
            return Prepared(asked, asked.body, "")
        return prepared

    async def _ask(
        self,
        request: BaseRequest,
        upstream: Upstream,
        body: bytes,
        prepared: Prepared | None = None,
    ) -> Answering:
        """Send a request up and wait for the head of its answer."""
        assert self._reaching is not None
        drop: tuple[bytes, ...] = ()
        if prepared is not None and prepared.body != prepared.asked.body:
            body, drop = prepared.body, (b"content-encoding",)
        connection = request.headers.get("Connection")
        headers = upward(request.raw_headers, connection, read=prepared is not None, drop=drop)
        target = upstream.path + request.raw_path
        asking = Asking(request.method, target, headers, _payload(request, body))
        try:
            up = await self._reaching.ask(upstream.base, asking)
        except UNREACHED as problem:
            raise _unreachable(upstream, problem) from problem
        if up.status == _SWITCHING:
            up.close()  # nobody asked for it, and nothing of what follows could be told apart
            raise _bad_gateway(f"The model server {upstream.name} left HTTP, unasked.")
        return up

    async def _pass(
        self, request: BaseRequest, up: Answering, exchange: Exchange | None
    ) -> StreamResponse:
        """Pass an answer down until it ends, whichever way."""
        ended: Ended = "gone"
        keep = _forget if exchange is None else exchange.keep
        try:
            first = waiting(up.content)
            response = Relayed(up, at_once=not first)
            await response.prepare(request)
            ended = await _copy(first, up.content, response, keep)
            if ended == "cut":
                _break_off(request)
            else:
                await response.write_eof()
            return response
        finally:
            if not up.closed:
                up.close()
            if exchange is not None:
                self._end(exchange, ended)

    async def landed(self) -> None:
        """Wait a little for answers whose last event came: to their clients they have ended, though
        the upstream has not hung up yet."""
        last = [exchange for exchange in self._passing if exchange.seems_whole()]
        for _ in range(PROXY_LANDING_LOOKS):
            if self._passing.isdisjoint(last):
                return
            await asyncio.sleep(PROXY_LANDING_S / PROXY_LANDING_LOOKS)

    def _end(self, exchange: Exchange, ended: Ended) -> None:
        """Hand an exchange over to be settled."""
        self._passing.discard(exchange)
        try:
            if ended == "gone" and exchange.seems_whole():
                ended = "whole"
            self._queue.submit(exchange.answered(ended))
        except Exception as problem:  # the stream is not broken by its record
            self._queue.miss(_told(problem))


async def _copy(
    chunk: bytes,
    content: aiohttp.StreamReader,
    response: StreamResponse,
    keep: Callable[[bytes], object],
) -> Literal["whole", "cut"]:
    """Write chunks as they come until no more do; say how that came about."""
    while True:
        if chunk:
            keep(chunk)
            await response.write(chunk)
        try:
            chunk = await content.readany()
        except UNREACHED:
            break
        if not chunk:
            return "whole"
    if rest := waiting(content):
        keep(rest)
        await response.write(rest)
    return "cut"


def _forget(_: bytes) -> None:
    """Keep nothing."""


async def read_body(request: BaseRequest) -> bytes:
    """Read what a client sends, up to the bound."""
    length = request.content_length
    if length is not None and length > PROXY_BODY_BYTES_MAX:
        raise _too_large()
    if "Expect" in request.headers:
        _expect(request)
    if not request.can_read_body:
        return b""
    try:
        return await request.read()
    except HTTPRequestEntityTooLarge as problem:
        raise _too_large() from problem
    except (RequestPayloadError, aiohttp.ClientError, ValueError) as problem:
        raise Refused(400, "The body of the request is broken.") from problem


def _expect(request: BaseRequest) -> None:
    if request.headers["Expect"].lower() != "100-continue":
        raise Refused(417, "The only thing that can be expected here is 100-continue.")
    if request.transport is not None:
        request.transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")


def _too_large() -> Refused:
    return Refused(
        413,
        f"The request is larger than {PROXY_BODY_BYTES_MAX // MIB} MiB.",
        remedy="Send it to the model server itself.",
    )


async def _plain(request: BaseRequest, body: bytes) -> bytes | None:
    """Return a body without its coding; None when it cannot be read."""
    coding = request.headers.get("Content-Encoding")
    if coding is None:
        return body
    try:
        return await asyncio.to_thread(decoded, body, coding, bytes_max=PROXY_BODY_BYTES_MAX)
    except Undecodable:
        return None


def _payload(request: BaseRequest, body: bytes) -> bytes | None:
    """Return the body that goes up; None when there is none, and none is told of."""
    if body or request.body_exists or "Content-Length" in request.headers:
        return body
    return None if request.method in _BODILESS else b""


def _told(problem: Exception) -> str:
    """Name a problem; its text may hold what was said, or a key."""
    return type(problem).__name__


def _unreachable(upstream: Upstream, problem: Exception) -> Refused:
    if isinstance(problem, aiohttp.ClientConnectorError | aiohttp.ServerTimeoutError):
        what = f"The model server {upstream.name} cannot be reached."
    elif isinstance(problem, HttpProcessingError):
        what = f"The model server {upstream.name} answered with something that is no HTTP."
    else:
        what = f"The model server {upstream.name} hung up without an answer."
    return _bad_gateway(what)


def _bad_gateway(what: str) -> Refused:
    return Refused(
        502,
        what,
        meaning="There is no answer; nothing that the proxy knows has changed.",
        remedy="Start it, or name another with `--upstream`; `/doctor` tells more.",
    )


def _break_off(request: BaseRequest) -> None:
    """End the client's connection after what was sent, without an end of the answer."""
    protocol = request.protocol
    if isinstance(protocol, RequestHandler):
        protocol.force_close()

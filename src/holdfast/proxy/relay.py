"""From a client to its model server and back: bytes, as they are, as they come.

Up goes what the client sent, and behind it what the desk adds. Down comes what the upstream sends,
chunk by chunk; a slow client slows the upstream. On the stream's path a chunk is written and kept,
nothing else: what it says is read afterwards, elsewhere. An upstream that breaks off breaks the
client's connection off; a client that leaves ends the upstream's work.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final, Protocol

from holdfast.kernel.limits import (
    PROXY_BODY_BYTES_MAX,
    PROXY_LANDING_LOOKS,
    PROXY_LANDING_S,
    PROXY_NOTED_S,
)
from holdfast.proxy.answering import UNREACHED, Answering, Asking, NoHttp, NotReached, Sink
from holdfast.proxy.decoding import Undecodable, decoded
from holdfast.proxy.down import Down, Request
from holdfast.proxy.guard import DIALECTS
from holdfast.proxy.headers import conversation_of, downward, is_delegated, key_of, upward
from holdfast.proxy.passing import Exchange
from holdfast.proxy.reaching import Reaching
from holdfast.proxy.refusals import Refused
from holdfast.proxy.upstreams import Upstream, Upstreams, kind_asked, model_of
from holdfast.proxy.values import Answered, Asked, Ended, Job, Prepared

_SWITCHING: Final = 101
_BODILESS: Final = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})
"""Methods of requests that usually have no body, and then say nothing of its length."""


class Desk(Protocol):
    """Prepares requests; see `desk`."""

    async def glance(self, asked: Asked) -> bool:
        """Tell whether it is certain at once that nothing is to be put behind a request."""

    def note(self, asked: Asked) -> None:
        """Let a request be settled that nothing was put behind, once."""

    async def ready(self, asked: Asked) -> bool:
        """Let a request be settled, and wait a little for what it builds on."""

    def prepare(self, asked: Asked) -> Prepared:
        """Return the request as it goes up."""

    def lighten(self, answered: Answered) -> Answered:
        """Return an exchange without the bytes that nobody needs any longer."""


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

    async def relay(self, request: Request, down: Down) -> None:
        """Answer a request with what the upstream answers, or raise `Refused`."""
        path, body, headers = request.path, request.body, request.headers
        dialect = DIALECTS.get(path) if request.method == "POST" else None
        said = await _plain(headers.get("content-encoding"), body)
        model = model_of(said) if said and self._upstreams.by_model else None
        upstream = self._upstreams.choose(kind_asked(path, dialect, headers), model)
        if dialect is None:
            up = await self._ask(request, upstream, body)
            await self._pass(up, down, None)
            return
        client, delegated = conversation_of(headers), is_delegated(headers)
        # what has a coding that nobody here can read says nothing, whatever its bytes look like
        asked = Asked(self._episodes(), dialect, said or b"", client, delegated=delegated)
        exchange = Exchange(asked, upstream.name, key_of(headers))
        try:
            exchange.prepared = await self._prepare(asked)
            up = await self._ask(request, upstream, body, exchange.prepared)
        except BaseException as problem:
            self._end(exchange, "failed" if isinstance(problem, Refused) else "gone")
            raise
        exchange.opened(up)
        self._passing.add(exchange)
        await self._pass(up, down, exchange)

    async def _prepare(self, asked: Asked) -> Prepared:
        """Let the desk look at a request; when it cannot, the request goes as it is."""
        try:
            if await self._desk.glance(asked):
                prepared = Prepared(asked, asked.body, "")
                # it is placed behind the first chunk, or before when that takes a while
                asyncio.get_running_loop().call_later(PROXY_NOTED_S, self._note, asked)
            else:
                await self._desk.ready(asked)
                prepared = self._desk.prepare(asked)
            self._saw(prepared)
        except Exception as problem:  # what goes wrong here is not the client's
            self._say(f"A request could not be looked at and passes as it is: {_told(problem)}")
            return Prepared(asked, asked.body, "")
        return prepared

    def _note(self, asked: Asked) -> None:
        try:
            self._desk.note(asked)
        except Exception as problem:  # it is on its way, and it is settled
            self._say(f"A request could not be looked at and passed as it is: {_told(problem)}")

    async def _ask(
        self,
        request: Request,
        upstream: Upstream,
        body: bytes,
        prepared: Prepared | None = None,
    ) -> Answering:
        """Send a request up and wait for the head of its answer."""
        assert self._reaching is not None
        drop: tuple[bytes, ...] = ()
        if prepared is not None and prepared.body != prepared.asked.body:
            body, drop = prepared.body, (b"content-encoding",)
        raw, connection = request.headers.raw, request.headers.get("connection")
        headers = upward(raw, connection, read=prepared is not None, drop=drop)
        target = upstream.path + request.target
        asking = Asking(request.method, target, headers, _payload(request, body))
        try:
            up = await self._reaching.ask(upstream.base, asking)
        except UNREACHED as problem:
            raise _unreachable(upstream, problem) from problem
        if up.status == _SWITCHING:
            up.close()  # nobody asked for it, and nothing of what follows could be told apart
            raise _bad_gateway(f"The model server {upstream.name} left HTTP, unasked.")
        return up

    async def _pass(self, up: Answering, down: Down, exchange: Exchange | None) -> None:
        """Pass an answer down until it ends, whichever way."""
        headers = downward(up.headers.raw, up.headers.get("connection"))
        down.begin(up.status, up.reason, headers, up.framing)
        down.come_from(up)
        if not up.waits:
            down.flush()
        try:
            await up.pour(down.write if exchange is None else self._keeping(exchange, down))
        finally:
            ended: Ended = up.ended or "gone"
            up.close()
            if ended == "cut":
                down.break_off()
            if exchange is not None:
                self._end(exchange, ended)

    def _keeping(self, exchange: Exchange, down: Down) -> Sink:
        """Return what passes an answer down and keeps it."""
        noted = False

        def sink(data: bytes, last: bool) -> None:
            nonlocal noted
            exchange.keep(data)
            down.write(data, last)
            if not noted:
                noted = True
                self._note(exchange.prepared.asked)

        return sink

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
        self._note(exchange.prepared.asked)
        try:
            if ended == "gone" and exchange.seems_whole():
                ended = "whole"
            self._queue.submit(self._desk.lighten(exchange.answered(ended)))
        except Exception as problem:  # the stream is not broken by its record
            self._queue.miss(_told(problem))


async def _plain(coding: str | None, body: bytes) -> bytes | None:
    """Return a body without its coding; None when it cannot be read."""
    if coding is None:
        return body
    try:
        return await asyncio.to_thread(decoded, body, coding, bytes_max=PROXY_BODY_BYTES_MAX)
    except Undecodable:
        return None


def _payload(request: Request, body: bytes) -> bytes | None:
    """Return the body that goes up; None when there is none, and none is told of."""
    if body or request.has_body:
        return body
    return None if request.method in _BODILESS else b""


def _told(problem: Exception) -> str:
    """Name a problem; its text may hold what was said, or a key."""
    return type(problem).__name__


def _unreachable(upstream: Upstream, problem: Exception) -> Refused:
    if isinstance(problem, NotReached):
        what = f"The model server {upstream.name} cannot be reached."
    elif isinstance(problem, NoHttp):
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

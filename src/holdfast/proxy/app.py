"""The proxy as a server: one port, and behind it the guard, the diagnostics and the relay."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol
from urllib.parse import parse_qsl

from aiohttp.web_request import BaseRequest
from aiohttp.web_response import Response, StreamResponse
from aiohttp.web_server import Server

from holdfast.kernel.limits import (
    PROXY_BODY_BYTES_MAX,
    PROXY_HEADER_BYTES_MAX,
    PROXY_HEADERS_MAX,
    PROXY_LINGER_S,
    PROXY_STOP_S,
)
from holdfast.proxy.guard import DIALECTS, HEALTH, Guard
from holdfast.proxy.refusals import Kind, Refused
from holdfast.proxy.relay import Desk, Queue, Relay
from holdfast.proxy.upstreams import Upstreams, kind_asked
from holdfast.proxy.values import Prepared

_BACKLOG: Final = 128
"""Also how many connections are taken before those that are open get their turn."""
_OURS: Final = {"Server": "holdfast", "Cache-Control": "no-store"}


class Page(Protocol):
    """A page of the diagnostics."""

    @property
    def status(self) -> int:
        """Return the status of HTTP."""

    @property
    def body(self) -> bytes:
        """Return the JSON."""


class Diagnostics(Protocol):
    """Answers for the five paths; see `diagnostics`."""

    def saw(self, prepared: Prepared) -> None:
        """Take note of what goes up."""

    async def answer(self, path: str, query: Mapping[str, str]) -> Page:
        """Answer one of the five."""


class Proxy:
    """Listens while it is started.

    proxy = Proxy(desk, writer, upstreams, diagnostics, guard, episodes=..., say=...)
    port = await proxy.start("127.0.0.1", 0)
    await proxy.stop()
    """

    def __init__(
        self,
        desk: Desk,
        queue: Queue,
        upstreams: Upstreams,
        diagnostics: Diagnostics,
        guard: Guard,
        *,
        episodes: Callable[[], str],
        say: Callable[[str], object],
    ) -> None:
        """`episodes` makes a new name for each exchange; `say` tells the user of troubles."""
        self._relay = Relay(desk, queue, upstreams, episodes=episodes, saw=diagnostics.saw, say=say)
        self._diagnostics = diagnostics
        self._guard = guard
        self._say = say
        self._web: Server | None = None
        self._server: asyncio.Server | None = None

    @property
    def port(self) -> int:
        """Return where it listens; 0 while it does not."""
        return self._server.sockets[0].getsockname()[1] if self._server is not None else 0

    async def start(self, host: str = "127.0.0.1", port: int = 0) -> int:
        """Listen; return the port."""
        loop = asyncio.get_running_loop()
        await self._relay.open()
        self._web = Server(
            self._handle,
            request_factory=_factory(loop),
            handler_cancellation=True,  # a client that leaves ends the upstream's work
            auto_decompress=False,
            access_log=None,
            logger=_silent(),
            max_line_size=PROXY_HEADER_BYTES_MAX,
            max_field_size=PROXY_HEADER_BYTES_MAX,
            max_headers=PROXY_HEADERS_MAX,
            lingering_time=PROXY_LINGER_S,
        )
        try:
            self._server = await loop.create_server(self._web, host, port, backlog=_BACKLOG)
        except BaseException:
            await self._relay.close()
            raise
        self._guard.port = self.port
        return self.port

    async def stop(self, grace_s: float = PROXY_STOP_S) -> None:
        """Stop listening, let answers on their way end for a while, and hang up."""
        if self._server is None or self._web is None:
            return
        self._server.close()
        self._web.pre_shutdown()
        await self._web.shutdown(grace_s)
        await self._relay.close()
        self._server = self._web = None

    async def _handle(self, request: BaseRequest) -> StreamResponse:
        """Answer a request; nothing that it holds can end the proxy."""
        try:
            if self._guard.look(request.method, request.raw_path, request.headers) == "up":
                return await self._relay.relay(request)
            return await self._look(request)
        except Refused as refused:
            return _refusal(refused, _kind(request))
        except ConnectionError:
            raise  # the client is gone
        except Exception as problem:
            self._say(f"A request failed inside the proxy: {type(problem).__name__}")
            if request.writer.output_size:
                raise ConnectionResetError("the answer had begun") from problem
            trouble = Refused(500, "The proxy failed.", remedy="`/doctor` may tell why.")
            return _refusal(trouble, _kind(request))

    async def _look(self, request: BaseRequest) -> Response:
        path, _, query = request.raw_path.partition("?")
        if path != HEALTH:
            await self._relay.landed()
        page = await self._diagnostics.answer(path, _query(query))
        return _json(page.status, page.body)


def _query(spelled: str) -> dict[str, str]:
    try:
        return dict(parse_qsl(spelled, keep_blank_values=True, max_num_fields=16))
    except ValueError as problem:
        raise Refused(400, "The query cannot be read.") from problem


def _factory(loop: asyncio.AbstractEventLoop) -> Callable[..., BaseRequest]:
    def make(message: Any, payload: Any, protocol: Any, writer: Any, task: Any) -> BaseRequest:
        return BaseRequest(
            message, payload, protocol, writer, task, loop, client_max_size=PROXY_BODY_BYTES_MAX
        )

    return make


def _silent() -> logging.Logger:
    """Return a logger that says nothing: what a peer sends may hold its keys."""
    logger = logging.Logger("holdfast.proxy", logging.CRITICAL + 1)
    logger.addHandler(logging.NullHandler())
    return logger


def _kind(request: BaseRequest) -> Kind:
    path = request.raw_path.partition("?")[0]
    return kind_asked(path, DIALECTS.get(path), request.headers)


def _refusal(refused: Refused, kind: Kind) -> Response:
    response = _json(refused.status, refused.body(kind))
    for name, value in refused.headers:
        response.headers[name] = value
    return response


def _json(status: int, body: bytes) -> Response:
    return Response(status=status, body=body, content_type="application/json", headers=_OURS)

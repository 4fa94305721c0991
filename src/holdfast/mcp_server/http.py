"""The server over HTTP, on loopback alone: who may ask is decided before anything is read.

A page of somebody else's can make a browser send requests here, even by a name that points to this
machine. So the host has to be this machine's, no page may ask, and everybody shows the token.
"""

from __future__ import annotations

import hmac
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from socket import socket
from typing import Any, Final

import anyio
import msgspec
import uvicorn
from mcp.server import Server
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from holdfast.kernel.limits import MCP_BODY_BYTES_MAX, MCP_STOP_S
from holdfast.wire.hosts import host_name, is_loopback

PATH: Final = "/mcp"
_OTHERS: Final = frozenset({"cross-site", "same-site"})
"""What browsers say of a request that a page of another origin made them send."""


class Refused(msgspec.Struct, frozen=True):
    """Why a request is not taken."""

    status: int
    what: str
    remedy: str


class Guard:
    """Lets requests through to the server, or refuses them."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._token = token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or hand it on."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # no other protocol is spoken: the connection ends
        refused = self.look(scope["path"], Headers(scope=scope))
        if refused is None:
            await self._app(scope, receive, send)
        else:
            await _refuse(refused, send)

    def look(self, path: str, headers: Headers) -> Refused | None:
        """Say why a request is refused; None when it is not."""
        if len(headers.getlist("host")) != 1 or not _is_ours(headers["host"]):
            return Refused(
                421,
                "This host is not answered for here.",
                "Ask the server by its loopback address, such as 127.0.0.1.",
            )
        origin = headers.get("origin")
        if origin is not None or headers.get("sec-fetch-site", "").strip().lower() in _OTHERS:
            return Refused(
                403, "Web pages may not ask here.", "Ask from a program, not from a web page."
            )
        if not self._is_known(headers):
            return Refused(
                401,
                "The token is missing or wrong.",
                "Send `Authorization: Bearer TOKEN` with the token that the server printed.",
            )
        if path != PATH:
            return Refused(404, "There is no such path.", f"The server is at {PATH}.")
        return None

    def _is_known(self, headers: Headers) -> bool:
        given = headers.getlist("authorization")
        if len(given) != 1:
            return False
        scheme, _, token = given[0].partition(" ")
        shown = token.strip().encode("utf-8", "surrogateescape")
        return scheme.lower() == "bearer" and hmac.compare_digest(shown, self._token)


def make_app(server: Server[Any], token: str) -> ASGIApp:
    """Return the server as an application that answers who shows the token."""
    return Guard(
        server.streamable_http_app(
            streamable_http_path=PATH, max_request_body_size=MCP_BODY_BYTES_MAX
        ),
        token,
    )


def serve(app: ASGIApp, listening: socket, *, ready: Callable[[], object]) -> None:
    """Answer on a socket that listens, until SIGINT or SIGTERM."""
    anyio.run(_serve, app, listening, ready)


async def _serve(app: ASGIApp, listening: socket, ready: Callable[[], object]) -> None:
    config = uvicorn.Config(
        app,
        log_config=None,
        log_level="critical",
        access_log=False,
        server_header=False,
        date_header=False,
        proxy_headers=False,
        ws="none",
        timeout_graceful_shutdown=int(MCP_STOP_S),
    )
    server = _Quiet(config)
    async with anyio.create_task_group() as tasks:
        with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
            tasks.start_soon(_stop_on, signals, server)
            server.on_started = ready
            await server.serve(sockets=[listening])
        tasks.cancel_scope.cancel()


async def _stop_on(signals: Any, server: uvicorn.Server) -> None:
    async for _ in signals:
        server.should_exit = True


class _Quiet(uvicorn.Server):
    """Leaves signals to us: it would raise them anew, and the process would end by them."""

    on_started: Callable[[], object]

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Do nothing."""
        yield

    async def startup(self, sockets: list[socket] | None = None) -> None:
        """Say that it is ready once it is."""
        await super().startup(sockets=sockets)
        if not self.should_exit:
            self.on_started()


def _is_ours(host: str) -> bool:
    name = host_name(host)
    return name is not None and is_loopback(name)


async def _refuse(refused: Refused, send: Send) -> None:
    body = msgspec.json.encode({"error": {"what": refused.what, "remedy": refused.remedy}})
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"cache-control", b"no-store"),
        (b"connection", b"close"),
    ]
    if refused.status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": refused.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})

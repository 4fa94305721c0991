"""The MCP server, put together: over stdio for one agent, or over HTTP on this machine."""

from __future__ import annotations

import secrets
import sys
import traceback
from collections.abc import Callable
from functools import partial
from socket import AF_INET, SO_REUSEADDR, SOCK_STREAM, SOL_SOCKET, socket
from typing import Any, Final

import anyio
import msgspec
from mcp.server import Server
from mcp.server.stdio import stdio_server

from holdfast import config
from holdfast.kernel.errors import InvalidInput
from holdfast.kernel.limits import MCP_TOKEN_BYTES, SYNC_PART_BYTES
from holdfast.ledger.peers.source import ReaderSource
from holdfast.mcp_server.server import make_server
from holdfast.mcp_server.sharing import ADDRESS, make_sharing
from holdfast.version import __version__
from holdfast.wiring.looking import open_reader
from holdfast.wiring.mcp.opening import Served
from holdfast.wiring.mcp.verbs import ProjectVerbs
from holdfast.wiring.sync_answers import answer
from holdfast.wiring.sync_server import token_of

HOST: Final = "127.0.0.1"
"""Nobody else's machine is answered."""


class Listening(msgspec.Struct, frozen=True):
    """What a script is told when the server is ready."""

    listening: str
    ledger: str
    token: str


def server_of(served: Served) -> Server[Any]:
    """Return the server of a project."""
    return make_server(ProjectVerbs(served), version=__version__, report=_report)


def sharing_of(served: Served) -> Server[Any]:
    """Return the server by which other ledgers read that of a project; it can do nothing else."""
    return make_sharing(partial(_tell, served), version=__version__, report=_report)


def _tell(served: Served, uri: str) -> bytes | None:
    """Answer a question of another ledger; nothing is held open in between."""
    if not uri.startswith(ADDRESS):
        return None
    path, _, query = uri.removeprefix(ADDRESS).partition("?")
    reader = open_reader(served.place.database)
    try:
        return answer(ReaderSource(reader), path, query, page_bytes=SYNC_PART_BYTES)
    finally:
        reader.close()


def serve_stdio(served: Served, *, share: bool = False) -> None:
    """Answer one client on stdin and stdout until it goes away."""
    anyio.run(_stdio, sharing_of(served) if share else server_of(served))


def serve_http(
    served: Served,
    *,
    port: int,
    token: str | None,
    ready: Callable[[Listening], object],
    share: bool = False,
) -> None:
    """Answer clients that show the token, until SIGINT or SIGTERM.

    What is shared has one token, which allows to read and stays the same.
    """
    from holdfast.mcp_server import http  # an agent's own server needs none of it

    if token is None and share:
        token = token_of(served.place)
    token = token or secrets.token_urlsafe(MCP_TOKEN_BYTES)
    if not token.isascii() or not token.isprintable() or token != token.strip():
        raise InvalidInput(
            "The token has characters that a header cannot carry.",
            meaning="The server was not started.",
            remedy="Use letters, digits and punctuation; or leave it out, and one is made.",
        )
    app = http.make_app(sharing_of(served) if share else server_of(served), token)
    with _listen(port) as listening:
        where = f"http://{HOST}:{listening.getsockname()[1]}{http.PATH}"
        told = Listening(where, str(served.place.database), token)
        http.serve(app, listening, ready=lambda: ready(told))


def _listen(port: int) -> socket:
    listening = socket(AF_INET, SOCK_STREAM)
    try:
        listening.setsockopt(SOL_SOCKET, SO_REUSEADDR, 1)
        listening.bind((HOST, port))
        listening.listen()
    except OSError as error:
        listening.close()
        raise InvalidInput(
            f"Port {port} cannot be listened on: {error.strerror}.",
            meaning="The server was not started.",
            remedy="Name another with `--port N`; 0 takes a free one.",
        ) from error
    return listening


async def _stdio(server: Server[Any]) -> None:
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


def _report(error: Exception) -> None:
    if config.debugging():
        traceback.print_exception(error, file=sys.stderr)

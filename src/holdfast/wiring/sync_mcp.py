"""Another ledger over MCP: a command that starts its `holdfast mcp --share`, or one that listens.

The official client asks, in whichever generation of the protocol the server speaks. Every message
is bounded; none is believed: `holdfast.ledger.peers` proves what comes.
"""

from __future__ import annotations

import base64
import binascii
import logging
import shlex
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import Any, Final, Literal

import anyio
import mcp_types as types
from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import Client
from mcp.shared.exceptions import MCPError

from holdfast.kernel.errors import CouldNotLook, InvalidInput
from holdfast.kernel.limits import (
    CAMPAIGN_ARTIFACT_BYTES_MAX,
    SYNC_ANSWER_BYTES_MAX,
    SYNC_PART_BYTES,
    SYNC_TIMEOUT_S,
)
from holdfast.ledger.peers.source import TreeHead, unproved
from holdfast.mcp_server.sharing import ADDRESS
from holdfast.wiring.sync_reading import (
    check_address,
    check_token,
    read_head,
    read_pages,
    read_proof,
)
from holdfast.wiring.sync_streams import through_command, through_http

_PATH: Final = "/mcp"

# What the client has to say of a peer's answers holds the peer's words: none for a terminal.
logging.getLogger("mcp").addHandler(logging.NullHandler())

_FAILED: Final = (MCPError, OSError, TimeoutError, anyio.BrokenResourceError, ValueError)


def mcp_source(peer: str, token: str | None) -> AbstractContextManager[McpSource]:
    """Connect to a peer's MCP server: the command that starts it, or its address and token."""
    return connected(_way(peer, token))


@contextmanager
def connected(way: Any, mode: Literal["auto", "legacy"] = "auto") -> Iterator[McpSource]:
    """Let the official client go a way to a server; `legacy` begins with a handshake."""
    with start_blocking_portal() as portal:
        client = Client(way, read_timeout_seconds=SYNC_TIMEOUT_S, cache=None, mode=mode)
        opened = portal.wrap_async_context_manager(client)
        try:
            opened.__enter__()
        except Exception as error:
            raise _silent(_why(error)) from error
        try:
            yield McpSource(portal, client)
        finally:
            # What the caller raises is no affair of the client's, which would wrap it.
            with suppress(Exception):
                opened.__exit__(None, None, None)


class McpSource:
    """What a peer's MCP server tells."""

    def __init__(self, portal: BlockingPortal, client: Client) -> None:
        self._portal = portal
        self._client = client

    def head(self) -> TreeHead:
        """Ask what it holds."""
        return read_head(self._read("head", SYNC_ANSWER_BYTES_MAX))

    def consistency(self, old_size: int, new_size: int) -> list[bytes]:
        """Ask for a proof."""
        question = f"proof?old={old_size}&new={new_size}"
        return read_proof(self._read(question, SYNC_ANSWER_BYTES_MAX))

    def read(self, first: int, stop: int) -> Iterator[bytes]:
        """Ask for entries, page by page, until it gives no more."""
        return read_pages(self._read, first, stop)

    def artifact(self, sha256: str) -> bytes | None:
        """Ask for an artifact, part by part; a part that is not full is the last."""
        content = bytearray()
        while len(content) <= CAMPAIGN_ARTIFACT_BYTES_MAX:
            part = self._read(f"artifacts/{sha256}?from={len(content)}", SYNC_PART_BYTES)
            if part is None and not content:
                return None
            content += part or b""
            if len(part or b"") < SYNC_PART_BYTES:
                return bytes(content)
        raise unproved("It answered with more than it was asked for.")

    def _read(self, question: str, bytes_max: int | None = None) -> bytes | None:
        """Ask for something; None when it says that there is no such thing."""
        try:
            answer: Any = self._portal.call(self._client.read_resource, ADDRESS + question)
        except _FAILED as error:
            raise _silent(_why(error)) from error
        if not answer.contents:
            return None
        part = answer.contents[0]
        if len(answer.contents) != 1 or not isinstance(part, types.BlobResourceContents):
            raise unproved("It does not answer as a ledger does.")
        try:
            content = base64.b64decode(part.blob, validate=True)
        except (binascii.Error, ValueError) as error:
            raise unproved("What it answers is torn.") from error
        if bytes_max is not None and len(content) > bytes_max:
            raise unproved("It answered with more than it was asked for.")
        return content


def _silent(why: str) -> CouldNotLook:
    return CouldNotLook(
        f"The peer's MCP server did not answer as it should: {why}.",
        meaning="Nothing of ours changed; what came so far is kept for the next sync.",
        remedy="See that the command starts `holdfast mcp --share` there, or that it listens and "
        "the token is its own; then sync again.",
    )


def _way(peer: str, token: str | None) -> Any:
    """Return how the peer is reached."""
    if peer.startswith(("http://", "https://")):
        check_address(peer, "holdfast mcp --share --http", path=_PATH)
        if token is None:
            raise InvalidInput(
                f"{peer[:200]!r} is asked without a token.",
                meaning="Nothing was asked.",
                remedy=f"Give http://127.0.0.1:PORT{_PATH} and --token, both as "
                "`holdfast mcp --share --http` prints them.",
            )
        return through_http(peer, check_token(token))
    if token is not None:
        raise InvalidInput(
            "A token is for a server that listens, not for a command.",
            meaning="Nothing was asked.",
            remedy="Leave out --token; who may start the command may read the ledger.",
        )
    return through_command(_words(peer))


def _words(command: str) -> list[str]:
    try:
        words = shlex.split(command)
    except ValueError:
        words = []
    if not words:
        raise InvalidInput(
            f"{command[:200]!r} is no command.",
            meaning="Nothing was asked.",
            remedy="Name what starts the peer's server, such as "
            "'ssh host holdfast -C project mcp --share'.",
        )
    return words


def _why(error: BaseException) -> str:
    """Return in a few words what went wrong, of the innermost error."""
    while isinstance(error, BaseExceptionGroup) and error.exceptions:
        error = error.exceptions[0]
    words = " ".join(str(error).split())
    return words[:200] or type(error).__name__

"""Ways to a peer's MCP server, each message bounded: a command's pipes, or HTTP on this machine.

The official client's own ways keep whatever a server sends until a message is whole; a peer is not
trusted with that much.
"""

from __future__ import annotations

import subprocess
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress

import anyio
import httpx2
import mcp_types as types
from anyio.abc import ByteReceiveStream, ByteSendStream, Process
from anyio.streams.buffered import BufferedByteReceiveStream
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.message import SessionMessage

from holdfast.kernel.limits import SYNC_COMMAND_END_S, SYNC_MESSAGE_BYTES_MAX, SYNC_TIMEOUT_S

Streams = tuple[
    MemoryObjectReceiveStream[SessionMessage | Exception], MemoryObjectSendStream[SessionMessage]
]
_GONE = (anyio.BrokenResourceError, anyio.ClosedResourceError, anyio.EndOfStream, OSError)


@asynccontextmanager
async def through_command(command: Sequence[str]) -> AsyncIterator[Streams]:
    """Start a command and speak with it; it ends with this.

    It is started as it is written, by no shell, and has the caller's environment and terminal: a
    program such as ssh may ask for what it needs.
    """
    process = await anyio.open_process(
        list(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=None
    )
    assert process.stdin is not None
    assert process.stdout is not None
    heard, read = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    write, said = anyio.create_memory_object_stream[SessionMessage](0)
    with heard, read, write, said:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_hear, process.stdout, heard)
            tasks.start_soon(_say, process.stdin, said, heard)
            try:
                yield read, write
            finally:
                with anyio.CancelScope(shield=True):
                    await _end(process)
                tasks.cancel_scope.cancel()


@asynccontextmanager
async def through_http(address: str, token: str) -> AsyncIterator[object]:
    """Speak with a server that listens; no proxy in between, and no redirect."""
    headers = {"Authorization": f"Bearer {token}"}
    timeout = httpx2.Timeout(SYNC_TIMEOUT_S)
    async with (
        httpx2.AsyncClient(
            headers=headers, timeout=timeout, transport=_Bounded(), trust_env=False
        ) as client,
        streamable_http_client(
            address, http_client=client, max_sse_event_size=SYNC_MESSAGE_BYTES_MAX
        ) as streams,
    ):
        yield streams


async def _hear(
    pipe: ByteReceiveStream, heard: MemoryObjectSendStream[SessionMessage | Exception]
) -> None:
    """Hand on every line that is a message; one that is too long ends the conversation."""
    lines = BufferedByteReceiveStream(pipe)
    with heard, suppress(anyio.IncompleteRead, anyio.DelimiterNotFound, *_GONE):
        while True:
            line = await lines.receive_until(b"\n", SYNC_MESSAGE_BYTES_MAX)
            await heard.send(_read(line))


def _read(line: bytes) -> SessionMessage | Exception:
    try:
        return SessionMessage(types.jsonrpc_message_adapter.validate_json(line, by_name=False))
    except ValueError as error:
        return error


async def _say(
    pipe: ByteSendStream,
    said: MemoryObjectReceiveStream[SessionMessage],
    heard: MemoryObjectSendStream[SessionMessage | Exception],
) -> None:
    with suppress(*_GONE):
        async for one in said:
            spelled = one.message.model_dump_json(by_alias=True, exclude_unset=True)
            await pipe.send(spelled.encode() + b"\n")
        return
    heard.close()  # nobody listens any more: a question must not wait for its answer


async def _end(process: Process) -> None:
    """Close the command's input, wait a little, and end it if it does not end by itself."""
    if process.stdin is not None:
        with suppress(*_GONE):
            await process.stdin.aclose()
    for end in (process.terminate, process.kill):
        with anyio.move_on_after(SYNC_COMMAND_END_S):
            await process.wait()
            break
        with suppress(ProcessLookupError):
            end()
    await process.wait()
    await process.aclose()


class _Bounded(httpx2.AsyncHTTPTransport):
    """Gives up on an answer that is longer than any message may be."""

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Ask, and count what comes."""
        response = await super().handle_async_request(request)
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        response.stream = _Counted(response.stream)
        return response


class _Counted(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        room = SYNC_MESSAGE_BYTES_MAX
        async for piece in self._stream:
            room -= len(piece)
            if room < 0:
                raise httpx2.ReadError("the answer is too long")
            yield piece

    async def aclose(self) -> None:
        """Let go of the connection."""
        await self._stream.aclose()

"""Asking an upstream by hand over aiohttp's connections: what goes up, and what becomes of them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import TypeAlias

import aiohttp
import pytest
from aiohttp.http import HttpProcessingError

from holdfast.kernel.limits import MIB, PROXY_HEADER_BYTES_MAX
from holdfast.proxy.reaching import UNREACHED, Asking, Reaching

Answer: TypeAlias = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
PLAIN = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
WAIT_S = 20.0


class Server:
    """Answers each connection as it is told; counts them."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self._writers: list[asyncio.StreamWriter] = []
        self.connections = 0
        self.base = ""

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self._writers.append(writer)
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            await self._answer(reader, writer)
        writer.close()

    @asynccontextmanager
    async def up(self) -> AsyncIterator[Reaching]:
        server = await asyncio.start_server(self._connected, "127.0.0.1", 0, limit=8 * MIB)
        self.base = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        reaching = Reaching()
        try:
            yield reaching
        finally:
            await reaching.close()
            server.close()
            for writer in self._writers:
                writer.transport.abort()
            await asyncio.sleep(0)


def always(answer: bytes) -> Answer:
    async def reply(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while await reader.readuntil(b"\r\n\r\n"):
            writer.write(answer)

    return reply


def run(answer: Answer, ask: Callable[[Server, Reaching], Awaitable[None]]) -> Server:
    server = Server(answer)

    async def go() -> None:
        async with asyncio.timeout(WAIT_S), server.up() as reaching:
            await ask(server, reaching)

    asyncio.run(go())
    return server


GET = Asking("GET", "/v1/models", (), None)


def test_the_head_holds_what_is_given_and_nothing_else() -> None:
    headers = ((b"x-Odd", b"caf\xc3\xa9"), (b"X-Twice", b"a"), (b"X-Twice", b""))
    asking = Asking("POST", "/v1/x?y=%20z", headers, b"abc")
    assert asking.head(b"h:1") == (
        b"POST /v1/x?y=%20z HTTP/1.1\r\nHost: h:1\r\nx-Odd: caf\xc3\xa9\r\nX-Twice: a\r\n"
        b"X-Twice: \r\nContent-Length: 3\r\n\r\n"
    )
    assert b"Content-Length" not in GET.head(b"h")


def test_a_connection_is_used_again_after_a_whole_answer_and_only_then() -> None:
    async def ask(server: Server, reaching: Reaching) -> None:
        for _ in range(3):
            up = await reaching.ask(server.base, GET)
            assert await up.content.read() == b"ok"
            assert up.closed
        assert server.connections == 1

    run(always(PLAIN), ask)

    async def ask_and_leave(server: Server, reaching: Reaching) -> None:
        for count in (1, 2):
            up = await reaching.ask(server.base, GET)
            assert await up.content.readany() == b"ok"
            assert not up.closed
            up.close()
            assert up.closed
            assert server.connections == count

    run(always(PLAIN.replace(b"2", b"3")), ask_and_leave)


@pytest.mark.parametrize(
    "answer",
    [
        PLAIN.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n", 1),
        b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok",
        b"HTTP/1.1 200 OK\r\n\r\nok",
    ],
)
def test_an_answer_that_ends_with_its_connection_is_read_whole(answer: bytes) -> None:
    async def once(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)

    async def ask(server: Server, reaching: Reaching) -> None:
        for count in (1, 2):
            up = await reaching.ask(server.base, GET)
            assert await up.content.read() == b"ok"
            assert server.connections == count

    run(once, ask)


def test_what_only_informs_is_passed_over_and_switching_is_told() -> None:
    informs = b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n"

    async def ask(server: Server, reaching: Reaching) -> None:
        up = await reaching.ask(server.base, GET)
        assert (up.status, await up.content.read()) == (200, b"ok")

    run(always(informs + PLAIN), ask)

    async def ask_for_it(server: Server, reaching: Reaching) -> None:
        up = await reaching.ask(server.base, GET)
        assert (up.status, up.closed) == (101, False)
        up.close()

    run(always(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n"), ask_for_it)


@pytest.mark.parametrize("size", [0, 1, MIB, MIB + 1, 5 * MIB + 17])
def test_bodies_of_any_length_go_up_whole(size: int) -> None:
    body, came = bytes(i % 251 for i in range(1000)) * (size // 1000 + 1), []

    async def read(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        assert b"Content-Length: %d\r\n" % size in head
        came.append(await reader.readexactly(size))
        writer.write(PLAIN)

    async def ask(server: Server, reaching: Reaching) -> None:
        up = await reaching.ask(server.base, Asking("POST", "/", (), body[:size]))
        assert await up.content.read() == b"ok"

    run(read, ask)
    assert came == [body[:size]]


def test_an_upstream_may_answer_before_it_has_read_everything() -> None:
    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno")
        await writer.drain()
        await asyncio.Event().wait()  # and never reads on

    async def ask(server: Server, reaching: Reaching) -> None:
        up = await reaching.ask(server.base, Asking("POST", "/", (), b"x" * (64 * MIB)))
        assert (up.status, await up.content.read()) == (413, b"no")
        assert up.closed, "what was not sent would be read as another request"
        again = await reaching.ask(server.base, GET)
        again.close()
        assert server.connections == 2

    run(refuse, ask)


@pytest.mark.parametrize(
    ("answer", "what"),
    [
        (b"", aiohttp.ServerDisconnectedError),
        (b"HTTP/1.1 200 OK\r\nX: ", aiohttp.ServerDisconnectedError),
        (b"no HTTP at all\r\n\r\n", HttpProcessingError),
        (b"HTTP/1.1 200 OK\r\nX: " + b"x" * PROXY_HEADER_BYTES_MAX + b"\r\n", HttpProcessingError),
    ],
)
def test_what_is_no_answer_is_raised(answer: bytes, what: type[Exception]) -> None:
    async def reply(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        await writer.drain()

    async def ask(server: Server, reaching: Reaching) -> None:
        with pytest.raises(what) as problem:
            await reaching.ask(server.base, GET)
        assert isinstance(problem.value, UNREACHED)

    run(reply, ask)


def test_who_gives_up_waiting_leaves_no_connection_behind() -> None:
    gone = asyncio.Event()

    async def wait(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        assert await reader.read() == b""
        gone.set()

    async def ask(server: Server, reaching: Reaching) -> None:
        asking = asyncio.create_task(reaching.ask(server.base, GET))
        while not server.connections:
            await asyncio.sleep(0)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        await gone.wait()

    run(wait, ask)


def test_an_upstream_that_cannot_be_reached_or_proves_nothing_is_refused() -> None:
    async def ask(server: Server, reaching: Reaching) -> None:
        with pytest.raises(aiohttp.ClientConnectorError):
            await reaching.ask("http://127.0.0.1:1", GET)
        with pytest.raises(aiohttp.ClientConnectorError):  # it speaks no TLS
            await reaching.ask(server.base.replace("http:", "https:"), GET)

    async def at_once(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(PLAIN)
        await writer.drain()

    run(at_once, ask)

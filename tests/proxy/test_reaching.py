"""Asking an upstream over real sockets: what goes up, and what becomes of the connections."""

from __future__ import annotations

import asyncio
import gc
import socket
import ssl
import subprocess
import sys
import weakref
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime
from ipaddress import ip_address
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from holdfast.kernel.limits import MIB, PROXY_HEADER_BYTES_MAX
from holdfast.proxy import reaching as module
from holdfast.proxy.answering import UNREACHED, Answering, Asking, HungUp, NoHttp, NotReached
from holdfast.proxy.reaching import Reaching

Answer: TypeAlias = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
PLAIN = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
WAIT_S = 20.0


class Server:
    """Answers each connection as it is told; counts them."""

    def __init__(self, answer: Answer, tls: ssl.SSLContext | None = None) -> None:
        self._answer = answer
        self._tls = tls
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
        server = await asyncio.start_server(
            self._connected, "127.0.0.1", 0, limit=8 * MIB, ssl=self._tls
        )
        scheme = "http" if self._tls is None else "https"
        self.base = f"{scheme}://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        reaching = Reaching()
        try:
            yield reaching
        finally:
            await reaching.close()
            server.close()
            for writer in self._writers:
                writer.transport.abort()
            await turns()


async def turns(count: int = 8) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


def stop_reading(writer: asyncio.StreamWriter) -> None:
    assert isinstance(writer.transport, asyncio.Transport)
    writer.transport.pause_reading()


async def read(up: Answering) -> bytes:
    """Read an answer that comes whole."""
    body = bytearray()
    assert await up.pour(lambda data, _: body.extend(data))
    return bytes(body)


def always(answer: bytes) -> Answer:
    async def reply(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while await reader.readuntil(b"\r\n\r\n"):
            writer.write(answer)

    return reply


def run(
    answer: Answer,
    ask: Callable[[Server, Reaching], Awaitable[None]],
    tls: ssl.SSLContext | None = None,
) -> Server:
    server = Server(answer, tls)

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
            assert await read(up) == b"ok"
            assert up.closed
        assert server.connections == 1

    run(always(PLAIN), ask)

    async def ask_and_leave(server: Server, reaching: Reaching) -> None:
        for count in (1, 2):
            up = await reaching.ask(server.base, GET)
            came: list[bytes] = []
            pouring = asyncio.create_task(up.pour(lambda data, _: came.append(data)))  # noqa: B023
            while not came:
                await asyncio.sleep(0)
            assert (b"".join(came), up.closed) == (b"ok", False)
            pouring.cancel()
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
            assert await read(up) == b"ok"
            assert server.connections == count

    run(once, ask)


def test_what_only_informs_is_passed_over_and_switching_is_told() -> None:
    informs = b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n"

    async def ask(server: Server, reaching: Reaching) -> None:
        up = await reaching.ask(server.base, GET)
        assert (up.status, await read(up)) == (200, b"ok")

    run(always(informs + PLAIN), ask)

    async def ask_for_it(server: Server, reaching: Reaching) -> None:
        up = await reaching.ask(server.base, GET)
        assert (up.status, up.closed) == (101, False)
        up.close()

    run(always(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n"), ask_for_it)


@pytest.mark.parametrize("size", [0, 1, MIB, MIB + 1, 5 * MIB + 17])
def test_bodies_of_any_length_go_up_whole(size: int) -> None:
    body, came = bytes(i % 251 for i in range(1000)) * (size // 1000 + 1), []

    async def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        assert b"Content-Length: %d\r\n" % size in head
        came.append(await reader.readexactly(size))
        writer.write(PLAIN)

    async def ask(server: Server, reaching: Reaching) -> None:
        up = await reaching.ask(server.base, Asking("POST", "/", (), body[:size]))
        assert await read(up) == b"ok"

    run(take, ask)
    assert came == [body[:size]]


def test_an_upstream_may_answer_before_it_has_read_everything() -> None:
    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno")
        await writer.drain()
        await asyncio.Event().wait()  # and never reads on

    async def ask(server: Server, reaching: Reaching) -> None:
        up = await reaching.ask(server.base, Asking("POST", "/", (), b"x" * (64 * MIB)))
        assert (up.status, await read(up)) == (413, b"no")
        assert up.closed, "what was not sent would be read as another request"
        again = await reaching.ask(server.base, GET)
        again.close()
        assert server.connections == 2

    run(refuse, ask)


@pytest.mark.parametrize(
    ("answer", "what"),
    [
        (b"", HungUp),
        (b"HTTP/1.1 200 OK\r\nX: ", HungUp),
        (b"no HTTP at all\r\n\r\n", NoHttp),
        (b"HTTP/1.1 200 OK\r\nX: " + b"x" * PROXY_HEADER_BYTES_MAX + b"\r\n\r\n", NoHttp),
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


async def leave(server: Server, reaching: Reaching, base: str) -> None:
    """Ask, and give up once there is a connection."""
    asking = asyncio.create_task(reaching.ask(base, GET))
    while not server.connections:
        await asyncio.sleep(0)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking


def test_who_gives_up_waiting_leaves_no_connection_behind() -> None:
    gone = asyncio.Event()

    async def wait(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        assert await reader.read() == b""
        gone.set()

    async def ask(server: Server, reaching: Reaching) -> None:
        await leave(server, reaching, server.base)
        await gone.wait()

    run(wait, ask)


def test_an_upstream_that_cannot_be_reached_or_proves_nothing_is_refused() -> None:
    async def ask(server: Server, reaching: Reaching) -> None:
        with pytest.raises(NotReached):
            await reaching.ask("http://127.0.0.1:1", GET)
        with pytest.raises(NotReached):  # it speaks no TLS
            await reaching.ask(server.base.replace("http:", "https:"), GET)

    async def at_once(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(PLAIN)
        await writer.drain()

    run(at_once, ask)


def test_a_name_that_no_host_can_have_is_not_reached() -> None:
    async def ask(_: Server, reaching: Reaching) -> None:
        for name in ("a..b", "x" * 64 + ".y"):
            with pytest.raises(NotReached):
                await reaching.ask(f"http://{name}:1", GET)

    run(always(PLAIN), ask)


def test_asks_at_the_same_time_have_a_connection_each() -> None:
    async def ask(server: Server, reaching: Reaching) -> None:
        for _ in range(2):
            ups = await asyncio.gather(*(reaching.ask(server.base, GET) for _ in range(5)))
            assert [await read(up) for up in ups] == [b"ok"] * 5
            assert server.connections == 5

    run(always(PLAIN), ask)


def test_a_kept_connection_ends_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PROXY_KEPT_S", 0.01)
    gone = asyncio.Event()

    async def once(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(PLAIN)
        assert await reader.read() == b""
        gone.set()

    async def ask(server: Server, reaching: Reaching) -> None:
        for count in (1, 2):
            assert await read(await reaching.ask(server.base, GET)) == b"ok"
            await gone.wait()
            gone.clear()
            assert server.connections == count

    run(once, ask)


@pytest.mark.parametrize("stray", [b"", b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"])
def test_a_kept_connection_on_which_something_happens_is_not_used_again(stray: bytes) -> None:
    now, gone = asyncio.Event(), asyncio.Event()

    async def reply(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(PLAIN)
        await now.wait()
        if stray:
            writer.write(stray)
        else:
            writer.write_eof()
        with suppress(ConnectionError):
            assert await reader.read() == b""
        gone.set()

    async def ask(server: Server, reaching: Reaching) -> None:
        assert await read(await reaching.ask(server.base, GET)) == b"ok"
        now.set()
        await gone.wait()
        assert await read(await reaching.ask(server.base, GET)) == b"ok"
        assert server.connections == 2

    run(reply, ask)


@pytest.mark.parametrize("size", [MIB // 2, 64 * MIB])
def test_an_answer_that_ends_with_its_connection_ends_though_not_all_was_sent(size: int) -> None:
    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        stop_reading(writer)
        writer.write(b"HTTP/1.1 413 Too Large\r\n\r\nno")
        writer.write_eof()
        await asyncio.Event().wait()

    async def ask(server: Server, reaching: Reaching) -> None:
        up = await reaching.ask(server.base, Asking("POST", "/", (), bytes(size)))
        assert (up.status, await read(up), up.closed) == (413, b"no", True)

    run(refuse, ask)


def test_an_upstream_that_ends_without_an_answer_or_reading_hung_up() -> None:
    async def leave(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        stop_reading(writer)
        writer.write_eof()
        await asyncio.Event().wait()

    async def ask(server: Server, reaching: Reaching) -> None:
        with pytest.raises(HungUp):
            await reaching.ask(server.base, Asking("POST", "/", (), bytes(64 * MIB)))

    run(leave, ask)


def test_an_upstream_that_never_reads_can_be_left() -> None:
    async def stall(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        stop_reading(writer)
        await asyncio.Event().wait()

    async def ask(server: Server, reaching: Reaching) -> None:
        asking = asyncio.create_task(
            reaching.ask(server.base, Asking("POST", "/", (), bytes(64 * MIB)))
        )
        while not server.connections:
            await asyncio.sleep(0)
        await turns()
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        await turns()
        assert len(asyncio.all_tasks()) == 2, "this one and the server's"

    run(stall, ask)


@pytest.mark.parametrize("framing", [b"Content-Length: %d\r\n" % (8 * MIB), b""])
def test_while_paused_nothing_comes_and_afterwards_everything(framing: bytes) -> None:
    async def reply(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(
            b"HTTP/1.1 200 OK\r\n" + framing + b"\r\n" + bytes(range(256)) * (8 * MIB // 256)
        )
        await writer.drain()

    async def ask(server: Server, reaching: Reaching) -> None:
        up = await reaching.ask(server.base, GET)
        came: list[bytes] = []

        def sink(data: bytes, _: bool) -> None:
            came.append(data)
            up.pause()

        pouring = asyncio.create_task(up.pour(sink))
        looks = 0
        while not pouring.done():
            before = len(came)
            up.resume()
            while len(came) == before and not pouring.done():
                await asyncio.sleep(0)
            await turns(3)
            assert len(came) <= before + 1
            looks += 1
        assert await pouring
        assert (b"".join(came) == bytes(range(256)) * (8 * MIB // 256), looks > 8) == (True, True)

    run(reply, ask)


def test_an_answer_can_be_left_while_it_is_paused() -> None:
    gone = asyncio.Event()

    async def flood(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        try:
            while True:
                writer.write(bytes(MIB))
                await writer.drain()
        except ConnectionError:
            gone.set()

    async def ask(server: Server, reaching: Reaching) -> None:
        up = await reaching.ask(server.base, GET)
        up.pause()
        await turns()
        up.close()
        await gone.wait()

    run(flood, ask)


def test_hanging_up_ends_what_is_on_its_way() -> None:
    async def half(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if b"/half" in await reader.readuntil(b"\r\n\r\n"):
            writer.write(PLAIN[:-1])
        await asyncio.Event().wait()

    async def ask(server: Server, reaching: Reaching) -> None:
        waiting = asyncio.create_task(reaching.ask(server.base, GET))
        up = await reaching.ask(server.base, Asking("GET", "/half", (), None))
        pouring = asyncio.create_task(up.pour(lambda *_: None))
        while server.connections < 2:
            await asyncio.sleep(0)
        await turns()
        await reaching.close()
        with pytest.raises(HungUp):
            await waiting
        assert (await pouring, up.ended) == (False, "cut")

    run(half, ask)


def test_a_head_without_the_length_it_tells_of_is_a_whole_answer() -> None:
    async def ask(server: Server, reaching: Reaching) -> None:
        for count in (1, 2):
            up = await reaching.ask(server.base, Asking("HEAD", "/", (), None))
            assert (await read(up), up.headers["content-length"]) == (b"", "2")
            assert server.connections == count

    run(always(PLAIN.removesuffix(b"ok")), ask)


@pytest.mark.parametrize("hangs", [True, False])
def test_the_next_address_of_a_name_is_tried(hangs: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_NEXT_ADDRESS_S", 0.01)

    async def ask(server: Server, reaching: Reaching) -> None:
        port = int(server.base.rpartition(":")[2])
        addresses = [("127.0.0.9", socket.AF_INET), ("127.0.0.1", socket.AF_INET)]
        loop = asyncio.get_running_loop()
        connect = loop.sock_connect

        async def both(*_: Any, **__: Any) -> list[Any]:
            return [(kind, socket.SOCK_STREAM, 6, "", (one, port)) for one, kind in addresses]

        async def only_last(sock: socket.socket, address: Any) -> None:
            if address[0] == "127.0.0.9":
                await (asyncio.Event().wait() if hangs else connect(sock, ("127.0.0.1", 1)))
            await connect(sock, address)

        monkeypatch.setattr(loop, "getaddrinfo", both)
        monkeypatch.setattr(loop, "sock_connect", only_last)
        assert await read(await reaching.ask(f"http://two.example:{port}", GET)) == b"ok"

    run(always(PLAIN), ask)


def test_a_connection_that_ended_is_forgotten_and_one_that_ends_not_used() -> None:
    async def ask(server: Server, reaching: Reaching) -> None:
        for count in (1, 2):
            assert await read(await reaching.ask(server.base, GET)) == b"ok"
            assert server.connections == count
            [connection] = [one for one in reaching._open if one.usable]
            connection.close()  # it is forgotten in the next turn of the loop
        await turns()
        assert (len(reaching._open), len(reaching._idle[server.base])) == (0, 0)

    run(always(PLAIN), ask)


@pytest.mark.parametrize(
    ("address", "host"),
    [
        ("http://127.0.0.1", b"127.0.0.1"),
        ("http://127.0.0.1:{port}", b"127.0.0.1"),
        ("http://127.0.0.1:{port}/some/path", b"127.0.0.1"),
        ("http://127.0.0.1/some/path", b"127.0.0.1"),
    ],
)
def test_the_usual_port_is_not_named(
    address: str, host: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    heads: list[bytes] = []

    async def reply(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heads.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(PLAIN)

    async def ask(server: Server, reaching: Reaching) -> None:
        port = int(server.base.rpartition(":")[2])
        monkeypatch.setattr(module, "_PORTS", {"http": port})
        assert await read(await reaching.ask(address.format(port=port), GET)) == b"ok"
        monkeypatch.setattr(module, "_PORTS", {"http": 80})
        other = f"http://127.0.0.1:{port}/other"
        assert await read(await reaching.ask(other, GET)) == b"ok"
        line = b"GET /v1/models HTTP/1.1\r\nHost: %b\r\n\r\n"
        assert heads == [line % host, line % b"127.0.0.1:%d" % port]

    run(reply, ask)


def test_an_address_in_brackets_stays_in_them() -> None:
    for address, host in (
        ("[::1]:8000", b"[::1]:8000"),
        ("[::1]:80", b"[::1]"),
        ("[::1]", b"[::1]"),
    ):
        assert Reaching()._host(f"http://{address}/x") == host


class Body(bytearray):
    """Bytes that can be watched."""


@pytest.mark.parametrize("base", ["http://127.0.0.1:1", "http://localhost:1", "http://a..b"])
def test_a_request_that_cannot_be_sent_is_not_kept_by_a_cycle(base: str) -> None:
    async def ask(_: Server, reaching: Reaching) -> None:
        body: Any = Body(b"x")
        watched = weakref.ref(body)
        with suppress(NotReached):
            await reaching.ask(base, Asking("POST", "/", (), body))
        del body
        await turns()
        assert watched() is None

    gc.collect()
    gc.disable()
    try:
        run(always(PLAIN), ask)
    finally:
        gc.enable()


# Over TLS


def test_nothing_of_tls_is_needed_without_it() -> None:
    blocked = "import sys; sys.modules['ssl'] = None; import holdfast.proxy.asking"
    subprocess.run([sys.executable, "-c", blocked], check=True, timeout=WAIT_S)


@pytest.fixture(scope="module")
def certified(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a certificate of 127.0.0.1 that nobody vouches for; return the file with its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "here")])
    alternatives = x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))])
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(datetime(2020, 1, 1, tzinfo=UTC))
        .not_valid_after(datetime(2120, 1, 1, tzinfo=UTC))
        .add_extension(alternatives, critical=False)
        .sign(key, hashes.SHA256())
    )
    encoding, plain = serialization.Encoding.PEM, serialization.NoEncryption()
    spelled = key.private_bytes(encoding, serialization.PrivateFormat.PKCS8, plain)
    path = tmp_path_factory.mktemp("tls") / "here.pem"
    path.write_bytes(spelled + certificate.public_bytes(encoding))
    return path


@pytest.fixture
def tls(certified: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certified)
    return context


@pytest.fixture
def trusted(certified: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    context = ssl.create_default_context(cafile=str(certified))

    async def verified(_: Reaching) -> ssl.SSLContext:
        return context

    monkeypatch.setattr(Reaching, "_verified", verified)


def test_a_certificate_that_nobody_vouches_for_is_refused(tls: ssl.SSLContext) -> None:
    async def ask(server: Server, reaching: Reaching) -> None:
        with pytest.raises(NotReached, match="CERTIFICATE_VERIFY_FAILED"):
            await reaching.ask(server.base, GET)

    run(always(PLAIN), ask, tls)


@pytest.mark.usefixtures("trusted")
def test_a_certificate_of_another_host_is_refused(tls: ssl.SSLContext) -> None:
    async def ask(server: Server, reaching: Reaching) -> None:
        with pytest.raises(NotReached, match="CERTIFICATE_VERIFY_FAILED"):
            await reaching.ask(server.base.replace("127.0.0.1", "localhost"), GET)

    run(always(PLAIN), ask, tls)


@pytest.mark.usefixtures("trusted")
def test_a_connection_over_tls_is_used_again(tls: ssl.SSLContext) -> None:
    async def ask(server: Server, reaching: Reaching) -> None:
        for _ in range(3):
            assert await read(await reaching.ask(server.base, GET)) == b"ok"
        assert server.connections == 1

    run(always(PLAIN), ask, tls)


@pytest.mark.usefixtures("trusted")
@pytest.mark.parametrize("framing", ["length", "close", "cut"])
def test_long_bodies_cross_over_tls_both_ways(tls: ssl.SSLContext, framing: str) -> None:
    size = 3 * MIB + 17
    body = (bytes(range(251)) * (size // 251 + 1))[:size]

    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        came = await reader.readexactly(size)
        told = {"length": size, "cut": size + 1}.get(framing)
        writer.write(b"HTTP/1.1 200 OK\r\n")
        writer.write(b"\r\n" if told is None else b"Content-Length: %d\r\n\r\n" % told)
        for begin in range(0, size, 300_000):
            writer.write(came[begin : begin + 300_000])
            await writer.drain()

    async def ask(server: Server, reaching: Reaching) -> None:
        up = await reaching.ask(server.base, Asking("POST", "/", (), body))
        came = bytearray()

        def sink(data: bytes, _: bool) -> None:
            came.extend(data)
            up.pause()
            asyncio.get_running_loop().call_soon(up.resume)

        assert await up.pour(sink) is (framing != "cut")
        assert came == body

    run(echo, ask, tls)


@pytest.mark.usefixtures("trusted")
def test_who_leaves_while_tls_begins_leaves_no_connection_behind() -> None:
    gone = asyncio.Event()

    async def wait(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            await reader.read()
        gone.set()

    async def ask(server: Server, reaching: Reaching) -> None:
        await leave(server, reaching, server.base.replace("http:", "https:"))
        await gone.wait()

    run(wait, ask)


def test_an_upstream_that_does_not_take_the_connection_in_time_is_not_reached(
    monkeypatch: pytest.MonkeyPatch, trusted: None
) -> None:
    monkeypatch.setattr(module, "PROXY_CONNECT_S", 0.01)

    async def wait(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
        await reader.read()

    async def ask(server: Server, reaching: Reaching) -> None:
        with pytest.raises(NotReached):
            await reaching.ask(server.base.replace("http:", "https:"), GET)

    run(wait, ask)

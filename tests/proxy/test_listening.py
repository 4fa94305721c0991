"""Requests in, one after the other, and answers out, whatever the client does meanwhile."""

from __future__ import annotations

import asyncio
import errno
import gc
import socket
import tracemalloc
import weakref
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import suppress
from typing import Any, Self

import pytest

from holdfast.kernel.limits import (
    MIB,
    PROXY_HEADER_BYTES_MAX,
    PROXY_HEADERS_MAX,
    PROXY_IDLE_S,
)
from holdfast.proxy import down as down_module
from holdfast.proxy import listening
from holdfast.proxy.down import Down, Request
from holdfast.proxy.headers import Headers, downward
from holdfast.proxy.listening import Listener
from holdfast.proxy.refusals import Refused
from tests.proxy.crossing import WAIT_S

GET = b"GET /a HTTP/1.1\r\nHost: a\r\n\r\n"
POST = b"POST /b HTTP/1.1\r\nHost: a\r\n"
CHUNKED = POST + b"Transfer-Encoding: chunked\r\n\r\n"
UPGRADE = b"Upgrade: x\r\nConnection: Upgrade\r\n"
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
TURNS = 2000
"""How often the loop turns until nothing happens any more that nobody waits for."""

Answer = Callable[[Request, Down], Awaitable[object]]


class Serving:
    """A listener that answers with what it was asked, or as it is told."""

    def __init__(self, answer: Answer | None = None, *, read_bytes: int | None = None) -> None:
        self.listener = Listener(self.admit, self._answer)
        if read_bytes is not None:
            self.listener.buffer = memoryview(bytearray(read_bytes))
        self.asked: list[tuple[str, str, bytes]] = []
        self.refused: list[int] = []
        self.cancelled = 0
        self.known: list[weakref.ref[object]] = []
        self.problems: list[dict[str, Any]] = []
        self.port = 0
        self._tell = answer or echo

    async def __aenter__(self) -> Self:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, problem: self.problems.append(problem))
        self._tasks = asyncio.all_tasks()
        self.port = await self.listener.start("127.0.0.1", 0)
        return self

    async def __aexit__(self, kind: object, *_: object) -> None:
        await self.listener.stop(0.01)
        if kind is None:
            assert (self.listener.open, self.problems) == (set(), [])
            assert asyncio.all_tasks() == self._tasks

    def admit(self, request: Request) -> None:
        if request.target == "/no":
            raise Refused(404, "No.")

    async def _answer(self, request: Request, down: Down) -> None:
        self.known += (weakref.ref(request), weakref.ref(down))
        try:
            if request.refused is not None:
                self.refused.append(request.refused.status)
                raise request.refused
            self.asked.append((request.method, request.target, request.body))
            await self._tell(request, down)
        except Refused as refused:
            down.whole(refused.status, (), refused.what.encode())
        except asyncio.CancelledError:
            self.cancelled += 1
            raise

    def client(self, *, small: bool = False) -> Asker:
        return Asker(self.port, small=small)

    async def until(self, true: Callable[[], object]) -> None:
        for _ in range(100_000):
            if true():
                return
            await asyncio.sleep(0)
        raise AssertionError("It did not come to that.")


async def echo(request: Request, down: Down) -> None:
    down.whole(200, (), f"{request.method} {request.target} ".encode() + request.body)


class Asker:
    """A client in the loop of the listener."""

    def __init__(self, port: int, *, small: bool) -> None:
        self.socket = socket.socket()
        if small:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.socket.connect(("127.0.0.1", port))
        self.socket.setblocking(False)
        self.came = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    async def send(self, raw: bytes) -> None:
        await asyncio.get_running_loop().sock_sendall(self.socket, raw)

    async def more(self) -> bool:
        data = await asyncio.get_running_loop().sock_recv(self.socket, 1 << 16)
        self.came += data
        return bool(data)

    async def until(self, mark: bytes) -> bytes:
        while mark not in self.came:
            assert await self.more(), self.came
        found, _, self.came = self.came.partition(mark)
        return found

    async def hear(self, *, bare: bool = False) -> tuple[int, bytes]:
        """Read an answer that says how long it is."""
        head = await self.until(b"\r\n\r\n")
        self.head = head.lower()
        size = 0 if bare else int(self.head.partition(b"content-length: ")[2].split(b"\r\n")[0])
        while len(self.came) < size:
            assert await self.more(), self.came
        body, self.came = self.came[:size], self.came[size:]
        return int(head.split()[1]), body

    async def rest(self) -> bytes:
        """Read until the server has hung up, which is no reset."""
        while await self.more():
            pass
        came, self.came = self.came, b""
        return came


def run(story: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(story, WAIT_S))


@pytest.fixture
def no_garbage() -> Iterator[None]:
    """Nothing is freed but by those who let go of it."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


# What two could read in two ways

TWO_WAYS = {
    "two lengths": POST + b"Content-Length: 3\r\nContent-Length: 4\r\n\r\nabc",
    "two equal lengths": POST + b"Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc",
    "a list of lengths": POST + b"Content-Length: 3, 3\r\n\r\nabc",
    "a length with a sign": POST + b"Content-Length: +3\r\n\r\nabc",
    "a length that is none": POST + b"Content-Length: 0x3\r\n\r\nabc",
    "an endless length": POST + b"Content-Length: " + b"9" * 40 + b"\r\n\r\nabc",
    "an empty length": POST + b"Content-Length:\r\n\r\nabc",
    "length, then chunks": POST
    + b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "chunks, then length": POST
    + b"Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n",
    "length and chunks with an upgrade": POST
    + UPGRADE
    + b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "chunked twice": POST + b"Transfer-Encoding: chunked\r\n" * 2 + b"\r\n0\r\n\r\n",
    "chunked, and another coding": POST
    + b"Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "gzip, chunked": POST + b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
    "gzip, chunked with an upgrade": POST
    + UPGRADE
    + b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
    "chunked, identity": POST + b"Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
    "a comma before chunked": POST + b"Transfer-Encoding: ,chunked\r\n\r\n0\r\n\r\n",
    "nearly chunked": POST + b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
    "a blank that is none": POST + b"Transfer-Encoding: \xc2\xa0chunked\r\n\r\n0\r\n\r\n",
    "a tab before chunked": POST + b"Transfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n",
    "chunks of HTTP/1.0": b"POST /b HTTP/1.0\r\nConnection: keep-alive\r\n"
    b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "a folded header": POST + b"X: a\r\n b\r\n\r\n",
    "a folded coding": POST + b"Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n",
    "a blank before the colon": POST + b"Content-Length : 3\r\n\r\nabc",
    "a blank before the first header": b"GET /a HTTP/1.1\r\n Host: a\r\n\r\n",
    "lines that end with LF": CHUNKED.replace(b"\r\n", b"\n") + b"0\n\n",
    "one header that ends with LF": POST + b"X: a\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "a CR in a header": POST + b"X: a\rTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "a NUL in a header": POST + b"X: a\0\r\n\r\n",
    "chunks that end with LF": CHUNKED + b"1\nx\n0\n\n",
    "a chunk with a blank": CHUNKED + b"1 \r\nx\r\n0\r\n\r\n",
    "a chunk with a sign": CHUNKED + b"-1\r\nx\r\n0\r\n\r\n",
    "a chunk like 0x1": CHUNKED + b"0x1\r\nx\r\n0\r\n\r\n",
    "a chunk that is too long for its size": CHUNKED + b"1\r\nxy\r\n0\r\n\r\n",
    "an endless chunk": CHUNKED + b"1" + b"f" * 16 + b"\r\nx\r\n0\r\n\r\n",
    "a chunk that wraps around": CHUNKED + b"1" + b"0" * 16 + b"\r\n0\r\n\r\n",
    "a LF in an extension": CHUNKED + b"1;a\nb\r\nx\r\n0\r\n\r\n",
    "a length behind the chunks": CHUNKED + b"0\r\nContent-Length: 5\r\n\r\n",
    "a host twice": b"GET /a HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
    "another version": b"GET /a HTTP/2.0\r\nHost: a\r\n\r\n",
    "no version": b"GET /a\r\n\r\n",
    "the preface of HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "a tunnel": b"CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n",
    "a tunnel with a body": b"CONNECT a:1 HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx",
}


@pytest.mark.parametrize("read_bytes", [None, 1])
@pytest.mark.parametrize("raw", TWO_WAYS.values(), ids=TWO_WAYS)
def test_what_two_could_read_in_two_ways_is_400_and_the_end(
    raw: bytes, read_bytes: int | None
) -> None:
    async def story() -> None:
        async with Serving(read_bytes=read_bytes) as serving:
            with serving.client() as client:
                await client.send(GET + raw + GET)
                assert (await client.hear())[0] == 200
                assert (await client.hear())[0] == 400
                assert b"connection: close" in client.head or b"HTTP/1.0" in raw
                assert await client.rest() == b""
            assert (serving.asked, serving.refused) == ([("GET", "/a", b"")], [400])

    run(story())


STREAM = (
    b"\r\n" + GET
    + POST + b"Transfer-Encoding: Chunked\r\nTrailer: X\r\n\r\n"
    + b"3;a=b\r\nabc\r\n01\r\nd\r\n0\r\nX: y\r\n\r\n"
    + POST + UPGRADE + b"Content-Length: 3 \r\n\r\nabc"
    + b"PUT /c HTTP/1.0\r\n" + UPGRADE + b"Connection: keep-alive\r\nContent-Length: 1\r\n\r\nx"
    + POST + UPGRADE + b"Transfer-Encoding: chunked\r\n\r\n2\r\nxy\r\n0\r\n\r\n"
    + b"GET /no HTTP/1.1\r\n\r\n" + GET.replace(b"Host: a", UPGRADE.strip())
    + b"GET /d HTTP/1.1\r\nUpgrade: x\r\nConnection: close, upgrade\r\n\r\n" + GET
)  # fmt: skip
STREAM_ASKED = [
    ("GET", "/a", b""),
    ("POST", "/b", b"abcd"),
    ("POST", "/b", b"abc"),
    ("PUT", "/c", b"x"),
    ("POST", "/b", b"xy"),
    ("GET", "/a", b""),
    ("GET", "/d", b""),
]


def test_however_the_stream_is_cut_it_is_read_in_the_same_way() -> None:
    async def story(read_bytes: int) -> None:
        async with Serving(read_bytes=read_bytes) as serving:
            with serving.client() as client:
                await client.send(STREAM)
                came.add(await client.rest())
            assert (serving.asked, serving.refused) == (STREAM_ASKED, [404])

    came: set[bytes] = set()
    for read_bytes in range(1, len(STREAM) + 1):
        run(story(read_bytes))
    assert len(came) == 1
    assert came.pop().count(b"HTTP/1.") == len(STREAM_ASKED) + 1


def test_many_that_ask_for_another_protocol_are_all_answered() -> None:
    async def story() -> None:
        async with Serving() as serving:
            with serving.client() as client:
                body = b"Content-Length: 3\r\n\r\nabc"
                await client.send((POST + UPGRADE + body) * 500 + GET)
                heard = [await client.hear() for _ in range(501)]
            assert heard == [(200, b"POST /b abc")] * 500 + [(200, b"GET /a ")]

    run(story())


# Floods

X = b"x" * 1024
FLOODS = {
    "a header": (GET[:-2] + b"X: ", X),
    "a name": (GET[:-2], X),
    "a target": (b"GET /", X),
    "headers": (GET[:-2], b"X: y\r\n" * 100),
    "blank lines": (b"", b"\r\n" * 500),
    "an extension": (CHUNKED + b"1;", X),
    "a header behind the chunks": (CHUNKED + b"0\r\nX: ", X),
}


@pytest.mark.parametrize("read_bytes", [None, 1000])
@pytest.mark.parametrize(("begins", "goes_on"), FLOODS.values(), ids=FLOODS)
def test_what_does_not_end_is_refused_and_not_kept(
    begins: bytes, goes_on: bytes, read_bytes: int | None
) -> None:
    async def story() -> None:
        async with Serving(read_bytes=read_bytes) as serving:
            flood = GET + begins + goes_on * 4096
            tracemalloc.start()
            with serving.client() as client:
                await client.send(flood)
                assert (await client.hear(), (await client.hear())[0]) == ((200, b"GET /a "), 431)
                assert await client.rest() == b""
            _, peak = tracemalloc.get_traced_memory()
            tracemalloc.stop()
            assert len(flood) > 2 * MIB
            # of one read all headers are taken in before they are counted
            assert peak < (MIB if read_bytes else 12 * MIB)

    run(story())


@pytest.mark.parametrize("read_bytes", [None, 1000])
@pytest.mark.parametrize("more", [0, 1])
def test_the_bounds_are_the_same_however_the_head_comes(more: int, read_bytes: int | None) -> None:
    target = b"/" + b"a" * (PROXY_HEADER_BYTES_MAX - 1)
    value = b"v" * (PROXY_HEADER_BYTES_MAX - 1 + more)
    many = b"X: y\r\n" * (PROXY_HEADERS_MAX - 1 + more)

    async def story() -> None:
        async with Serving(read_bytes=read_bytes) as serving:
            expected = 431 if more else 200
            for head in (b"X: " + value + b"\r\n", b"Host: a\r\n" + many):
                with serving.client() as client:
                    await client.send(b"GET " + target + b" HTTP/1.1\r\n" + head + b"\r\n")
                    assert (await client.hear())[0] == expected
            with serving.client() as client:
                await client.send(b"GET " + target + b"a" * more + b" HTTP/1.1\r\n\r\n")
                assert (await client.hear())[0] == expected

    run(story())


@pytest.fixture
def one_mib(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (listening, down_module):
        monkeypatch.setattr(module, "PROXY_BODY_BYTES_MAX", MIB)


@pytest.mark.usefixtures("one_mib")
@pytest.mark.parametrize(
    ("begins", "goes_on"),
    [
        (POST + b"Content-Length: %d\r\n\r\n" % (MIB + 1), X * 64),
        (CHUNKED, b"10000\r\n" + X * 64 + b"\r\n"),
        (CHUNKED + b"0\r\n", b"X: " + X * 30 + b"\r\n"),
    ],
    ids=["length", "chunks", "headers behind the chunks"],
)
def test_a_body_above_the_bound_is_refused_and_the_client_gets_to_know(
    begins: bytes, goes_on: bytes
) -> None:
    """It is read on after the refusal: else the client would see a reset."""

    async def story() -> None:
        async with Serving() as serving:
            tracemalloc.start()
            with serving.client() as client:
                await client.send(begins)
                for _ in range(300):
                    await client.send(goes_on)
                assert (await client.hear())[0] == 413
                assert await client.rest() == b""
                kept, peak = tracemalloc.get_traced_memory()
            tracemalloc.stop()
            assert (kept < MIB, peak < 4 * MIB, serving.asked) == (True, True, [])

    run(story())


@pytest.mark.usefixtures("one_mib")
def test_a_body_of_exactly_the_bound_is_taken() -> None:
    async def story() -> None:
        async with Serving() as serving:
            with serving.client() as client:
                await client.send(POST + b"Content-Length: %d\r\n\r\n" % MIB + X * 1024)
                assert (await client.hear()) == (200, b"POST /b " + X * 1024)
                await client.send(CHUNKED + b"100000\r\n" + X * 1024 + b"\r\n0\r\n\r\n")
                assert (await client.hear()) == (200, b"POST /b " + X * 1024)

    run(story())


def test_tiny_chunks_take_no_more_memory_than_what_they_hold() -> None:
    async def story() -> None:
        async with Serving() as serving:
            raw = CHUNKED + b"2\r\nab\r\n" * 100_000 + b"0\r\n\r\n"
            tracemalloc.start()
            with serving.client() as client:
                await client.send(raw)
                assert (await client.hear())[1] == b"POST /b " + b"ab" * 100_000
            _, peak = tracemalloc.get_traced_memory()
            tracemalloc.stop()
            assert peak < 3 * MIB

    run(story())


def test_of_a_body_that_ends_in_garbage_nothing_is_kept() -> None:
    async def story() -> None:
        async with Serving() as serving:
            with serving.client() as client:
                tracemalloc.start()
                await client.send(CHUNKED + b"800000\r\n")
                for _ in range(8):
                    await client.send(X * 1024)
                await client.send(b"\r\nno chunk\r\n")
                assert (await client.hear())[0] == 400
                assert len(serving.listener.open) == 1
                kept, _ = tracemalloc.get_traced_memory()
                tracemalloc.stop()
                assert kept < MIB

    run(story())


def test_a_client_that_asks_and_asks_and_never_reads_is_not_heard_on() -> None:
    """Answers that nobody takes do not pile up, and none is lost."""
    large = b"x" * 100_000

    async def answer(_: Request, down: Down) -> None:
        down.whole(200, (), large)

    async def story() -> None:
        async with Serving(answer) as serving:
            with serving.client(small=True) as client:
                await client.send(GET * 1000)
                for _ in range(TURNS):
                    await asyncio.sleep(0)
                assert len(serving.asked) < 200
                for _ in range(1000):
                    assert (await client.hear())[1] == large
            assert len(serving.asked) == 1000

    run(story())


def test_while_a_request_waits_nothing_is_read() -> None:
    gate = asyncio.Event()

    async def answer(request: Request, down: Down) -> None:
        await gate.wait()
        await echo(request, down)

    async def story() -> None:
        async with Serving(answer) as serving:
            with serving.client() as client:
                sending = asyncio.create_task(
                    client.send((GET[:-2] + b"X: " + X + b"\r\n\r\n") * 20_000)
                )
                for _ in range(TURNS):
                    await asyncio.sleep(0)
                assert (len(serving.asked), sending.done()) == (1, False)
                sending.cancel()
                await asyncio.wait([sending])

    run(story())


# Expectations

EXPECTS = POST + b"Expect: 100-Continue \r\nContent-Length: 3\r\n\r\n"


def test_who_expects_to_be_told_to_go_on_is_told_once() -> None:
    async def story() -> None:
        async with Serving() as serving:
            with serving.client() as client:
                await client.send(EXPECTS)
                assert await client.until(b"\r\n\r\n") == CONTINUE.strip()
                await client.send(b"a")
                await client.send(b"bc" + GET)
                assert await client.hear() == (200, b"POST /b abc")
                assert await client.hear() == (200, b"GET /a ")

    run(story())


def test_who_sends_the_body_or_speaks_http_1_0_is_not_told_to_go_on() -> None:
    async def story() -> None:
        async with Serving() as serving:
            with serving.client() as client:
                await client.send(EXPECTS + b"abc" + EXPECTS + b"a")
                assert await client.hear() == (200, b"POST /b abc")
                await serving.until(lambda: len(serving.asked) == 1)
                await client.send(b"bc" + EXPECTS.replace(b"1.1", b"1.0"))
                assert await client.hear() == (200, b"POST /b abc")
                await client.send(b"abc")
                assert await client.hear() == (200, b"POST /b abc")

    run(story())


def test_who_is_told_to_go_on_is_told_between_answers() -> None:
    """Not into the answer before it, and even if nothing more comes from the client."""
    gate = asyncio.Event()

    async def answer(request: Request, down: Down) -> None:
        down.begin(200, b"OK", ((b"Content-Length", b"%d" % (2 + len(request.body))),))
        down.write(b"1")
        await gate.wait()
        down.write(b"2" + request.body, last=True)

    async def story() -> None:
        async with Serving(answer) as serving:
            with serving.client() as client:
                await client.send(GET + EXPECTS)
                await client.until(b"\r\n\r\n1")
                gate.set()
                assert await client.until(b"\r\n\r\n") == b"2" + CONTINUE.strip()
                await client.send(b"abc")
                assert await client.hear() == (200, b"12abc")

    run(story())


def test_other_expectations_are_417_and_a_refused_one_is_not_told_to_go_on() -> None:
    async def story() -> None:
        async with Serving() as serving:
            for raw, status in (
                (EXPECTS.replace(b"100-Continue", b"wonders"), 417),
                (EXPECTS.replace(b"/b", b"/no"), 404),
            ):
                with serving.client() as client:
                    await client.send(raw)
                    assert (await client.hear())[0] == status
                    assert b"connection: close" in client.head
                    await client.send(b"abc" + GET)
                    assert await client.rest() == b""
            assert serving.asked == []

    run(story())


# What the connection outlasts

LASTING = {
    "1.1": (GET, "length", True),
    "1.1 close": (GET[:-2] + b"Connection: Close\r\n\r\n", "length", False),
    "1.1 two that say close": (
        GET[:-2] + b"Connection: x\r\nConnection: close\r\n\r\n",
        "length",
        False,
    ),
    "1.0": (GET.replace(b"1.1", b"1.0"), "length", False),
    "1.0 lasting": (
        GET.replace(b"1.1", b"1.0")[:-2] + b"Connection: keep-alive\r\n\r\n",
        "length",
        True,
    ),
    "chunks": (GET, "chunked", True),
    "chunks to 1.0": (
        GET.replace(b"1.1", b"1.0")[:-2] + b"Connection: keep-alive\r\n\r\n",
        "chunked",
        False,
    ),
    "no length": (GET, "close", False),
    "HEAD": (GET.replace(b"GET", b"HEAD"), "length", True),
    "HEAD of chunks": (GET.replace(b"GET", b"HEAD"), "chunked", True),
    "HEAD of no length": (GET.replace(b"GET", b"HEAD"), "close", True),
    "204": (GET.replace(b"/a", b"/204"), "none", True),
    "304": (GET.replace(b"/a", b"/304"), "length", True),
}


@pytest.mark.parametrize(("raw", "framing", "lasts"), LASTING.values(), ids=LASTING)
def test_the_connection_goes_on_when_both_can_tell_where_the_answer_ends(
    raw: bytes, framing: Any, lasts: bool
) -> None:
    async def answer(request: Request, down: Down) -> None:
        if request.target == "/end":
            return await echo(request, down)
        status = int(request.target[1:]) if request.target != "/a" else 200
        length = ((b"Content-Length", b"4"),) if framing == "length" else ()
        down.begin(status, b"Fine", length, framing)
        down.write(b"ab")
        down.write(b"cd")
        return down.write(b"", last=True)

    async def story() -> None:
        async with Serving(answer) as serving:
            with serving.client() as client:
                end = b"GET /end HTTP/1.1\r\nConnection: close\r\n\r\n"
                await client.send(raw + end)
                head, _, came = (await client.rest()).partition(b"\r\n\r\n")
            bodiless = raw.startswith(b"HEAD") or b"04" in raw
            chunked = framing == "chunked" and b"1.1" in raw and not bodiless
            body = b"2\r\nab\r\n2\r\ncd\r\n0\r\n\r\n" if chunked else b"" if bodiless else b"abcd"
            assert came[: len(body)] == body
            assert (b"GET /end" in came[len(body) :]) == lasts
            assert (came == body) == (not lasts)
            assert (b"chunked" in head) == chunked
            old = b"HTTP/1.0" in raw
            assert (b"Connection: keep-alive" in head) == (old and lasts)
            assert (b"Connection: close" in head) == (not old and not lasts)
            assert head.startswith(b"HTTP/1.0" if old else b"HTTP/1.1")

    run(story())


def test_an_answer_that_ends_with_the_connection_comes_whole_whatever_the_client_sends() -> None:
    async def answer(_: Request, down: Down) -> None:
        down.begin(200, b"OK", (), "close")
        down.write(X * 1024, last=True)

    async def story() -> None:
        async with Serving(answer) as serving:
            with serving.client() as client:
                await client.send(GET * 400_000)
                assert (await client.rest()).endswith(b"\r\n\r\n" + X * 1024)
            assert len(serving.asked) == 1

    run(story())


# Clients that leave, and what is kept of them

LEAVING = {
    "before a request": (b"", 0),
    "in a head": (GET[:-4], 0),
    "in a body": (POST + b"Content-Length: 3\r\n\r\na", 0),
    "in chunks": (CHUNKED + b"2\r\nab", 0),
    "in an upgrade": (POST + UPGRADE + b"Content-Length: 3\r\n\r\na", 0),
    "before the answer": (b"GET /wait HTTP/1.1\r\n\r\n", 1),
    "in the answer": (b"GET /begin HTTP/1.1\r\n\r\n", 1),
    "with others waiting": (b"GET /wait HTTP/1.1\r\n\r\n" + GET * 3, 1),
    "with one half there": (b"GET /wait HTTP/1.1\r\n\r\n" + GET + GET[:-1], 1),
    "with a refusal waiting": (b"GET /wait HTTP/1.1\r\n\r\nGET /no HTTP/1.1\r\n\r\nno HTTP", 1),
}


async def stall(request: Request, down: Down) -> None:
    if request.target == "/a":
        return await echo(request, down)
    if request.target == "/begin":
        down.begin(200, b"OK", (), "chunked")
        down.write(b"some")
    await asyncio.Event().wait()
    return None


@pytest.mark.usefixtures("no_garbage")
@pytest.mark.parametrize("resets", [False, True])
@pytest.mark.parametrize(("raw", "answering"), LEAVING.values(), ids=LEAVING)
def test_of_a_client_that_leaves_nothing_stays(raw: bytes, answering: int, resets: bool) -> None:
    async def story() -> None:
        async with Serving(stall) as serving:
            with serving.client() as client:
                await client.send(GET)
                assert (await client.hear())[0] == 200
                (connection,) = map(weakref.ref, serving.listener.open)
                await client.send(raw)
                await serving.until(lambda: len(serving.asked) == 1 + answering)
                for _ in range(10):
                    await asyncio.sleep(0)
                if resets:
                    linger = b"\1\0\0\0\0\0\0\0"
                    client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            await serving.until(lambda: not serving.listener.open)
            await serving.until(lambda: serving.cancelled == answering)
            await serving.until(lambda: connection() is None)
            assert [one() for one in serving.known] == [None] * 2 * (1 + answering)

    run(story())


@pytest.mark.usefixtures("no_garbage")
def test_a_request_is_let_go_of_when_it_is_answered_or_refused() -> None:
    async def story() -> None:
        async with Serving() as serving:
            with serving.client() as client:
                for raw in (GET, b"GET /no HTTP/1.1\r\n\r\n", CHUNKED + b"1\r\nx\r\n0\r\n\r\n"):
                    await client.send(raw)
                    await client.hear()
                (connection,) = map(weakref.ref, serving.listener.open)
                assert [one() for one in serving.known] == [None] * 6
                await client.send(b"no HTTP\r\n\r\n")
                assert (await client.hear())[0] == 400
                assert await client.rest() == b""
            await serving.until(lambda: connection() is None)
            assert [one() for one in serving.known] == [None] * 8

    run(story())


# Answers that are none

PARTLY = {
    "raises": (None, b""),
    "raises in it": (b"some", b"4\r\nsome\r\n"),
    "ends without": (None, b""),
    "ends in it": (b"some", b"4\r\nsome\r\n"),
}


@pytest.mark.parametrize("kind", PARTLY)
def test_an_answer_that_is_not_ended_breaks_off(kind: str) -> None:
    part, expected = PARTLY[kind]

    async def answer(request: Request, down: Down) -> None:
        if request.target == "/a":
            return await echo(request, down)
        if part is not None:
            down.begin(200, b"OK", (), "chunked")
            down.write(part)
        if kind.startswith("raises"):
            raise ZeroDivisionError
        return None

    async def story() -> None:
        async with Serving(answer) as serving:
            with serving.client() as client:
                await client.send(b"GET /b HTTP/1.1\r\n\r\n")
                assert (await client.rest()).partition(b"\r\n\r\n")[2] == expected
            with serving.client() as client:
                await client.send(GET)
                assert (await client.hear())[0] == 200
            raised = [type(problem["exception"]) for problem in serving.problems]
            assert raised == [ZeroDivisionError] * kind.startswith("raises")
            serving.problems.clear()

    run(story())


# Clients that take their time


class Source:
    """Where an answer comes from."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def pause(self) -> None:
        self.told.append("pause")

    def resume(self) -> None:
        self.told.append("resume")


def test_the_source_waits_while_the_client_does_not_read() -> None:
    source, size = Source(), 16 * MIB
    gate = asyncio.Event()

    async def answer(request: Request, down: Down) -> None:
        if request.target == "/a":
            return await echo(request, down)
        down.begin(200, b"OK", ((b"Content-Length", b"%d" % (size + 1)),))
        down.write(b"x" * size)
        down.come_from(source)
        await gate.wait()
        return down.write(b"y", last=True)

    async def story() -> None:
        async with Serving(answer) as serving:
            with serving.client(small=True) as client:
                await client.send(b"GET /b HTTP/1.1\r\n\r\n" + GET)
                await serving.until(lambda: source.told)
                assert source.told == ["pause"]
                await client.until(b"\r\n\r\n")
                while len(client.came) < size:
                    assert await client.more()
                await serving.until(lambda: len(source.told) == 2)
                assert source.told == ["pause", "resume"]
                gate.set()
                await client.until(b"xy")
                assert await client.hear() == (200, b"GET /a ")

    run(story())


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listening, "PROXY_IDLE_S", 0.05)


@pytest.mark.usefixtures("soon")
@pytest.mark.parametrize("raw", [b"", GET[:-3], CHUNKED + b"2\r\na", GET], ids=range(4))
def test_where_nobody_asks_for_a_while_the_connection_ends(raw: bytes) -> None:
    async def story() -> None:
        async with Serving() as serving:
            with serving.client() as client:
                await client.send(raw)
                if raw == GET:
                    await client.hear()
                assert await client.rest() == b""

    run(story())


@pytest.mark.usefixtures("soon")
def test_while_an_answer_is_on_its_way_the_connection_stays() -> None:
    """And after it: whoever had a long answer is not idle yet."""
    gate = asyncio.Event()

    async def answer(request: Request, down: Down) -> None:
        if request.target != "/a":
            await gate.wait()
        await echo(request, down)

    async def idle(serving: Serving) -> None:
        with serving.client() as client:
            assert await client.rest() == b""

    async def story() -> None:
        async with Serving(answer) as serving:
            with serving.client() as client:
                await client.send(b"GET /b HTTP/1.1\r\n\r\n")
                for _ in range(3):
                    await idle(serving)
                gate.set()
                assert await client.hear() == (200, b"GET /b ")
                await client.send(GET)
                assert await client.hear() == (200, b"GET /a ")

    run(story())


@pytest.mark.parametrize("close", [b"", b"Connection: close\r\n"], ids=["lasting", "last"])
def test_a_client_that_takes_an_answer_slowly_gets_all_of_it(
    close: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long it takes; and who takes nothing does not stay."""
    monkeypatch.setattr(listening, "PROXY_LINGER_S", 0.0)
    size = 32 * MIB

    async def answer(_: Request, down: Down) -> None:
        down.whole(200, (), b"x" * size)

    async def story() -> None:
        now = asyncio.get_running_loop().time()
        async with Serving(answer) as serving:
            with serving.client() as client, serving.client() as other:
                for one in (client, other):
                    await one.send(GET[:-2] + close + b"\r\n")
                    await one.until(b"\r\n\r\n")
                taken = len(client.came)
                for step in range(1, 5):
                    while taken < size // 4 * step:
                        client.came = b""
                        assert await client.more()
                        taken += len(client.came)
                    for connection in list(serving.listener.open):
                        connection.sweep(now + step * PROXY_IDLE_S)
                    await asyncio.sleep(0)
                assert taken == size
                assert len(serving.listener.open) <= 1
                with suppress(ConnectionResetError):
                    await other.rest()
                assert len(other.came) < size

    run(story())


# The end


@pytest.mark.parametrize("times", [1, 2])
def test_a_listener_that_is_stopped_ends_idle_connections_at_once(times: int) -> None:
    async def story() -> None:
        async with Serving() as serving:
            with serving.client() as idle, serving.client() as half, serving.client() as late:
                await idle.send(GET)
                await idle.hear()
                await half.send(GET[:-2])
                await serving.until(lambda: len(serving.listener.open) == 3)
                for _ in range(times):
                    await serving.listener.stop(WAIT_S * 10)
                assert (serving.listener.open, serving.listener.port) == (set(), 0)
                assert [await one.rest() for one in (idle, late)] == [b"", b""]
            with socket.socket() as late_one:
                assert late_one.connect_ex(("127.0.0.1", serving.port)) == errno.ECONNREFUSED

    run(story())


def test_a_connection_that_was_just_taken_in_ends_as_well(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = listening._Connection
    stopping: list[asyncio.Task[None]] = []

    def stop_meanwhile(listener: Listener) -> object:
        stopping.append(asyncio.create_task(listener.stop(0.0)))
        return made(listener)

    async def story() -> None:
        monkeypatch.setattr(listening, "_Connection", stop_meanwhile)
        async with Serving() as serving:
            with serving.client() as client:
                assert await client.rest() == b""
            await asyncio.wait(stopping)
            assert serving.listener.open == set()

    run(story())


def test_answers_on_their_way_have_a_grace_and_come_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """What waits behind them is not begun, and nobody waits for the client to hang up."""
    monkeypatch.setattr(listening, "PROXY_LINGER_S", 10 * WAIT_S)
    gate = asyncio.Event()
    large = X * 16 * 1024

    async def answer(_: Request, down: Down) -> None:
        await gate.wait()
        down.whole(200, (), large)

    async def story() -> None:
        async with Serving(answer) as serving:
            with serving.client(small=True) as client:
                await client.send(GET * 2)
                await serving.until(lambda: serving.asked)
                stopping = asyncio.create_task(serving.listener.stop(10 * WAIT_S))
                await asyncio.sleep(0)
                gate.set()
                assert (await client.hear())[1] == large
                assert await client.rest() == b""
                await stopping
            assert len(serving.asked) == 1

    run(story())


def test_an_answer_that_does_not_end_is_cut_after_the_grace() -> None:
    async def story() -> None:
        async with Serving(stall) as serving:
            with serving.client() as client:
                await client.send(b"GET /begin HTTP/1.1\r\n\r\n")
                await client.until(b"some")
                await serving.listener.stop(0.01)
                assert (serving.cancelled, serving.listener.open) == (1, set())
                assert await client.rest() == b"\r\n"

    run(story())


def test_a_listener_that_finds_its_port_taken_leaves_nothing_behind() -> None:
    async def story() -> None:
        async with Serving() as serving:
            other = Listener(serving.admit, echo)
            with pytest.raises(OSError, match="address already in use"):
                await other.start("127.0.0.1", serving.port)
            assert (other.port, other.open, other.listening) == (0, set(), False)
            await other.stop(0.0)
            assert await other.start("127.0.0.1", 0) != serving.port
            await other.stop(0.0)

    run(story())


# What belongs to one connection


def test_all_headers_of_that_name_say_what_belongs_to_the_connection_but_no_framing_does() -> None:
    raw = (
        (b"Connection", b"close "),
        (b"X-Mine", b"1"),
        (b"connection", b"x-mine, Content-Length"),
        (b"Content-Length", b"2"),
    )
    connection = Headers(raw)["connection"]
    assert downward(raw, connection) == [(b"Content-Length", b"2")]

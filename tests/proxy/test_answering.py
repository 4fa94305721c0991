"""An answer on a connection: however its bytes come and whichever way it ends, it is the same."""

from __future__ import annotations

import asyncio
import gc
import weakref
from collections.abc import Awaitable, Callable, Iterable, Sequence
from itertools import combinations
from typing import Any, Literal

import pytest

from holdfast.kernel.limits import (
    MIB,
    PROXY_HEADER_BYTES_MAX,
    PROXY_HEADERS_MAX,
    PROXY_SOCKET_BYTES,
)
from holdfast.proxy.answering import Answering, Asking, Connection, HungUp, NoHttp

GET = Asking("GET", "/", (), None)
HEAD = Asking("HEAD", "/", (), None)
WAIT_S = 20.0
Ending = Literal["", "fin", "rst"]


class Wire(asyncio.Transport):
    """A socket that takes what is sent and keeps nothing back."""

    def __init__(self, protocol: Connection) -> None:
        super().__init__()
        self.protocol = protocol
        self.sent = b""
        self.unsent = 0
        self.closing = False
        self.paused = False
        protocol.connection_made(self)

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.sent += bytes(data)

    def get_write_buffer_size(self) -> int:
        return self.unsent

    def is_closing(self) -> bool:
        return self.closing

    def pause_reading(self) -> None:
        self.paused = True

    def resume_reading(self) -> None:
        self.paused = False

    def abort(self) -> None:
        self.lose(None)

    def lose(self, problem: Exception | None) -> None:
        if not self.closing:
            self.closing = True
            asyncio.get_running_loop().call_soon(self.protocol.connection_lost, problem)


class Pool:
    """Remembers what was kept and what was forgotten."""

    def __init__(self) -> None:
        self.buffer = memoryview(bytearray(PROXY_SOCKET_BYTES))
        self.kept: list[Connection] = []
        self.forgotten: list[Connection] = []

    def keep(self, connection: Connection) -> None:
        self.kept.append(connection)

    def forget(self, connection: Connection) -> None:
        self.forgotten.append(connection)


class Talk:
    """A connection, and the upstream's end of it."""

    def __init__(self) -> None:
        self.pool = Pool()
        self.connection = Connection(self.pool, "http://h")
        self.wire = Wire(self.connection)

    def ask(self, asking: Asking = GET) -> asyncio.Task[Answering]:
        return asyncio.create_task(self.connection.ask(asking, b"h"))

    def say(self, data: bytes) -> None:
        if not self.wire.closing:
            self.pool.buffer[: len(data)] = data
            self.connection.buffer_updated(len(data))

    def end(self, ending: Ending) -> None:
        if self.wire.closing or not ending:
            return
        if ending == "fin":
            self.connection.eof_received()
            self.wire.lose(None)
        else:
            self.wire.lose(ConnectionResetError())

    @property
    def kept(self) -> bool:
        return bool(self.pool.kept) and not self.wire.closing


async def turns(count: int = 4) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


def run(talk: Callable[[], Awaitable[None]]) -> None:
    async def bounded() -> None:
        async with asyncio.timeout(WAIT_S):
            await talk()

    asyncio.run(bounded())


async def heard(asking: Asking, pieces: Iterable[bytes], ending: Ending = "") -> tuple[Any, ...]:
    """Ask, and let the answer come in pieces; return everything that can be told of it."""
    talk = Talk()
    task = talk.ask(asking)
    came: list[tuple[bytes, bool]] = []
    pouring: asyncio.Task[bool] | None = None
    await asyncio.sleep(0)
    for piece in pieces:
        talk.say(piece)
        await asyncio.sleep(0)
        if pouring is None and task.done() and task.exception() is None:
            pouring = asyncio.create_task(task.result().pour(lambda *one: came.append(one)))
    talk.end(ending)
    await turns()
    if not task.done():
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        return ("waits",)
    if (problem := task.exception()) is not None:
        return (type(problem), talk.kept)
    up = task.result()
    whole = await pouring if pouring is not None and pouring.done() else None
    if pouring is not None:
        pouring.cancel()
    lasts = [last for _, last in came]
    assert lasts.count(True) == (up.ended == "whole")
    assert not any(lasts[:-1])
    body = b"".join(data for data, _ in came)
    told = (up.status, up.reason, tuple(up.headers.raw), up.framing)
    return (*told, body, up.ended, whole, up.closed, talk.kept)


def ways(answer: bytes, *, pairs: bool) -> Iterable[Sequence[bytes]]:
    """Cut an answer in all ways in which it comes in two pieces, or three; and byte by byte."""
    yield [answer[i : i + 1] for i in range(len(answer))]
    for cut in range(1, len(answer)):
        yield (answer[:cut], answer[cut:])
    for one, two in combinations(range(1, len(answer)), 2) if pairs else ():
        yield (answer[:one], answer[one:two], answer[two:])


OK = b"HTTP/1.1 200 OK\r\n"
LENGTH = OK + b"Content-Length: 5\r\n\r\nhello"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n"
CLOSED = OK + b"\r\nhello"
LENGTHS = ((b"Content-Length", b"5"),)
CHUNKS = ((b"Transfer-Encoding", b"chunked"),)

ANSWERS: list[tuple[Asking, bytes, Ending, tuple[Any, ...]]] = [
    (GET, LENGTH, "", (200, b"OK", LENGTHS, "length", b"hello", "whole", True, True, True)),
    (GET, CHUNKED, "", (200, b"OK", CHUNKS, "chunked", b"hello", "whole", True, True, True)),
    (GET, CLOSED, "fin", (200, b"OK", (), "close", b"hello", "whole", True, True, False)),
    (GET, CLOSED, "rst", (200, b"OK", (), "close", b"hello", "cut", False, True, False)),
    (GET, CLOSED, "", (200, b"OK", (), "close", b"hello", "", None, False, False)),
    (
        GET,
        b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n" + LENGTH,
        "",
        (200, b"OK", LENGTHS, "length", b"hello", "whole", True, True, True),
    ),
    (
        GET,
        OK + b"Transfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\n0\r\nX-Behind: z\r\n\r\n",
        "",
        (200, b"OK", CHUNKS, "chunked", b"hello", "whole", True, True, True),
    ),
    (
        GET,
        b"HTTP/1.1 200\r\nX:\r\nX: \xff\xe9 a\r\nContent-Length: 0\r\n\r\n",
        "",
        (
            *(200, b"", ((b"X", b""), (b"X", b"\xff\xe9 a"), (b"Content-Length", b"0"))),
            *("length", b"", "whole", True, True, True),
        ),
    ),
    (
        GET,
        LENGTH.replace(b"\r\n", b"\n"),
        "",
        (200, b"OK", LENGTHS, "length", b"hello", "whole", True, True, True),
    ),
    (
        GET,
        LENGTH.replace(b"1.1", b"1.0"),
        "",
        (200, b"OK", LENGTHS, "length", b"hello", "whole", True, True, False),
    ),
    (
        GET,
        b"HTTP/1.1 304 Same\r\nContent-Length: 5\r\n\r\n",
        "",
        (304, b"Same", LENGTHS, "none", b"", "whole", True, True, True),
    ),
    (
        HEAD,
        OK + b"Content-Length: 5\r\n\r\n",
        "",
        (200, b"OK", LENGTHS, "none", b"", "whole", True, True, False),
    ),
    (HEAD, OK + b"\r\n", "", (200, b"OK", (), "none", b"", "whole", True, True, False)),
    (GET, LENGTH[:-1], "fin", (200, b"OK", LENGTHS, "length", b"hell", "cut", False, True, False)),
    (
        GET,
        CHUNKED[:-1],
        "fin",
        (200, b"OK", CHUNKS, "chunked", b"hello", "cut", *[False, True], False),
    ),
    (
        GET,
        OK + b"Transfer-Encoding: chunked\r\n\r\n3\r\nhel\r\nno size\r\n",
        "",
        (200, b"OK", CHUNKS, "chunked", b"hel", "cut", False, True, False),
    ),
    (GET, LENGTH[:30], "fin", (HungUp, False)),
    (GET, LENGTH[:30], "rst", (HungUp, False)),
    (GET, b"HTTP/1.1 200 OK\r\nno header\r\n\r\n", "", (NoHttp, False)),
    (GET, b"220 mail.example ESMTP\r\n", "", (NoHttp, False)),
]


@pytest.mark.parametrize(("asking", "answer", "ending", "expected"), ANSWERS)
def test_an_answer_is_the_same_however_its_bytes_come(
    asking: Asking, answer: bytes, ending: Ending, expected: tuple[Any, ...]
) -> None:
    async def talk() -> None:
        assert await heard(asking, [answer], ending) == expected
        for pieces in ways(answer, pairs=len(answer) <= 64):
            assert await heard(asking, pieces, ending) == expected, pieces

    run(talk)


@pytest.mark.parametrize("stray", [b"x", b"H", b"HTTP/1.1 200 OK\r\n", LENGTH, b"\x00"])
@pytest.mark.parametrize("answer", [LENGTH, CHUNKED])
def test_a_connection_with_something_behind_the_answer_is_not_used_again(
    answer: bytes, stray: bytes
) -> None:
    async def talk() -> None:
        for cut in range(1, len(answer) + len(stray) + 1):
            pieces = ((answer + stray)[:cut], (answer + stray)[cut:])
            told = await heard(GET, filter(None, pieces))
            assert told[4:] == (b"hello", "whole", True, True, False), pieces

    run(talk)


def test_a_connection_on_which_not_everything_was_sent_is_not_used_again() -> None:
    async def talk() -> None:
        for unsent in (0, 1):
            one = Talk()
            task = one.ask(Asking("POST", "/", (), b"body"))
            await turns()
            one.wire.unsent = unsent
            one.say(LENGTH)
            assert (await task).ended == "whole"
            assert one.kept is not bool(unsent)

    run(talk)


def test_a_connection_on_which_a_long_request_is_still_sent_is_not_used_again() -> None:
    async def talk() -> None:
        for slow in (True, False):
            one = Talk()
            if slow:
                one.connection.pause_writing()
            task = one.ask(Asking("POST", "/", (), bytes(2 * MIB)))
            await turns()
            one.say(LENGTH)
            assert (await task).ended == "whole"
            assert (one.kept, len(one.wire.sent) > 2 * MIB) == (not slow, not slow)

    run(talk)


def test_what_only_informs_is_counted_for_each_request() -> None:
    async def talk() -> None:
        one = Talk()
        for _ in range(2):
            task = one.ask()
            await turns()
            one.say(b"HTTP/1.1 100 Continue\r\n\r\n" * PROXY_HEADERS_MAX + LENGTH)
            assert (await task).status == 200

    run(talk)


def test_the_last_of_several_codings_is_the_one_that_counts() -> None:
    async def talk() -> None:
        head = OK + b"Transfer-Encoding: gzip\r\nTransfer-Encoding: Chunked\r\n\r\n"
        told = await heard(GET, [head + b"5\r\nhello\r\n"], "fin")
        assert told[3:7] == ("chunked", b"hello", "cut", False)
        told = await heard(GET, [OK + b"Transfer-Encoding: gzip\r\n\r\nhello"], "fin")
        assert told[3:7] == ("close", b"hello", "whole", True)

    run(talk)


def test_an_answer_that_offers_another_protocol_is_a_plain_one() -> None:
    async def talk() -> None:
        offers = b"Upgrade: h2c\r\nConnection: Upgrade\r\n"
        told = await heard(GET, [LENGTH.replace(OK, OK + offers)])
        assert told[4:] == (b"hello", "whole", True, True, True)

    run(talk)


@pytest.mark.parametrize(
    ("begin", "again"),
    [
        (b"HTTP/1.1 200 ", b"x" * 1024),
        (OK + b"X: ", b"x" * 1024),
        (OK, b"x" * 1024),
        (OK, b"X: y\r\n" * 10),
        (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
        (b"", b"HTTP/1.1 103 Hints\r\nLink: x\r\n\r\n"),
        (b"", b"\r\n" * 512),
    ],
)
def test_a_head_that_never_ends_is_refused(begin: bytes, again: bytes) -> None:
    async def talk() -> None:
        one = Talk()
        task = one.ask()
        await turns()
        one.say(begin or again)
        for _ in range(200):
            one.say(again)
        with pytest.raises(NoHttp):
            await task

    run(talk)


@pytest.mark.parametrize("begin", [b"1;", b"1" + b" " * 8, b"0000", b"0\r\nX: "])
def test_what_stands_between_chunks_and_never_ends_cuts_the_answer(begin: bytes) -> None:
    async def talk() -> None:
        fill = b"0" if begin == b"0000" else b" " if begin.endswith(b" ") else b"x"
        head = OK + b"Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n"
        told = await heard(GET, [head + begin, *[fill * 1024] * 200])
        assert told[4:7] == (b"ok", "cut", False)

    run(talk)


@pytest.mark.parametrize("more", [0, 1])
@pytest.mark.parametrize("at_once", [True, False])
def test_bounds_of_the_head_are_the_same_however_it_comes(more: int, at_once: bool) -> None:
    long = b"X: " + b"x" * (PROXY_HEADER_BYTES_MAX - 1 + more) + b"\r\n"
    many = b"X: y\r\n" * (PROXY_HEADERS_MAX - 1 + more)
    status = b"HTTP/1.1 200 " + b"x" * (PROXY_HEADER_BYTES_MAX + more) + b"\r\n"

    async def talk() -> None:
        end = b"Content-Length: 0\r\n\r\n"
        for answer in (OK + long + end, OK + many + end, status + end):
            step = len(answer) if at_once else 7
            pieces = [answer[i : i + step] for i in range(0, len(answer), step)]
            told = await heard(GET, pieces)
            assert told[0] == (NoHttp if more else 200)

    run(talk)


def test_a_connection_used_again_before_its_first_user_looks_is_not_mixed_up() -> None:
    async def talk() -> None:
        one = Talk()
        first = one.ask()
        await turns()
        one.say(LENGTH)  # the first is not told before the next turn of the loop
        second = one.ask(HEAD)
        first_up = await first
        assert (first_up.ended, first_up.closed, second.done()) == ("whole", True, False)
        first_up.close()
        first_up.pause()
        assert (one.wire.closing, one.wire.paused) == (False, False)
        one.say(LENGTH.replace(b"200", b"201"))
        assert (await second).status == 201

    run(talk)


def test_who_is_cancelled_after_the_answer_came_takes_nothing_from_the_next() -> None:
    async def talk() -> None:
        one = Talk()
        first = one.ask()
        await turns()
        one.say(LENGTH)
        second = asyncio.ensure_future(one.connection.ask(GET, b"h"))
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        await turns()
        one.say(LENGTH.replace(b"200", b"201"))
        assert (await second).status == 201

    run(talk)


def test_who_is_cancelled_when_the_head_came_leaves_no_connection_behind() -> None:
    async def talk() -> None:
        one = Talk()
        task = one.ask()
        await turns()
        one.say(LENGTH[:-1])
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await turns()
        assert (one.wire.closing, len(one.pool.forgotten)) == (True, 1)

    run(talk)


def test_something_on_a_connection_that_nobody_asked_on_closes_it() -> None:
    async def talk() -> None:
        for before in (b"", LENGTH):
            one = Talk()
            if before:
                task = one.ask()
                await turns()
                one.say(before)
                await task
            one.say(LENGTH)
            assert one.wire.closing
            await turns()
            with pytest.raises(HungUp):
                await one.ask()

    run(talk)


def test_whoever_pours_is_told_when_the_connection_is_closed_by_others() -> None:
    async def talk() -> None:
        one = Talk()
        task = one.ask()
        await turns()
        one.say(LENGTH[:-1])
        up = await task
        pouring = asyncio.create_task(up.pour(lambda *_: None))
        await turns()
        one.connection.close()
        assert await pouring is False
        assert up.ended == "cut"

    run(talk)


def test_a_sink_that_fails_ends_the_pouring() -> None:
    async def talk() -> None:
        def fail(data: bytes, last: bool) -> None:
            raise ValueError("no")

        one = Talk()
        task = one.ask()
        await turns()
        one.say(LENGTH[:-5])
        pouring = asyncio.create_task((await task).pour(fail))
        await turns()
        with pytest.raises(ValueError, match="no"):
            one.say(b"hello")
        assert await pouring

        one = Talk()
        task = one.ask()
        await turns()
        one.say(LENGTH)
        with pytest.raises(ValueError, match="no"):
            await (await task).pour(fail)

    run(talk)


def test_an_answer_that_ends_paused_leaves_a_connection_that_reads() -> None:
    async def talk() -> None:
        one = Talk()
        task = one.ask()
        await turns()
        one.say(LENGTH[:-1])
        up = await task
        up.pause()
        assert one.wire.paused
        one.say(LENGTH[-1:])  # was on its way
        assert (up.ended, one.wire.paused, one.kept) == ("whole", False, True)
        up.pause()
        assert not one.wire.paused

    run(talk)


class Body(bytearray):
    """Bytes that can be watched."""


async def exchange(one: Talk, answer: bytes, *, leaves: bool) -> list[weakref.ref[Any]]:
    """Ask for something; return what must not outlive the exchange."""
    body: Any = Body(2 * MIB)

    known: list[Answering] = []

    def sink(data: bytes, _: bool) -> None:
        assert (data in (b"hello", b"hell"), len(known)) == (True, 1)

    async def both() -> None:
        up = await one.connection.ask(Asking("POST", "/", (), body), b"h")
        watched.append(weakref.ref(up))
        known.append(up)  # as the source that is to wait
        try:
            await up.pour(sink)
        finally:
            up.close()

    watched: list[weakref.ref[Any]] = [weakref.ref(body), weakref.ref(sink)]
    task = asyncio.create_task(both())
    await turns()
    one.say(answer)
    await turns()
    if leaves:
        task.cancel()
    one.end("fin")
    await asyncio.wait([task])
    if not task.cancelled():
        task.exception()
    return watched


@pytest.mark.parametrize("leaves", [True, False])
@pytest.mark.parametrize("answer", [LENGTH, LENGTH[:-1], LENGTH[:20], b"no HTTP\r\n\r\n"])
def test_nothing_of_an_exchange_is_kept_by_a_cycle(answer: bytes, leaves: bool) -> None:
    async def talk() -> None:
        one = Talk()
        watched = await exchange(one, answer, leaves=leaves)
        await turns()
        assert [ref() for ref in watched] == [None] * len(watched)
        connection = weakref.ref(one.connection)
        one.connection.close()
        await turns()
        one.pool.kept.clear()
        one.pool.forgotten.clear()
        del one
        assert connection() is None

    gc.collect()
    gc.disable()
    try:
        run(talk)
    finally:
        gc.enable()

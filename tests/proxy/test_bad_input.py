"""Whatever comes, from either side: a 4xx, a 502, or it passes; nothing crashes, health answers."""

from __future__ import annotations

import gzip
import random
import socket
import threading
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from holdfast.kernel.limits import PROXY_BODY_BYTES_MAX, PROXY_HEADER_BYTES_MAX, PROXY_HEADERS_MAX
from holdfast.testing.model_server import ModelServer, Reply, Said, Way
from tests.proxy.crossing import PATHS, WAIT_S, Client, Crossing, asking, spelled

CHAT = PATHS["chat"]
SSE = (("Content-Type", "text/event-stream"),)
POST = b"POST /v1/x HTTP/1.1\r\nHost: 127.0.0.1\r\n"
GET = b"GET /v1/x HTTP/1.1\r\nHost: 127.0.0.1\r\n"
CHUNKED = POST + b"Transfer-Encoding: chunked\r\n\r\n"
BODIES = [
    b"", b"{", b"null", b"\xff\xfe{}", b'{"messages":"\xc3"}', b"[" * 200_000, b'{"a":' * 50_000,
    b'{"messages":[{"role":"user","content":"' + b"\\ud800" * 10 + b'"}]}', b"\x00" * 1000,
    gzip.compress(b"x" * 1_000_000), b'{"messages":[[[]],1,null,{"role":[]}],"stream":"yes"}',
]  # fmt: skip
HEADS = [
    b"GARBAGE\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 64 + b"\r\n\r\n",
    b"GET / HTTP/9.9\r\nHost: 127.0.0.1\r\n\r\n",
    b"GET /\xff HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    b"GET / HTTP/1.1\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: 127.0.0.1\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nBad Header\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: a\x00b\r\n\r\n",
    GET + b"X: caf\xe9\r\n\r\n",
    POST + b"Content-Length: -1\r\n\r\n",
    POST + b"Content-Length: +3\r\n\r\nabc",
    POST + b"Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
    POST + b"Content-Length: 3\r\n"
    b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /state HTTP/1.1\r\n\r\n",
    POST + b"Transfer-Encoding: chunked, identity\r\n\r\n",
    CHUNKED + b"zz\r\nab\r\n0\r\n\r\n",
    CHUNKED + b"3\r\nabcdef\r\n",
    GET + b"X: " + b"a" * (PROXY_HEADER_BYTES_MAX + 1) + b"\r\n\r\n",
    b"GET /" + b"a" * (PROXY_HEADER_BYTES_MAX + 1) + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    GET + b"X: a\r\n" * (PROXY_HEADERS_MAX + 1) + b"\r\n",
    POST + b"Expect: wonders\r\nContent-Length: 1\r\n\r\n",
    b"GET /health?" + b"a=b&" * 50 + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
]  # fmt: skip


def healthy(crossing: Crossing) -> bool:
    return crossing.get("/health").status == 200


@pytest.mark.parametrize("raw", HEADS, ids=range(len(HEADS)))
def test_malformed_requests_are_refused_with_4xx_and_go_nowhere(raw: bytes) -> None:
    with ModelServer() as server, Crossing(server.url) as crossing:
        with crossing.client() as client:
            client.send(raw)
            assert 400 <= client.hear_head().status < 500
        assert healthy(crossing)
        assert [one for one in server.requests if one.body or "state" in one.target] == []
        assert (server.requests, crossing.said) == ([], [])


@pytest.mark.parametrize("dialect", PATHS)
def test_bodies_that_are_no_requests_pass_as_they_are(dialect: str) -> None:
    with ModelServer() as server, Crossing(server.url) as crossing:
        for body in BODIES:
            assert crossing.post(PATHS[dialect], body).status == 200
        assert [one.body for one in server.requests] == BODIES
        assert crossing.said == []


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.binary(max_size=400))
@example(b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n{")
def test_random_bytes_never_hurt(raw: bytes) -> None:
    crossing = standing()
    with crossing.client() as client:
        client.send(raw)
    assert healthy(crossing)
    assert crossing.said == []


_standing: list[Crossing] = []


def standing() -> Crossing:
    """Return one proxy for many examples."""
    if not _standing:
        _standing.append(Crossing("http://127.0.0.1:9").__enter__())
    return _standing[0]


@pytest.fixture(autouse=True, scope="module")
def _ended():  # type: ignore[no-untyped-def]
    yield
    while _standing:
        _standing.pop().__exit__()


def test_a_body_above_the_bound_is_413_before_it_is_read() -> None:
    with ModelServer() as server, Crossing(server.url) as crossing:
        with crossing.client() as client:
            head = f"POST {CHAT} HTTP/1.1\r\nHost: 127.0.0.1\r\n"
            client.send(f"{head}Content-Length: {PROXY_BODY_BYTES_MAX + 1}\r\n\r\n".encode())
            heard = client.hear()
        assert heard.status == 413
        assert b"64 MiB" in heard.body
        assert healthy(crossing)
        assert server.requests == []


def test_a_chunked_body_above_the_bound_is_413_and_health_answers_meanwhile() -> None:
    piece = b"%x\r\n%b\r\n" % (1 << 20, b"x" * (1 << 20))
    with ModelServer() as server, Crossing(server.url) as crossing:
        with crossing.client() as client:
            client.send(spelled("POST", CHAT, None, "Transfer-Encoding: chunked"))
            for number in range((PROXY_BODY_BYTES_MAX >> 20) + 1):
                client.send(piece)
                if number % 16 == 0:
                    assert healthy(crossing)
            assert client.hear_head().status == 413
        assert server.requests == []


def test_a_bomb_in_a_coding_passes_as_it_is_and_is_not_unpacked_whole() -> None:
    bomb = gzip.compress(b"\x00" * (PROXY_BODY_BYTES_MAX + 2), 9)
    with ModelServer() as server, Crossing(server.url) as crossing:
        assert crossing.post(CHAT, bomb, "Content-Encoding: gzip").whole
        assert server.requests[0].body == bomb
        assert crossing.desk.asked[0].body == b""  # nobody reads it


def test_health_answers_during_an_attack() -> None:
    stop = threading.Event()
    with ModelServer() as server, Crossing(server.url) as crossing:

        def attack(seed: int) -> None:
            dice = random.Random(seed)
            while not stop.is_set():
                with Client(crossing.port) as client, suppress(ConnectionError):
                    client.send(dice.choice([*HEADS, dice.randbytes(300)]))
                    client.socket.shutdown(socket.SHUT_WR)
                    while client.socket.recv(1 << 16):
                        pass

        threads = [threading.Thread(target=attack, args=(seed,)) for seed in range(2)]
        for thread in threads:
            thread.start()
        try:
            for _ in range(10):
                assert healthy(crossing)
                assert crossing.post(CHAT, asking("chat")).whole
        finally:
            stop.set()
            for thread in threads:
                thread.join(WAIT_S)
        assert crossing.said == []


@pytest.mark.req("T19")
@pytest.mark.parametrize(
    "content",
    [b"", b"\x00" * 10, b"data: {\n\n", b"data: \xff\n\ndata: [DONE]", b"\r\r\r", b"event: x\n",
     b"data:" + b"[" * 100_000 + b"\n\n", b"x" * 300_000],
    ids=range(8),
)  # fmt: skip
def test_answers_that_are_none_pass_as_they_are(content: bytes) -> None:
    reply = Reply(content, headers=SSE, way=Way(cuts=(1, 3, 7), framing="chunked"))
    with ModelServer(reply) as server, Crossing(server.url) as crossing:
        heard = crossing.post(CHAT, asking("chat"))
        assert (heard.body, heard.whole) == (content, True)
        assert crossing.queue.answered().content == content


def test_an_answer_with_too_many_headers_is_a_502() -> None:
    reply = Reply(b"{}", headers=tuple(("X-A", "1") for _ in range(PROXY_HEADERS_MAX + 10)))
    with ModelServer(reply, Said("ok")) as server, Crossing(server.url) as crossing:
        assert crossing.post(CHAT, asking("chat")).status == 502
        assert crossing.post(CHAT, asking("chat")).status == 200


def test_what_is_pipelined_is_answered_in_its_order() -> None:
    with ModelServer() as server, Crossing(server.url) as crossing, crossing.client() as client:
        one, two = spelled("POST", CHAT, asking("chat")), spelled("GET", "/health", None)
        client.send(one + two + one)
        heard = [client.hear(), client.hear(), client.hear()]
        assert [one.status for one in heard] == [200, 200, 200]
        assert b"/health" in heard[1].body
        assert len(server.requests) == 2

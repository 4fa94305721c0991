"""The shadow audit over HTTP: after the stream, in time it grants, late it only lowers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from holdfast.kernel.limits import MIB, PROXY_AUDIT_ANSWER_BYTES_MAX, PROXY_SOCKET_BYTES
from holdfast.proxy.answering import HungUp
from holdfast.proxy.asking import Asking as UpstreamAsking
from holdfast.proxy.audit import Question
from holdfast.proxy.reaching import Reaching
from holdfast.proxy.upstreams import Upstreams, read_upstream
from holdfast.testing.model_server import ModelServer, Received, Reply, Said, Way, said_reply
from tests.proxy.running import Asking, Chat, Running, fenced, options
from tests.proxy.test_reaching import Answer, Server
from tests.proxy.test_reaching import run as reach

WHOLE = "class C:\n    def a(self):\n        return 1\n\n    def b(self):\n        return 2\n"
LESS = "class C:\n    def a(self):\n        x = 1\n        y = 2\n        return x + y\n"
"""Sound in itself, but a method is gone: only authority is missing."""


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest.fixture
def proxy(server: ModelServer, tmp_path: Path) -> Iterator[Running]:
    with Running(options(tmp_path / "ledger.db", server.url, audit="auto")) as proxy:
        yield proxy


def verdict(status: str, *, way: Way = Way()) -> Callable[[Received], Reply]:  # noqa: B008
    """Let the model say what it thinks of its work when it is asked."""
    told = json.dumps([{"entity": "a.py::C", "status": status}])
    return lambda asked: said_reply("chat", Said(told), asked.body, way)


def propose(proxy: Asking, server: ModelServer, *then: Any) -> Chat:
    """Let a sound proposal of `a.py::C` wait; `then` is what the model says next."""
    chat = Chat(proxy, server)
    server.say(Said(fenced("a.py", WHOLE)), Said(fenced("a.py::C", LESS)), *then)
    chat.say("write C")
    chat.say("make C in a.py smaller")
    return chat


def audits(proxy: Asking, count: int = 1) -> list[Any]:
    """Wait for the results of audits."""
    for _ in range(2000):
        found = [entry.value() for entry in proxy.entries("audit_done")]
        if len(found) >= count:
            return found
    raise AssertionError("the audit never came")


@pytest.mark.req("T13", "T7")
@pytest.mark.lesson("T5")
def test_an_audit_in_time_gives_a_sound_proposal_authority(
    proxy: Running, server: ModelServer
) -> None:
    propose(proxy, server, verdict("completed"))
    [audit] = audits(proxy)
    assert (audit["status"], audit["late"], audit["symbol"]) == ("completed", False, "C")
    assert proxy.true_text("a.py::C") == LESS.rstrip("\n")
    assert "audit" in [move[2] for move in proxy.moves("a.py::C")]


@pytest.mark.req("T13")
@pytest.mark.parametrize("status", ["partial", "discussion"])
def test_an_audit_that_says_no_takes_the_proposal_away_and_nothing_else(
    proxy: Running, server: ModelServer, status: str
) -> None:
    propose(proxy, server, verdict(status))
    audits(proxy)
    assert proxy.true_text("a.py::C") == WHOLE.rstrip("\n")
    assert proxy.moves("a.py::C")[-1][:2] == ("PROPOSED", "TOMBSTONED")


@pytest.mark.req("T13")
@pytest.mark.parametrize("status", ["completed", "partial"])
def test_a_late_audit_raises_nothing(proxy: Running, server: ModelServer, status: str) -> None:
    asked_before = 2
    chat = propose(proxy, server, verdict(status, way=Way(gated=True)))
    assert server.wait_for(lambda one: len(one.requests) > asked_before)
    chat.say("thank you")
    server.step()
    [audit] = audits(proxy)
    assert (audit["status"], audit["late"]) == (status, True)
    assert proxy.true_text("a.py::C") == WHOLE.rstrip("\n")
    lowered = ("PROPOSED", "TOMBSTONED") in [move[:2] for move in proxy.moves("a.py::C")]
    assert lowered is (status == "partial")


@pytest.mark.req("T13")
@pytest.mark.parametrize(
    "told",
    [
        "I think that it is completed.",
        '[{"entity": "b.py::D", "status": "completed"}]',
        '[{"entity": "a.py::C", "status": "perfect"}]',
    ],
)
def test_an_audit_that_is_not_as_asked_for_changes_nothing(
    proxy: Running, server: ModelServer, told: str
) -> None:
    chat = propose(proxy, server, Said(told))
    assert server.wait_for(lambda one: len(one.requests) == 3)
    chat.say("thank you")
    assert proxy.true_text("a.py::C") == WHOLE.rstrip("\n")
    assert proxy.entries("audit_done") == []


@pytest.mark.req("T13")
def test_nobody_is_asked_when_there_is_nothing_to_decide_or_when_it_is_off(
    server: ModelServer, tmp_path: Path
) -> None:
    with Running(options(tmp_path / "a.db", server.url, audit="auto")) as proxy:
        server.say(Said(fenced("a.py", WHOLE)))
        Chat(proxy, server).say("write C")
        proxy.look("/state")
    with Running(options(tmp_path / "b.db", server.url, audit="off")) as proxy:
        propose(proxy, server).say("thank you")
        proxy.look("/state")
    assert len(server.requests) == 1 + 3


QUESTION = Question("", "/v1/chat", b'{"q": 1}', {"authorization": "Bearer caf\udce9"})


def put(answer: Answer, path: str = "") -> tuple[list[Any], int]:
    """Ask twice over a real socket; return what came of it, and how many connections it took."""
    told: list[Any] = []

    async def ask(server: Server, _reaching: Reaching) -> None:
        upstream = read_upstream(server.base + path)
        asks = UpstreamAsking(Upstreams([upstream]))
        question = msgspec.structs.replace(QUESTION, upstream=upstream.name)
        for _ in range(2):
            told.extend(await asyncio.gather(asks(question), return_exceptions=True))
        await asks.close()

    return told, reach(answer, ask).connections


@pytest.mark.req("T13")
def test_a_question_is_put_with_the_client_s_key_and_for_an_answer_that_can_be_read() -> None:
    heads: list[bytes] = []

    async def reply(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while head := await reader.readuntil(b"\r\n\r\n"):
            heads.append(head)
            assert await reader.readexactly(len(QUESTION.body)) == QUESTION.body
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")

    assert put(reply, "/base/v1") == ([(200, b"{}")] * 2, 1)
    line, host, *rest = heads[0].split(b"\r\n")
    assert (line, host[:6]) == (b"POST /base/v1/chat HTTP/1.1", b"Host: ")
    assert rest == [
        b"authorization: Bearer caf\xe9",
        b"Accept-Encoding: identity",
        b"Content-Type: application/json",
        b"Content-Length: 8",
        b"",
        b"",
    ]


@pytest.mark.req("T13")
@pytest.mark.parametrize("more", [0, 1])
def test_an_answer_to_a_question_is_read_up_to_its_bound(more: int) -> None:
    size = PROXY_AUDIT_ANSWER_BYTES_MAX + more
    rest = b"x" * (4 * MIB) if more else b""

    async def reply(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while await reader.readuntil(b"\r\n\r\n"):
            await reader.readexactly(len(QUESTION.body))
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % (size + len(rest)))
            writer.write(b"x" * size + rest)
            await writer.drain()

    told, connections = put(reply)
    assert [status for status, _ in told] == [200, 200]
    assert [len(body) > PROXY_AUDIT_ANSWER_BYTES_MAX for _, body in told] == [bool(more)] * 2
    assert all(size <= len(body) <= size + PROXY_SOCKET_BYTES for _, body in told)
    assert connections == 1 + more


@pytest.mark.req("T13")
def test_an_answer_to_a_question_that_breaks_off_is_none() -> None:
    async def reply(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        await reader.readexactly(len(QUESTION.body))
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n{}")

    told, connections = put(reply)
    assert ([type(one) for one in told], connections) == ([HungUp] * 2, 2)

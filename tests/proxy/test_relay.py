"""Bytes pass as they are, as they come, both ways; and every way to break off is passed on."""

from __future__ import annotations

import gzip
import json
from hashlib import sha256
from typing import Literal

import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from holdfast.kernel.limits import MIB
from holdfast.proxy.values import Asked, Prepared
from holdfast.testing.model_answers import spell
from holdfast.testing.model_server import ModelServer, Reply, Said, ToolCall, Way
from holdfast.wire.events import Dialect
from tests.proxy.crossing import PATHS, Client, Crossing, FakeDesk, asking, spelled

SAID = Said(
    'words ä€😀 "quoted"\n',
    (ToolCall("Write", {"file_path": "a.py", "content": "x = 1  # ä\n"}),),
    "hm",
)
SLOW = settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
STREAM = (("Content-Type", "text/event-stream"),)


@pytest.mark.req("T19")
@pytest.mark.lesson("T7", "N9")
@pytest.mark.parametrize("streamed", [True, False])
@pytest.mark.parametrize("dialect", PATHS)
@SLOW
@given(cuts=st.lists(st.integers(0, 4000), max_size=12), padding=st.text(max_size=50))
def test_bytes_are_the_same_both_ways_however_they_are_cut(
    dialect: Dialect, streamed: bool, cuts: list[int], padding: str
) -> None:
    body = asking(dialect, streamed=streamed, words="hello " + padding)
    answer = b"".join(spell(dialect, SAID, model="m", streamed=streamed))
    framing: Literal["chunked", "length"] = "chunked" if streamed else "length"
    kind = "text/event-stream" if streamed else "application/json"
    way = Way(cuts=tuple(cuts), framing=framing)
    reply = Reply(answer, headers=(("Content-Type", kind),), way=way)
    with ModelServer(reply) as server, Crossing(server.url) as crossing:
        heard = crossing.post(PATHS[dialect], body, "Authorization: Bearer key")
        assert (heard.status, heard.body, heard.whole) == (200, answer, True)
        assert [one.body for one in server.requests] == [body]
        answered = crossing.queue.answered()
    assert answered.content == answer
    assert answered.content_hash == sha256(answer).hexdigest()
    assert (answered.ended, answered.status, answered.streamed) == ("whole", 200, streamed)
    assert answered.prepared.asked.body == body


@pytest.mark.req("T19")
@pytest.mark.parametrize("dialect", PATHS)
def test_what_the_scripted_server_says_arrives_as_it_says_it(dialect: Dialect) -> None:
    with ModelServer(SAID) as server, Crossing(server.url) as crossing:
        through = crossing.post(PATHS[dialect], asking(dialect))
        server.say(SAID)
        with Client(server.port) as client:
            client.send(spelled("POST", PATHS[dialect], asking(dialect)))
            direct = client.hear()
    assert (through.status, through.reason, through.headers, through.body) == (
        direct.status,
        direct.reason,
        direct.headers,
        direct.body,
    )


@pytest.mark.req("T19")
@pytest.mark.lesson("T7", "N8")
def test_fifty_turns_go_up_with_the_client_s_bytes_unchanged_and_additions_only_at_the_end() -> (
    None
):
    history: list[dict[str, str]] = []
    desk = FakeDesk(lambda asked: b"  " + str(len(asked.body)).encode())
    bodies = []
    with ModelServer() as server, Crossing(server.url, desk=desk) as crossing:
        for turn in range(50):
            history.append({"role": "user", "content": f"turn {turn} ä \\u00e4"})
            body = json.dumps({"messages": history, "seed": 1.0}, indent=turn % 3).encode()
            bodies.append(body)
            assert crossing.post(PATHS["chat"], body).whole
            history.append({"role": "assistant", "content": "ok", "signature": "c2ln=="})
        for body, received in zip(bodies, server.requests, strict=True):
            assert received.body == body + b"  " + str(len(body)).encode()
            assert received.header("content-length") == str(len(received.body))


@pytest.mark.req("T19")
@pytest.mark.lesson("T8")
def test_the_first_chunk_leaves_when_it_comes() -> None:
    chunks = tuple(b"data: %d\n\n" % number for number in range(4))
    reply = Reply(chunks, headers=STREAM, way=Way(framing="chunked", gated=True))
    with ModelServer(reply) as server, Crossing(server.url) as crossing:
        with crossing.client() as client:
            client.send(spelled("POST", PATHS["chat"], asking("chat")))
            for number, chunk in enumerate(chunks):
                assert crossing.queue.jobs == []
                server.step()  # the next is not sent before this one was heard
                if number == 0:
                    assert client.hear_head().status == 200
                assert client.hear_chunk() == chunk
            assert client.hear_chunk() == b""
        assert crossing.queue.answered().ended == "whole"


def test_a_body_that_the_client_compressed_passes_as_it_is_and_is_read_for_the_desk() -> None:
    body = asking("responses")
    packed = gzip.compress(body)
    with ModelServer() as server, Crossing(server.url) as crossing:
        assert crossing.post(PATHS["responses"], packed, "Content-Encoding: gzip").whole
        assert server.requests[0].body == packed
        assert server.requests[0].header("content-encoding") == "gzip"
        assert crossing.desk.asked[0].body == body


def test_what_is_added_to_a_compressed_body_goes_up_with_it_and_without_the_coding() -> None:
    body = asking("responses")
    desk = FakeDesk(lambda _: b" ")
    with ModelServer() as server, Crossing(server.url, desk=desk) as crossing:
        assert crossing.post(
            PATHS["responses"], gzip.compress(body), "Content-Encoding: gzip"
        ).whole
        assert server.requests[0].body == body + b" "
        assert server.requests[0].header("content-encoding") is None


def test_a_chunked_request_goes_up_whole() -> None:
    with ModelServer() as server, Crossing(server.url) as crossing:
        with crossing.client() as client:
            head = spelled("POST", PATHS["chat"], None, "Transfer-Encoding: chunked")
            client.send(head + b'3\r\n{"a\r\n3\r\n":1\r\n1\r\n}\r\n0\r\n\r\n')
            assert client.hear().whole
        assert server.requests[0].body == b'{"a":1}'


def test_a_large_body_passes() -> None:
    body = asking("chat", words="x" * (3 * MIB))
    with ModelServer() as server, Crossing(server.url) as crossing:
        assert crossing.post(PATHS["chat"], body).whole
        assert server.requests[0].body == body


def test_who_expects_100_continue_gets_it() -> None:
    body = asking("chat")
    with ModelServer() as server, Crossing(server.url) as crossing:
        with crossing.client() as client:
            whole = spelled("POST", PATHS["chat"], body, "Expect: 100-continue")
            client.send(whole[: -len(body)])
            assert client.hear_head().status == 100
            client.send(body)
            assert client.hear().status == 200
        assert server.requests[0].header("expect") is None


@pytest.mark.parametrize("target", ["/v1/files?a=%20+b&a=%2F//c;d", "/x//y/../z", "/%7Ea/?q=%E4"])
def test_addresses_go_up_as_they_are(target: str) -> None:
    with ModelServer(Reply(b"{}")) as server, Crossing(server.url + "/v1/") as crossing:
        assert crossing.get(target).body == b"{}"
        assert server.requests[0].target == target


@pytest.mark.parametrize("method", ["HEAD", "OPTIONS", "GET", "DELETE", "PUT", "PATCH"])
def test_every_method_passes(method: str) -> None:
    reply = Reply(b"{}", headers=(("X-A", "1"),))
    with ModelServer(reply) as server, Crossing(server.url) as crossing:
        heard = crossing.get("/v1/models/x", method=method)
        assert server.requests[0].method == method
    assert heard.headers == [("X-A", "1"), ("Content-Length", "2")]
    assert heard.body == (b"" if method == "HEAD" else b"{}")


def test_an_answer_without_a_body_stays_without_one() -> None:
    reply = Reply(b"", status=204, reason="No Content", headers=(("X-A", "1"),))
    with (
        ModelServer(reply, reply) as server,
        Crossing(server.url) as crossing,
        crossing.client() as client,
    ):
        for _ in range(2):
            client.send(spelled("GET", "/v1/x", None))
            heard = client.hear()
            assert (heard.status, heard.header("transfer-encoding")) == (204, None)


def test_an_answer_that_ends_with_its_connection_does_so_for_the_client_too() -> None:
    reply = Reply(b"data: [DONE]\n\n", headers=STREAM, way=Way(framing="close"))
    with ModelServer(reply) as server, Crossing(server.url) as crossing:
        heard = crossing.post(PATHS["chat"], asking("chat"))
    assert heard.body == b"data: [DONE]\n\n"
    assert heard.headers == [*STREAM, ("Connection", "close")]


def test_a_desk_that_fails_lets_the_request_pass_as_it_is() -> None:
    class Broken(FakeDesk):
        def prepare(self, asked: Asked) -> Prepared:
            raise RuntimeError("sk-secret")

    with ModelServer() as server, Crossing(server.url, desk=Broken()) as crossing:
        body = asking("chat")
        assert crossing.post(PATHS["chat"], body).whole
        assert server.requests[0].body == body
        assert crossing.queue.answered().ended == "whole"
        assert "RuntimeError" in crossing.said[0]
        assert "sk-secret" not in crossing.said[0]


def test_an_exchange_that_cannot_be_handed_over_is_counted_and_passes_all_the_same() -> None:
    with ModelServer() as server, Crossing(server.url) as crossing:
        crossing.queue.broken = RuntimeError("sk-secret")
        assert crossing.post(PATHS["chat"], asking("chat")).whole
    assert crossing.queue.missed == ["RuntimeError"]


def test_only_conversations_are_handed_over() -> None:
    with ModelServer() as server, Crossing(server.url) as crossing:
        assert crossing.get("/v1/models").whole
        assert crossing.post("/v1/messages/count_tokens", b"{}").body == b'{"input_tokens":11}'
        assert crossing.post(PATHS["chat"], asking("chat")).whole
        assert crossing.queue.answered().prepared.asked.dialect == "chat"
        assert len(crossing.queue.jobs) == 1
        assert len(crossing.diagnostics.seen) == 1


def test_redirects_and_cookies_are_the_client_s_business() -> None:
    away = Reply(b"", status=307, reason="Temporary Redirect", headers=(("Location", "/v1/x"),))
    kept = Reply(b"{}", headers=(("Set-Cookie", "a=1"), ("Set-Cookie", "b=2")))
    with (
        ModelServer(away, kept, Reply(b"{}")) as server,
        Crossing(f"http://localhost:{server.port}") as crossing,  # a name can have cookies
    ):
        assert crossing.get("/v1/y").header("location") == "/v1/x"
        cookies = crossing.get("/v1/z").headers
        crossing.get("/v1/z")
        assert [one.header("cookie") for one in server.requests] == [None] * 3
    assert cookies[:2] == [("Set-Cookie", "a=1"), ("Set-Cookie", "b=2")]


@pytest.mark.req("T19")
@pytest.mark.parametrize("coding", ["gzip", "zstd", "br"])
def test_an_answer_in_a_coding_passes_as_it_is(coding: str) -> None:
    packed = {"gzip": gzip.compress(b"data: 1\n\n"), "zstd": zstandard.compress(b"data: 1\n\n")}
    content = packed.get(coding, b"no br at all")
    headers = (*STREAM, ("Content-Encoding", coding))
    with (
        ModelServer(Reply(content, headers=headers, way=Way(cuts=(3,)))) as server,
        Crossing(server.url) as crossing,
    ):
        heard = crossing.post(PATHS["chat"], asking("chat"))
        answered = crossing.queue.answered()
    assert (heard.body, heard.header("content-encoding")) == (content, coding)
    assert (answered.content, answered.encoding) == (content, coding)

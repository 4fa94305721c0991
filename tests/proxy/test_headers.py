"""Headers pass in order and repeated; those of one connection do not."""

from __future__ import annotations

import pytest

from holdfast.proxy.headers import conversation_of, key_of, readable
from holdfast.testing.model_server import ModelServer, Reply
from tests.proxy.crossing import PATHS, Client, Crossing, asking, spelled


@pytest.mark.req("T19")
def test_headers_go_up_in_their_order_and_spelling_but_those_of_the_connection() -> None:
    given = [
        "User-Agent: x/1", "x-stainless-LANG: python", "Authorization: Bearer sk-1",
        "X-Twice: a", "X-Twice: b", "Cookie: a=1; b=2", "Connection: keep-alive, X-Mine",
        "X-Mine: 1", "Keep-Alive: timeout=5", "TE: trailers", "Proxy-Authorization: x",
        "X-Empty:", "X-Words: ä€", "Content-Type: application/json; charset=utf-8",
    ]  # fmt: skip
    with ModelServer() as server, Crossing(server.url) as crossing:
        body = asking("chat")
        assert crossing.post(PATHS["chat"], body, *given).whole
        kept = server.requests[0].headers
    assert kept[0][0].lower() == "host"
    assert [name for name, _ in kept[1:]] == [
        "User-Agent", "x-stainless-LANG", "Authorization", "X-Twice", "X-Twice", "Cookie",
        "X-Empty", "X-Words", "Content-Type", "Content-Length",
    ]  # fmt: skip
    values = [value.encode("latin-1").decode() for _, value in kept]
    assert values[1:9] == ["x/1", "python", "Bearer sk-1", "a", "b", "a=1; b=2", "", "ä€"]


def test_nothing_is_made_up_for_the_upstream() -> None:
    with ModelServer(Reply(b"{}")) as server, Crossing(server.url) as crossing:
        assert crossing.get("/v1/x").whole
        assert [name for name, _ in server.requests[0].headers] == ["Host"]
        assert server.requests[0].header("host") == f"127.0.0.1:{server.port}"


@pytest.mark.req("T19")
def test_headers_come_down_in_their_order_and_spelling_and_nothing_is_made_up() -> None:
    headers = (
        ("x-request-ID", "1"), ("Set-Cookie", "a"), ("set-cookie", "b"), ("X-Mine", "1"),
        ("Connection", "X-Mine"), ("Keep-Alive", "5"), ("anthropic-ratelimit-x", "3"),
        ("X-Odd", "caf\xe9"),
    )  # fmt: skip
    with ModelServer(Reply(b"{}", headers=headers)) as server, Crossing(server.url) as crossing:
        heard = crossing.get("/v1/x")
    assert heard.headers == [
        ("x-request-ID", "1"), ("Set-Cookie", "a"), ("set-cookie", "b"),
        ("anthropic-ratelimit-x", "3"), ("X-Odd", "caf\udce9"), ("Content-Length", "2"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("asked", "kept"),
    [
        ("gzip, deflate, br, zstd", "gzip, deflate, zstd"),
        ("br", "identity"),
        ("gzip;q=1.0, *;q=0", "gzip;q=1.0"),
        ("identity", "identity"),
        ("GZIP ;q=0.5,br", "GZIP ;q=0.5"),
    ],
)
def test_only_codings_that_can_be_read_are_asked_for_where_the_answer_is_read(
    asked: str, kept: str
) -> None:
    assert readable(asked) == kept
    with ModelServer(Reply(b"{}"), Reply(b"{}")) as server, Crossing(server.url) as crossing:
        crossing.post(PATHS["chat"], asking("chat"), f"Accept-Encoding: {asked}")
        crossing.get("/v1/x", f"Accept-Encoding: {asked}")
        assert [one.header("accept-encoding") for one in server.requests] == [kept, asked]


def test_conversations_are_named_by_the_headers_that_clients_use() -> None:
    with ModelServer() as server, Crossing(server.url) as crossing:
        for line in ("X-Claude-Code-Session-Id: a", "session_id: b", "x-session-id: c", "X-A: d"):
            crossing.post(PATHS["chat"], asking("chat"), line)
        assert [one.client for one in crossing.desk.asked] == ["a", "b", "c", None]
    assert conversation_of({"x-session-id": "x" * 1000}) is None
    assert conversation_of({"x-session-id": "a\x00b"}) is None


def test_who_works_for_a_conversation_is_not_the_conversation_and_no_user_speaks_there() -> None:
    with ModelServer() as server, Crossing(server.url) as crossing:
        session, agent = "X-Claude-Code-Session-Id: a", "x-claude-code-agent-id: b"
        crossing.post(PATHS["messages"], asking("messages"), session)
        crossing.post(PATHS["messages"], asking("messages"), session, agent)
        asked = [(one.client, one.delegated) for one in crossing.desk.asked]
    assert asked == [("a", False), ("a/b", True)]


def test_keys_are_handed_over_for_the_same_turn_and_shown_nowhere() -> None:
    with ModelServer() as server, Crossing(server.url) as crossing:
        crossing.post(PATHS["messages"], asking("messages"), "x-api-key: sk-1", "X-A: 1")
        answered = crossing.queue.answered()
        assert answered.key == {"x-api-key": "sk-1"}
        assert crossing.said == []
    assert key_of({"X-A": "1"}) == {}


def test_a_client_of_http_1_0_gets_an_answer_that_ends_with_its_connection() -> None:
    with ModelServer() as server, Crossing(server.url) as crossing:
        with Client(crossing.port) as client:
            old = spelled("POST", PATHS["chat"], asking("chat")).replace(b"HTTP/1.1", b"HTTP/1.0")
            client.send(old)
            heard = client.hear()
        assert (heard.header("transfer-encoding"), heard.body[-14:]) == (None, b"data: [DONE]\n\n")

"""The scripted model server says what it is told to, in every dialect."""

from __future__ import annotations

import json
from typing import Any

import pytest

from holdfast.testing.model_server import DIALECTS, ModelServer, Reply, Said, ToolCall, Way
from holdfast.wire.answer import Answer
from holdfast.wire.streams import answer_stream
from tests.proxy.crossing import Client, Heard, asking, spelled

CALL = ToolCall("Write", {"file_path": "a.py", "content": "x = 1  # ä\n"})


def ask(server: ModelServer, path: str, body: bytes) -> Heard:
    with Client(server.port) as client:
        client.send(spelled("POST", path, body))
        return client.hear()


@pytest.mark.parametrize("streamed", [True, False])
@pytest.mark.parametrize("path", DIALECTS)
def test_what_is_said_can_be_read_again(path: str, streamed: bool) -> None:
    dialect = DIALECTS[path]
    plain = dialect in ("completions", "ollama-generate")
    said = Said("some ä words", () if plain else (CALL,), "" if plain else "hm")
    with ModelServer(said) as server:
        heard = ask(server, path, asking(dialect, streamed=streamed))
    stream, answer = answer_stream(dialect, streamed=streamed), Answer()
    for event in (*stream.feed(heard.body), *stream.finish()):
        answer.take(event)
    assert answer.text == "some ä words"
    assert [(one.name, json.loads(one.text)) for one in answer.blocks if one.name] == (
        [] if plain else [("Write", CALL.arguments)]
    )
    assert (answer.ended is not None, answer.unread, answer.failures) == (True, 0, [])


def test_answers_come_in_order_then_the_one_for_all_others() -> None:
    with ModelServer(Said("one"), lambda asked: Said(asked.json()["model"])) as server:
        server.otherwise = Said("three")
        words = [
            json.loads(ask(server, "/v1/chat/completions", asking("chat", streamed=False)).body)
            for _ in range(4)
        ]
    said: list[Any] = [one["choices"][0]["message"]["content"] for one in words]
    assert said == ["one", "m", "three", "three"]


def test_bytes_are_cut_where_they_are_told_to_be() -> None:
    reply = Reply(b"abcdef", way=Way(cuts=(2, 3), framing="chunked"))
    with ModelServer(reply) as server:
        assert ask(server, "/v1/responses", b"{}").chunks == [b"ab", b"c", b"def"]
        assert server.requests[0].head.startswith(b"POST /v1/responses HTTP/1.1\r\n")


def test_what_is_beside_the_model_is_answered_too() -> None:
    with ModelServer() as server:
        assert json.loads(ask(server, "/v1/models", b"").body)["data"][0]["id"] == "scripted"
        assert ask(server, "/v1/messages/count_tokens", b"{}").body == b'{"input_tokens":11}'
        assert ask(server, "/nowhere", b"").status == 404

"""Every way in which an exchange can break off, stall, or meet others."""

from __future__ import annotations

import asyncio
import gzip
import json
import threading
from hashlib import sha256

import pytest

from holdfast.kernel.limits import MIB
from holdfast.proxy.values import Answered, Asked
from holdfast.testing.model_answers import spell
from holdfast.testing.model_server import ModelServer, Received, Reply, Said, ToolCall, Way
from holdfast.wire.events import Dialect
from tests.proxy.crossing import PATHS, WAIT_S, Crossing, FakeDesk, asking, spelled

SAID = Said("some words", (ToolCall("Write", {"file_path": "a.py"}),))
STREAM = (("Content-Type", "text/event-stream"),)


@pytest.mark.req("T19")
@pytest.mark.parametrize("framing", ["chunked", "length"])
def test_an_upstream_that_dies_mid_stream_breaks_the_client_s_connection_off(framing: str) -> None:
    chunks = (b"data: 1\n\n", b"data: 2\n\n", b"data: 3\n\n")
    reply = Reply(chunks, headers=STREAM, way=Way(framing=framing, dies_after=2))  # type: ignore[arg-type]
    with ModelServer(reply) as server, Crossing(server.url) as crossing:
        heard = crossing.post(PATHS["chat"], asking("chat"))
        assert (heard.body, heard.whole) == (b"data: 1\n\ndata: 2\n\n", False)
        answered = crossing.queue.answered()
        assert (answered.ended, answered.content) == ("cut", heard.body)
        assert crossing.post(PATHS["chat"], asking("chat")).whole


@pytest.mark.req("T19")
@pytest.mark.parametrize("version", ["1.1", "1.0"])
def test_an_answer_that_would_end_with_its_connection_and_breaks_off_is_not_taken_for_whole(
    version: str,
) -> None:
    """The end of a connection is the end of such an answer; so it is reset."""
    reply = Reply((b"1", b"2", b"3"), headers=STREAM, way=Way(framing="chunked", dies_after=2))
    whole = Reply((b"1", b"2"), headers=STREAM, way=Way(framing="close"))
    for answer, cut in ((reply, True), (whole, False)):
        with (
            ModelServer(answer) as server,
            Crossing(server.url) as crossing,
            crossing.client() as client,
        ):
            raw = spelled("POST", PATHS["chat"], asking("chat")).replace(b"1.1", version.encode())
            client.send(raw)
            head = client.hear_head()
            received, reset = client._buffer, False
            try:
                while chunk := client.socket.recv(1 << 16):
                    received += chunk
            except ConnectionResetError:
                reset = True
            told = head.header("transfer-encoding") == "chunked"
            assert reset is (cut and not told)
            assert told or received == b"12"


@pytest.mark.req("T19")
def test_a_slow_client_gets_all_that_came_before_the_upstream_died() -> None:
    chunks = tuple(bytes([number]) * 60_000 for number in range(1, 200))
    reply = Reply((*chunks, b"never sent"), headers=STREAM, way=Way(dies_after=len(chunks)))
    with (
        ModelServer(reply) as server,
        Crossing(server.url) as crossing,
        crossing.slow_client() as client,
    ):
        client.send(spelled("POST", PATHS["chat"], asking("chat")))
        head = client.hear_head()
        for _ in range(50):  # long enough for the upstream to be dead before the client reads
            assert crossing.get("/health").status == 200
        while chunk := client.hear_chunk():
            head.body += chunk
        assert (head.body == b"".join(chunks), chunk) == (True, None)
        answered = crossing.queue.answered()
        assert (answered.ended, answered.content == head.body) == ("cut", True)


@pytest.mark.req("T19")
def test_an_upstream_that_dies_after_its_head_breaks_off_after_the_head() -> None:
    reply = Reply((b"x", b"y"), way=Way(dies_after=0))
    with ModelServer(reply) as server, Crossing(server.url) as crossing:
        heard = crossing.post(PATHS["chat"], asking("chat"))
        answered = crossing.queue.answered()
    assert (heard.status, heard.body, heard.whole) == (200, b"", False)
    assert (answered.ended, answered.status, answered.content) == ("cut", 200, b"")


@pytest.mark.req("T19")
def test_an_upstream_that_dies_before_its_answer_is_a_502_that_says_so() -> None:
    with ModelServer(Reply(way=Way(dies_after=-1))) as server, Crossing(server.url) as crossing:
        heard = crossing.post(PATHS["chat"], asking("chat"))
        answered = crossing.queue.answered()
        assert len(server.requests) == 1  # it is not asked again: it may have begun to work
    assert heard.status == 502
    assert b"hung up without an answer" in heard.body
    assert (answered.ended, answered.status) == ("failed", 0)


@pytest.mark.req("T19")
@pytest.mark.parametrize(
    ("dialect", "shape"),
    [("chat", ["error"]), ("messages", ["error", "type"]), ("ollama-chat", ["error"])],
)
def test_an_upstream_that_is_not_there_is_a_502_in_the_client_s_dialect(
    dialect: Dialect, shape: list[str]
) -> None:
    with ModelServer() as server:
        gone = server.url
    with Crossing(gone) as crossing:
        heard = crossing.post(PATHS[dialect], asking(dialect))
        answered = crossing.queue.answered()
    told = json.loads(heard.body)
    assert (heard.status, sorted(told)) == (502, shape)
    assert "cannot be reached" in str(told)
    assert "--upstream" in str(told)
    assert (answered.ended, answered.status, answered.content) == ("failed", 0, b"")


@pytest.mark.req("T19")
def test_an_upstream_that_speaks_no_http_is_a_502() -> None:
    reply = Reply(b"", status=200, reason="OK\r\nbroken header line", headers=())
    with ModelServer(reply) as server, Crossing(server.url) as crossing:
        heard = crossing.post(PATHS["chat"], asking("chat"))
        assert heard.status == 502
        assert crossing.queue.answered().ended == "failed"


@pytest.mark.req("T19")
def test_an_upstream_that_leaves_http_unasked_is_a_502() -> None:
    headers = (("Upgrade", "x"), ("Connection", "Upgrade"))
    switching = Reply(b"", status=101, reason="Switching Protocols", headers=headers)
    with ModelServer(switching, Reply(b"{}")) as server, Crossing(server.url) as crossing:
        heard = crossing.post(PATHS["chat"], asking("chat"))
        assert (heard.status, heard.whole) == (502, True)
        assert b"left HTTP, unasked" in heard.body
        assert crossing.queue.answered().ended == "failed"
        assert crossing.post(PATHS["chat"], asking("chat")).status == 200


@pytest.mark.parametrize("status", [400, 401, 404, 429, 500, 529])
def test_errors_of_the_upstream_pass_as_they_are(status: int) -> None:
    body = b'{"error":{"message":"no \xff"}}'
    headers = (("Content-Type", "application/json"), ("Retry-After", "3"))
    reply = Reply(body, status=status, reason="Own Words", headers=headers)
    with ModelServer(reply) as server, Crossing(server.url) as crossing:
        heard = crossing.post(PATHS["messages"], asking("messages"))
        assert (heard.status, heard.reason, heard.body) == (status, "Own Words", body)
        assert heard.header("retry-after") == "3"
        assert crossing.queue.answered().status == status


@pytest.mark.req("T19")
def test_a_client_that_leaves_ends_the_upstream_s_work() -> None:
    chunks = (b"data: 1\n\n", b"data: 2\n\n")
    reply = Reply(chunks, headers=STREAM, way=Way(framing="chunked", gated=True))
    with ModelServer(reply) as server, Crossing(server.url) as crossing:
        with crossing.client() as client:
            client.send(spelled("POST", PATHS["chat"], asking("chat")))
            server.step()
            client.hear_head()
            assert client.hear_chunk() == chunks[0]
        assert server.wait_for(lambda server: server.broken == 1)
        answered = crossing.queue.answered()
        assert (answered.ended, answered.content) == ("gone", chunks[0])


@pytest.mark.req("T19")
def test_a_client_that_leaves_before_the_answer_begins_ends_the_upstream_s_work() -> None:
    reply = Reply((b"data: 1\n\n",), headers=STREAM, way=Way(framing="chunked", gated=True))
    with ModelServer(reply) as server, Crossing(server.url) as crossing:
        with crossing.client() as client:
            client.send(spelled("POST", PATHS["chat"], asking("chat")))
            assert server.wait_for(lambda server: len(server.requests) == 1)
        assert server.wait_for(lambda server: server.broken == 1)
        answered = crossing.queue.answered()
        assert (answered.ended, answered.status) == ("gone", 0)


@pytest.mark.req("T19")
def test_a_client_that_leaves_while_the_desk_waits_leaves_an_episode_behind() -> None:
    class Waiting(FakeDesk):
        async def ready(self, asked: Asked) -> bool:
            self.asked.append(asked)
            waits.set()
            return await asyncio.Event().wait()

    waits = threading.Event()
    with ModelServer() as server, Crossing(server.url, desk=Waiting()) as crossing:
        with crossing.client() as client:
            client.send(spelled("POST", PATHS["chat"], asking("chat")))
            assert waits.wait(WAIT_S)
        answered = crossing.queue.answered()
        assert (answered.ended, answered.status) == ("gone", 0)
        assert answered.prepared.asked is crossing.desk.asked[0]
        assert server.requests == []


@pytest.mark.req("T19")
@pytest.mark.parametrize("coding", ["identity", "gzip"])
@pytest.mark.parametrize("dialect", ["responses", "messages", "chat", "ollama-chat"])
def test_a_client_that_leaves_after_the_last_event_has_the_whole_answer(
    dialect: Dialect, coding: str
) -> None:
    said = b"".join(spell(dialect, SAID, model="m", streamed=True))
    content = gzip.compress(said) if coding == "gzip" else said
    kind = "application/x-ndjson" if dialect.startswith("ollama") else "text/event-stream"
    reply = Reply(
        (content, b": more\n\n"),
        headers=(("Content-Type", kind), ("Content-Encoding", coding)),
        way=Way(framing="chunked", gated=True),
    )
    with ModelServer(reply) as server, Crossing(server.url) as crossing:
        with crossing.client() as client:
            client.send(spelled("POST", PATHS[dialect], asking(dialect)))
            server.step()
            client.hear_head()
            assert client.hear_chunk() == content
        answered = crossing.queue.answered()
        assert (answered.ended, answered.content) == ("whole", content)


@pytest.mark.req("T19")
def test_a_slow_client_slows_the_upstream_and_memory_stays_bounded() -> None:
    """The upstream cannot get rid of its answer while the client does not read."""
    total = 64 * MIB
    reply = Reply(tuple(b"x" * MIB for _ in range(64)), headers=STREAM, way=Way(framing="chunked"))
    with (
        ModelServer(reply) as server,
        Crossing(server.url) as crossing,
        crossing.client() as client,
    ):
        client.send(spelled("GET", "/v1/files/1/content", None))
        client.hear_head()
        for _ in range(300):
            assert crossing.get("/health").status == 200
        assert server.sent < total // 2
        received = 0
        while chunk := client.hear_chunk():
            received += len(chunk)
        assert (received, chunk) == (total, b"")


@pytest.mark.req("T19")
def test_many_at_once_do_not_mix() -> None:
    def answer(asked: Received) -> Said:
        return Said(asked.json()["messages"][0]["content"] * 20)

    heard: dict[int, bytes] = {}
    with ModelServer(way=Way(cuts=tuple(range(0, 5000, 37)))) as server:
        server.otherwise = answer
        with Crossing(server.url) as crossing:

            def talk(number: int) -> None:
                with crossing.client() as client:
                    for turn in range(5):
                        body = asking("chat", words=f"<{number}.{turn}>")
                        client.send(spelled("POST", PATHS["chat"], body))
                        heard[number * 10 + turn] = client.hear().body

            threads = [threading.Thread(target=talk, args=(number,)) for number in range(16)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join(WAIT_S)
            crossing.queue.answered(80)
            jobs = list(crossing.queue.jobs)
    for key, body in heard.items():
        said = Said(f"<{key // 10}.{key % 10}>" * 20)
        assert body == b"".join(spell("chat", said, model="m", streamed=True))
    assert len(heard) == 80
    assert sorted(job.content for job in jobs if isinstance(job, Answered)) == sorted(
        heard.values()
    )


@pytest.mark.req("T19")
def test_a_proxy_that_is_stopped_ends_what_is_on_its_way_and_hands_it_over() -> None:
    chunks = (b"data: 1\n\n", b"data: 2\n\n")
    reply = Reply(chunks, headers=STREAM, way=Way(framing="chunked", gated=True))
    with ModelServer(reply) as server, Crossing(server.url) as crossing:
        with crossing.client() as client:
            client.send(spelled("POST", PATHS["chat"], asking("chat")))
            server.step()
            client.hear_head()
            assert client.hear_chunk() == chunks[0]
            crossing.run(crossing.proxy.stop(grace_s=0.01))
            assert client.hear_chunk() is None
        answered = crossing.queue.answered()
        assert (answered.ended, answered.content) == ("gone", chunks[0])
        assert server.wait_for(lambda server: server.broken == 1)
        assert crossing.proxy.port == 0


@pytest.mark.req("T19")
@pytest.mark.parametrize("size", [256 * 1024 - 1, 256 * 1024 + 1, 3 * MIB])
def test_the_hash_is_of_all_bytes_however_long_the_answer_is(size: int) -> None:
    content = bytes(range(256)) * (size // 256 + 1)
    reply = Reply(content, headers=STREAM, way=Way(cuts=(1, 70_000, 250_000), framing="chunked"))
    with ModelServer(reply) as server, Crossing(server.url) as crossing:
        assert crossing.post(PATHS["chat"], asking("chat")).body == content
        answered = crossing.queue.answered()
    assert answered.content == content
    assert answered.content_hash == sha256(content).hexdigest()

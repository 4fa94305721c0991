"""Syncing over HTTP on this machine: who may ask, what is answered, and peers that answer badly."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from holdfast.kernel.errors import CouldNotLook, Damaged, HoldfastError, InvalidInput, StorageFailed
from holdfast.kernel.limits import SYNC_ANSWER_BYTES_MAX, SYNC_PAGE_ENTRIES
from holdfast.ledger.ledger import Draft, Ledger
from holdfast.ledger.peers.merging import sync
from holdfast.wiring import sync_client, sync_server
from holdfast.wiring.places import Place
from holdfast.wiring.sync_client import HttpSource
from holdfast.wiring.sync_server import Server, serve, token_of
from tests.ledger.peers.neighbours import OURS, THEIRS, MemoryMirrors, Ours, new_ledger, source_of

TOKEN = "t" * 64


@pytest.fixture
def theirs() -> Ledger:
    return new_ledger(THEIRS, 9, number=5)


@contextmanager
def listening(server: ThreadingHTTPServer) -> Iterator[ThreadingHTTPServer]:
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def server(theirs: Ledger) -> Iterator[Server]:
    made = serve(theirs.reader, TOKEN, 0)
    with listening(made):
        yield made


def ask(server: Server, path: str, method: str = "GET", **headers: str) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=10)
    try:
        given = {"Authorization": f"Bearer {TOKEN}"} | {
            name.replace("_", "-"): value for name, value in headers.items()
        }
        connection.request(method, path, headers=given)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


@pytest.mark.req("L20")
def test_a_ledger_comes_over_http_as_it_does_by_its_path(server: Server, theirs: Ledger) -> None:
    ours, mirrors = new_ledger(OURS, 2), MemoryMirrors()
    before = Ours(ours)
    done = sync(ours, HttpSource(server.address, TOKEN), mirrors, name=server.address)
    assert (done.outcome, done.root, before.check()) == ("merged", theirs.root(), ["peer_merged"])
    by_path = MemoryMirrors()
    sync(new_ledger(OURS, 2), source_of(theirs), by_path, name="p")
    assert mirrors.places[THEIRS]._entries == by_path.places[THEIRS]._entries
    assert mirrors.places[THEIRS]._artifacts == by_path.places[THEIRS]._artifacts


def test_more_entries_than_fit_a_page_come_page_by_page() -> None:
    theirs = new_ledger(THEIRS, 0, number=5)
    prompts = [Draft("prompt_given", {"text": f"{n}"}) for n in range(SYNC_PAGE_ENTRIES + 5)]
    theirs.append_many(prompts)
    with listening(made := serve(theirs.reader, TOKEN, 0)):
        ours = new_ledger(OURS, 1)
        done = sync(ours, HttpSource(made.address, TOKEN), MemoryMirrors(), name="p")
    assert done.size == SYNC_PAGE_ENTRIES + 5


def test_a_page_ends_where_it_is_heavy_enough(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sync_server, "SYNC_PAGE_BYTES", 1)
    assert ask(server, "/v1/entries?first=2&stop=9")[1].count(b"\n") == 1
    ours = new_ledger(OURS, 1)
    assert sync(ours, HttpSource(server.address, TOKEN), MemoryMirrors(), name="p").size == 9


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Authorization": "Bearer wrong"}, 401),
        ({"Authorization": TOKEN}, 401),
        ({"Authorization": "Bearer \u00e9"}, 401),
        ({"Origin": "http://127.0.0.1"}, 403),
        ({"Host": "evil.example"}, 403),
        ({"Host": "127.0.0.1.evil.example"}, 403),
        ({"Host": ""}, 403),
        ({"Host": "localhost"}, 200),
    ],
)
def test_only_who_shows_the_token_on_this_machine_is_answered(
    server: Server, headers: dict[str, str], status: int
) -> None:
    found, content = ask(server, "/v1/head", **headers)
    assert found == status
    assert bool(content) == (status == 200)


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/", 404),
        ("/v1/head/../../x", 404),
        ("/v1/artifacts/" + "a" * 64, 404),
        ("/v1/artifacts/../ledger.key", 404),
        ("/v1/proof?old=9&new=2", 400),
        ("/v1/proof?old=2&new=99", 400),
        ("/v1/proof?old=2", 400),
        ("/v1/proof?old=-1&new=2", 400),
        ("/v1/entries?first=x&stop=2", 400),
        ("/v1/entries?first=1&first=2&stop=3", 400),
        ("/v1/entries?first=9999999999999999999&stop=2", 400),
        ("/v1/entries?" + "a=1&" * 100, 400),
        ("/v1/entries?first=50&stop=60", 200),
    ],
)
def test_an_odd_question_is_answered_by_a_status(server: Server, path: str, status: int) -> None:
    assert ask(server, path)[0] == status


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
def test_nothing_but_reading_is_understood(server: Server, theirs: Ledger, method: str) -> None:
    size = theirs.head().size
    assert ask(server, "/v1/head", method)[0] == 501
    assert theirs.head().size == size


def test_a_port_that_is_taken_is_told(server: Server, theirs: Ledger) -> None:
    with pytest.raises(StorageFailed, match="cannot be listened on"):
        serve(theirs.reader, TOKEN, server.server_port)


Answer = Callable[[str, bytes], tuple[int, dict[str, str], bytes]]


class Bad(ThreadingHTTPServer):
    """A peer that changes what an honest one answers."""

    daemon_threads = True

    def __init__(self, honest: Ledger, answer: Answer) -> None:
        super().__init__(("127.0.0.1", 0), _BadHandler)
        self.source = source_of(honest)
        self.answer = answer

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _BadHandler(BaseHTTPRequestHandler):
    server: Bad

    def do_GET(self) -> None:
        content = sync_server._content(self.server.source, self.path)  # type: ignore[arg-type]
        status, headers, changed = self.server.answer(self.path, content or b"")
        self.send_response(status)
        for name, value in ({"Content-Length": str(len(changed))} | headers).items():
            if value:
                self.send_header(name, value)
        self.end_headers()
        self.wfile.write(changed)

    def log_message(self, format: str, *args: Any) -> None:
        pass


def _on(part: str, change: Callable[[bytes], bytes], **headers: str) -> Answer:
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda path, content: (
        (200, given, change(content)) if part in path else (200, {}, content)
    )


BAD: dict[str, tuple[Answer, type[HoldfastError]]] = {
    "a head that is no JSON": (_on("head", lambda _c: b"<html>"), Damaged),
    "a head with more in it": (
        _on("head", lambda c: json.dumps({**json.loads(c), "more": 1}).encode()),
        Damaged,
    ),
    "a head of the wrong kind": (_on("head", lambda _c: b'{"ledger":1,"size":"x"}'), Damaged),
    "an endless head": (_on("head", lambda _c: b" " * (SYNC_ANSWER_BYTES_MAX + 9)), Damaged),
    "a torn page": (_on("entries", lambda c: c[:-5]), Damaged),
    "a page cut on the way": (
        _on("entries", lambda c: c[:-5], Content_Length="99999999"),
        CouldNotLook,
    ),
    "no page": (_on("entries", lambda _c: b""), Damaged),
    "a page of blanks": (_on("entries", lambda _c: b"\n" * 100), Damaged),
    "an artifact of another": (_on("artifacts", lambda _c: b"x"), Damaged),
    "an error": (lambda _p, c: (500, {}, c), CouldNotLook),
    "a way elsewhere": (
        lambda _p, _c: (302, {"Location": "http://127.0.0.1:9/v1/head"}, b""),
        CouldNotLook,
    ),
    "nothing is there": (lambda _p, _c: (404, {}, b""), Damaged),
}


@pytest.mark.parametrize("kind", BAD)
def test_a_peer_that_answers_badly_merges_nothing(theirs: Ledger, kind: str) -> None:
    answer, error = BAD[kind]
    ours, mirrors = new_ledger(OURS, 2), MemoryMirrors()
    before = Ours(ours)
    with listening(bad := Bad(theirs, answer)), pytest.raises(error):
        sync(ours, HttpSource(bad.address, TOKEN), mirrors, name="p")
    assert before.check() == []
    assert sync(ours, source_of(theirs), mirrors, name="p").size == 9


@pytest.mark.parametrize("answer", [b'{"proof":["zz"]}', b'{"proof":["00"]}', b"[]", b""])
def test_a_proof_that_is_none_is_no_proof(theirs: Ledger, answer: bytes) -> None:
    ours, mirrors = new_ledger(OURS, 2), MemoryMirrors()
    sync(ours, source_of(theirs), mirrors, name="p")
    theirs.append("prompt_given", {"text": "more"})
    before = Ours(ours)
    with listening(bad := Bad(theirs, _on("proof", lambda _c: answer))), pytest.raises(Damaged):
        sync(ours, HttpSource(bad.address, TOKEN), mirrors, name="p")
    assert before.check() == []


def test_a_peer_that_hangs_up_in_the_middle_is_gone_on_with(theirs: Ledger) -> None:
    """The first page comes, the second does not: what came is kept, the next sync needs less."""
    pages = iter([True])

    def one_page(path: str, content: bytes) -> tuple[int, dict[str, str], bytes]:
        if "entries" not in path:
            return 200, {}, content
        if next(pages, False):
            return 200, {}, content[: content.index(b"\n") + 1]
        return 500, {}, b""

    ours, mirrors = new_ledger(OURS, 2), MemoryMirrors()
    before = Ours(ours)
    with listening(bad := Bad(theirs, one_page)), pytest.raises(CouldNotLook):
        sync(ours, HttpSource(bad.address, TOKEN), mirrors, name="p")
    assert before.check() == []
    assert mirrors.places[THEIRS].head().size == 1
    assert sync(ours, source_of(theirs), mirrors, name="p").outcome == "merged"
    assert before.check() == ["peer_merged"]


class _Endless(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        with suppress(OSError):
            while True:
                self.wfile.write(b"HTTP/1.1 100 Continue\r\n\r\n")

    def log_message(self, format: str, *args: Any) -> None:
        pass


def test_an_answer_that_never_comes_to_its_point_is_given_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is never silent, so that no silence ends it."""
    monkeypatch.setattr(sync_client, "SYNC_BYTES_PER_S_MIN", SYNC_ANSWER_BYTES_MAX * 20)
    monkeypatch.setattr(sync_client, "SYNC_TIMEOUT_S", 0.2)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Endless)
    server.daemon_threads = True
    with listening(server), pytest.raises(CouldNotLook):
        HttpSource(f"http://127.0.0.1:{server.server_port}", TOKEN).head()


@pytest.mark.parametrize("token", ["", " ", "a\nb", "\ufffd", "\x1b[2J"])
def test_a_token_that_no_header_carries_is_refused_and_not_shown(token: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        HttpSource("http://127.0.0.1:9", token)
    assert "a\nb" not in str(refused.value)


@pytest.mark.parametrize("content", [b"", b"\n", b"short", b"\xff" * 64, b"a b" * 30, b"a\n" * 40])
def test_a_file_without_a_token_lets_nobody_in(tmp_path: Path, content: bytes) -> None:
    """An empty one would be shown by everybody who knows nothing."""
    place = Place(tmp_path / "ledger.db")
    assert len(made := token_of(place)) == 64
    assert token_of(place) == made
    (place.peers / "sync.token").write_bytes(content)
    with pytest.raises(InvalidInput, match="holds no token"):
        token_of(place)

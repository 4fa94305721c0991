"""Syncing over MCP: what is asked and answered, peers that answer badly, and commands that do."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from mcp.server import Server

from holdfast.kernel.errors import CouldNotLook, Damaged, HoldfastError, InvalidInput
from holdfast.kernel.limits import (
    SYNC_ANSWER_BYTES_MAX,
    SYNC_MESSAGE_BYTES_MAX,
    SYNC_PAGE_ENTRIES,
    SYNC_PART_BYTES,
)
from holdfast.ledger.ledger import Draft, Ledger
from holdfast.ledger.peers.merging import sync
from holdfast.mcp_server.sharing import ADDRESS, Tell, make_sharing
from holdfast.wiring import sync_answers, sync_mcp, sync_streams
from holdfast.wiring.sync_answers import answer
from holdfast.wiring.sync_mcp import connected, mcp_source
from holdfast.wiring.sync_streams import through_command
from tests.ledger.peers.neighbours import OURS, THEIRS, MemoryMirrors, Ours, new_ledger, source_of


@pytest.fixture
def theirs() -> Ledger:
    return new_ledger(THEIRS, 9, number=5)


def telling(ledger: Ledger, page_bytes: int = SYNC_PART_BYTES) -> Tell:
    """Answer for a ledger, as its server does."""

    def tell(uri: str) -> bytes | None:
        path, _, query = uri.removeprefix(ADDRESS).partition("?")
        return answer(source_of(ledger), path, query, page_bytes=page_bytes)

    return tell


def sharing(tell: Tell) -> Server[Any]:
    return make_sharing(tell, version="1", report=lambda _error: None)


@pytest.mark.req("L20")
@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_ledger_comes_over_mcp_as_it_does_by_its_path(theirs: Ledger, mode: Any) -> None:
    ours, mirrors = new_ledger(OURS, 2), MemoryMirrors()
    before = Ours(ours)
    with connected(sharing(telling(theirs)), mode) as source:
        done = sync(ours, source, mirrors, name="mcp: p")
    assert (done.outcome, done.root, before.check()) == ("merged", theirs.root(), ["peer_merged"])
    by_path = MemoryMirrors()
    sync(new_ledger(OURS, 2), source_of(theirs), by_path, name="p")
    assert mirrors.places[THEIRS]._entries == by_path.places[THEIRS]._entries
    assert mirrors.places[THEIRS]._artifacts == by_path.places[THEIRS]._artifacts
    with connected(sharing(telling(theirs)), mode) as source:
        assert sync(ours, source, mirrors, name="mcp: p").outcome == "same"


def test_more_entries_than_fit_a_page_come_page_by_page() -> None:
    theirs = new_ledger(THEIRS, 0, number=5)
    prompts = [Draft("prompt_given", {"text": f"{n}"}) for n in range(SYNC_PAGE_ENTRIES + 5)]
    theirs.append_many(prompts)
    with connected(sharing(telling(theirs))) as source:
        done = sync(new_ledger(OURS, 1), source, MemoryMirrors(), name="p")
    assert done.size == SYNC_PAGE_ENTRIES + 5


@pytest.mark.parametrize("more", [-1, 0, 1])
def test_an_artifact_comes_in_parts(more: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also one whose last part is full, behind which there is nothing."""
    part = 40_000
    monkeypatch.setattr(sync_answers, "SYNC_PART_BYTES", part)
    monkeypatch.setattr(sync_mcp, "SYNC_PART_BYTES", part)
    theirs = new_ledger(THEIRS, 0, number=5)
    text = "a" * (2 * part + more)
    theirs.append("prompt_given", {"text": text})
    asked: list[str] = []
    tell = telling(theirs)

    def counting(uri: str) -> bytes | None:
        asked.append(uri)
        return tell(uri)

    mirrors = MemoryMirrors()
    with connected(sharing(counting)) as source:
        assert sync(new_ledger(OURS, 1), source, mirrors, name="p").outcome == "merged"
    assert list(mirrors.places[THEIRS]._artifacts.values()) == [text.encode()]
    assert sum("artifacts" in uri for uri in asked) == (2 if more < 0 else 3)


@pytest.mark.parametrize(
    "question",
    [
        "proof?old=9&new=2",
        "proof?old=2&new=99",
        "proof?old=-1&new=2",
        "entries?first=x&stop=2",
        "entries?first=1&first=2&stop=3",
        "artifacts/" + "a" * 64 + "?from=-1",
        "entries?" + "a=1&" * 100,
    ],
)
def test_an_odd_question_is_refused_or_answered_with_nothing(theirs: Ledger, question: str) -> None:
    with connected(sharing(telling(theirs))) as source:
        with suppress(CouldNotLook):
            assert source._read(question) is None
        assert source.head().size == 9


@pytest.mark.parametrize("question", ["", "x", "../ledger.db", "artifacts/../ledger.key"])
def test_there_is_nothing_else_to_read(theirs: Ledger, question: str) -> None:
    with connected(sharing(telling(theirs))) as source:
        assert source._read(question) is None


def _on(part: str, change: Callable[[bytes], bytes | None]) -> Callable[[Tell], Tell]:
    def lying(tell: Tell) -> Tell:
        return lambda uri: change(tell(uri) or b"") if part in uri else tell(uri)

    return lying


def _fails(_content: bytes) -> bytes:
    raise RuntimeError("no")


BAD: dict[str, tuple[Callable[[Tell], Tell], type[HoldfastError]]] = {
    "a head that is no JSON": (_on("head", lambda _c: b"<html>"), Damaged),
    "an endless head": (_on("head", lambda c: c + b" " * SYNC_ANSWER_BYTES_MAX), Damaged),
    "a torn page": (_on("entries", lambda c: c[:-5]), Damaged),
    "no page": (_on("entries", lambda _c: None), Damaged),
    "a page of blanks": (_on("entries", lambda _c: b"\n" * 100), Damaged),
    "an artifact of another": (_on("artifacts", lambda _c: b"x"), Damaged),
    "too large a part": (_on("artifacts", lambda _c: b"x" * (SYNC_PART_BYTES + 1)), Damaged),
    "an error": (_on("head", _fails), CouldNotLook),
    "nothing is there": (_on("", lambda _c: None), Damaged),
}


@pytest.mark.req("L20")
@pytest.mark.parametrize("kind", BAD)
def test_a_peer_that_answers_badly_merges_nothing(theirs: Ledger, kind: str) -> None:
    lying, error = BAD[kind]
    ours, mirrors = new_ledger(OURS, 2), MemoryMirrors()
    before = Ours(ours)
    with pytest.raises(error), connected(sharing(lying(telling(theirs)))) as source:
        sync(ours, source, mirrors, name="p")
    assert before.check() == []
    assert sync(ours, source_of(theirs), mirrors, name="p").size == 9


def test_an_artifact_without_end_is_given_up(
    theirs: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sync_mcp, "CAMPAIGN_ARTIFACT_BYTES_MAX", 3 * SYNC_PART_BYTES)
    endless = _on("artifacts", lambda _c: b"x" * SYNC_PART_BYTES)
    with (
        pytest.raises(Damaged, match="more than it was asked for"),
        connected(sharing(endless(telling(theirs)))) as source,
    ):
        sync(new_ledger(OURS, 2), source, MemoryMirrors(), name="p")


CLOSED = "Connection closed"
COMMANDS = {
    "it ends at once": ("pass", CLOSED),
    "it says nothing that is a message": ("print('hello')", CLOSED),
    "it prints a line without end": (
        "import sys\n"
        f"for _ in range({SYNC_MESSAGE_BYTES_MAX // 65536 + 99}): sys.stdout.write('x' * 65536)\n"
        "sys.stdout.flush(); sys.stdin.read()",
        CLOSED,
    ),
    "it answers with what is no answer": (
        "import sys, json\n"
        "for line in sys.stdin:\n"
        " one = json.loads(line)\n"
        " print(json.dumps({'jsonrpc': '2.0', 'id': one.get('id'), 'result': 7}), flush=True)",
        "",
    ),
}


@pytest.mark.parametrize("kind", COMMANDS)
def test_a_command_that_is_no_server_is_told(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sync_mcp, "SYNC_TIMEOUT_S", 20.0 if COMMANDS[kind][1] else 0.5)
    monkeypatch.setattr(sync_streams, "SYNC_COMMAND_END_S", 0.1)
    script, says = COMMANDS[kind]
    way = through_command([sys.executable, "-c", script])
    with (
        pytest.raises(CouldNotLook, match=f"did not answer as it should: .*{says}"),
        connected(way),
    ):
        pass


class _Endless(BaseHTTPRequestHandler):
    """Answers every question with far more than any message may have."""

    sent = 0
    pieces = 40 * SYNC_MESSAGE_BYTES_MAX // 65536

    def do_POST(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        with suppress(OSError):
            for _ in range(self.pieces):
                self.wfile.write(b" " * 65536)
                _Endless.sent += 1

    def log_message(self, format: str, *args: Any) -> None:
        pass


def test_an_answer_without_end_over_http_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sync_mcp, "SYNC_TIMEOUT_S", 20.0)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Endless)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        address = f"http://127.0.0.1:{server.server_port}/mcp"
        with pytest.raises(CouldNotLook), mcp_source(address, "t") as source:
            source.head()
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
    assert 0 < _Endless.sent < _Endless.pieces


@pytest.mark.parametrize(
    ("peer", "token"),
    [
        ("", None),
        ("   ", None),
        ("holdfast 'mcp", None),
        ("holdfast mcp --share", "t"),
        ("http://127.0.0.1:4517/mcp", None),
        ("http://127.0.0.1:4517/mcp", ""),
        ("http://127.0.0.1:4517/mcp", "a\nb"),
        ("http://127.0.0.1:4517/mcp", "\ufffd"),
        ("http://127.0.0.1:4517", "t"),
        ("http://127.0.0.1/mcp", "t"),
        ("http://example.org:80/mcp", "t"),
        ("http://127.0.0.1.example.org:80/mcp", "t"),
        ("https://127.0.0.1:4517/mcp", "t"),
        ("http://me@127.0.0.1:4517/mcp", "t"),
        ("http://127.0.0.1:4517/mcp?x=1", "t"),
    ],
)
def test_what_is_no_peer_is_refused_before_anything_is_asked(peer: str, token: str | None) -> None:
    with pytest.raises(InvalidInput):
        mcp_source(peer, token)

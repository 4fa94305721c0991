"""`holdfast sync`: another project's ledger beside ours, through the command line."""

from __future__ import annotations

import json
import shutil
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from holdfast.kernel.hashing import artifact_hash, leaf_hash
from holdfast.storage.port import Selection
from holdfast.wiring.looking import open_reader
from holdfast.wiring.peers import open_peer
from holdfast.wiring.places import Place, place_of
from tests.cli.harness import Holdfast, forge, running

LONG = "the secret plan is to go north " * 3000


@pytest.fixture
def other(tmp_path: Path, holdfast: Holdfast) -> Holdfast:
    """Another project, with a ledger of its own."""
    folder = tmp_path / "other"
    folder.mkdir()
    made = Holdfast(folder, holdfast.home)
    assert made("init").code == 0
    for number in range(3):
        made.record("decision", number)
    return made


def synced(holdfast: Holdfast, peer: Holdfast | str, *more: str) -> Any:
    path = peer if isinstance(peer, str) else str(peer.folder)
    return holdfast("sync", path, "--json", *more).json()


def ledger_id(holdfast: Holdfast) -> str:
    return str(holdfast("status", "--json").json()["ledger"])


@pytest.mark.req("L20")
def test_a_peer_is_merged_listed_looked_at_and_proved(holdfast: Holdfast, other: Holdfast) -> None:
    holdfast.record("decision", 7)
    before = holdfast("log", "--json").out
    done = synced(holdfast, other)
    name = ledger_id(other)
    assert (done["outcome"], done["ledger"], done["new"], done["folded"]) == (
        "merged",
        name,
        3,
        True,
    )
    assert holdfast("log", "--json").out.startswith(before)
    assert [entry["type"] for entry in holdfast.entries()] == ["decision", "peer_merged"]
    assert holdfast("log", "--peer", name[:8], "--json").out == other("log", "--json").out
    assert holdfast("--peer", name[:8], "log", "--json").out == other("log", "--json").out
    for command in (("at", "2", "decisions", "--json"), ("verify", "--json"), ("show", "1")):
        assert holdfast("--peer", name, *command).out == other(*command).out, command
    assert "Way 2" in holdfast("--peer", name, "search", "Way 2").text
    [listed] = holdfast("status", "--json").json()["peers"]
    assert (listed["ledger"], listed["entries"], listed["problem"]) == (name, 3, None)
    assert f"{name}  3 entries, merged by entry 1" in holdfast("sync").text
    assert holdfast("verify").code == 0


@pytest.mark.req("L20")
def test_a_peer_that_contradicts_itself_is_refused(
    holdfast: Holdfast, other: Holdfast, tmp_path: Path
) -> None:
    twin = Holdfast(tmp_path / "twin", holdfast.home)
    shutil.copytree(other.folder, twin.folder)
    other.record("decision", 10)
    twin.record("decision", 11)
    synced(holdfast, other)
    refused = holdfast("sync", str(twin.folder), "--json")
    answer = refused.json()
    assert (refused.code, answer["outcome"], answer["contradiction"]["seq"]) == (1, "refused", 3)
    assert "REFUSED: Its entry 3 was another one before." in holdfast("sync", twin.folder).err
    known, told = Path(answer["evidence"]).read_bytes().splitlines()
    assert leaf_hash(known).hex() == answer["contradiction"]["known"]
    assert leaf_hash(told).hex() == answer["contradiction"]["told"]
    assert told == twin("log", "--json").out.splitlines()[3]
    types = [entry["type"] for entry in holdfast.entries()]
    assert types == ["peer_merged", "peer_refused"]
    assert "REFUSED 1 times" in holdfast("sync").text
    assert synced(holdfast, other)["outcome"] == "same"


@pytest.mark.parametrize(
    "command",
    [
        ("decide", "x", "--because", "y"),
        ("record", "metric", "--data", "{}"),
        ("task", "add", "x"),
        ("session", "start", "--session", "s"),
        ("handoff", "offer", "--to", "codex", "x"),
        ("seal", "--keep", "0"),
        ("erase", "0", "--reason", "x", "--yes"),
        ("sync", "."),
    ],
)
def test_nobody_adds_to_a_peers_chain(
    holdfast: Holdfast, other: Holdfast, command: tuple[str, ...]
) -> None:
    synced(holdfast, other)
    name = ledger_id(other)
    before = holdfast("--peer", name, "log", "--json").out
    done = holdfast("--peer", name, *command)
    assert done.code != 0
    assert "unexpected" not in done.err
    assert holdfast("--peer", name, "log", "--json").out == before
    other.record("decision", 9)
    assert synced(holdfast, other)["outcome"] == "merged"


@pytest.mark.req("X8")
def test_archives_of_a_peer_come_in_full_and_what_it_erases_goes_here_too(
    holdfast: Holdfast, other: Holdfast
) -> None:
    other("record", "prompt_given", "--data", json.dumps({"text": LONG}))
    other("seal", "--keep", "0")
    assert synced(holdfast, other)["outcome"] == "merged"
    name = ledger_id(other)
    sha256 = artifact_hash(LONG.encode())
    assert found(holdfast, name) == 1
    assert holdfast("--peer", name, "show", "3", "--full").text.count("north") >= 3000
    assert b"secret plan" in _bytes_below(holdfast.folder / ".holdfast" / "peers")
    erased = other("erase", sha256, "--reason", "asked for", "--yes")
    assert erased.code == 0, erased.err
    assert synced(holdfast, other)["folded"]
    assert b"secret plan" not in _bytes_below(holdfast.folder / ".holdfast" / "peers")
    assert holdfast("--peer", name, "verify").code == 0
    assert found(holdfast, name) == 0


def found(holdfast: Holdfast, peer: str) -> int:
    lines = holdfast("--peer", peer, "search", "secret plan", "--json").out.splitlines()
    return int(json.loads(lines[-1])["hits"])


def _bytes_below(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


def test_a_peer_that_was_damaged_is_not_merged(holdfast: Holdfast, other: Holdfast) -> None:
    forge(other, 1, "Way 1", "Way 9")
    before = holdfast("log", "--json").out
    done = holdfast("sync", other.folder, "--json")
    assert (done.code, done.json()["error"]["kind"]) == (2, "Damaged")
    assert holdfast("log", "--json").out == before
    assert holdfast("sync").err == "No other ledger was synced yet.\n"


def test_what_was_taken_but_not_merged_is_not_shown(holdfast: Holdfast, other: Holdfast) -> None:
    synced(holdfast, other)
    other.record("decision", 20)
    other.record("decision", 21)
    forge(other, 4, "Way 21", "Way 99")
    assert holdfast("sync", other.folder).code == 2
    name = ledger_id(other)
    mirror = place_of(holdfast.folder).peers / name / "ledger.db"
    shown = holdfast("--peer", name, "log", "--json").out.splitlines()
    assert (len(shown), holdfast("--peer", name, "status", "--json").json()["entries"]) == (3, 3)
    taken, shown_of_it = open_reader(mirror), open_peer(Place(mirror))
    try:
        assert taken.head().size == 4
        assert (shown_of_it.head().size, len(list(shown_of_it.read()))) == (3, 3)
        assert shown_of_it.head().leaf == taken.node(2, 3)
        assert len(list(shown_of_it.read(Selection(1, 9)))) == 2
    finally:
        taken.close()
        shown_of_it.close()


def test_a_place_that_is_gone_is_told_and_comes_again(holdfast: Holdfast, other: Holdfast) -> None:
    synced(holdfast, other)
    name = ledger_id(other)
    shutil.rmtree(holdfast.folder / ".holdfast" / "peers" / name)
    assert "There is no ledger" in holdfast("sync").text
    assert holdfast("--peer", name, "log").code == 2
    size = len(holdfast.entries())
    assert synced(holdfast, other)["outcome"] == "same"
    assert holdfast("--peer", name, "log", "--json").out == other("log", "--json").out
    assert len(holdfast.entries()) == size


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("nowhere",), "There is no ledger"),
        (("http://127.0.0.1:9",), "without a token"),
        (("http://example.org:80", "--token", "t"), "not an address of this machine"),
        (("http://127.0.0.1.example.org:80", "--token", "t"), "not an address of this machine"),
        (("https://127.0.0.1:80", "--token", "t"), "not an address of this machine"),
        (("http://127.0.0.1:0x50", "--token", "t"), "not an address of this machine"),
        (("http://127.0.0.1:80/path", "--token", "t"), "not an address of this machine"),
        (("http://u:p@127.0.0.1:80", "--token", "t"), "not an address of this machine"),
        (("http://127.0.0.1", "--token", "t"), "not an address of this machine"),
        (("http://127.0.0.1:80", "--token", "a\nb"), "no header can carry"),
        (("..", "--token", "t"), "not for a path"),
        (("x", "--serve"), "either a peer or --serve"),
        (("--port", "80"), "--port goes with --serve"),
        (("--token", "t"), "--token goes with a peer"),
    ],
)
def test_what_is_no_peer_is_refused(
    holdfast: Holdfast, arguments: tuple[str, ...], says: str
) -> None:
    done = holdfast("sync", *arguments)
    assert done.code == 2
    assert says in done.err
    assert holdfast.entries() == []


def test_a_peer_that_nobody_merged_is_a_no(holdfast: Holdfast, other: Holdfast) -> None:
    synced(holdfast, other)
    assert holdfast("--peer", "ffff", "log").code == 1
    assert holdfast("--peer", "", "log").code == 1
    assert holdfast("log", "--peer", "../../x").code == 1


@pytest.mark.req("L20")
def test_a_peer_is_synced_over_http_from_another_process(
    holdfast: Holdfast, other: Holdfast
) -> None:
    other("record", "prompt_given", "--data", json.dumps({"text": LONG}))
    with running(
        other, "sync", "--serve", "--json", stdout=subprocess.PIPE, env=other.env()
    ) as process:
        assert process.stdout is not None
        served = json.loads(process.stdout.readline())
        wrong = holdfast("sync", served["address"], "--token", "wrong", "--json")
        assert (wrong.code, wrong.json()["error"]["kind"]) == (2, "CouldNotLook")
        token = f"@{other.folder / '.holdfast' / 'peers' / 'sync.token'}"
        done = synced(holdfast, served["address"], "--token", token)
        assert (done["outcome"], done["new"]) == ("merged", 4)
        other.record("decision", 30)
        assert synced(holdfast, served["address"], "--token", served["token"])["new"] == 1
    name = ledger_id(other)
    assert holdfast("--peer", name, "log", "--json").out == other("log", "--json").out
    gone = holdfast("sync", served["address"], "--token", token)
    assert gone.code == 2
    assert "did not answer" in gone.err


def test_work_and_handoffs_of_others_are_seen_in_the_status(holdfast: Holdfast) -> None:
    holdfast.record("work_opened", 1, "--session", "s1")
    holdfast.record("work_opened", 2, "--session", "s2")
    holdfast.record("work_closed", 2, "--session", "s2")
    holdfast("handoff", "offer", "--to", "codex", "Finish it")
    status = holdfast("status", "--json").json()
    assert [(one["work"], one["session"]) for one in status["work_open"]] == [("work-1", "s1")]
    assert [one["to"] for one in status["handoffs"]] == ["codex"]
    shown = holdfast("status").text
    assert "Look into part 1" in shown
    assert "to codex: Finish it" in shown
    holdfast("handoff", "accept", status["handoffs"][0]["handoff"])
    holdfast.record("work_opened", 2, "--session", "s2")
    status = holdfast("status", "--json").json()
    assert (status["handoffs"], len(status["work_open"])) == ([], 2)


class _Painted(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "\x1b[2Jtext")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        pass


def test_what_a_peer_over_mcp_answers_with_does_not_steer_the_terminal(holdfast: Holdfast) -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Painted) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        address = f"http://127.0.0.1:{server.server_port}/mcp"
        done = holdfast.process("sync", "--mcp", address, "--token", "t")
        server.shutdown()
        thread.join()
    assert done.code == 2
    assert "did not answer as it should" in done.err
    assert "\x1b" not in done.err

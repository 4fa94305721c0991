"""Peers on disk: where their chains lie, what a stopped sync leaves, one sync at a time."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from holdfast.config import Settings
from holdfast.kernel.entry import Actor
from holdfast.kernel.errors import Busy, Damaged, InvalidInput, NotFound
from holdfast.ledger.peers.source import ReaderSource
from holdfast.ledger.peers.taking import take
from holdfast.ledger.verify import verify
from holdfast.storage.locks import file_lock
from holdfast.storage.sqlite.backup import copy_database
from holdfast.testing.builders import data_for
from holdfast.wiring import syncing
from holdfast.wiring.looking import open_reader
from holdfast.wiring.opening import open_ledger
from holdfast.wiring.peer_folders import PeerFolders
from holdfast.wiring.peers import find_peer, open_peer, peers
from holdfast.wiring.places import Place, place_of
from holdfast.wiring.project import Project, open_project
from holdfast.wiring.syncing import sync_with
from tests.ledger.peers.neighbours import THEIRS, Chained, new_ledger, rebuilt


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    (tmp_path / "ours").mkdir()
    open_ledger(tmp_path / "ours").close()
    place = place_of(tmp_path / "ours")
    with open_project(place, Settings(), Actor("user", "someone")) as opened:
        yield opened


@pytest.fixture
def theirs(tmp_path: Path) -> Path:
    """A database that stands alone, with entries."""
    path = tmp_path / "theirs.db"
    with open_ledger(path) as ledger:
        for number in range(5):
            ledger.append("decision", data_for("decision", number))
    return path


def test_a_database_that_stands_alone_is_a_peer_and_has_peers(
    theirs: Path, project: Project
) -> None:
    done = sync_with(project, str(theirs))
    assert (done.synced.outcome, done.folded) == ("merged", True)
    settings, actor = Settings(), Actor("user", "someone")
    with open_project(place_of(theirs), settings, actor) as other:
        back = sync_with(other, str(project.place.folder.parent))
        assert back.synced.ledger == project.ledger.id
        mirror = find_peer(other.place, project.ledger.id)
    assert mirror.owner == place_of(theirs)
    assert mirror.folder.parent == theirs.with_suffix(".peers")


def test_whose_chain_a_place_is(tmp_path: Path) -> None:
    name = "a" * 32
    inside = tmp_path / ".holdfast" / "peers" / name / "ledger.db"
    assert Place(inside).owner == Place(tmp_path / ".holdfast" / "ledger.db")
    assert Place(tmp_path / "x.peers" / name / "ledger.db").owner == Place(tmp_path / "x.db")
    for path in (
        tmp_path / ".holdfast" / "ledger.db",
        tmp_path / "peers" / name / "ledger.db",
        tmp_path / ".holdfast" / "peers" / "refused" / "ledger.db",
        tmp_path / ".holdfast" / "peers" / name / "other.db",
    ):
        assert Place(path).owner is None


def test_one_sync_at_a_time(
    theirs: Path, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(syncing, "SYNC_WAIT_S", 0.0)
    project.place.peers.mkdir()
    with (
        file_lock(str(project.place.peers / "sync.lock"), wait_s=0),
        pytest.raises(Busy, match="Another sync"),
    ):
        sync_with(project, str(theirs))
    assert sync_with(project, str(theirs)).synced.outcome == "merged"


def test_a_place_begun_anew_keeps_what_was_merged_and_nothing_else(
    theirs: Path, project: Project
) -> None:
    sync_with(project, str(theirs))
    name = peers(project.place)[0].ledger
    with open_ledger(theirs) as ledger:
        ledger.append("decision", data_for("decision", 9))
    folders = PeerFolders(project.place)
    reader = open_reader(theirs)
    with folders.open(name) as mirror:
        take(ReaderSource(reader), mirror, 6)
    folders.restart(name, 5)
    with folders.open(name) as mirror:
        assert mirror.head().size == 5
        assert mirror.node(0, 5) == reader.node(0, 5)
    reader.close()
    assert sync_with(project, str(theirs)).synced.size == 6


def test_what_a_stopped_restart_left_is_removed(theirs: Path, project: Project) -> None:
    sync_with(project, str(theirs))
    left = project.place.peers / f"{THEIRS}.1234.new"
    left.mkdir()
    (left / "ledger.db").write_bytes(b"half")
    sync_with(project, str(theirs))
    assert not left.exists()


def test_a_restart_that_was_stopped_between_its_two_names_is_undone(
    theirs: Path, project: Project
) -> None:
    sync_with(project, str(theirs))
    [peer] = peers(project.place)
    folder = project.place.peers
    (folder / peer.ledger).rename(folder / f"{peer.ledger}.1234.old")
    (folder / f"{peer.ledger}.1234.new").mkdir()
    PeerFolders(project.place).clear_drafts()
    assert peers(project.place) == [peer]
    assert not list(folder.glob("*.1234.*"))


def test_a_half_made_place_is_made_anew(theirs: Path, project: Project) -> None:
    reader = open_reader(theirs)
    name = reader.head().ledger
    reader.close()
    folder = project.place.peers / name
    folder.mkdir(parents=True)
    (folder / "ledger.db").touch()
    assert sync_with(project, str(theirs)).synced.outcome == "merged"


def test_a_place_that_holds_another_ledger_is_refused(theirs: Path, project: Project) -> None:
    reader = open_reader(theirs)
    name = reader.head().ledger
    reader.close()
    folder = project.place.peers / name
    folder.mkdir(parents=True)
    open_ledger(folder / "ledger.db").close()
    with pytest.raises((Damaged, InvalidInput)):
        sync_with(project, str(theirs))
    assert list(project.ledger.lines()) == []


def test_a_peer_of_a_newer_holdfast_is_kept_though_it_cannot_be_folded(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    newer = rebuilt(
        new_ledger(THEIRS, 4, number=5),
        2,
        lambda one: msgspec.structs.replace(one, type="from_the_future"),
    )
    monkeypatch.setattr(syncing, "_source", lambda _peer, _token: _given(newer))
    done = sync_with(project, "newer")
    assert (done.synced.outcome, done.folded) == ("merged", False)
    assert done.problem
    peer = open_peer(find_peer(project.place, THEIRS))
    assert len(list(peer.read())) == 4
    peer.close()


class _given:
    """A source as a context."""

    def __init__(self, source: Chained) -> None:
        self._source = source

    def __enter__(self) -> Chained:
        return self._source

    def __exit__(self, *_: object) -> None:
        pass


def test_a_peer_is_named_by_enough_of_its_name(theirs: Path, project: Project) -> None:
    sync_with(project, str(theirs))
    name = peers(project.place)[0].ledger
    assert find_peer(project.place, name[:4].upper()).folder.name == name
    for key in ("", name[:3], "zzzz", "../x"):
        with pytest.raises(NotFound):
            find_peer(project.place, key)


KILLED = """
import os, signal, sys
from holdfast.config import Settings
from holdfast.kernel.entry import Actor
from holdfast.ledger.ledger import Ledger
from holdfast.ledger.peers import taking
from holdfast.wiring.places import place_of
from holdfast.wiring.project import open_project
from holdfast.wiring.syncing import sync_with
from pathlib import Path

ours, theirs, point = sys.argv[1:]
taking.CONTINUE_BATCH_ENTRIES = 2
end = lambda *given, **named: os.kill(os.getpid(), signal.SIGKILL)
if point == "merge":
    Ledger.append = end
elif point == "rename":
    Path.rename = end
else:
    flush, left = taking._Taking.flush, [int(point)]
    def stop(self):
        flush(self)
        left[0] -= 1
        if not left[0]:
            end()
    taking._Taking.flush = stop
with open_project(place_of(Path(ours)), Settings(), Actor("user", "someone")) as project:
    sync_with(project, theirs)
"""


@pytest.mark.parametrize("point", ["1", "2", "merge"])
def test_a_sync_that_is_killed_goes_on_the_next_time(
    theirs: Path, project: Project, point: str
) -> None:
    root = project.place.folder.parent
    done = subprocess.run([sys.executable, "-c", KILLED, root, theirs, point], check=False)
    assert done.returncode == -signal.SIGKILL
    assert list(project.ledger.lines()) == []
    assert peers(project.place) == []
    assert sync_with(project, str(theirs)).synced.outcome == "merged"
    assert [entry.type for entry in project.ledger.read()] == ["peer_merged"]
    [peer] = peers(project.place)
    assert peer.problem is None
    mirror = open_reader(project.place.peers / peer.ledger / "ledger.db")
    assert verify(mirror).ok
    mirror.close()


def test_a_restart_that_is_killed_loses_nothing_that_was_merged(
    theirs: Path, project: Project, tmp_path: Path
) -> None:
    sync_with(project, str(theirs))
    [peer] = peers(project.place)
    twin = tmp_path / "twin.db"
    copy_database(str(theirs), str(twin))
    for path, number in ((theirs, 8), (twin, 9)):
        with open_ledger(path) as ledger:
            ledger.append("decision", data_for("decision", number))
    reader = open_reader(twin)
    with PeerFolders(project.place).open(peer.ledger) as mirror:
        take(ReaderSource(reader), mirror, 6)  # never merged: the other one has another entry 5
    reader.close()
    root = project.place.folder.parent
    done = subprocess.run([sys.executable, "-c", KILLED, root, theirs, "rename"], check=False)
    assert done.returncode == -signal.SIGKILL
    assert sync_with(project, str(theirs)).synced.size == 6
    [peer] = peers(project.place)
    assert (peer.entries, peer.problem) == (6, None)

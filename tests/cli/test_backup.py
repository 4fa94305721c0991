"""Backups: online, verified, never over something else."""

from __future__ import annotations

import os
import shutil
import threading
from hashlib import sha256
from pathlib import Path

import pytest

import holdfast as api
from holdfast.storage.archives import write
from holdfast.storage.files import RealFiles, make_folder
from holdfast.storage.port import Archive, Selection
from holdfast.testing.builders import data_for, draft
from holdfast.testing.conformance import drop
from holdfast.wiring.backing import back_up, prove
from holdfast.wiring.looking import open_engine, open_reader
from holdfast.wiring.places import place_of
from tests.cli.harness import Holdfast, forge


def copies(holdfast: Holdfast) -> Path:
    """Return a folder that holds nothing but what a backup leaves there."""
    folder = holdfast.home / "copies"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.mark.req("X8")
@pytest.mark.lesson("N7")
def test_a_backup_is_a_verified_ledger_by_itself(holdfast: Holdfast) -> None:
    for n in range(3):
        holdfast.record("error", n, message="x" * 40_000)
    file = copies(holdfast) / "copy.db"
    answer = holdfast.process("backup", file, "--json").json()
    status = holdfast("status", "--json").json()
    assert answer == {
        "path": str(file),
        "entries": 3,
        "root": status["root"],
        "bytes": file.stat().st_size,
        "archives": 0,
        "archive_bytes": 0,
        "verified": True,
    }
    assert oct(file.stat().st_mode)[-3:] == "600"
    assert [path.name for path in copies(holdfast).iterdir()] == ["copy.db"]
    copied = holdfast("--ledger", file, "log", "--json")
    assert copied.out == holdfast("log", "--json").out
    assert holdfast("--ledger", file, "show", "0", "--full").code == 0


def seal(holdfast: Holdfast, *ends: int) -> list[Archive]:
    """Move entries into archives that end there, with what is large packed beside them."""
    place = place_of(holdfast.folder)
    make_folder(str(place.archives))
    engine = open_engine(place)
    listed: list[Archive] = []
    for first, stop in zip((0, *ends), ends, strict=False):
        entries = list(engine.read(Selection(first, stop)))
        content = b"x" * 40_000
        artifacts = {sha256(content).hexdigest(): content}
        listed.append(
            write(
                str(place.archives),
                entries,
                ledger=engine.head().ledger,
                day="20261115",
                artifacts=artifacts,
            )
        )
        drop(engine, listed[-1])
    engine.close()
    return listed


def files_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.req("X8")
@pytest.mark.lesson("N7")
def test_a_backup_has_the_archives_beside_it(holdfast: Holdfast) -> None:
    for n in range(6):
        holdfast.record("error", n, message="x" * 40_000)
    seal(holdfast, 2, 5)
    kept = files_of(place_of(holdfast.folder).archives)
    assert len(kept) == 4
    file = copies(holdfast) / "copy.db"
    answer = holdfast("backup", file, "--json").json()
    assert (answer["entries"], answer["archives"], answer["verified"]) == (6, 2, True)
    assert answer["archive_bytes"] == sum(map(len, kept.values()))
    assert sorted(path.name for path in copies(holdfast).iterdir()) == ["copy.db", "copy.state"]
    copied = copies(holdfast) / "copy.state" / "archives"
    assert kept == files_of(copied)
    assert {oct(path.stat().st_mode)[-3:] for path in copied.iterdir()} == {"600"}
    assert {oct(path.stat().st_mode)[-3:] for path in (copied, copied.parent)} == {"700"}
    before = holdfast("log", "--json").out
    shutil.rmtree(holdfast.folder / ".holdfast")
    assert before == holdfast("--ledger", file, "log", "--json").out
    assert holdfast("--ledger", file, "verify").code == 0
    assert "2 archives" in holdfast("--ledger", file, "backup", copies(holdfast) / "again.db").text


@pytest.mark.parametrize("harm", ["missing", "changed"])
def test_a_ledger_whose_archive_is_not_whole_gets_no_backup(holdfast: Holdfast, harm: str) -> None:
    for n in range(6):
        holdfast.record("decision", n)
    archive = place_of(holdfast.folder).archives / seal(holdfast, 4)[0].name
    if harm == "missing":
        archive.unlink()
    else:
        archive.write_bytes(archive.read_bytes() + b"more")
    done = holdfast("backup", copies(holdfast) / "copy.db", "--json")
    assert done.code == 1
    assert done.json()["faults"][0]["kind"] == "archive"
    assert archive.name in done.json()["faults"][0]["detail"]
    assert list(copies(holdfast).iterdir()) == []


def test_the_folder_of_another_backup_is_not_touched(holdfast: Holdfast) -> None:
    holdfast.record()
    (copies(holdfast) / "copy.state").mkdir()
    done = holdfast("backup", copies(holdfast) / "copy.db")
    assert done.code == 2
    assert "copy.state exists already" in done.err


@pytest.mark.parametrize("name", [".holdfast/copy.db", "copy.state"])
def test_a_place_where_archives_would_be_mistaken_is_refused(holdfast: Holdfast, name: str) -> None:
    holdfast.record()
    before = sorted(holdfast.folder.rglob("*"))
    done = holdfast("backup", holdfast.folder / name)
    assert done.code == 2
    assert "place of something else" in done.err
    assert before == sorted(holdfast.folder.rglob("*"))


def test_the_status_counts_active_and_archived_entries(holdfast: Holdfast) -> None:
    for n in range(6):
        holdfast.record("decision", n)
    status = holdfast("status", "--json").json()
    assert (status["entries"], status["active"], status["archived"]) == (6, 6, 0)
    assert " active and " not in holdfast("status").text
    seal(holdfast, 2, 5)
    status = holdfast("status", "--json").json()
    assert (status["entries"], status["active"], status["archived"]) == (6, 1, 5)
    on_disk = sum(map(len, files_of(place_of(holdfast.folder).archives).values()))
    assert status["bytes"]["archives"] == on_disk
    assert "6, 1 active and 5 archived" in holdfast("status").text


@pytest.mark.req("X8")
@pytest.mark.lesson("N7")
def test_a_copy_that_does_not_verify_leaves_no_file(holdfast: Holdfast) -> None:
    holdfast.record("decision", 1)
    forge(holdfast, 0, "Way 1", "Way 9")
    done = holdfast("backup", "copy.db", "--json")
    assert done.code == 1
    assert done.json()["verified"] is False
    assert [path.name for path in holdfast.folder.iterdir()] == [".holdfast"]


@pytest.mark.parametrize("kind", ["file", "folder", "dangling link"])
def test_nothing_is_overwritten(holdfast: Holdfast, kind: str) -> None:
    target = holdfast.folder / "there"
    match kind:
        case "file":
            target.write_text("mine")
        case "folder":
            target.mkdir()
        case _:
            target.symlink_to("nowhere")
    done = holdfast("backup", target)
    assert done.code == 2
    assert "exists already" in done.err
    assert kind != "file" or target.read_text() == "mine"


def test_a_folder_that_is_not_there(holdfast: Holdfast) -> None:
    done = holdfast("backup", "no/such/copy.db")
    assert done.code == 2
    assert "cannot be written: No such file" in done.err


def test_entries_that_come_meanwhile_are_in_the_ledger_or_in_both(holdfast: Holdfast) -> None:
    place = place_of(holdfast.folder)
    with api.open(holdfast.folder) as ledger:
        ledger.append_many([draft("decision", n) for n in range(500)])
        stop = threading.Event()

        def write() -> None:
            n = 500
            while not stop.is_set():
                ledger.append("metric", data_for("metric", n))
                n += 1

        writer = threading.Thread(target=write)
        writer.start()
        try:
            backup = back_up(place, copies(holdfast) / "copy.db")
        finally:
            stop.set()
            writer.join()
        assert backup.verified
        assert 500 <= backup.entries <= ledger.head().size
        assert backup.root == ledger.root(backup.entries)


def test_a_whole_copy_of_another_ledger_is_no_backup(holdfast: Holdfast, tmp_path: Path) -> None:
    holdfast.record("decision", 1)
    other = tmp_path / "other.db"
    with api.open(other) as ledger:
        ledger.append("decision", data_for("decision", 1))
    source = open_reader(holdfast.database)
    try:
        answer = prove(source, other, copies(holdfast) / "copy.db")
    finally:
        source.close()
    assert [fault.kind for fault in answer.faults] == ["backup"]
    assert not answer.verified


class _Interrupted(Exception):
    pass


class _NoRename:
    """Files of which the last step fails."""

    def create(self, path: str, content: bytes) -> None:
        raise _Interrupted

    def rename(self, old: str, new: str) -> None:
        raise OSError(28, os.strerror(28), old, None, new)

    def sync_folder(self, path: str) -> None:
        raise _Interrupted


class _NoSecondRename(RealFiles):
    """Files of which the very last step fails."""

    renames = 0

    def rename(self, old: str, new: str) -> None:
        self.renames += 1
        if self.renames == 2:
            raise OSError(28, os.strerror(28), old, None, new)
        super().rename(old, new)


def test_a_backup_whose_database_cannot_get_its_name_leaves_no_archives(
    holdfast: Holdfast,
) -> None:
    for n in range(6):
        holdfast.record("decision", n)
    seal(holdfast, 4)
    with pytest.raises(api.StorageFailed, match="No space left"):
        back_up(place_of(holdfast.folder), copies(holdfast) / "copy.db", files=_NoSecondRename())
    assert list(copies(holdfast).iterdir()) == []


def test_a_backup_that_cannot_get_its_name_leaves_nothing(holdfast: Holdfast) -> None:
    holdfast.record()
    target = copies(holdfast) / "copy.db"
    with pytest.raises(api.StorageFailed, match="No space left"):
        back_up(place_of(holdfast.folder), target, files=_NoRename())
    assert list(copies(holdfast).iterdir()) == []


@pytest.mark.req("X8")
def test_a_backup_has_the_saves_beside_it_and_they_boot_there(holdfast: Holdfast) -> None:
    holdfast.record("error", 1)
    holdfast("save")
    holdfast("save", "--campaign", copies(holdfast) / "whole.campaign")
    kept = files_of(place_of(holdfast.folder).saves)
    file = copies(holdfast) / "copy.db"
    holdfast("backup", file)
    assert files_of(copies(holdfast) / "copy.saves") == kept
    assert holdfast("--ledger", file, "boot", "--json").json()["ok"]
    refused = holdfast("backup", copies(holdfast) / "copy.saves")
    assert "exists already" in refused.err


def test_saves_that_are_there_already_are_not_touched(holdfast: Holdfast) -> None:
    holdfast.record("error", 1)
    (copies(holdfast) / "copy.saves").mkdir()
    refused = holdfast("backup", copies(holdfast) / "copy.db")
    assert "copy.saves exists already" in refused.err
    assert not (copies(holdfast) / "copy.db").exists()

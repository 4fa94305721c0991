"""Backups: online, verified, never over something else."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

import holdfast as api
from holdfast.testing.builders import data_for, draft
from holdfast.wiring.backing import back_up, prove
from holdfast.wiring.looking import open_reader
from holdfast.wiring.places import place_of
from tests.cli.harness import Holdfast, forge


@pytest.mark.req("X8")
@pytest.mark.lesson("N7")
def test_a_backup_is_a_verified_ledger_by_itself(holdfast: Holdfast) -> None:
    for n in range(3):
        holdfast.record("error", n, message="x" * 40_000)
    file = holdfast.home / "copy.db"
    answer = holdfast.process("backup", file, "--json").json()
    status = holdfast("status", "--json").json()
    assert answer == {
        "path": str(file),
        "entries": 3,
        "root": status["root"],
        "bytes": file.stat().st_size,
        "verified": True,
    }
    assert oct(file.stat().st_mode)[-3:] == "600"
    assert [path.name for path in holdfast.home.iterdir()] == ["copy.db"]
    copied = holdfast("--ledger", file, "log", "--json")
    assert copied.out == holdfast("log", "--json").out
    assert holdfast("--ledger", file, "show", "0", "--full").code == 0


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
            backup = back_up(place, holdfast.home / "copy.db")
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
        answer = prove(source, other, holdfast.home / "copy.db")
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


def test_a_backup_that_cannot_get_its_name_leaves_nothing(holdfast: Holdfast) -> None:
    holdfast.record()
    target = holdfast.home / "copy.db"
    with pytest.raises(api.StorageFailed, match="No space left"):
        back_up(place_of(holdfast.folder), target, files=_NoRename())
    assert list(Path(holdfast.home).iterdir()) == []

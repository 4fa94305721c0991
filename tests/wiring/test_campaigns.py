"""Campaign files on disk, and ledgers made of them."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from holdfast.config import Seal, Settings
from holdfast.kernel import entry as entries
from holdfast.kernel.entry import Actor
from holdfast.kernel.errors import BootFailed, InvalidInput, StorageFailed
from holdfast.kernel.snapshot import SaveSnapshot
from holdfast.ledger.campaigns import open_campaign
from holdfast.ledger.restoring import restore
from holdfast.storage.port import Selection
from holdfast.testing.builders import data_for
from holdfast.wiring import campaigns
from holdfast.wiring.booting import boot
from holdfast.wiring.campaigns import (
    boot_campaign,
    continue_into,
    export_file,
    origin_of,
    write_campaign,
)
from holdfast.wiring.opening import open_ledger
from holdfast.wiring.places import place_of
from holdfast.wiring.project import Project, open_project
from holdfast.wiring.restoring import index_of
from holdfast.wiring.saving import make_save
from tests.ledger.campaigns.material import LARGE, erase, filled, hash_of, put

ACTOR = Actor("user", "somebody")
SESSION = "café ☕ 会議"


@contextmanager
def project_at(folder: Path, *, create: bool = False) -> Iterator[Project]:
    if create:
        folder.mkdir(exist_ok=True)
        with open_ledger(folder, seal=Seal(auto=False)) as ledger:
            filled(ledger)
    with open_project(place_of(folder), Settings(), ACTOR) as project:
        yield project


@pytest.fixture
def origin(tmp_path: Path) -> Iterator[Project]:
    """A project with archives and an erased artifact."""
    with project_at(tmp_path / "here", create=True) as project:
        project.sealer.seal(keep=4)
        erase(project.ledger, hash_of(LARGE))
        yield project


@pytest.fixture
def file(origin: Project, tmp_path: Path) -> Path:
    saved = make_save(origin, "CAMPAIGN", campaign=tmp_path / "x.campaign")
    assert saved.campaign is not None
    return saved.campaign


def saved(project: Project) -> SaveSnapshot:
    return make_save(project, "SESSION").snapshot


def campaign_save(project: Project) -> SaveSnapshot:
    return make_save(project, "CAMPAIGN").snapshot


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


# Writing


def test_a_campaign_file_tells_what_is_in_it(origin: Project, tmp_path: Path) -> None:
    snapshot = campaign_save(origin)
    path = tmp_path / "y.campaign"
    done = write_campaign(origin, snapshot, path)
    assert (done.entries, done.artifacts, done.erased) == (17, 2, 1)
    assert (done.path, done.bytes) == (str(path), path.stat().st_size)
    assert done.snapshot_id == snapshot.snapshot_id
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.req("O1", "O10")
def test_the_same_campaign_again_leaves_the_file_alone(origin: Project, tmp_path: Path) -> None:
    snapshot = campaign_save(origin)
    path = tmp_path / "y.campaign"
    write_campaign(origin, snapshot, path)
    before = path.stat()
    write_campaign(origin, snapshot, path)
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


@pytest.mark.parametrize("kind", ["file", "folder", "link"])
def test_what_is_there_is_never_written_over(origin: Project, tmp_path: Path, kind: str) -> None:
    snapshot = campaign_save(origin)
    path = tmp_path / "mine"
    match kind:
        case "file":
            path.write_bytes(b"dear to me")
        case "folder":
            path.mkdir()
        case _:
            path.symlink_to(tmp_path / "nowhere")
    before = names(tmp_path)
    with pytest.raises(InvalidInput, match="exists already"):
        write_campaign(origin, snapshot, path)
    with pytest.raises(InvalidInput, match="exists already"):
        export_file(origin.ledger.reader, path)
    assert names(tmp_path) == before
    assert kind != "file" or path.read_bytes() == b"dear to me"


def test_another_file_is_replaced_when_that_was_asked_for(origin: Project, tmp_path: Path) -> None:
    path = put(tmp_path / "mine", b"an old one")
    write_campaign(origin, campaign_save(origin), path, replace=True)
    assert boot_campaign(path).fold.size == 17


def test_a_disk_without_links_is_written_to(
    origin: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any) -> None:
        raise PermissionError(1, "Operation not permitted")

    snapshot = campaign_save(origin)
    monkeypatch.setattr(os, "link", refuse)
    write_campaign(origin, snapshot, tmp_path / "y")
    assert boot_campaign(tmp_path / "y").fold.size == 17
    put(tmp_path / "z", b"mine")
    with pytest.raises(InvalidInput, match="exists already"):
        write_campaign(origin, snapshot, tmp_path / "z")


def test_a_folder_that_is_not_there_is_told(origin: Project, tmp_path: Path) -> None:
    with pytest.raises(StorageFailed, match="cannot be written"):
        write_campaign(origin, campaign_save(origin), tmp_path / "no" / "x")


def test_a_draft_that_does_not_prove_is_not_given_its_name(
    origin: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the disk gives back is read before the file counts."""
    snapshot = campaign_save(origin)

    def rotten(path: Path) -> Any:
        content = bytearray(path.read_bytes())
        content[len(content) // 2] ^= 1
        path.write_bytes(content)
        return open_campaign(path)

    monkeypatch.setattr(campaigns, "open_campaign", rotten)
    before = names(tmp_path)
    with pytest.raises(BootFailed):
        write_campaign(origin, snapshot, tmp_path / "y")
    assert names(tmp_path) == before


def test_an_export_is_written_into_a_file(origin: Project, tmp_path: Path) -> None:
    done = export_file(origin.ledger.reader, tmp_path / "all.jsonl")
    lines = (tmp_path / "all.jsonl").read_bytes().splitlines()
    assert lines == [stored.body for stored in origin.ledger.lines()]
    assert done.entries == 17


# Booting


@pytest.mark.req("O10")
def test_a_file_boots_and_nothing_is_written(origin: Project, file: Path, tmp_path: Path) -> None:
    before = names(tmp_path)
    content = file.read_bytes()
    booted = boot_campaign(file)
    assert dict(booted.digests) == origin.ledger.fold().digests()
    assert names(tmp_path) == before
    assert file.read_bytes() == content


# Continuing


@pytest.mark.req("O10")
def test_the_new_ledger_works_in_full(origin: Project, file: Path, tmp_path: Path) -> None:
    continued = continue_into(file, tmp_path / "there")
    with project_at(tmp_path / "there") as there:
        assert there.ledger.verify().ok
        assert (there.ledger.id, there.ledger.head().size) == (continued.ledger, 18)
        assert there.ledger.fold(17).digests() == origin.ledger.fold().digests()
        there.ledger.append("decision", data_for("decision", 60), session_id=SESSION)
        report = there.sealer.seal(keep=2)
        assert report.sealed == 17
        there.publish()
        with index_of(there.place) as where:
            back = restore(there.ledger.reader, there.archives, SESSION, where=where)
        assert back == restore(there.ledger.reader, there.archives, SESSION)
        assert [entries.read(one.body).seq for one in back.entries] == [*range(9), 18]
        assert back.missing == []
        snapshot = saved(there)
        assert boot(there.ledger.reader, snapshot).fold.size == 20
        again = make_save(there, "CAMPAIGN", campaign=tmp_path / "again.campaign")
        assert boot_campaign(tmp_path / "again.campaign").snapshot == again.snapshot
        assert there.ledger.verify().ok


def test_what_was_taken_over_can_be_searched(file: Path, tmp_path: Path) -> None:
    from holdfast.recall.search import Query, search

    continue_into(file, tmp_path / "there")
    with project_at(tmp_path / "there") as there:
        there.views.catch_up(there.ledger.reader)
        found = search(there.views, there.ledger.reader, Query("fork 3"))
        assert 4 in [hit.seq for hit in found.hits]


def test_the_file_is_kept_to_the_byte(file: Path, tmp_path: Path) -> None:
    continued = continue_into(file, tmp_path / "there")
    place = place_of(tmp_path / "there")
    kept = origin_of(place, continued.snapshot_id)
    assert kept == tmp_path / "there" / ".holdfast" / "origin" / f"{continued.snapshot_id}.campaign"
    assert kept.read_bytes() == file.read_bytes()
    assert names(kept.parent) == [kept.name]
    assert names(tmp_path / "there") == [".holdfast"]


@pytest.mark.req("O10")
def test_two_that_continue_one_campaign_have_two_ledgers(
    origin: Project, file: Path, tmp_path: Path
) -> None:
    made = {continue_into(file, tmp_path / name).ledger for name in ("a", "b")}
    assert len(made | {origin.ledger.id}) == 3


def test_a_continued_ledger_can_be_continued(file: Path, tmp_path: Path) -> None:
    continue_into(file, tmp_path / "a")
    with project_at(tmp_path / "a") as project:
        make_save(project, "CAMPAIGN", campaign=tmp_path / "second.campaign")
    continue_into(tmp_path / "second.campaign", tmp_path / "b")
    with project_at(tmp_path / "b") as project:
        notes = list(project.ledger.read(Selection(type="ledger_continued")))
        assert [note.seq for note in notes] == [17, 18]
        assert project.ledger.verify().ok


def test_the_settings_of_a_project_stay(file: Path, tmp_path: Path) -> None:
    """A project that came by git has its settings, and no ledger."""
    folder = tmp_path / "there" / ".holdfast"
    folder.mkdir(parents=True)
    put(folder / "config.toml", b"[seal]\nkeep = 7\n")
    put(folder / ".gitignore", b"mine\n")
    continued = continue_into(file, tmp_path / "there")
    assert (folder / "config.toml").read_bytes() == b"[seal]\nkeep = 7\n"
    assert (folder / ".gitignore").read_bytes() == b"mine\n"
    with project_at(tmp_path / "there") as project:
        assert project.ledger.id == continued.ledger
        assert project.ledger.verify().ok
        project.ledger.append("decision", data_for("decision", 61))
    assert origin_of(place_of(tmp_path / "there"), continued.snapshot_id).is_file()
    assert names(tmp_path / "there") == [".holdfast"]


@pytest.mark.parametrize("there", ["ledger", "remains", "a file"])
def test_a_folder_that_has_a_ledger_is_refused(file: Path, tmp_path: Path, there: str) -> None:
    folder = tmp_path / "there"
    folder.mkdir()
    match there:
        case "ledger":
            open_ledger(folder).close()
        case "remains":
            (folder / ".holdfast").mkdir()
            put(folder / ".holdfast" / "ledger.db-wal", b"of a database that is gone")
        case _:
            put(folder / ".holdfast", b"something")
    before = sorted(path.relative_to(folder) for path in folder.rglob("*"))
    with pytest.raises(InvalidInput, match=r"has a ledger|may be of a ledger|exists already"):
        continue_into(file, folder)
    assert sorted(path.relative_to(folder) for path in folder.rglob("*")) == before


def failing_at(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError(place)

    monkeypatch.setattr(campaigns, place, fail)


@pytest.mark.parametrize(
    "place", ["_copy", "open_campaign", "boot", "open_ledger", "continue_campaign", "_move"]
)
@pytest.mark.parametrize("made_before", [True, False])
def test_whatever_fails_leaves_nothing(
    file: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    place: str,
    made_before: bool,
) -> None:
    folder = tmp_path / "there"
    if made_before:
        folder.mkdir()
    failing_at(place, monkeypatch)
    with pytest.raises(RuntimeError, match=place):
        continue_into(file, folder)
    assert folder.exists() == made_before
    assert not made_before or names(folder) == []


def test_a_failure_beside_settings_leaves_them_as_they_were(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "there" / ".holdfast"
    folder.mkdir(parents=True)
    put(folder / "config.toml", b"")
    failing_at("_linked", monkeypatch)
    with pytest.raises(RuntimeError):
        continue_into(file, tmp_path / "there")
    assert [name for name in names(folder) if name != "ledger.lock"] == ["config.toml"]
    monkeypatch.undo()
    continue_into(file, tmp_path / "there")


@pytest.mark.req("O10")
def test_a_damaged_file_makes_no_ledger(file: Path, tmp_path: Path) -> None:
    content = bytearray(file.read_bytes())
    content[len(content) // 3] ^= 4
    with pytest.raises(BootFailed):
        continue_into(put(tmp_path / "bad", bytes(content)), tmp_path / "there")
    assert not (tmp_path / "there").exists()


def test_what_does_not_fit_the_disk_is_not_begun(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Usage:
        free = 1000

    monkeypatch.setattr(campaigns, "disk_usage", lambda _path: Usage)
    with pytest.raises(StorageFailed, match="room for 1,000"):
        continue_into(file, tmp_path / "there")
    assert not (tmp_path / "there").exists()

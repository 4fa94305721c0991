"""The folder of the saves: whole files, the newest first, damaged ones named."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from holdfast.kernel.errors import InvalidInput, NotFound, StorageFailed
from holdfast.kernel.limits import INPUT_BYTES_MAX
from holdfast.kernel.snapshot import SaveSnapshot, SaveType
from holdfast.ledger.saving import take_save
from holdfast.testing.builders import draft, open_memory_ledger
from holdfast.views.pins import environment_pins
from holdfast.wiring.saves import SavesFolder, is_campaign, read_save


def snapshot(entries: int = 1, save_type: SaveType = "SCENE") -> SaveSnapshot:
    with open_memory_ledger() as ledger:
        ledger.append_many([draft("decision", n) for n in range(entries)])
        return take_save(ledger.reader, ledger.fold(), save_type, pins=environment_pins())


@pytest.fixture
def folder(tmp_path: Path) -> SavesFolder:
    return SavesFolder(tmp_path / "saves")


def test_what_is_kept_is_found_by_its_id_a_beginning_or_its_hash(folder: SavesFolder) -> None:
    save = snapshot()
    path = folder.keep(save)
    assert path.read_bytes() == save.to_line() + b"\n"
    for key in (save.snapshot_id, save.snapshot_id[:3], save.bytes_hash, save.bytes_hash[:40]):
        assert folder.find(key) == save


def test_the_folder_and_its_files_are_private(folder: SavesFolder) -> None:
    path = folder.keep(snapshot())
    assert (path.stat().st_mode & 0o777, folder.path.stat().st_mode & 0o777) == (0o600, 0o700)


def test_the_newest_is_first_and_of_one_entry_the_widest(folder: SavesFolder) -> None:
    kept = [
        snapshot(3),
        snapshot(12, "SCENE"),
        snapshot(12, "CAMPAIGN"),
        snapshot(12, "SESSION"),
        snapshot(0),
    ]
    for save in kept:
        folder.keep(save)
    found = [(save.timestamp_event_id, save.save_type) for save in folder.list().saves]
    assert found == [
        (11, "CAMPAIGN"),
        (11, "SESSION"),
        (11, "SCENE"),
        (2, "SCENE"),
        (-1, "SCENE"),
    ]
    assert folder.newest().save == kept[2]


def test_an_empty_or_missing_folder_holds_nothing(folder: SavesFolder) -> None:
    assert (folder.list().saves, folder.newest().save) == ([], None)
    with pytest.raises(NotFound, match="no save 'feed'"):
        folder.find("feed")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("feedfeedfeedfeed.json", b"{"),
        ("feedfeedfeedfeed.json", b""),
        ("feedfeedfeedfeed.json", b"\xff"),
        ("feedfeedfeedfeed.json", b"[" * 5000),
        ("feedfeedfeedfeed.json", None),
        ("notes.txt", b"mine"),
    ],
)
def test_what_is_no_save_is_named_beside_the_others(
    folder: SavesFolder, name: str, content: bytes | None
) -> None:
    save = snapshot()
    line = folder.keep(save).read_bytes()
    (folder.path / name).write_bytes(line if content is None else content)
    listing = folder.list()
    assert (listing.saves, [one.name for one in listing.damaged]) == ([save], [name])
    assert all(one.why for one in listing.damaged)
    assert folder.newest().save == save
    if content is not None:
        assert [one.name for one in folder.newest().damaged] == [name]


def test_a_save_whose_content_was_changed_is_not_believed(folder: SavesFolder) -> None:
    old = snapshot(1)
    folder.keep(old)
    path = folder.keep(snapshot(5))
    path.write_bytes(path.read_bytes().replace(b'"tree_size":5', b'"tree_size":6'))
    newest = folder.newest()
    assert (newest.save, [one.name for one in newest.damaged]) == (old, [path.name])
    folder.keep(snapshot(5))  # keeping it again mends it
    assert folder.newest().damaged == []


def test_drafts_and_campaigns_are_no_saves(folder: SavesFolder) -> None:
    save = snapshot()
    folder.keep(save)
    (folder.path / "feed.json.1234.new").write_bytes(b"half a sa")
    folder.campaign_path(save).write_bytes(b"PK")
    assert (folder.list().damaged, len(folder.list().saves)) == ([], 1)


def test_a_file_that_is_too_long_is_not_read_in_full(folder: SavesFolder) -> None:
    folder.path.mkdir()
    with (folder.path / "feedfeedfeedfeed.json").open("wb") as file:
        file.truncate(INPUT_BYTES_MAX + 10)
    [damaged] = folder.list().damaged
    assert "longer than" in damaged.why


def test_an_ambiguous_beginning_is_refused(folder: SavesFolder) -> None:
    folder.path.mkdir()
    for n in range(7):
        (folder.path / f"ab{n:014x}.json").write_bytes(b"")
    with pytest.raises(InvalidInput, match=r"7 saves begin with 'ab': .* and 2 more"):
        folder.find("ab")


def test_a_hash_that_only_begins_like_a_save_is_not_found(folder: SavesFolder) -> None:
    save = snapshot()
    folder.keep(save)
    other = save.bytes_hash[:-1] + ("0" if save.bytes_hash[-1] != "0" else "1")
    with pytest.raises(NotFound):
        folder.find(other)


def test_a_write_that_is_cut_off_leaves_what_was_there(
    folder: SavesFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    save = snapshot()

    def cut(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("holdfast.storage.files.RealFiles.rename", cut)
    with pytest.raises(StorageFailed, match="No space left"):
        folder.keep(save)
    assert (folder.list().saves, folder.list().damaged) == ([], [])


def test_files_elsewhere_are_read_by_what_they_hold(tmp_path: Path) -> None:
    save = snapshot()
    file = tmp_path / "here.save"
    file.write_bytes(save.to_line())
    assert read_save(file) == save
    assert not is_campaign(file)
    assert not is_campaign(tmp_path / "missing.campaign")
    (tmp_path / "x.campaign").write_bytes(b"")
    (tmp_path / "y").write_bytes(b"PK\x03\x04")
    assert is_campaign(tmp_path / "x.campaign")
    assert is_campaign(tmp_path / "y")


def test_saves_are_the_same_whatever_else_is_kept(folder: SavesFolder) -> None:
    first = snapshot(4)
    folder.keep(first)
    assert snapshot(4).to_line() == first.to_line()
    assert msgspec.json.decode(first.to_line())["snapshot_id"] == first.snapshot_id

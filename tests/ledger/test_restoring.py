from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from shutil import copyfile

import pytest

from holdfast.kernel.errors import NotFound
from holdfast.ledger import sealing
from holdfast.ledger.restoring import Missing, joined, restore
from holdfast.storage.archives import ArchiveFolder
from holdfast.storage.port import Archive
from holdfast.wiring.places import Place
from holdfast.wiring.restoring import index_of
from tests.ledger.sealed import Box, bodies_of


@pytest.fixture
def box(tmp_path: Path) -> Iterator[Box]:
    with Box(tmp_path) as box:
        yield box


def numbers(missing: list[Missing]) -> list[int]:
    return [seq for one in missing for seq in range(one.first, one.last + 1)]


@pytest.mark.req("P8")
@pytest.mark.parametrize("keep", [0, 1, 17, 40])
def test_a_session_comes_back_byte_for_byte(box: Box, keep: int) -> None:
    box.fill(40)
    lines = box.lines()
    box.sealer().seal(keep=keep)
    for session in ("s1", "s2"):
        found = box.restored(session)
        assert [one.body for one in found.entries] == bodies_of(lines, session)
        assert found.whole


def test_what_was_never_recorded_is_nothing(box: Box) -> None:
    box.fill(40)
    box.sealer().seal(keep=3)
    found = box.restored("nobody")
    assert (found.entries, found.missing, found.archives) == ([], [], ())


@pytest.mark.req("P8")
def test_up_to_an_entry_and_no_further(box: Box) -> None:
    box.fill(40)
    lines = box.lines()
    box.sealer().seal(keep=20)
    for at in (0, 5, 19, 20, 33):
        assert box.restored(None, at).entries == lines[: at + 1]
        assert [e.body for e in box.restored("s2", at).entries] == bodies_of(lines[: at + 1], "s2")


@pytest.mark.parametrize("at", [41, 10**15, -1])
def test_a_range_that_never_was_is_refused(box: Box, at: int) -> None:
    box.fill(40)
    box.sealer().seal(keep=3)
    with pytest.raises(NotFound, match="that range never was"):
        box.restored("s1", at)


def test_an_empty_ledger_has_no_entry(box: Box) -> None:
    assert box.restored("s1").entries == []
    with pytest.raises(NotFound, match="never was"):
        box.restored(None, 0)


# Damage


def three_archives(box: Box) -> list[Path]:
    for _ in range(3):
        box.fill(30, ["s1", "s2"])
        box.sealer().seal(keep=6)
    return box.listed()


def test_a_missing_archive_names_what_it_held_and_the_rest_comes(box: Box) -> None:
    _, path, _ = three_archives(box)
    lines = box.lines()
    archive = box.ledger.reader.archives()[1]
    path.unlink()
    found = box.restored("s1")
    lost = set(numbers(found.missing))
    inside = [one for one in lines[archive.first : archive.last + 1] if one.body]
    assert lost == {one.seq for one in inside if one.body in bodies_of(inside, "s1")}
    assert {one.archive for one in found.missing} == {path.name}
    assert all("the file is missing" in one.why for one in found.missing)
    assert [(one.first, one.last) for one in found.damaged] == [(archive.first, archive.last)]
    others = [one.body for one in lines if one.seq not in lost]
    assert [one.body for one in found.entries] == [b for b in bodies_of(lines, "s1") if b in others]
    assert not found.whole


def test_of_all_entries_those_of_a_missing_archive_are_one_range(box: Box) -> None:
    _, path, _ = three_archives(box)
    archive = box.ledger.reader.archives()[1]
    path.unlink()
    found = box.restored(None)
    [missing] = found.missing
    assert (missing.first, missing.last, missing.archive) == (
        archive.first,
        archive.last,
        archive.name,
    )


def test_a_session_that_needs_no_damaged_archive_is_whole(box: Box) -> None:
    box.fill(10, ["s1"])
    box.sealer().seal()
    box.fill(10, ["s2"])
    box.sealer().seal()
    box.listed()[0].unlink()
    assert box.restored("s2").whole
    assert not box.restored("s1").whole


def test_what_can_be_proved_of_a_damaged_archive_comes_back(
    box: Box, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("holdfast.storage.archives.frames.FRAME_ENTRIES_MAX", 10)
    box.fill(50, ["s1", "s2"])
    lines = box.lines()
    box.sealer().seal()
    [path] = box.listed()
    content = bytearray(path.read_bytes())
    content[len(content) // 3] ^= 1
    path.write_bytes(content)
    found = box.restored("s1")
    assert found.missing
    assert 0 < len(found.entries) < 25
    assert len(found.entries) + len(numbers(found.missing)) == 25
    assert {one.body for one in found.entries} < set(bodies_of(lines, "s1"))
    assert [one.archive for one in found.damaged] == [path.name]


def test_an_archive_that_was_only_added_to_still_counts_as_damaged(box: Box) -> None:
    box.fill(20)
    lines = box.lines()
    box.sealer().seal()
    [path] = box.listed()
    path.write_bytes(path.read_bytes() + b"\0")
    found = box.restored("s1")
    assert [one.archive for one in found.damaged] == [path.name]
    assert not found.whole
    assert {one.body for one in found.entries} <= set(bodies_of(lines, "s1"))


def test_truncated_at_every_byte_nothing_wrong_comes_back(box: Box) -> None:
    box.fill(6, ["s1", "s2"])
    right = bodies_of(box.lines(), "s1")
    box.sealer().seal()
    [path] = box.listed()
    content = path.read_bytes()
    for length in range(len(content)):
        path.write_bytes(content[:length])
        archives = ArchiveFolder(str(box.place.archives))
        found = restore(box.ledger.reader, archives, "s1")
        assert not found.whole
        assert [one.archive for one in found.damaged] == [path.name]
        assert [one.body for one in found.entries] + right[len(found.entries) :] == right
        assert len(found.entries) + len(numbers(found.missing)) == 3
    path.write_bytes(content)
    assert restore(box.ledger.reader, ArchiveFolder(str(box.place.archives)), "s1").whole


def test_another_valid_archive_in_its_place_gives_nothing_wrong(box: Box, tmp_path: Path) -> None:
    first, second, _ = three_archives(box)
    lines = box.lines()
    copyfile(first, second)
    found = box.restored("s1")
    assert {one.body for one in found.entries} < set(bodies_of(lines, "s1"))
    assert {one.archive for one in found.missing} == {second.name}
    other_folder = tmp_path / "other"
    other_folder.mkdir()
    with Box(other_folder) as other:
        three_archives(other)
        for mine, theirs in zip(box.listed(), other.listed(), strict=True):
            copyfile(theirs, mine)
    archives = ArchiveFolder(str(box.place.archives))
    found = restore(box.ledger.reader, archives, "s1")
    held = box.ledger.reader.archives()[-1].last + 1
    assert [one.body for one in found.entries] == bodies_of(lines[held:], "s1")
    assert len(found.damaged) == 3


@pytest.mark.lesson("P6")
def test_a_damaged_active_entry_is_named_and_the_rest_comes(box: Box) -> None:
    box.fill_singly(12, ["s1", "s2"])
    lines = box.lines()
    box.sealer().seal(keep=6)
    box.tamper(8, old=b'"session_id":"s1"', new=b'"session_id":"s2"')
    box.tamper(9, old=b"{", new=b"[")
    for session, own in (("s1", [0, 2, 4, 6, 10]), ("s2", [1, 3, 5, 7, 11])):
        found = box.restored(session)
        assert [one.seq for one in found.entries] == own
        assert [one.body for one in found.entries] == [lines[seq].body for seq in own]
        assert numbers(found.missing) == [8, 9], "whose they are cannot be told any more"
        assert {one.archive for one in found.missing} == {None}
        assert all("may be of this session" in one.why for one in found.missing)


def test_an_entry_that_does_not_follow_is_named(box: Box) -> None:
    from holdfast.kernel.hashing import leaf_hash

    box.fill_singly(6, ["s1"])
    body = box.lines()[3].body
    forged = body.replace(b'"seq":3', b'"seq":2')
    box.tamper(3, old=body, new=forged, hashes=leaf_hash(forged))
    found = box.restored("s1")
    assert numbers(found.missing) == [3, 4]
    assert "says it is 2" in found.missing[0].why


def test_without_a_note_the_whole_archive_is_looked_through(box: Box) -> None:
    """The note of the newest seal is damaged: its archive is read from end to end."""
    box.fill(20, ["s1", "s2"])
    lines = box.lines()
    box.sealer().seal()
    box.tamper(20, old=b'"entries_compressed"', new=b'"entries_dompressed"')
    for found in (box.restored("s1"), restore(box.ledger.reader, box.archives, "s1")):
        assert [one.body for one in found.entries] == bodies_of(lines, "s1")
        assert numbers(found.missing) == [20], "the note itself"
    box.listed()[0].unlink()
    found = restore(box.ledger.reader, box.archives, "s1")
    assert numbers(found.missing) == list(range(21)), "any of them may be of this session"


# What it costs


class CountingFolder(ArchiveFolder):
    """Counts what is asked of it."""

    def __init__(self, place: Place) -> None:
        super().__init__(str(place.archives))
        self.checked: list[str] = []

    def check(self, archive: Archive) -> str | None:
        self.checked.append(archive.name)
        return super().check(archive)


def test_only_the_archives_that_are_needed_are_hashed(
    box: Box, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sealing, "ARCHIVE_ENTRIES_MAX", 128)
    for n in range(10):
        box.fill(128, [f"session-{n}"])
    box.sealer().seal()
    folder = CountingFolder(box.place)
    with index_of(box.place) as where:
        found = restore(box.ledger.reader, folder, "session-4", where=where)
        spans = list(where("session-4", 1280))
    assert len(found.entries) == 128
    assert folder.checked == [box.ledger.reader.archives()[4].name]
    assert spans == [(512, 640)], "one stretch, neighbouring blocks joined"


def test_spans_that_touch_are_joined() -> None:
    assert joined([(5, 7), (0, 2), (2, 4), (6, 9), (3, 3), (11, 12)]) == [(0, 4), (5, 9), (11, 12)]

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from shutil import copytree

import pytest

from holdfast.index.views import Views
from holdfast.kernel.errors import Damaged, InvalidInput, NotFound
from holdfast.kernel.hashing import data_hash
from holdfast.ledger.erasing import Eraser, find
from holdfast.ledger.publishing import Publisher
from holdfast.storage.port import Archive, Stored
from holdfast.testing.builders import data_for
from holdfast.wiring import rebuilding
from holdfast.wiring.rebuilding import Rebuilt, rebuild
from tests.ledger.sealed import Box

LARGE = "x" * 40_000


class Lost:
    """A project whose database is gone, and what it held."""

    def __init__(self, box: Box) -> None:
        with Views(str(box.place.views)) as views:
            views.catch_up(box.ledger.reader)
            Publisher(box.place.state).publish(box.ledger, views)
        self.lines: list[Stored] = box.lines()
        self.archives: list[Archive] = list(box.ledger.reader.archives())
        self.id = box.ledger.id
        self.root = box.ledger.root()
        box.ledger.close()
        self.state = box.place.state
        self.target = box.place.database
        for path in box.place.folder.glob("ledger.db*"):
            path.unlink()

    @property
    def log(self) -> Path:
        return self.state / "STATE_LOG.jsonl"

    def rebuild(self) -> Rebuilt:
        return rebuild(self.state, self.target)

    def check(self, folder: Path) -> None:
        with Box(folder) as box:
            assert box.ledger.id == self.id
            assert box.lines() == self.lines
            assert list(box.ledger.reader.archives()) == self.archives
            assert box.ledger.root() == self.root
            report = box.ledger.verify()
            assert [fault for fault in report.faults if fault.kind != "artifact"] == []
            box.fill(1)
            box.sealer().seal()


@pytest.fixture
def lost(tmp_path: Path) -> Iterator[Lost]:
    with Box(tmp_path) as box:
        for _ in range(3):
            box.fill(40)
            box.ledger.append("decision", data_for("decision", reasoning=LARGE))
            box.sealer().seal(keep=6)
        yield Lost(box)


@pytest.mark.req("P10")
def test_a_lost_database_comes_back_as_it_was(lost: Lost, tmp_path: Path) -> None:
    rebuilt = lost.rebuild()
    assert rebuilt == Rebuilt(126, 125, 3, 1, ())
    lost.check(tmp_path)
    assert [path.name for path in tmp_path.joinpath(".holdfast").glob(".*rebuild*")] == []


@pytest.mark.req("P10")
def test_without_archives_the_log_is_enough(tmp_path: Path) -> None:
    with Box(tmp_path) as box:
        box.fill(5)
        lost = Lost(box)
    assert lost.rebuild() == Rebuilt(5, 4, 0, 0, ())
    lost.check(tmp_path)


@pytest.mark.req("P10")
def test_without_the_log_the_archived_entries_come_back(lost: Lost, tmp_path: Path) -> None:
    lost.log.unlink()
    last = lost.archives[-1].last
    rebuilt = lost.rebuild()
    assert rebuilt.as_of_seq == last
    with Box(tmp_path) as box:
        assert box.lines() == lost.lines[: last + 1]
        assert list(box.ledger.reader.archives()) == lost.archives[:-1], "its note is lost"


def test_a_log_from_before_the_last_seal_is_enough(tmp_path: Path) -> None:
    with Box(tmp_path) as box:
        box.fill(40)
        box.sealer().seal(keep=6)
        with Views(str(box.place.views)) as views:
            views.catch_up(box.ledger.reader)
            Publisher(box.place.state).publish(box.ledger, views)
        log = (box.place.state / "STATE_LOG.jsonl").read_bytes()
        box.fill(40)
        box.sealer().seal()
        lost = Lost(box)
    lost.log.write_bytes(log)
    (lost.state / "CURRENT_STATE.json").unlink()
    assert lost.rebuild().entries == 81
    with Box(tmp_path) as box:
        assert box.lines() == lost.lines[:81]


def test_artifacts_that_no_pack_holds_are_named(tmp_path: Path) -> None:
    with Box(tmp_path) as box:
        box.ledger.append("decision", data_for("decision", reasoning=LARGE + "1"))
        box.sealer().seal()
        box.ledger.append("decision", data_for("decision", reasoning=LARGE + "2"))
        kept, gone = data_hash((LARGE + "1").encode()), data_hash((LARGE + "2").encode())
        lost = Lost(box)
    assert lost.rebuild() == Rebuilt(3, 2, 1, 1, (gone,))
    with Box(tmp_path) as box:
        assert box.ledger.artifact(kept) == (LARGE + "1").encode()
        assert [fault.kind for fault in box.ledger.verify().faults] == ["artifact"]


def test_what_was_erased_stays_erased(tmp_path: Path) -> None:
    with Box(tmp_path) as box, Views(str(box.place.views)) as views:
        box.ledger.append("decision", data_for("decision", reasoning=LARGE))
        box.sealer().seal()
        [target] = find(box.ledger.reader, "0")
        eraser = Eraser(box.ledger, box.archives, views, lock_path=str(box.place.seal_lock))
        eraser.erase(target, "asked for")
        lost = Lost(box)
    assert lost.rebuild() == Rebuilt(3, 2, 1, 0, ())
    lost.check(tmp_path)


# Damage


def test_a_torn_last_line_is_set_aside_and_reported(lost: Lost, tmp_path: Path) -> None:
    torn = b'{"actor":{"kind":"agent","na'
    with lost.log.open("ab") as log:
        log.write(torn)
    rebuilt = lost.rebuild()
    assert rebuilt.entries == 126
    assert rebuilt.torn is not None
    assert (lost.state / rebuilt.torn).read_bytes() == torn
    lost.check(tmp_path)


def test_a_last_line_of_zeros_is_torn_too(lost: Lost, tmp_path: Path) -> None:
    with lost.log.open("ab") as log:
        log.write(bytes(4096))
    assert lost.rebuild().torn is not None
    lost.check(tmp_path)


def test_a_last_line_that_only_lacks_its_end_is_whole(lost: Lost, tmp_path: Path) -> None:
    lost.log.write_bytes(lost.log.read_bytes()[:-1])
    assert lost.rebuild() == Rebuilt(126, 125, 3, 1, ())
    lost.check(tmp_path)


@pytest.mark.lesson("P6")
def test_a_bad_line_stops_it_and_is_named(lost: Lost) -> None:
    lines = lost.log.read_bytes().splitlines(keepends=True)
    lost.log.write_bytes(b"".join([*lines[:2], b"not an entry\n", *lines[2:]]))
    with pytest.raises(Damaged, match=r"Line 3 of .*STATE_LOG.jsonl is not an entry"):
        lost.rebuild()
    assert not lost.target.exists()


def test_a_changed_line_stops_it_and_the_entry_is_named(lost: Lost) -> None:
    content = lost.log.read_bytes()
    lost.log.write_bytes(content.replace(b"Way 120", b"Way 121", 1))
    with pytest.raises(Damaged, match=r"Entry \d+ is in no file, or does not follow"):
        lost.rebuild()
    assert not lost.target.exists()
    assert [p.name for p in lost.target.parent.iterdir() if "rebuild" in p.name] == []


def test_the_last_entry_is_held_against_what_the_views_say(tmp_path: Path) -> None:
    with Box(tmp_path) as box:
        box.fill(3)
        lost = Lost(box)
    lines = lost.log.read_bytes().splitlines(keepends=True)
    forged = lines[2].replace(b"shorter", b"longest")
    data = forged[forged.index(b'"data":') + 7 : forged.index(b',"hash"')]
    old = lines[2][lines[2].index(b'"data":') + 7 : lines[2].index(b',"hash"')]
    forged = forged.replace(data_hash(old).encode(), data_hash(data).encode())
    lost.log.write_bytes(b"".join([*lines[:2], forged]))
    with pytest.raises(Damaged, match="Entry 2 is not the one that CURRENT_STATE"):
        lost.rebuild()


def test_a_missing_archive_stops_it_and_the_entry_is_named(lost: Lost) -> None:
    (lost.state / "archives" / lost.archives[1].name).unlink()
    with pytest.raises(Damaged, match=f"Entry {lost.archives[1].first} is in no file"):
        lost.rebuild()
    assert not lost.target.exists()


def test_an_archive_whose_end_is_damaged_gives_its_entries(lost: Lost, tmp_path: Path) -> None:
    path = lost.state / "archives" / lost.archives[1].name
    path.write_bytes(path.read_bytes()[:-1])
    rebuilt = lost.rebuild()
    assert (rebuilt.entries, rebuilt.archives) == (126, 1), "it is not the file that was listed"
    with Box(tmp_path) as box:
        assert box.lines() == lost.lines
        assert box.ledger.verify().ok
        box.sealer().seal()
        assert box.lines()[:126] == lost.lines


def test_archives_of_others_and_leftovers_do_no_harm(lost: Lost, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    with Box(other) as box:
        box.fill(9)
        box.sealer().seal()
        [foreign] = box.listed()
    archives = lost.state / "archives"
    (archives / "archive_20200101_0-8.jsonl.zst").write_bytes(foreign.read_bytes())
    (archives / "archive_x.jsonl.zst").write_bytes(b"junk")
    (archives / f"{lost.archives[0].name}.12345678.new").write_bytes(b"junk")
    assert lost.rebuild() == Rebuilt(126, 125, 3, 1, ())
    lost.check(tmp_path)


@pytest.mark.parametrize("name", ["ledger.db", "ledger.db-wal"])
def test_nothing_is_ever_replaced(lost: Lost, name: str) -> None:
    path = lost.target.with_name(name)
    path.write_bytes(b"precious")
    with pytest.raises(InvalidInput, match=f"{name} exists already"):
        lost.rebuild()
    assert path.read_bytes() == b"precious"


def test_who_takes_the_name_meanwhile_keeps_it(lost: Lost, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rebuilding, "_refuse_existing", lambda _target: None)
    lost.target.write_bytes(b"precious")
    with pytest.raises(InvalidInput, match="exists already"):
        lost.rebuild()
    assert lost.target.read_bytes() == b"precious"


def test_an_empty_folder_is_not_a_ledger(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="There are no entries"):
        rebuild(tmp_path, tmp_path / "x.db")
    assert not (tmp_path / "x.db").exists()


def test_the_folder_may_lie_elsewhere(lost: Lost, tmp_path: Path) -> None:
    copytree(lost.state, tmp_path / "copy.state")
    rebuild(tmp_path / "copy.state", tmp_path / "copy.db")
    assert lost.rebuild().entries == 126

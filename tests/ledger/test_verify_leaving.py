"""What left the database is proved too: erased artifacts by the chain, archives by their files."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from holdfast.ledger import verify as verifier
from holdfast.ledger.ledger import Draft, Ledger
from holdfast.ledger.verify import verify
from holdfast.storage.archives import ArchiveFolder, write
from holdfast.storage.files import make_folder
from holdfast.storage.memory import MemoryEngine
from holdfast.storage.port import Archive, Erased
from holdfast.testing import LEDGER, data_for, open_memory_ledger
from holdfast.testing.conformance import append, drop
from holdfast.wiring import workers
from holdfast.wiring.looking import open_engine
from holdfast.wiring.places import Place
from holdfast.wiring.verifying import verify_place
from tests.ledger.test_verify import faults, put, sqlite_ledger


def erase(ledger: Ledger, digest: str) -> None:
    """Erase an artifact the way it is done: with the entry that says so."""
    note = Draft("artifact_erased", {"sha256": digest, "bytes": 40_000, "reason": "asked for"})
    ledger._drop(Erased(digest), note)


def test_a_missing_artifact_is_no_fault_when_a_later_entry_says_it_was_erased() -> None:
    engine = MemoryEngine(LEDGER)
    ledger = open_memory_ledger(engine)
    for letter in "ab":
        ledger.append("error", data_for("error", message=letter * 40_000))
    first, second = engine._artifacts
    erase(ledger, first)
    assert ledger.verify().ok
    del engine._artifacts[second]
    assert faults(ledger.verify()) == [(1, "artifact")]


def test_an_erasure_says_nothing_of_what_was_put_again_after_it() -> None:
    engine = MemoryEngine(LEDGER)
    ledger = open_memory_ledger(engine)
    ledger.append("error", data_for("error", message="a" * 40_000))
    (digest,) = engine._artifacts
    erase(ledger, digest)
    ledger.append("error", data_for("error", message="a" * 40_000))
    assert ledger.verify().ok
    del engine._artifacts[digest]
    assert faults(ledger.verify()) == [(2, "artifact")]


def test_an_erasure_that_is_not_what_was_sealed_is_no_evidence() -> None:
    engine = MemoryEngine(LEDGER)
    ledger = open_memory_ledger(engine)
    ledger.append("error", data_for("error", message="a" * 40_000))
    (digest,) = engine._artifacts
    erase(ledger, "0" * 64)
    del engine._artifacts[digest]
    put(engine, 1, engine._entries[1].body.replace(b"0" * 64, digest.encode()))
    assert (0, "artifact") in faults(ledger.verify())


def test_an_erasure_in_another_range_counts_side_by_side_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verifier, "RANGE_ENTRIES", 512)
    monkeypatch.setattr(workers, "_cores", lambda: 2)
    ledger = sqlite_ledger(tmp_path, 0)
    ledger.append("error", data_for("error", message="a" * 40_000))
    append(ledger._engine, 600)
    erase(ledger, sha256(b"a" * 40_000).hexdigest())
    checks = workers.checks_side_by_side(tmp_path / "ledger.db")
    assert verify(ledger._engine, checks=checks).ok
    ledger.close()


# Archives


def archived_ledger(folder: Path) -> tuple[Ledger, ArchiveFolder, list[Archive]]:
    """Make a ledger of 1,400 entries with archive files that hold 500 and 300 of them."""
    ledger = sqlite_ledger(folder, 1400)
    everything = list(ledger.lines())
    ledger.close()
    place = Place(folder / "ledger.db")
    engine = open_engine(place)
    listed = []
    for first, stop in ((0, 500), (500, 800)):
        make_folder(str(place.archives))
        listed.append(
            write(
                str(place.archives),
                everything[first:stop],
                ledger=LEDGER,
                day="20261115",
                artifacts={},
            )
        )
        drop(engine, listed[-1])
    return open_memory_ledger(engine), ArchiveFolder(str(place.archives)), listed


def test_archived_entries_are_proved_in_this_process_and_side_by_side(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verifier, "RANGE_ENTRIES", 512)
    monkeypatch.setattr(workers, "_cores", lambda: 2)
    ledger, folder, _ = archived_ledger(tmp_path)
    alone = verify(ledger._engine, check_archive=folder.check)
    checks = workers.checks_side_by_side(tmp_path / "ledger.db")
    assert alone.ok
    assert alone == verify(ledger._engine, checks=checks, check_archive=folder.check)
    assert alone == verify_place(Place(tmp_path / "ledger.db"))
    ledger.close()


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-100])


def lengthen(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b"more")


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


@pytest.mark.parametrize("harm", [Path.unlink, cut, lengthen, flip], ids=lambda h: h.__name__)
def test_an_archive_that_is_not_the_one_listed_is_a_fault_that_names_it(
    tmp_path: Path, harm: Callable[[Path], None]
) -> None:
    ledger, folder, listed = archived_ledger(tmp_path)
    harm(Path(folder.folder) / listed[1].name)
    report = verify(ledger._engine, check_archive=folder.check)
    assert (report.faults[0].seq, report.faults[0].kind) == (500, "archive")
    assert f"{listed[1].name} with entries 500 to 799: " in report.faults[0].detail
    assert not verify_place(Place(tmp_path / "ledger.db")).ok
    ledger.close()


def test_an_archive_in_the_place_of_another_is_found(tmp_path: Path) -> None:
    ledger, folder, listed = archived_ledger(tmp_path)
    shutil.copyfile(*(Path(folder.folder) / archive.name for archive in listed))
    report = verify(ledger._engine, check_archive=folder.check)
    assert [fault.seq for fault in report.faults if fault.kind == "archive"] == [500]
    assert (500, "missing") in faults(report)
    ledger.close()


def test_a_missing_archive_is_told_before_the_entries_it_held(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verifier, "FAULTS_MAX", 5)
    ledger, folder, listed = archived_ledger(tmp_path)
    for archive in listed:
        (Path(folder.folder) / archive.name).unlink()
    report = verify(ledger._engine, check_archive=folder.check)
    kinds = [(fault.seq, fault.kind) for fault in report.faults if fault.kind == "archive"]
    assert kinds == [(0, "archive"), (500, "archive")]
    assert report.faults_left_out > 700
    ledger.close()

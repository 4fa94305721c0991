from __future__ import annotations

import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from holdfast.config import Seal
from holdfast.kernel import entry as entries
from holdfast.kernel.errors import StorageFailed
from holdfast.ledger import sealing
from holdfast.ledger.vault import references
from holdfast.storage.archives import artifacts_in
from holdfast.storage.locks import file_lock
from holdfast.testing.builders import data_for
from holdfast.wiring.opening import open_ledger
from tests.ledger.sealed import Box, WatchedFiles, bodies_of, named_by_all, packs

ROOT = Path(__file__).parents[2]
LARGE = "x" * 40_000


def seal_in_child(folder: Path, moment: str, keep: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "tests.ledger.killed_seal", str(folder), moment, str(keep)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE)


# Kills


MOMENTS = [*map(str, range(16)), "before-drop", "after-drop"]


@pytest.mark.lesson("P5")
@pytest.mark.parametrize("moment", MOMENTS)
def test_killed_at_any_step_either_side_is_complete(tmp_path: Path, moment: str) -> None:
    with Box(tmp_path) as box:
        box.fill(18)
        box.ledger.append("decision", data_for("decision", reasoning=LARGE), session_id="s1")
        box.fill(5)
        box.ledger.append("decision", data_for("decision", reasoning=LARGE + "2"))
        box.fill(14)
        lines = box.lines()
    child = seal_in_child(tmp_path, moment, 4)
    child.communicate()
    assert child.returncode == -9, "the child was to die in the middle of its seal"
    with Box(tmp_path) as box:
        assert box.lines()[:39] == lines
        assert box.ledger.verify().ok
        assert len(box.listed()) in (0, 1)
        assert box.restored("s1").whole
        # and a later seal works, whatever lies about
        box.sealer(keep=4).seal()
        assert box.lines()[:39] == lines
        assert box.ledger.verify().ok
        assert [one.body for one in box.restored("s1").entries] == bodies_of(lines, "s1")
        assert list(box.place.archives.glob("*.new")) == []
        assert named_by_all(box) <= {
            name for pack in packs(box) for name, _ in artifacts_in(str(pack))
        } | named_in_active(box)


def named_in_active(box: Box) -> set[str]:
    held = box.ledger.reader.archives()[-1].last + 1
    return {
        sha256
        for line in box.lines()[held:]
        for sha256, _ in references(entries.read(line.body).value())
    }


def test_the_moments_above_are_all_there_are(tmp_path: Path) -> None:
    """Two archives, each with a pack: make the folder, and of each create, rename, sync."""
    with Box(tmp_path) as box:
        box.fill(18)
        box.ledger.append("decision", data_for("decision", reasoning=LARGE), session_id="s1")
        box.fill(5)
        box.ledger.append("decision", data_for("decision", reasoning=LARGE + "2"))
        box.fill(14)
    out, _ = seal_in_child(tmp_path, "never", 4).communicate()
    sealed, operations = map(int, out.split())
    assert sealed == 35
    assert {str(n) for n in range(operations)} <= set(MOMENTS)


def test_an_archive_that_was_never_listed_harms_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Box(tmp_path) as box:
        box.fill(20)
        box.ledger.append("decision", data_for("decision", reasoning=LARGE))
        lines = box.lines()
        with monkeypatch.context() as broken:
            broken.setattr(box.ledger, "_drop", fail)
            with pytest.raises(StorageFailed):
                box.sealer().seal()
        [left] = box.place.archives.glob("*.jsonl.zst")
        assert box.lines() == lines
        box.sealer().seal(keep=5)
        assert box.lines()[:21] == lines
        box.sealer().seal()
        assert left.exists(), "nothing is removed that might be somebody's only copy"
        assert box.restored(None).whole
        assert named_by_all(box) <= {n for p in packs(box) for n, _ in artifacts_in(str(p))}


def fail(*_: object) -> Any:
    raise StorageFailed("The disk is full.")


# Others at the same time


def test_two_seals_at_once_do_the_work_once(tmp_path: Path) -> None:
    with Box(tmp_path) as box:
        box.fill(200)
        lines = box.lines()
    children = [seal_in_child(tmp_path, "never", 10) for _ in range(2)]
    sealed = [int(child.communicate()[0].split()[0]) for child in children]
    assert sum(sealed) == 190
    with Box(tmp_path) as box:
        assert box.lines()[:200] == lines
        assert box.ledger.verify().ok
        archives = box.ledger.reader.archives()
        assert all(a.last + 1 == b.first for a, b in pairwise(archives))


def test_who_may_not_wait_is_told_that_another_seals(tmp_path: Path) -> None:
    with Box(tmp_path) as box:
        box.fill(20)
        with file_lock(str(box.place.seal_lock), wait_s=0) as held:
            assert held
            assert box.sealer().seal(wait_s=0) == sealing.SealReport(0, (), 20, busy=True)
            assert box.sealer().seal(wait_s=0.02).busy
        assert box.sealer().seal(wait_s=0).sealed == 20


def test_who_seals_without_the_lock_is_noticed(tmp_path: Path) -> None:
    with Box(tmp_path) as box:
        box.fill(20)
        lines = box.lines()
        other = sealing.Sealer(
            box.ledger, box.archives, lock_path=str(tmp_path / "other.lock"), keep=10
        )
        reports: list[sealing.SealReport] = []

        def tell(operation: str, path: str) -> None:
            if (operation, Path(path).name) == ("sync_folder", "archives") and not reports:
                reports.append(other.seal())

        report = box.sealer(files=WatchedFiles(tell)).seal()
        assert (report.sealed, report.archives) == (0, ())
        assert box.lines()[:20] == lines
        assert box.ledger.verify().ok


def test_writers_wait_for_nothing_but_the_drop(tmp_path: Path) -> None:
    """At every operation of a seal, another writer that will not wait gets its turn."""
    with Box(tmp_path) as box:
        box.fill(30)
        written = []

        def tell(_operation: str, _path: str) -> None:
            with open_ledger(tmp_path, seal=Seal(auto=False), wait_s=0) as other:
                written.append(other.append("decision", data_for("decision", 1)).seq)

        report = box.sealer(files=WatchedFiles(tell)).seal()
        assert report.sealed == 30
        assert written == list(range(30, 30 + len(written)))
        assert len(written) >= 3
        assert report.kept == 0

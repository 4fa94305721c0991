"""Booting a save where its ledger is: with a second process, with kept folds, with neither."""

from __future__ import annotations

import gc
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest

from holdfast.index.views import Views
from holdfast.kernel.errors import BootFailed, StorageFailed
from holdfast.ledger import saving
from holdfast.ledger.booting import cold_boot
from holdfast.ledger.log_proof import Beginning, hashing_here
from holdfast.testing.builders import data_for
from holdfast.wiring import booting
from holdfast.wiring.booting import base_of, boot
from holdfast.wiring.hashing import hashing_beside
from tests.ledger.saved import PINS, altered, over, saved
from tests.ledger.sealed import Box

pytestmark = pytest.mark.req("O3")

SIZE = 40


@pytest.fixture
def box(tmp_path: Path) -> Iterator[Box]:
    with Box(tmp_path) as box:
        box.fill_singly(SIZE)
        yield box


@pytest.mark.parametrize("start", [0, 3, 30])
@pytest.mark.parametrize("segment", [8, 4_096])
@pytest.mark.parametrize("sealed", [False, True])
def test_a_second_process_comes_to_the_same_hashes(
    start: int, segment: int, sealed: bool, box: Box, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(saving, "SAVE_SEGMENT_ENTRIES", segment)
    if sealed:
        box.sealer(keep=5).seal()
    save = saved(box.ledger, size=SIZE)
    with Views(str(box.place.views)) as views:
        base = base_of(box.ledger.reader, saved(box.ledger, size=start), views)
        booted = cold_boot(
            save,
            box.ledger,
            pins=PINS,
            base=base if start else None,
            hashing=hashing_beside(box.place.database),
        )
    assert booted.digests == save.store_digests


def test_a_long_log_is_hashed_by_a_second_process(
    box: Box, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = []

    def watched(database: Path) -> object:
        begun.append(database)
        return hashing_here

    monkeypatch.setattr(booting, "hashing_beside", watched)
    monkeypatch.setattr(booting, "cores", lambda: 2)
    save = saved(box.ledger)
    boot(box.ledger.reader, save, database=box.place.database)
    assert begun == []
    monkeypatch.setattr(booting, "ENTRIES_WORTH_A_PROCESS", SIZE)
    boot(box.ledger.reader, save, database=box.place.database)
    boot(box.ledger.reader, save)
    assert begun == [box.place.database]
    monkeypatch.setattr(booting, "cores", lambda: 1)
    boot(box.ledger.reader, save, database=box.place.database)
    assert begun == [box.place.database]


def test_what_the_second_process_hashes_is_compared(box: Box) -> None:
    save = saved(box.ledger)
    box.tamper(7, old=b"Way 7", new=b"Way 8")
    with pytest.raises(BootFailed) as failed:
        cold_boot(save, box.ledger, pins=PINS, hashing=hashing_beside(box.place.database))
    assert failed.value.step == 4
    assert "entry 7: the hash of the data" in failed.value.what
    assert failed.value.expected != failed.value.found


def test_a_second_process_that_cannot_look_is_no_proof(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with (
        pytest.raises(StorageFailed, match="ended without an answer"),
        hashing_beside(tmp_path / "ledger.db")(Beginning(stop=1)) as hashing,
    ):
        hashing.finish()
    assert "There is no ledger" in capfd.readouterr().err


def test_the_second_process_is_over_with_the_boot(
    box: Box, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = []
    popen = subprocess.Popen

    def watched(*args: Any, **options: Any) -> Any:
        begun.append(popen(*args, **options))
        return begun[-1]

    monkeypatch.setattr(subprocess, "Popen", watched)
    save = saved(box.ledger)
    box.tamper(39, old=b'"decision"', new=b'"prophecy"')
    for expected in (save, over(save, [line.body for line in box.lines()])):
        with pytest.raises(BootFailed):
            cold_boot(expected, box.ledger, pins=PINS, hashing=hashing_beside(box.place.database))
    assert [worker.returncode is not None for worker in begun] == [True, True]


def test_kept_folds_that_are_gone_are_done_without(box: Box) -> None:
    save, base = saved(box.ledger), saved(box.ledger, size=20)
    booted = boot(box.ledger.reader, save, base=base)
    assert booted.digests == save.store_digests
    assert booted.steps[5].result == f"{SIZE} entries"


def test_a_kept_item_that_was_altered_is_found(box: Box) -> None:
    save = saved(box.ledger)
    with Views(str(box.place.views)) as views:
        views.fold_up(box.ledger.reader)
        assert boot(box.ledger.reader, save, base=save, views=views).snapshot == save
        connection = apsw.Connection(str(box.place.views))
        connection.execute(
            "UPDATE items SET value = CAST(replace(value, 'Way 7', 'Way 8') AS BLOB)"
            " WHERE store = 'decisions'"
        )
        connection.close()
        with pytest.raises(BootFailed) as failed:
            boot(box.ledger.reader, save, base=save, views=views)
    assert (failed.value.step, failed.value.expected) == (5, save.store_digests["decisions"])
    assert "the store decisions" in failed.value.what


def test_garbage_is_looked_for_again_after_a_boot(box: Box) -> None:
    save = saved(box.ledger)
    boot(box.ledger.reader, save)
    assert gc.isenabled()
    with pytest.raises(BootFailed):
        boot(box.ledger.reader, altered(save, tree_root="f" * 64))
    assert gc.isenabled()


@pytest.mark.parametrize("start", [0, 1, 20, SIZE])
def test_a_boot_from_kept_folds_replays_what_came_after(start: int, box: Box) -> None:
    base = saved(box.ledger, size=start)
    with Views(str(box.place.views)) as views:
        views.fold_up(box.ledger.reader)
        box.ledger.append("rolled_back", data_for("rolled_back", 0))
        save = saved(box.ledger)
        booted = boot(box.ledger.reader, save, base=base, views=views)
    assert booted.digests == save.store_digests
    assert booted.steps[5].result == f"{SIZE + 1 - start} entries"

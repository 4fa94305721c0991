"""The four numbers, measured on engines whose faults are known."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from holdfast.ledger.ledger import Ledger
from holdfast.ledger.metrics import (
    Measure,
    Subject,
    archive_integrity,
    compression_ratio,
    drafts,
    measure,
    restore_time,
    zero_loss_rate,
)
from holdfast.storage.memory import MemoryEngine
from holdfast.storage.port import EVERYTHING, Archive, Selection, Stored
from holdfast.testing import LEDGER, data_for, open_memory_ledger


class Faulty(MemoryEngine):
    """Leaves out some entries, changes others, and lists archives as it is told."""

    def __init__(self) -> None:
        super().__init__(LEDGER)
        self.lost: set[int] = set()
        self.changed: set[int] = set()
        self.listed: list[Archive] = []

    def read(self, selection: Selection = EVERYTHING) -> Iterator[Stored]:
        for stored in super().read(selection):
            if stored.seq not in self.lost:
                body = stored.body + b" " if stored.seq in self.changed else stored.body
                yield Stored(stored.seq, body, stored.leaf)

    def archives(self) -> Any:
        return self.listed

    def close(self) -> None:
        """Stay open: it is all there is."""


@pytest.fixture
def engine() -> Faulty:
    return Faulty()


@pytest.fixture
def ledger(engine: Faulty) -> Ledger:
    return open_memory_ledger(engine)


def seconds(*moments: float) -> Any:
    times = iter(moments)
    return lambda: next(times)


def archive(n: int) -> Archive:
    return Archive(n, n, f"archive_{n}", "0" * 64, 1)


def outcome(one: Measure) -> tuple[float | None, bool | None]:
    return one.value, one.passed


def test_an_empty_ledger_has_nothing_to_measure(engine: Faulty) -> None:
    subject = Subject(lambda: engine, engine, lambda _: None, seconds(0, 1))
    measures = measure(subject)
    assert [one.name for one in measures] == [
        "restore_time",
        "archive_integrity",
        "compression_ratio",
        "zero_loss_rate",
    ]
    assert [outcome(one) for one in measures] == [(None, None)] * 4
    assert all("yet" in one.detail for one in measures)
    assert list(drafts(measures)) == []


@pytest.mark.parametrize(("took_s", "passed"), [(0.25, True), (4.999, True), (5.0, False)])
def test_restore_time_is_from_opening_to_the_last_checkpoint(
    engine: Faulty, ledger: Ledger, took_s: float, passed: bool
) -> None:
    ledger.append("checkpoint", data_for("checkpoint"))
    ledger.append("decision", data_for("decision"))
    one = restore_time(lambda: engine, seconds(100.0, 100.0 + took_s))
    assert one.value == pytest.approx(took_s)
    assert one.passed is passed
    assert "checkpoint 0" in one.detail


def test_archives_that_are_not_as_listed_are_counted_and_named(engine: Faulty) -> None:
    engine.listed = [archive(n) for n in range(4)]
    wrong = {"archive_1": "the file is missing", "archive_3": "another hash"}
    one = archive_integrity(engine, lambda it: wrong.get(it.name))
    assert outcome(one) == (0.5, False)
    assert "archive_1: the file is missing, and 1 more" in one.detail
    assert outcome(archive_integrity(engine, lambda _: None)) == (1.0, True)


def test_one_wrong_archive_of_very_many_is_not_rounded_away(engine: Faulty) -> None:
    engine.listed = [archive(n) for n in range(3_000_000)]
    one = archive_integrity(engine, lambda it: "gone" if it.first == 7 else None)
    assert one.value is not None
    assert one.value < 1
    assert one.passed is False


@pytest.mark.parametrize(("raw", "passed"), [(999, False), (1000, True), (5000, True)])
def test_the_ratio_is_over_all_seals_of_this_ledger(
    engine: Faulty, ledger: Ledger, raw: int, passed: bool
) -> None:
    def seal(raw_bytes: int, summary_bytes: int, **more: Any) -> None:
        sizes = {"raw_bytes": raw_bytes, "summary_bytes": summary_bytes}
        ledger.append("compression", data_for("compression", 0, **sizes, **more))

    seal(raw - 500, 60)
    seal(500, 40)
    seal(1_000_000, 1, imported={"source": "elsewhere"})
    one = compression_ratio(engine)
    assert outcome(one) == (raw / 100, passed)


def test_a_seal_without_a_session_has_no_ratio(engine: Faulty, ledger: Ledger) -> None:
    sizes = {"raw_bytes": 500, "summary_bytes": 0}
    ledger.append("compression", data_for("compression", 0, **sizes))
    assert outcome(compression_ratio(engine)) == (None, None)


@pytest.mark.parametrize(
    ("lost", "changed", "whole", "first"),
    [
        (set(), set(), 8, None),
        ({0}, set(), 7, 0),
        ({3}, set(), 7, 3),
        ({7}, set(), 7, 7),
        (set(), {5}, 7, 5),
        ({1, 2}, {6}, 5, 1),
        (set(range(8)), set(), 0, 0),
    ],
)
def test_every_entry_that_does_not_read_back_is_counted(
    engine: Faulty, ledger: Ledger, lost: set[int], changed: set[int], whole: int, first: int | None
) -> None:
    for n in range(8):
        ledger.append("decision", data_for("decision", n))
    engine.lost, engine.changed = lost, changed
    one = zero_loss_rate(engine)
    assert one.components == {"entries": 8, "whole": whole}
    assert one.passed is (whole == 8)
    assert one.value == pytest.approx(whole / 8)
    if first is not None:
        assert f"is entry {first}" in one.detail


def test_progress_is_told_to_the_end(engine: Faulty, ledger: Ledger) -> None:
    ledger.append("decision", data_for("decision"))
    ledger.append("decision", data_for("decision"))
    told: list[tuple[int, int]] = []
    zero_loss_rate(engine, lambda done, total: told.append((done, total)))
    assert told == [(1, 2), (2, 2)]


def test_what_was_measured_becomes_entries(engine: Faulty, ledger: Ledger) -> None:
    ledger.append("checkpoint", data_for("checkpoint"))
    subject = Subject(lambda: engine, engine, lambda _: None, seconds(0, 0.5))
    ledger.append_many(drafts(measure(subject)))
    found = [entry.value() for entry in ledger.read() if entry.type == "metric"]
    assert [(one["name"], one["value"], one["threshold"], one["passed"]) for one in found] == [
        ("restore_time", 0.5, 5, True),
        ("zero_loss_rate", 1, 1, True),
    ]

"""Batches of an import: each line once, whichever of them were there before."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import pytest

from holdfast.kernel.entry import Actor
from holdfast.ledger.importing import intake
from holdfast.ledger.importing.intake import Found, Imported, Intake
from holdfast.ledger.importing.lines import Line
from holdfast.ledger.ledger import Draft, Ledger
from holdfast.storage.port import Stored
from holdfast.testing import open_memory_ledger

BATCH = 3


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(intake, "IMPORT_LINES_BATCH_ENTRIES", BATCH)


def take_in(ledger: Ledger, numbers: Collection[int], *, odd: Collection[int] = ()) -> Imported:
    """Import a line for each number; an odd one has no field that its type must have."""
    taking = Intake(ledger, Actor("tool", "test"))
    for number in numbers:
        data = {} if number in odd else {"text": f"line {number}"}
        draft = Draft("prompt_given", data | {"imported": {}}, "s", id=f"id-{number}")
        taking.take(Found(Line("file", number, b"{}"), draft))
    taking.flush()
    return taking.report([])


@pytest.mark.parametrize("before", [[], [0, 1], [0, 1, 2], [7, 8], [3, 4, 5, 11], list(range(12))])
def test_each_line_comes_in_once_wherever_the_known_ones_stand(before: list[int]) -> None:
    ledger = open_memory_ledger()
    take_in(ledger, before)
    done = take_in(ledger, range(12))
    assert (12 - len(before), len(before)) == (done.imported, done.duplicates)
    ids = [entry.id for entry in ledger.read()]
    assert sorted(ids) == sorted(f"id-{number}" for number in range(12))


def test_a_line_that_was_quarantined_is_known_the_next_time() -> None:
    ledger = open_memory_ledger()
    first = take_in(ledger, range(9), odd=[7])
    again = take_in(ledger, [*range(20, 26), *range(9)], odd=[7])
    assert (first.imported, first.quarantined, first.duplicates) == (8, 1, 0)
    assert (again.imported, again.quarantined, again.duplicates) == (6, 0, 9)


def test_ids_are_asked_for_before_a_batch_only_while_some_are_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[Collection[str]] = []
    find = Ledger.find

    def counted(ledger: Ledger, ids: Collection[str]) -> Mapping[str, Stored]:
        asked.append(ids)
        return find(ledger, ids)

    monkeypatch.setattr(Ledger, "find", counted)
    ledger, batches = open_memory_ledger(), 4
    take_in(ledger, range(batches * BATCH))
    assert len(asked) == batches + 1  # in the writer's turn each batch asks anyway
    asked.clear()
    take_in(ledger, range(batches * BATCH))
    assert len(asked) == batches  # nothing is left to be written

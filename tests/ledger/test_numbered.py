"""Entries by their numbers: in the order asked for, each as if it were asked for alone."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from holdfast.kernel.errors import NotFound
from holdfast.ledger.numbered import entries_at
from tests.ledger.sealed import Box


@pytest.mark.parametrize("seed", range(3))
def test_entries_come_in_the_order_asked_for_wherever_they_lie(tmp_path: Path, seed: int) -> None:
    with Box(tmp_path) as box:
        box.fill(700)
        box.sealer(keep=300).seal()
        box.fill_singly(20)
        size = box.ledger.head().size
        chance = random.Random(seed)
        wanted = [chance.randrange(size) for _ in range(chance.choice((1, 40, 1_200)))]
        assert wanted == [entry.seq for entry in entries_at(box.ledger, iter(wanted))]
        assert list(entries_at(box.ledger, [])) == []


def test_one_that_is_not_there_is_refused_when_its_turn_comes(tmp_path: Path) -> None:
    with Box(tmp_path) as box:
        box.fill(10)
        found = entries_at(box.ledger, [9, 3, 10, 1])
        assert [next(found).seq, next(found).seq] == [9, 3]
        with pytest.raises(NotFound, match="no entry 10"):
            next(found)


def test_what_lies_side_by_side_is_read_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Box(tmp_path) as box:
        box.fill(400)
        asked = []
        read = box.ledger._engine.read

        def counted(*selection: object) -> object:
            asked.append(selection)
            return read(*selection)  # type: ignore[arg-type]

        monkeypatch.setattr(box.ledger._engine, "read", counted)
        assert len(list(entries_at(box.ledger, range(0, 400, 3)))) == 134
        assert len(asked) == 1

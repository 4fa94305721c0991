"""A process that lives long lets another one seal."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdfast.config import Seal
from holdfast.kernel.entry import Actor
from holdfast.testing import data_for
from holdfast.wiring.looking import open_reader
from holdfast.wiring.opening import open_ledger
from holdfast.wiring.sealing_apart import SealApart

ACTOR = Actor("proxy", "proxy")


def fill(database: Path, count: int) -> None:
    with open_ledger(database, seal=Seal(auto=False)) as ledger:
        for _ in range(count):
            ledger.append("decision", data_for("decision"))


@pytest.mark.parametrize(
    ("settings", "sealed"),
    [
        (Seal(threshold=20, keep=5), True),
        (Seal(threshold=30, keep=5), False),
        (Seal(auto=False, threshold=20, keep=5), False),
    ],
)
def test_what_is_too_long_is_sealed_by_a_process_of_its_own(
    tmp_path: Path, settings: Seal, sealed: bool
) -> None:
    database = tmp_path / "proxy.db"
    fill(database, 25)
    reader = open_reader(database)
    apart = SealApart(database, settings, reader, ACTOR)
    apart.look()
    apart.close()
    assert bool(reader.archives()) is sealed
    reader.close()


def test_it_looks_again_when_there_is_more(tmp_path: Path) -> None:
    database = tmp_path / "proxy.db"
    fill(database, 25)
    reader = open_reader(database)
    apart = SealApart(database, Seal(threshold=20, keep=5), reader, ACTOR)
    apart.look()
    apart.close()
    first = reader.archives()
    apart.look()
    apart.close()
    assert reader.archives() == first
    fill(database, 150)
    apart.look()
    apart.close()
    assert len(reader.archives()) > len(first)
    reader.close()

"""A process that lives long lets another one seal."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdfast.config import Seal
from holdfast.kernel.entry import Actor
from holdfast.kernel.limits import PROXY_SEAL_PAUSE_S
from holdfast.storage.port import Archive
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
    now = [0.0]
    apart = SealApart(database, Seal(threshold=20, keep=5), reader, ACTOR, lambda: now[0])

    def looked() -> tuple[Archive, ...]:
        apart.look()
        apart.close()
        return tuple(reader.archives())

    first = looked()
    now[0] += PROXY_SEAL_PAUSE_S
    assert looked() == first
    fill(database, 150)
    assert len(looked()) > len(first)
    fill(database, 150)
    after = tuple(reader.archives())
    assert looked() == after, "so soon after another one, it is not worth a process"
    now[0] += PROXY_SEAL_PAUSE_S
    assert len(looked()) > len(after)
    reader.close()


def test_one_process_seals_all_that_is_too_much(tmp_path: Path) -> None:
    database = tmp_path / "proxy.db"
    settings = Seal(threshold=20, keep=5)
    fill(database, 500)  # one archive takes 120 at most
    reader = open_reader(database)
    apart = SealApart(database, settings, reader, ACTOR)
    apart.look()
    apart.close()
    archives = reader.archives()
    assert len(archives) > 3
    assert reader.head().size - archives[-1].last - 1 <= settings.threshold
    reader.close()

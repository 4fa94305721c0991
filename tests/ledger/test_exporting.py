"""An export is the lines of the ledger, byte for byte."""

from hashlib import sha256
from io import BytesIO
from pathlib import Path

import pytest

from holdfast.kernel.errors import Damaged
from holdfast.ledger.booting import cold_boot
from holdfast.ledger.exporting import Exported, export_lines
from holdfast.storage.port import Stored
from holdfast.testing.builders import data_for, open_memory_ledger
from holdfast.views.pins import environment_pins
from tests.ledger.campaigns.material import filled, save_of
from tests.ledger.sealed import Box


def test_every_line_is_the_one_that_is_stored(tmp_path: Path) -> None:
    with Box(tmp_path) as box:
        box.fill(30)
        box.sealer(keep=5).seal()
        out = BytesIO()
        done = export_lines(box.ledger.reader, out)
        content = out.getvalue()
        assert content == b"".join(line.body + b"\n" for line in box.lines())
    assert done == Exported(31, len(content), sha256(content).hexdigest())


@pytest.mark.req("O10")
def test_a_save_boots_from_an_export() -> None:
    ledger = filled()
    out = BytesIO()
    export_lines(ledger.reader, out)
    lines = out.getvalue().splitlines(keepends=True)
    booted = cold_boot(save_of(ledger.reader)[0], lines, pins=environment_pins())
    assert dict(booted.digests) == ledger.fold().digests()


@pytest.mark.parametrize(
    ("first", "stop", "numbers"),
    [
        (0, None, range(15)),
        (3, 6, range(3, 6)),
        (-4, 2, range(2)),
        (9, 99, range(9, 15)),
        (5, 2, ()),
    ],
)
def test_a_part_can_be_exported(first: int, stop: int | None, numbers: range) -> None:
    ledger = filled()
    out = BytesIO()
    done = export_lines(ledger.reader, out, first=first, stop=stop)
    lines = [stored.body for stored in ledger.lines()]
    assert out.getvalue().splitlines() == [lines[n] for n in numbers]
    assert done.entries == len(numbers)


def test_an_empty_ledger_exports_nothing() -> None:
    out = BytesIO()
    assert export_lines(open_memory_ledger().reader, out).entries == 0
    assert out.getvalue() == b""


@pytest.mark.parametrize("leaf", [True, False])
def test_a_damaged_entry_stops_an_export_and_is_named(leaf: bool) -> None:
    ledger = open_memory_ledger()
    for n in range(6):
        ledger.append("decision", data_for("decision", n))
    kept = ledger._engine._entries  # type: ignore[attr-defined]
    kept[4] = Stored(4, kept[4].body, bytes(32)) if leaf else Stored(9, kept[4].body, kept[4].leaf)
    out = BytesIO()
    with pytest.raises(Damaged, match="Entry 4 is missing or is not what was sealed") as failure:
        export_lines(ledger.reader, out)
    assert "4 of 6 entries" in failure.value.meaning
    assert len(out.getvalue().splitlines()) == 4

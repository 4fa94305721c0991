"""`holdfast metrics` on ledgers that are whole, and on some that are not."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdfast.wiring.places import place_of
from tests.cli.harness import Holdfast, forge

FIRST = ["restore_time", "archive_integrity", "compression_ratio", "zero_loss_rate"]
CLEARING = [
    "citation_survival",
    "reduction_per_reference",
    "reduction_per_session",
    "handoffs_in_trajectory",
    "context_at_clear",
]
NAMES = [*FIRST, *CLEARING]


def busy(holdfast: Holdfast, count: int = 60) -> None:
    """Leave a ledger with a checkpoint and a sealed session."""
    data = '{"name":"load","value":1,"threshold":1,"passed":true,"components":{"x":"%s"}}'
    for n in range(count):
        holdfast("record", "metric", "--session", "s1", "--data", data % ("word " * 40 + str(n)))
    holdfast("checkpoint", "--task", "t", "--next", "n", "--session", "s1")
    assert holdfast("seal", "--keep", "1").code == 0


def archive_of(holdfast: Holdfast) -> Path:
    [archive] = place_of(holdfast.folder).archives.glob("*.jsonl.zst")
    return archive


@pytest.mark.req("P13")
def test_all_four_are_measured_against_their_targets(holdfast: Holdfast) -> None:
    busy(holdfast)
    done = holdfast.process("metrics", "--json")
    found = done.json()
    assert list(found) == NAMES
    assert all(sorted(one) == ["passed", "target", "value"] for one in found.values())
    assert [one["target"] for one in found.values()] == [5, 1, 10, 1, 1, 0.97, 0.996, 1, 8000]
    assert 0 < found["restore_time"]["value"] < 5
    assert found["archive_integrity"] == {"value": 1, "target": 1, "passed": True}
    assert found["compression_ratio"]["value"] >= 10
    assert found["zero_loss_rate"] == {"value": 1, "target": 1, "passed": True}
    assert done.code == 0


@pytest.mark.req("P13")
def test_what_there_is_nothing_of_neither_passes_nor_fails(holdfast: Holdfast) -> None:
    done = holdfast("metrics", "--json")
    assert [(one["value"], one["passed"]) for one in done.json().values()] == [(None, None)] * 9
    assert done.code == 0
    text = holdfast("metrics").text
    assert "there is no checkpoint yet" in text
    assert "there are no archives yet" in text
    assert "not measured" in text


@pytest.mark.req("P13")
def test_a_damaged_archive_shows_in_two_numbers(holdfast: Holdfast) -> None:
    busy(holdfast)
    content = bytearray(archive_of(holdfast).read_bytes())
    content[40] ^= 0xFF
    archive_of(holdfast).write_bytes(content)
    done = holdfast("metrics", "--json")
    found = done.json()
    assert done.code == 1
    assert found["archive_integrity"] == {"value": 0, "target": 1, "passed": False}
    assert found["zero_loss_rate"]["value"] < 1
    assert found["zero_loss_rate"]["passed"] is False
    assert "FAIL  archive_integrity" in holdfast("metrics").text


@pytest.mark.req("P13")
def test_a_forged_entry_is_a_loss(holdfast: Holdfast) -> None:
    for n in range(4):
        holdfast.record("decision", n)
    forge(holdfast, 2, "Way 2", "Way 7")
    done = holdfast("metrics", "--json")
    assert done.code == 1
    assert done.json()["zero_loss_rate"] == {"value": 0.75, "target": 1, "passed": False}


@pytest.mark.req("P13")
def test_a_summary_that_is_too_long_does_not_pass(holdfast: Holdfast) -> None:
    for n in range(3):
        holdfast.record("decision", n, "--session", "s1")
    holdfast("seal", "--keep", "0")
    done = holdfast("metrics", "--json")
    assert done.json()["compression_ratio"]["passed"] is False
    assert done.code == 1


@pytest.mark.req("P13")
def test_they_are_recorded_on_request_only(holdfast: Holdfast) -> None:
    busy(holdfast)
    before = len(holdfast.entries())
    holdfast("metrics")
    assert len(holdfast.entries()) == before
    done = holdfast("metrics", "--record", "--json")
    assert "Recorded 4 metric entries" in done.err
    new = [entry["data"] for entry in holdfast.entries()[before:]]
    assert [data["name"] for data in new] == FIRST
    assert [data["passed"] for data in new] == [True] * 4
    said = done.json()
    assert [data["value"] for data in new] == [said[name]["value"] for name in FIRST]


def test_recording_nothing_says_so(holdfast: Holdfast) -> None:
    done = holdfast("metrics", "--record")
    assert done.code == 0
    assert "Recorded 0 metric entries" in done.err
    assert holdfast.entries() == []

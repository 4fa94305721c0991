"""`holdfast compactions`: derived, made anew, and held against what saves and seals say."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any

import pytest

from tests.cli.harness import Holdfast
from tests.cli.test_save import saves

BOUNDARY = ["RECAP", "SYNOPSIS", "CONTEXT_CACHE"]


@pytest.fixture
def told(holdfast: Holdfast) -> Holdfast:
    holdfast("session", "start", "--session", "s1")
    for n in range(12):
        holdfast.record("decision", n)
    return holdfast


def rows(holdfast: Holdfast, *args: str) -> list[Any]:
    done = holdfast("compactions", *args, "--json")
    assert done.code == 0, done.err
    return [json.loads(line) for line in done.out.splitlines()]


@pytest.mark.req("O6")
def test_they_are_those_that_the_newest_save_names(told: Holdfast) -> None:
    save = told("save", "--json").json()
    told.record("decision", 99)
    found = rows(told)
    assert [one["purpose"] for one in found] == BOUNDARY
    assert [one["compaction_id"] for one in found] == save["compaction_ids"]
    hashes = {one["compaction_id"]: one["output_hash"] for one in found}
    assert hashes == save["compaction_hashes"]
    assert {one["of"] for one in found} == {f"save {save['snapshot_id']}"}
    assert told("compactions", "list", "--json").out == told("compactions", "--json").out
    assert f"{found[0]['compaction_id']}  RECAP" in told("compactions").text


def test_without_a_save_they_are_of_now(told: Holdfast) -> None:
    done = told("compactions", "list")
    assert "There is no save yet" in done.err
    assert len(done.text.splitlines()) == 3


@pytest.mark.req("O5")
def test_those_of_archives_are_listed_and_verified(told: Holdfast) -> None:
    told("seal", "--keep", "2")
    told("save")
    found = rows(told, "list")
    assert [one["purpose"] for one in found] == [*BOUNDARY, "SEGMENT_SUMMARY"]
    assert found[-1]["of"].endswith(".jsonl.zst")
    done = told("compactions", "verify", "--json")
    assert (done.code, done.json()) == (0, {"ok": True, "compactions": 4, "different": []})
    assert "4 of 4 compactions came out the same." in told("compactions", "verify").text


@pytest.mark.req("O5", "O9")
def test_deleted_and_made_again_they_are_the_same_and_write_nothing(told: Holdfast) -> None:
    told("save")
    before, made = told("log", "--json").out, rows(told, "rebuild")
    for file in (told.folder / ".holdfast").glob("views.db*"):
        file.unlink()
    assert rows(told, "rebuild") == made
    assert told("log", "--json").out == before
    for one in made:
        assert set(one["allowmention_handles"]) <= set(one["input_handles"])
    line = told("compactions", "rebuild", "--json").out.splitlines()[0]
    output = line[line.index(b'"output":') + 9 : line.index(b',"input_handles"')]
    assert sha256(output).hexdigest() == made[0]["output_hash"]
    assert "by_type:" in told("compactions", "rebuild").text


@pytest.mark.req("O6")
@pytest.mark.lesson("O4")
def test_one_that_does_not_come_out_the_same_is_a_no(told: Holdfast) -> None:
    import msgspec

    from holdfast.kernel import snapshot as snapshots

    line = told("save", "--json").out
    real = snapshots.read(line)
    first = real.compaction_ids[0]
    forged = msgspec.structs.replace(
        real, compaction_hashes={**real.compaction_hashes, first: "0" * 64}
    )
    (saves(told) / f"{real.snapshot_id}.json").unlink()
    (saves(told) / f"{forged.snapshot_id}.json").write_bytes(forged.to_line() + b"\n")
    done = told("compactions", "verify", "--json")
    assert (done.code, done.json()["ok"]) == (1, False)
    [different] = done.json()["different"]
    assert (different["compaction_id"], different["expected"]) == (first, "0" * 64)
    assert different["output_hash"] == real.compaction_hashes[first]
    assert "NOT the same" in told("compactions", "verify").text


def test_an_archive_that_is_gone_is_a_no(told: Holdfast) -> None:
    told("seal", "--keep", "2")
    told("save")
    for file in (told.folder / ".holdfast/state/archives").iterdir():
        file.unlink()
    assert told("compactions", "verify").code == 1

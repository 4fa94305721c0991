"""`holdfast import prism`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.harness import Holdfast
from tests.ledger.test_importing import prism_entry, write


@pytest.fixture
def prism(tmp_path: Path) -> Path:
    folder = tmp_path / "prism"
    write(folder / "archives/archive_20260131.jsonl", *map(prism_entry, range(6)))
    write(folder / "STATE_LOG.jsonl", *map(prism_entry, range(6, 10)), b'{"torn', b"\xff\xfe")
    (folder / "CURRENT_STATE.json").write_text("{}")
    return folder


@pytest.mark.req("X7")
def test_a_prism_folder_comes_in_with_everything_it_holds(holdfast: Holdfast, prism: Path) -> None:
    done = holdfast.process("import", "prism", prism, "--json")
    assert done.code == 0
    assert done.json() == {"imported": 10, "quarantined": 2, "duplicates": 0, "sessions": 3}
    assert "quarantined STATE_LOG.jsonl:5 as entry 10" in done.err
    assert "name no time zone; they are taken to be in UTC" in done.err
    ids = [entry["data"]["imported"]["id"] for entry in holdfast.entries()[:10]]
    assert ids == [f"entry-{n}" for n in range(10)]
    assert holdfast("verify").code == 0
    restored = holdfast("restore", "SESSION-001", "--json").out.splitlines()
    assert [json.loads(line)["data"]["imported"]["id"] for line in restored[:4]] == [
        f"entry-{n}" for n in (1, 4, 7)
    ]


@pytest.mark.req("X7")
def test_again_adds_nothing(holdfast: Holdfast, prism: Path) -> None:
    holdfast("import", "prism", prism)
    before = holdfast("log", "--json").out
    again = holdfast("import", "prism", prism, "--json")
    assert again.json() == {"imported": 0, "quarantined": 0, "duplicates": 12, "sessions": 3}
    assert holdfast("log", "--json").out == before


def test_the_folder_is_only_read(holdfast: Holdfast, prism: Path) -> None:
    before = {path: path.read_bytes() for path in prism.rglob("*") if path.is_file()}
    holdfast("import", "prism", prism)
    assert {path: path.read_bytes() for path in prism.rglob("*") if path.is_file()} == before


def test_people_are_told_the_numbers(holdfast: Holdfast, prism: Path) -> None:
    text = holdfast("import", "prism", prism).text
    assert "10 entries of 3 sessions were taken in." in text
    assert "2 lines are no entries; they are kept as they stand." in text
    assert "12 were here already." in holdfast("import", "prism", prism).text


def test_more_quarantined_lines_than_are_named_are_counted(
    holdfast: Holdfast, tmp_path: Path
) -> None:
    write(tmp_path / "p/STATE_LOG.jsonl", *(b"broken %d" % n for n in range(25)))
    assert "and 5 more after these" in holdfast("import", "prism", tmp_path / "p").err


@pytest.mark.lesson("N4")
def test_what_was_imported_outlives_a_renamed_folder(holdfast: Holdfast, prism: Path) -> None:
    holdfast("import", "prism", prism)
    before = holdfast("log", "--json").out
    holdfast.folder = holdfast.folder.rename(holdfast.folder.with_name("moved"))
    assert holdfast("log", "--json").out == before
    moved = prism.rename(prism.with_name("prism-moved"))
    assert holdfast("import", "prism", moved, "--json").json()["imported"] == 0


@pytest.mark.parametrize(
    "arguments", [("prism", "nowhere"), ("other", "."), ("prism",), ("prism", ".")]
)
def test_what_cannot_be_imported_is_refused(holdfast: Holdfast, arguments: tuple[str, ...]) -> None:
    done = holdfast("import", *arguments)
    assert done.code == 2
    assert holdfast.entries() == []


def test_our_own_state_folder_is_refused(holdfast: Holdfast) -> None:
    holdfast.record()
    done = holdfast("import", "prism", ".holdfast/state")
    assert done.code == 2
    assert "not a PRISM log" in done.err
    assert len(holdfast.entries()) == 1

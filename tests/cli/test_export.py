"""`holdfast export`: the whole ledger in one file, or its lines."""

from __future__ import annotations

from hashlib import sha256

import pytest

from tests.cli.harness import Holdfast, forge


@pytest.fixture
def told(holdfast: Holdfast) -> Holdfast:
    for n in range(5):
        holdfast.record("decision", n)
    return holdfast


def test_json_lines_are_the_stored_bytes(told: Holdfast) -> None:
    file = told.home / "entries.jsonl"
    lines = told("log", "--json", "-n", "1000").out
    done = told("export", file, "--json")
    assert done.json() == {
        "format": "jsonl",
        "path": str(file),
        "entries": 5,
        "bytes": len(lines),
        "sha256": sha256(lines).hexdigest(),
    }
    assert file.read_bytes() == lines
    assert told("export", "-").out == lines
    assert told.process("export", "-").out == lines


@pytest.mark.req("O10")
@pytest.mark.parametrize("name", ["all.campaign", "all.zip"])
def test_the_name_decides_what_is_written_and_it_is_said(told: Holdfast, name: str) -> None:
    done = told("export", told.home / name)
    assert "5 entries were written as a campaign file" in done.text
    assert told("boot", told.home / name, "--json").json()["seq"] == 4
    assert "as JSON Lines" in told("export", told.home / "all.txt").text


@pytest.mark.req("O10")
def test_an_option_counts_more_than_the_name(told: Holdfast) -> None:
    whole = told("export", told.home / "all.jsonl", "--campaign", "--json").json()
    assert (whole["format"], whole["entries"]) == ("campaign", 5)
    assert told("boot", told.home / "all.jsonl").code == 0
    lines = told("export", told.home / "all.campaign", "--jsonl", "--json").json()
    assert lines["format"] == "jsonl"


@pytest.mark.parametrize(
    "args", [("x", "--jsonl", "--campaign"), ("-", "--campaign"), ("-", "--json"), ()]
)
def test_what_cannot_be_is_misuse(told: Holdfast, args: tuple[str, ...]) -> None:
    done = told("export", *args)
    assert done.code == 2
    assert not (told.folder / "x").exists()


@pytest.mark.parametrize("name", ["taken.jsonl", "taken.campaign"])
def test_a_file_that_is_there_is_left_alone(told: Holdfast, name: str) -> None:
    file = told.home / name
    file.write_bytes(b"mine")
    done = told("export", file)
    assert (done.code, file.read_bytes()) == (2, b"mine")
    assert "exists already" in done.err


@pytest.mark.parametrize("name", ["x.jsonl", "x.campaign"])
def test_a_damaged_entry_stops_it_and_leaves_no_file(told: Holdfast, name: str) -> None:
    forge(told, 3, "Way 3", "Way 9")
    done = told("export", told.home / name)
    assert done.code == 2
    assert "3" in done.err
    assert list(told.home.glob("x.*")) == []
    lines = told("export", "-")
    assert (lines.code, len(lines.out.splitlines())) == (2, 3)


def test_a_folder_that_is_not_there_is_an_error(told: Holdfast) -> None:
    assert told("export", told.home / "no" / "x.jsonl").code == 2
    assert told("export", told.home / "no" / "x.campaign").code == 2


def test_archived_entries_are_part_of_it(told: Holdfast) -> None:
    told("seal", "--keep", "1")
    told("export", told.home / "entries.jsonl")
    assert len((told.home / "entries.jsonl").read_bytes().splitlines()) == 6
    assert told("export", told.home / "all.campaign", "--json").json()["entries"] == 6

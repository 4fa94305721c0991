"""Reading the ledger: what is shown, what is left out and said so, and what is damaged."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

import holdfast as api
from holdfast.testing.builders import draft
from tests.cli.harness import Holdfast, forge


@pytest.fixture
def filled(holdfast: Holdfast) -> Holdfast:
    """A ledger of 30 decisions and, in two sessions, 30 metrics."""
    with api.open(holdfast.folder) as ledger:
        for n in range(30):
            ledger.append_many([draft("decision", n), draft("metric", n, session_id=f"s{n % 2}")])
    return holdfast


def seqs(text: str) -> list[int]:
    return [int(line.split()[0]) for line in text.splitlines()]


@pytest.mark.lesson("N15")
@pytest.mark.parametrize(
    ("args", "shown", "said"),
    [
        ((), list(range(40, 60)), "40 earlier entries are not shown; -n 60 shows all."),
        (("-n", "59"), list(range(1, 60)), "1 earlier entry is not shown; -n 60 shows all."),
        (("--to", "9", "-n", "2"), [8, 9], "8 earlier entries are not shown"),
        (("--from", "50", "-n", "3"), [57, 58, 59], "7 earlier entries are not shown"),
        (("--type", "metric", "-n", "2"), [57, 59], "28 earlier entries are not shown"),
        (("--session", "s1", "-n", "1"), [59], "14 earlier entries are not shown"),
    ],
)
def test_what_is_left_out_is_counted(
    filled: Holdfast, args: tuple[str, ...], shown: list[int], said: str
) -> None:
    done = filled("log", *args)
    assert seqs(done.text) == shown
    assert said in done.err


@pytest.mark.lesson("N15")
@pytest.mark.parametrize(
    "args",
    [("-n", "60"), ("-n", "999"), ("--from", "40"), ("--type", "metric", "-n", "30")],
)
def test_nothing_is_said_when_nothing_is_left_out(filled: Holdfast, args: tuple[str, ...]) -> None:
    assert filled("log", *args).err == ""


def test_json_is_everything_unless_a_number_is_given(filled: Holdfast) -> None:
    assert [entry["seq"] for entry in filled.entries()] == list(range(60))
    assert [entry["seq"] for entry in filled.entries("-n", "2")] == [58, 59]
    assert [entry["seq"] for entry in filled.entries("--from", "3", "--to", "5")] == [3, 4, 5]
    both = filled.entries("--session", "s0", "--type", "metric", "-n", "2")
    assert [entry["seq"] for entry in both] == [53, 57]


def test_an_empty_answer_says_why(holdfast: Holdfast) -> None:
    assert "Nothing was recorded yet" in holdfast("log").err
    holdfast.record()
    assert "No entry fits" in holdfast("log", "--type", "metric").err


@pytest.mark.lesson("P6")
def test_reads_go_on_past_a_damaged_entry(holdfast: Holdfast) -> None:
    for n in range(3):
        holdfast.record("decision", n)
    forge(holdfast, 1, '"data":', '"data"!')
    people = holdfast("log")
    assert seqs(people.text) == [0, 1, 2]
    assert "! damaged" in people.text.splitlines()[1]
    assert "Entry 1 is damaged" in people.err
    scripts = holdfast("log", "--json")
    assert b'"data"!' in scripts.out.splitlines()[1]
    assert json.loads(scripts.out.splitlines()[2])["seq"] == 2
    assert "Entry 1 is damaged" in scripts.err
    assert holdfast("show", "1", "--json").out == scripts.out.splitlines(keepends=True)[1]
    assert holdfast("show", "1").code == 2
    verified = holdfast("verify", "--json")
    assert verified.code == 1
    assert 1 in [fault["seq"] for fault in verified.json()["faults"]]


@pytest.mark.lesson("P6")
def test_an_undamaged_ledger_is_read_without_a_word(holdfast: Holdfast) -> None:
    for n in range(3):
        holdfast.record("decision", n)
    assert holdfast("log").err == ""
    assert holdfast("verify").code == 0


@pytest.mark.lesson("P6")
def test_an_entry_that_was_changed_and_still_reads_is_marked(holdfast: Holdfast) -> None:
    holdfast.record("decision", 1)
    forge(holdfast, 0, "Way 1", "Way 9")
    assert "! damaged  Way 9" in holdfast("log").text
    assert "Entry 0 is damaged" in holdfast("log").err
    assert "not what was sealed" in holdfast("show", "0").err


@pytest.fixture
def rotten(holdfast: Holdfast) -> Holdfast:
    """A copy of a ledger of which one page in the middle is not readable any more."""
    with api.open(holdfast.folder) as ledger:
        for first in range(0, 300, 50):
            ledger.append_many([draft("error", n) for n in range(first, first + 50)])
    holdfast("backup", "copy.db")
    copy = holdfast.folder / "copy.db"
    content = bytearray(copy.read_bytes())
    at = content.index(b"attempt 120 found nothing") // 4096 * 4096
    content[at : at + 4096] = os.urandom(16) * 256
    copy.write_bytes(content)
    return holdfast


@pytest.mark.lesson("P6")
def test_reads_go_around_a_page_that_is_unreadable(rotten: Holdfast) -> None:
    done = rotten("--ledger", "copy.db", "log", "--json")
    found = [json.loads(line)["seq"] for line in done.out.splitlines() if line[:1] == b"{"]
    assert found[:100] == list(range(100))
    assert found[-150:] == list(range(150, 300))
    assert done.err != ""
    report = rotten("--ledger", "copy.db", "verify", "--json")
    assert report.code == 1
    assert report.json()["entries"] == 300
    named = {fault["seq"] for fault in report.json()["faults"]}
    assert 120 in named or "leaf" in {fault["kind"] for fault in report.json()["faults"]}


def test_a_process_that_verifies_names_the_unreadable_too(rotten: Holdfast) -> None:
    copy = rotten.folder / "copy.db"
    done = subprocess.run(
        [sys.executable, "-m", "holdfast.wiring.workers", str(copy)],
        input=b"[0,300]\n",
        capture_output=True,
        check=True,
    )
    assert json.loads(done.stdout)["faults"] != []
    assert done.stderr == b""


def test_a_backup_of_it_is_refused(rotten: Holdfast) -> None:
    done = rotten("--ledger", "copy.db", "backup", "again.db", "--json")
    assert done.code == 1
    assert done.json()["verified"] is False
    assert done.json()["faults"] != []
    assert [file.name for file in rotten.folder.glob("*again*")] == []

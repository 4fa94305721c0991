from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import holdfast as library
from holdfast.config import Seal
from holdfast.ledger.ledger import Draft
from holdfast.storage.locks import file_lock
from holdfast.testing.builders import data_for
from holdfast.wiring.opening import open_ledger
from tests.cli.harness import Holdfast, forge


def fill(holdfast: Holdfast, count: int, *sessions: str) -> None:
    with open_ledger(holdfast.folder, seal=Seal(auto=False)) as ledger:
        first = ledger.head().size
        ledger.append_many(
            Draft(
                "decision",
                data_for("decision", n),
                session_id=sessions[n % len(sessions)] if sessions else None,
            )
            for n in range(first, first + count)
        )


@pytest.mark.req("P4")
@pytest.mark.req("P5")
def test_old_entries_move_into_an_archive_and_are_still_there(holdfast: Holdfast) -> None:
    fill(holdfast, 150)
    before = holdfast("log", "--json").out
    answer = holdfast("seal", "--json").json()
    archive = answer["archive"]
    assert answer == {"sealed": 50, "archive": archive, "kept": 100, "archives": [archive]}
    assert (holdfast.folder / ".holdfast" / archive).is_file()
    assert holdfast("log", "--json").out.startswith(before)
    assert holdfast("verify").code == 0


def test_zstdcat_shows_an_archive_to_anyone(holdfast: Holdfast) -> None:
    import zstandard

    fill(holdfast, 20)
    before = holdfast("log", "--json").out
    path = (
        holdfast.folder / ".holdfast" / holdfast("seal", "--keep", "0", "--json").json()["archive"]
    )
    with path.open("rb") as file:
        plain = zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True).read()
    assert plain == before


@pytest.mark.lesson("P8")
def test_keep_zero_keeps_nothing_and_says_so_when_there_is_nothing(holdfast: Holdfast) -> None:
    fill(holdfast, 7)
    assert holdfast("seal", "--keep", "0", "--json").json()["sealed"] == 7
    again = holdfast("seal", "--keep", "0", "--json")
    assert (again.code, again.json()) == (
        0,
        {"sealed": 0, "archive": None, "kept": 1, "archives": []},
    )
    told = holdfast("seal", "--keep", "0")
    assert (told.code, told.text.split(":")[0]) == (0, "Nothing to seal")


def test_people_are_told_how_many_moved_and_where(holdfast: Holdfast) -> None:
    fill(holdfast, 30)
    told = holdfast("seal", "--keep", "10").text
    assert told.startswith("20 entries moved; 10 stay active.")
    assert "state/archives/archive_" in told


def test_a_database_that_stands_alone_has_its_archives_beside_it(
    holdfast: Holdfast, tmp_path: Path
) -> None:
    alone = tmp_path / "alone.db"
    with library.open(alone) as ledger:
        ledger.append("decision", data_for("decision"))
    answer = holdfast("--ledger", alone, "seal", "--keep", "0", "--json").json()
    assert answer["archive"].startswith("alone.state/archives/")
    assert (tmp_path / answer["archive"]).is_file()


@pytest.mark.req("P4")
@pytest.mark.parametrize(("flags", "trigger"), [((), "request"), (("--pressure",), "pressure")])
def test_the_entry_says_what_made_it_seal(
    holdfast: Holdfast, flags: tuple[str, ...], trigger: str
) -> None:
    fill(holdfast, 3)
    holdfast("seal", "--keep", "0", *flags)
    [entry] = holdfast.entries("--type", "compression")
    assert entry["data"]["trigger"] == trigger
    assert (entry["session_id"], entry["actor"]["kind"]) == (None, "holdfast")


@pytest.mark.req("P6")
def test_the_entry_has_the_shape_of_the_seed(holdfast: Holdfast) -> None:
    fill(holdfast, 6, "S1", "S2")
    answer = holdfast("seal", "--keep", "0", "--json").json()
    [entry] = holdfast.entries("--type", "compression")
    data = entry["data"]
    assert data["entries_compressed"] == 6
    assert data["sessions_covered"] == ["S1", "S2"]
    assert answer["archive"] == data["archive_path"]
    assert data["restore_index"] == {
        "S1": {"start": 0, "end": 4, "ranges": [[0, 0], [2, 2], [4, 4]]},
        "S2": {"start": 1, "end": 5, "ranges": [[1, 1], [3, 3], [5, 5]]},
    }
    assert data["summary"]["total_decisions"] == 6


def test_another_seal_that_goes_on_is_an_error_after_the_wait(holdfast: Holdfast) -> None:
    fill(holdfast, 3)
    holdfast.settings.write_text("[lock]\nwait_s = 0.05\n")
    lock = holdfast.folder / ".holdfast" / "ledger.seal.lock"
    with file_lock(str(lock), wait_s=0):
        done = holdfast("seal", "--keep", "0", "--json")
    assert done.code == 2
    assert done.json()["error"]["kind"] == "Busy"
    assert holdfast("seal", "--keep", "0", "--json").json()["sealed"] == 3


def test_two_seals_at_once_do_the_work_once(holdfast: Holdfast) -> None:
    fill(holdfast, 300)
    before = holdfast("log", "--json").out
    children = [
        subprocess.Popen(
            [sys.executable, "-m", "holdfast", "seal", "--keep", "10", "--json"],
            cwd=holdfast.folder,
            env=holdfast.env(),
            stdout=subprocess.PIPE,
        )
        for _ in range(2)
    ]
    import json

    answers = [json.loads(child.communicate()[0]) for child in children]
    assert sorted(answer["sealed"] for answer in answers) == [0, 290]
    assert holdfast("log", "--json").out.startswith(before)
    assert holdfast("verify").code == 0


@pytest.mark.lesson("P6")
def test_a_damaged_entry_is_named_and_not_archived(holdfast: Holdfast) -> None:
    for n in range(4):
        holdfast.record("decision", n)
    forge(holdfast, 2, "Way 2", "Way 9")
    done = holdfast("seal", "--keep", "0")
    assert done.code == 2
    assert "Entry 2 cannot be archived" in done.err
    assert holdfast("show", "2").code == 0


@pytest.mark.parametrize("keep", ["-1", "x", "1.5"])
def test_a_bad_number_is_misuse(holdfast: Holdfast, keep: str) -> None:
    assert holdfast("seal", "--keep", keep).code == 2

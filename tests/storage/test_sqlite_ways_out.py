"""The two ways out of the database, misused by a program that has the functions they ask for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias, cast

import apsw
import pytest

from holdfast.storage.port import Archive, Erased
from holdfast.storage.sqlite.connection import connect
from holdfast.storage.sqlite.leaving import permit
from tests.storage import databases


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("filled") / "ledger.db"
    databases.make_filled(path)
    return path


def says_it_may(connection: apsw.Connection) -> None:
    for name in ("holdfast_sealing", "holdfast_erasing"):
        connection.create_scalar_function(name, lambda *_: 1, 0, flags=apsw.SQLITE_INNOCUOUS)


def run_with_many(connection: apsw.Connection) -> tuple[int, int, bytes, bytes]:
    """Return the oldest run; an archive is about to end in the middle of it."""
    found: Any = connection.execute("SELECT * FROM runs ORDER BY first LIMIT 1").get
    assert found[1] - found[0] == 19
    return cast("tuple[int, int, bytes, bytes]", found)


def rest(run: tuple[int, int, bytes, bytes], count: int) -> tuple[int, int, bytes, bytes]:
    """Return what stays of a run without its first entries."""
    first, last, hashes, lines = run
    return first + count, last, hashes[32 * count :], lines.split(b"\n", count)[count]


Run: TypeAlias = tuple[int, int, bytes, bytes]
CHANGED_RESTS: dict[str, Callable[[Run], Run]] = {
    "a byte of an entry": lambda run: (*run[:3], run[3].replace(b"Way", b"Wax", 1)),
    "a byte of a hash": lambda run: (*run[:2], bytes(32) + run[2][32:], run[3]),
    "no hashes": lambda run: (*run[:2], b"", run[3]),
    "an entry more off": lambda run: rest(run, 1),
    "a line more off": lambda run: (*run[:3], run[3].partition(b"\n")[2]),
    "half a line more off": lambda run: (*run[:3], run[3][10:]),
    "no lines": lambda run: (*run[:3], b""),
    "the end": lambda run: (run[0], run[1] - 1, run[2][:-32], run[3].rpartition(b"\n")[0]),
    "another number": lambda run: (run[0] - 1, *run[1:]),
    "an end further on": lambda run: (run[0], run[1] + 1, *run[2:]),
}


@pytest.mark.parametrize("listed", ["listed and kept", "listed", "not listed"])
@pytest.mark.parametrize("kind", ["nothing else", *CHANGED_RESTS])
def test_a_run_loses_its_front_to_a_listed_archive_and_nothing_else(
    filled: Path, tmp_path: Path, kind: str, listed: str
) -> None:
    path = databases.copy(filled, tmp_path / "ledger.db")
    with databases.foreign(path) as connection:
        says_it_may(connection)
        run = run_with_many(connection)
        left = rest(run, 7)
        if listed != "not listed":
            connection.execute(
                "INSERT INTO archives VALUES (?, ?, 'a', 'b', 1)", (run[0], left[0] - 1)
            )
        if listed == "listed and kept":
            values = (run[0], left[0] - 1, run[2][: 32 * 7])
            connection.execute("INSERT INTO sealed VALUES (?, ?, ?)", values)
        before = connection.execute("SELECT * FROM runs").fetchall()
        change = "UPDATE runs SET (first, last, hashes, lines) = (?, ?, ?, ?) WHERE first = ?"
        if kind == "nothing else" and listed == "listed and kept":
            connection.execute(change, (*left, run[0]))
            assert left == run_at(connection, left[0])
            return
        wrong = left if kind == "nothing else" else CHANGED_RESTS[kind](left)
        with pytest.raises(apsw.ConstraintError, match="ever"):
            connection.execute(change, (*wrong, run[0]))
        with pytest.raises(apsw.ConstraintError, match="ever"):
            connection.execute(change.replace("UPDATE", "UPDATE OR REPLACE"), (*wrong, run[0]))
        assert before == connection.execute("SELECT * FROM runs").fetchall()


def run_at(connection: apsw.Connection, first: int) -> Any:
    return connection.execute("SELECT * FROM runs WHERE first = ?", (first,)).get


@pytest.mark.parametrize("count", [1, 19, 20])
def test_hashes_are_kept_of_the_front_of_the_oldest_run_as_they_are(
    filled: Path, tmp_path: Path, count: int
) -> None:
    path = databases.copy(filled, tmp_path / "ledger.db")
    insert = "INSERT INTO sealed VALUES (?, ?, ?)"
    with databases.foreign(path) as connection:
        first, _, hashes, _ = run_with_many(connection)
        right = (first, first + count - 1, hashes[: 32 * count])
        with pytest.raises(apsw.ConstraintError, match="only"):
            connection.execute(insert, right)  # no archive is listed
        connection.execute("INSERT INTO archives VALUES (?, ?, 'a', 'b', 1)", right[:2])
        for wrong in (
            (first, first + count - 1, bytes(32) + hashes[32 : 32 * count]),
            (first + 1, first + count, hashes[32 : 32 * (count + 1)]),
            (first - 1, first + count - 2, hashes[: 32 * count]),
        ):
            with pytest.raises(apsw.ConstraintError):
                connection.execute(insert, wrong)
        connection.execute(insert, right)


def test_an_artifact_that_is_not_listed_as_erased_stays(filled: Path, tmp_path: Path) -> None:
    path = databases.copy(filled, tmp_path / "ledger.db")
    before = databases.rows_of(path)
    with databases.foreign(path) as connection:
        says_it_may(connection)
        with pytest.raises(apsw.ConstraintError, match="erased"):
            connection.execute("DELETE FROM artifacts")
    assert before == databases.rows_of(path)


def test_a_list_of_the_erased_is_not_enough_to_delete(filled: Path, tmp_path: Path) -> None:
    path = databases.copy(filled, tmp_path / "ledger.db")
    with databases.foreign(path) as connection:
        connection.execute("INSERT INTO erased SELECT sha256, 1 FROM artifacts")
        with pytest.raises(apsw.SQLError, match="holdfast_erasing"):
            connection.execute("DELETE FROM artifacts")
        says_it_may(connection)
        connection.execute("DELETE FROM artifacts")  # with both it goes, so both are needed


def test_a_connection_that_seals_may_not_erase_and_the_other_way_round(
    filled: Path, tmp_path: Path
) -> None:
    path = databases.copy(filled, tmp_path / "ledger.db")
    leavings: dict[str, Archive | Erased] = {
        "holdfast_erasing": Archive(10, 11, "a", "b", 1),
        "holdfast_sealing": Erased("0" * 64),
    }
    for missing, leaving in leavings.items():
        connection = connect(str(path))
        permit(connection, leaving)
        with pytest.raises(apsw.SQLError, match=missing):
            connection.execute("DELETE FROM artifacts" if "eras" in missing else "DELETE FROM runs")
        connection.close()

"""What a database must be to be opened, and how an older one is brought up to date."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import msgspec
import pytest

from holdfast.kernel import merkle
from holdfast.kernel.errors import Damaged, NewerFormat, NotALedger, StorageFailed, Unsupported
from holdfast.storage.sqlite.connection import (
    APPLICATION_ID,
    FORMAT,
    SCHEMA_DIGESTS,
    check_sqlite,
    connect,
    is_ledger,
    schema_digest,
)
from holdfast.storage.sqlite.create import create
from holdfast.storage.sqlite.engine import SqliteEngine
from holdfast.storage.sqlite.queries import SQL
from holdfast.testing import open_memory_ledger
from holdfast.testing.builders import LEDGER
from holdfast.testing.conformance import ArchivedEntries, append, audited, drop, fill, run_threads
from tests.storage import databases

OLDER = range(1, FORMAT)


def make_format(version: int, path: Path) -> list[Any]:
    """Make a database as an older format had it, with 721 entries; return them."""
    newer = path.parent / "newer.db"
    engine = databases.make(newer)
    everything = fill(engine)
    engine.close()
    create(str(path), LEDGER, until=version)
    with databases.foreign(path) as connection:
        connection.execute("ATTACH ? AS newer", (str(newer),))
        for table in databases.tables(connection):
            if table != "meta":
                connection.execute(f"INSERT INTO {table} SELECT * FROM newer.{table} ORDER BY 1")
    return everything


@pytest.mark.parametrize("version", SCHEMA_DIGESTS)
def test_the_digest_of_a_format_is_that_of_its_migrations(tmp_path: Path, version: int) -> None:
    create(str(tmp_path / "ledger.db"), LEDGER, until=version)
    with databases.foreign(tmp_path / "ledger.db") as connection:
        assert SCHEMA_DIGESTS[version] == schema_digest(connection)


def test_a_new_ledger_says_what_it_is(tmp_path: Path) -> None:
    create(str(tmp_path / "ledger.db"), LEDGER)
    with databases.foreign(tmp_path / "ledger.db") as connection:
        assert connection.pragma("application_id") == APPLICATION_ID
        assert connection.pragma("user_version") == FORMAT
        assert connection.pragma("journal_mode") == "wal"
    assert APPLICATION_ID.to_bytes(4, "big") == b"hold"


@pytest.mark.parametrize("version", OLDER)
def test_an_older_ledger_is_brought_up_to_date_and_keeps_every_byte(
    tmp_path: Path, version: int
) -> None:
    path = tmp_path / "ledger.db"
    everything = make_format(version, path)
    archived = ArchivedEntries()
    engine = SqliteEngine(str(path), archive_source=archived)
    assert everything == databases.stored_of(engine)
    leaves = [stored.leaf for stored in everything]
    assert merkle.root_of(leaves) == engine.node(0, len(leaves))
    assert merkle.root_of(leaves[:512]) == engine.node(0, 512)
    assert audited(engine) == []
    assert open_memory_ledger(engine).verify().ok
    append(engine, 300)
    drop(engine, archived.keep(everything[:333]))
    assert everything == databases.stored_of(engine)[:-300]
    assert open_memory_ledger(engine).verify().ok
    engine.close()
    with databases.foreign(path) as connection:
        assert connection.pragma("user_version") == FORMAT
        assert SCHEMA_DIGESTS[FORMAT] == schema_digest(connection)


@pytest.mark.parametrize("version", OLDER)
def test_an_older_ledger_opened_by_many_at_once_is_migrated_once(
    tmp_path: Path, version: int
) -> None:
    path = tmp_path / "ledger.db"
    everything = make_format(version, path)

    def look() -> None:
        engine = SqliteEngine(str(path))
        assert len(everything) == engine.head().size
        engine.close()

    run_threads(look, 6)


def test_a_sealed_ledger_of_the_format_before_goes_on_where_it_was(tmp_path: Path) -> None:
    """Whole runs were sealed then; the rest may be cut at any entry now."""
    path = tmp_path / "ledger.db"
    everything = make_format(2, path)
    archived = ArchivedEntries()
    with databases.foreign(path) as connection:
        connection.create_scalar_function("holdfast_sealing", lambda *_: 1, 0)
        archive = archived.keep(everything[:30])
        connection.execute(SQL["put_archive"], msgspec.structs.astuple(archive))
        connection.execute(SQL["keep_hashes"], (0, 29))
        connection.execute(SQL["drop_runs"], (0, 29))
    engine = SqliteEngine(str(path), archive_source=archived)
    drop(engine, archived.keep(everything[30:400]))
    assert everything == databases.stored_of(engine)
    assert open_memory_ledger(engine).verify().ok
    engine.close()


@pytest.mark.parametrize("version", OLDER)
def test_an_older_ledger_whose_guards_are_down_is_not_migrated(
    tmp_path: Path, version: int
) -> None:
    path = tmp_path / "ledger.db"
    make_format(version, path)
    with databases.foreign(path) as connection:
        connection.execute("DROP TRIGGER runs_no_update")
    with pytest.raises(Damaged, match="schema"):
        SqliteEngine(str(path))
    with databases.foreign(path) as connection:
        assert connection.pragma("user_version") == version


def test_a_newer_format_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    create(str(path), LEDGER)
    with databases.foreign(path) as connection:
        connection.pragma("user_version", FORMAT + 1)
    before = path.read_bytes()
    with pytest.raises(NewerFormat, match=str(FORMAT + 1)):
        SqliteEngine(str(path))
    with pytest.raises(NewerFormat):
        is_ledger(str(path))
    assert before == path.read_bytes()


def other_database(path: Path) -> None:
    connection = apsw.Connection(str(path))
    connection.execute("CREATE TABLE notes (text)")
    connection.close()


def renamed_ledger(path: Path) -> None:
    create(str(path), LEDGER)
    with databases.foreign(path) as connection:
        connection.pragma("application_id", 1)


FOREIGN: dict[str, Callable[[Path], Any]] = {
    "a text": lambda path: path.write_text("# Notes\n" * 1000),
    "a short text": lambda path: path.write_text("a few words"),
    "zeros": lambda path: path.write_bytes(bytes(8192)),
    "another program's database": other_database,
    "another application's id": renamed_ledger,
}


@pytest.mark.parametrize("kind", FOREIGN)
def test_what_is_not_a_ledger_is_refused_and_left_alone(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "ledger.db"
    FOREIGN[kind](path)
    before = path.read_bytes()
    for opening in (SqliteEngine, is_ledger):
        with pytest.raises(NotALedger):
            opening(str(path))
    assert before == path.read_bytes()


def test_a_file_that_is_not_there_is_an_error_and_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(StorageFailed):
        SqliteEngine(str(tmp_path / "ledger.db"))
    assert not (tmp_path / "ledger.db").exists()


def test_an_empty_file_that_a_crash_left_is_completed(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    path.touch(0o600)
    assert not is_ledger(str(path))
    create(str(path), LEDGER)
    assert is_ledger(str(path))
    engine = SqliteEngine(str(path))
    append(engine, 1)
    engine.close()


def test_a_file_that_got_no_further_than_its_header_is_completed(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    connection = apsw.Connection(str(path))
    connection.pragma("journal_mode", "WAL")
    connection.close()
    assert path.stat().st_size > 0
    assert not is_ledger(str(path))
    create(str(path), LEDGER)
    assert is_ledger(str(path))


@pytest.mark.parametrize("kept_share", [0.3, 0.7, 0.98])
def test_a_truncated_database_is_damaged_not_lost_silently(
    tmp_path: Path, kept_share: float
) -> None:
    path = tmp_path / "ledger.db"
    archived = databases.make_filled(path)
    os.truncate(path, int(path.stat().st_size * kept_share))
    assert not can_be_trusted(path, archived)


def test_a_whole_database_is_not_called_damaged(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    assert can_be_trusted(path, databases.make_filled(path))


def can_be_trusted(path: Path, archived: ArchivedEntries) -> bool:
    """Open a ledger and prove it; an error says no as well."""
    try:
        with closing(SqliteEngine(str(path), archive_source=archived)) as engine:
            return open_memory_ledger(engine).verify().ok
    except (Damaged, NotALedger):
        return False


@pytest.mark.parametrize("version", ["3.7.0", "3.40.1", "3.50.7", "3.51.2", "3.52.0"])
def test_a_sqlite_that_corrupts_databases_is_refused(version: str) -> None:
    with pytest.raises(Unsupported, match=version):
        check_sqlite(version)


@pytest.mark.parametrize("version", ["3.51.3", "3.51.10", "3.53.0", "3.54.1", "4.0.0"])
def test_a_sqlite_with_the_fix_is_accepted(version: str) -> None:
    check_sqlite(version)


def test_the_rules_are_in_force_on_every_connection(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    create(str(path), LEDGER)
    connection = connect(str(path))
    expected = {
        "journal_mode": "wal",
        "synchronous": 2,
        "fullfsync": 1,
        "checkpoint_fullfsync": 1,
        "trusted_schema": 0,
        "cell_size_check": 1,
        "mmap_size": 0,
        "wal_autocheckpoint": 0,
    }
    assert expected == {name: connection.pragma(name) for name in expected}
    for setting in (apsw.SQLITE_DBCONFIG_DEFENSIVE, apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE):
        assert connection.config(setting, -1) == 1
    connection.close()


def test_every_file_of_a_ledger_is_for_its_owner_only(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        engine = databases.make(tmp_path / "ledger.db")
        append(engine, 1)
        found = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.iterdir()}
    finally:
        os.umask(old)
    engine.close()
    names = {"ledger.db", "ledger.db-wal", "ledger.db-shm", "ledger.lock"}
    assert dict.fromkeys(names, 0o600) == found


def test_a_file_that_was_replaced_while_open_is_noticed(tmp_path: Path) -> None:
    engine = databases.make(tmp_path / "ledger.db")
    append(engine, 1)
    create(str(tmp_path / "other.db"), "f" * 32)
    (tmp_path / "other.db").replace(tmp_path / "ledger.db")
    for work in (engine.head, lambda: list(engine.read()), lambda: append(engine, 1)):
        with pytest.raises(StorageFailed, match="replaced"):
            work()
    engine.close()


def test_a_file_that_was_put_back_is_used_again(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    engine = databases.make(path)
    append(engine, 1)
    path.rename(tmp_path / "away.db")
    with pytest.raises(StorageFailed):
        append(engine, 1)
    (tmp_path / "away.db").rename(path)
    append(engine, 1)
    assert [stored.seq for stored in engine.read()] == [0, 1]
    engine.close()


def test_a_file_that_is_gone_while_open_is_noticed(tmp_path: Path) -> None:
    engine = databases.make(tmp_path / "ledger.db")
    append(engine, 1)
    (tmp_path / "ledger.db").unlink()
    for _ in range(2):
        with pytest.raises(StorageFailed):
            append(engine, 1)
    engine.close()
    assert not (tmp_path / "ledger.db").exists()

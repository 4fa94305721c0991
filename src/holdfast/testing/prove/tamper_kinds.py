"""The ways to tamper with a ledger.

The tamperer is a clever one: guards are taken down and put up again, so that only what the entries
say of themselves gives it away. The SQL stands here in the open: it is another program's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any, Final, TypeAlias

import apsw
import msgspec

from holdfast.kernel import entry as entries
from holdfast.kernel.hashing import data_hash, leaf_hash
from holdfast.kernel.limits import INLINE_BYTES_MAX
from holdfast.storage.sqlite.create import create
from holdfast.storage.sqlite.engine import SqliteEngine
from holdfast.testing.prove.material import LEDGER_ID, draft, drafts, ledger_on

SIZE: Final = 300
LARGE: Final = 20
"""The entry with a part in the vault."""
VICTIM: Final = 50
INDEXED: Final = 200
"""An entry that the index holds, with entries behind it that it holds too."""

Tamper: TypeAlias = Callable[[apsw.Connection], object]


class Kind(msgspec.Struct, frozen=True):
    """One way to tamper, and the faults of which one must name it."""

    name: str
    tamper: Callable[[Path], None]
    faults: frozenset[str]
    seq: int | None = None
    needs_kept_head: bool = False
    """Only somebody who kept the ledger's head elsewhere can find it; others must not claim to."""


def make_original(path: Path, *, rewritten_from: int = SIZE) -> tuple[int, str]:
    """Make a ledger worth tampering with, closed and in one file; return its size and root.

    With `rewritten_from` the entries from there on are others, and all hashes fit them.
    """
    remove(path)
    create(str(path), LEDGER_ID)
    with ledger_on(SqliteEngine(str(path))) as ledger:
        ledger.append_many(drafts(Random("first"), 0, 16))
        for number in range(16, SIZE):
            chance = Random(f"{number}/{number >= rewritten_from}")
            chars = INLINE_BYTES_MAX + 9_000 if number == LARGE else None
            ledger.append_many([draft(chance, number, chars=chars)])
        kept = (ledger.head().size, ledger.root())
    _settle(path)
    return kept


def remove(path: Path) -> None:
    """Remove a ledger that nobody has open."""
    for name in (path, path.with_name(path.name + "-wal"), path.with_name(path.name + "-shm")):
        name.unlink(missing_ok=True)


def kinds() -> Iterator[Kind]:
    """Yield every way to tamper."""
    yield _sql("a bit of an entry flipped", _flip, {"leaf"}, VICTIM)
    yield _sql("data and its hash changed", _change_data, {"leaf"}, VICTIM)
    yield _sql("data, its hash and the leaf changed", _change_and_seal, {"chain"}, VICTIM + 1)
    yield _sql("only a timestamp changed", _change_timestamp, {"leaf"}, VICTIM)
    yield _sql("two entries swapped", _swap, {"seq"}, VICTIM)
    yield _sql("a run in the middle deleted", _delete(VICTIM, VICTIM), {"missing"}, VICTIM)
    yield _sql("indexed entries cut off the end", _delete(INDEXED, SIZE), {"index"})
    yield _sql("a forged entry appended", _forge, {"chain"}, SIZE)
    yield _sql("an entry of another ledger put in", _change_ledger_of_entry, {"ledger"}, VICTIM)
    yield _sql("a leaf hash changed", _change_leaf, {"leaf"}, VICTIM)
    yield _sql(
        "a kept tree node changed", _statement("UPDATE nodes SET hash = zeroblob(32)"), {"tree"}
    )
    yield _sql("a kept tree node deleted", _statement("DELETE FROM nodes"), {"tree"})
    yield _sql("an artifact changed", _change_artifact, {"artifact"}, LARGE)
    yield _sql("an artifact deleted", _statement("DELETE FROM artifacts"), {"artifact"}, LARGE)
    yield _sql("a row of the id index repointed", _repoint_id, {"index"})
    yield _sql("a row of the id index deleted", _delete_id, {"index"})
    yield _sql("a row of the type and session index changed", _change_mark, {"index"})
    yield _sql("a block of the index deleted", _delete_last_block, {"index"})
    yield _sql("the ledger's id changed", _change_ledger_id, {"ledger"}, 0)
    yield Kind("a guard dropped", _drop_guard, frozenset({"schema"}))
    yield Kind("a guard weakened", _weaken_guard, frozenset({"schema"}))
    yield Kind("bytes of an entry edited in the file", _edit_file, frozenset({"leaf"}))
    yield Kind("the file cut short", _cut_file, frozenset({"database", "Damaged", "NotALedger"}))
    yield _sql("the newest entries cut off", _delete(SIZE - 10, SIZE), {"expected"}, kept=True)
    yield Kind(
        "everything rewritten from an entry on", _rewrite_tail, frozenset({"expected"}), None, True
    )


# With SQL, behind guards that are taken down and put up again


def _sql(
    name: str, tamper: Tamper, faults: set[str], seq: int | None = None, *, kept: bool = False
) -> Kind:
    def apply(path: Path) -> None:
        with _unguarded(path) as connection:
            tamper(connection)

    return Kind(name, apply, frozenset(faults), seq, kept)


@contextmanager
def _unguarded(path: Path) -> Iterator[apsw.Connection]:
    connection = apsw.Connection(str(path))
    guards: list[Any] = connection.execute(
        "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'"
    ).fetchall()
    for name, _ in guards:
        connection.execute(f'DROP TRIGGER "{name}"')
    yield connection
    for _, guard in guards:
        connection.execute(guard)
    connection.close()
    _settle(path)


def _statement(statement: str) -> Tamper:
    return lambda connection: connection.execute(statement)


def _delete(first: int, last: int) -> Tamper:
    return lambda connection: connection.execute(
        "DELETE FROM runs WHERE first >= ? AND first <= ?", (first, last)
    )


def _delete_id(connection: apsw.Connection) -> None:
    connection.execute("DELETE FROM ids WHERE key = (SELECT min(key) FROM ids)")


def _repoint_id(connection: apsw.Connection) -> None:
    connection.execute(
        "UPDATE ids SET block = (SELECT max(block) FROM ids) "
        "WHERE key = (SELECT min(key) FROM ids WHERE block = 0)"
    )


def _change_mark(connection: apsw.Connection) -> None:
    connection.execute(
        "UPDATE marks SET key = key + 1 WHERE block = 0 AND key = (SELECT min(key) FROM marks)"
    )


def _delete_last_block(connection: apsw.Connection) -> None:
    connection.execute("DELETE FROM marks WHERE block = (SELECT max(block) FROM marks)")


def _line(connection: apsw.Connection, seq: int) -> bytes:
    found = connection.execute("SELECT lines FROM runs WHERE first = ?", (seq,)).get
    assert isinstance(found, bytes)
    return found


def _put(connection: apsw.Connection, seq: int, line: bytes) -> None:
    connection.execute("UPDATE runs SET lines = ? WHERE first = ?", (line, seq))


def _put_leaf(connection: apsw.Connection, seq: int, leaf: bytes) -> None:
    connection.execute("UPDATE runs SET hashes = ? WHERE first = ?", (leaf, seq))


def _flip(connection: apsw.Connection) -> None:
    line = bytearray(_line(connection, VICTIM))
    line[line.index(b"reasoning") + 14] ^= 1
    _put(connection, VICTIM, bytes(line))


def _change_data(connection: apsw.Connection) -> bytes:
    line = _line(connection, VICTIM)
    entry = entries.read(line)
    data = bytes(entry.data).replace(b'"c50"', b'"c51"')
    changed = line.replace(bytes(entry.data), data).replace(
        entry.hash.encode(), data_hash(data).encode()
    )
    assert changed != line
    _put(connection, VICTIM, changed)
    return changed


def _change_and_seal(connection: apsw.Connection) -> None:
    _put_leaf(connection, VICTIM, leaf_hash(_change_data(connection)))


def _change_timestamp(connection: apsw.Connection) -> None:
    line = _line(connection, VICTIM)
    _put(connection, VICTIM, line.replace(b'"timestamp":"20', b'"timestamp":"19'))


def _swap(connection: apsw.Connection) -> None:
    connection.execute("UPDATE runs SET first = -1, last = -1 WHERE first = ?", (VICTIM,))
    for old, new in ((VICTIM + 5, VICTIM), (-1, VICTIM + 5)):
        connection.execute("UPDATE runs SET first = ?2, last = ?2 WHERE first = ?1", (old, new))


def _forge(connection: apsw.Connection) -> None:
    line = _line(connection, SIZE - 1).replace(b'"seq":299', b'"seq":300')
    row = (SIZE, SIZE, leaf_hash(line), line)
    connection.execute("INSERT INTO runs (first, last, hashes, lines) VALUES (?, ?, ?, ?)", row)


def _change_ledger_of_entry(connection: apsw.Connection) -> None:
    line = _line(connection, VICTIM).replace(LEDGER_ID.encode(), b"0" * 32)
    _put(connection, VICTIM, line)
    _put_leaf(connection, VICTIM, leaf_hash(line))


def _change_leaf(connection: apsw.Connection) -> None:
    _put_leaf(connection, VICTIM, bytes(32))


def _change_artifact(connection: apsw.Connection) -> None:
    connection.execute(
        "UPDATE artifacts SET content = CAST(replace(content, 'tide', 'time') AS BLOB)"
    )


def _change_ledger_id(connection: apsw.Connection) -> None:
    connection.execute("UPDATE meta SET value = ? WHERE key = 'ledger'", ("0" * 32,))


# Without, or not only with SQL


def _drop_guard(path: Path) -> None:
    connection = apsw.Connection(str(path))
    connection.execute("DROP TRIGGER runs_no_update")
    connection.close()
    _settle(path)


def _weaken_guard(path: Path) -> None:
    connection = apsw.Connection(str(path))
    connection.pragma("writable_schema", 1)
    connection.execute(
        "UPDATE sqlite_schema SET sql = replace(sql, 'ON meta', 'ON meta WHEN 0') "
        "WHERE name = 'meta_no_update'"
    )
    connection.close()
    _settle(path)


def _edit_file(path: Path) -> None:
    content = path.read_bytes()
    assert content.count(b'"c50"') == 1
    path.write_bytes(content.replace(b'"c50"', b'"c05"'))


def _cut_file(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2 // 4096 * 4096])


def _rewrite_tail(path: Path) -> None:
    make_original(path, rewritten_from=VICTIM)


def _settle(path: Path) -> None:
    """Move the log into the database and take it away."""
    connection = apsw.Connection(str(path))
    connection.pragma("journal_mode")  # only now it is known that there is a log
    connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    connection.close()

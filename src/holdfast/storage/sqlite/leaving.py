"""What leaves the database: entries that an archive holds, artifacts that were to be erased.

Both happen on a connection of their own, which alone has the function that the guards ask for, and
in one transaction with the entry that says so.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Final

import apsw
import msgspec

from holdfast.kernel.errors import Busy, Conflict, Damaged, InvalidInput
from holdfast.storage.port import Archive, Batch, Erased
from holdfast.storage.sqlite import writing
from holdfast.storage.sqlite.artifacts import is_name
from holdfast.storage.sqlite.queries import SQL

SCRUB_TRIES: Final = 5
SCRUB_WAIT_MS: Final = 1000
"""How often the log is tried to be emptied, and how long each try waits for readers."""


def permit(connection: apsw.Connection, leaving: Archive | Erased) -> None:
    """Let this connection drop what is leaving, and nothing else."""
    name = "holdfast_sealing" if isinstance(leaving, Archive) else "holdfast_erasing"
    # Not innocuous by default: a schema that is not trusted could not call it from a trigger.
    connection.create_scalar_function(name, _yes, 0, flags=apsw.SQLITE_INNOCUOUS)
    # Zeros over what is dropped, before its page is used for something else.
    connection.pragma("secure_delete", isinstance(leaving, Erased))


def drop(connection: apsw.Connection, leaving: Archive | Erased, note: Batch, size: int) -> None:
    """Drop what is leaving and append the note, in a transaction that the engine has begun.

    The caller has compared the head; there are `size` entries.
    """
    match leaving:
        case Archive():
            _seal(connection, leaving, size)
        case Erased():
            _erase(connection, leaving, size)
    writing.append(connection.cursor(), note)


def scrub(connection: apsw.Connection, leaving: Erased) -> None:
    """Make every page anew and empty the log: pages keep remnants of what once lay in them.

    Dropping an artifact again does this again, so a scrub that was cut short can be finished.
    """
    connection.pragma("temp_store", "FILE")  # a ledger may be larger than the memory
    connection.set_busy_timeout(SCRUB_WAIT_MS)
    made_anew = False
    for _ in range(SCRUB_TRIES):
        with suppress(apsw.BusyError):
            if not made_anew:
                connection.execute("VACUUM")
                made_anew = True
            connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
            return
    raise Busy(
        f"Artifact {leaving.sha256[:12]} is erased, but a program that reads the ledger keeps the "
        "old log on disk.",
        meaning="The log may still hold its bytes, which the ledger itself gives to nobody.",
        remedy="Close what reads the ledger and do the same again: that empties the log.",
    )


def _seal(connection: apsw.Connection, archive: Archive, size: int) -> None:
    """List an archive and drop the entries it holds."""
    newest: Any = connection.execute(SQL["sealed_head"]).get
    oldest = 0 if newest is None else newest[0] + 1
    if archive.first != oldest or not archive.first <= archive.last < size:
        raise Conflict(
            f"Entries {archive.first} to {archive.last} are not the oldest that are still held.",
            meaning="Nothing was archived.",
            remedy="Archive the oldest entries first.",
        )
    writing.index_waiting(connection, archive.first, archive.last + 1, size)
    connection.execute(SQL["put_archive"], msgspec.structs.astuple(archive))
    connection.execute(SQL["keep_hashes"], (archive.first, archive.last))
    connection.execute(SQL["drop_runs"], (archive.first, archive.last))
    _split(connection, archive.last)


def _split(connection: apsw.Connection, last: int) -> None:
    """Take the entries up to `last` off the front of the run that holds more than these."""
    run: Any = connection.execute(SQL["run_around"], (last,)).get
    if run is None:
        return
    first, hashes, lines = run
    kept = _lines_behind(lines, last - first + 1)
    if kept is None:
        raise Damaged(
            f"The entries from {first} on cannot be told apart.",
            meaning="Nothing was archived; their bytes changed on disk.",
            remedy="Run `holdfast verify`, then restore a backup.",
        )
    connection.execute(SQL["keep_front"], (last,))
    connection.execute(SQL["drop_front"], (last + 1, hashes, kept, first))


def _lines_behind(lines: object, count: int) -> bytes | None:
    """Return what comes behind the first lines."""
    if not isinstance(lines, bytes):
        return None
    parts = lines.split(b"\n", count)
    return parts[count] if len(parts) > count else None


def _erase(connection: apsw.Connection, erased: Erased, size: int) -> None:
    """List an artifact as erased and drop its bytes."""
    if not is_name(erased.sha256):
        raise InvalidInput(
            f"{erased.sha256[:64]!r} is not the name of an artifact.",
            meaning="Nothing was erased.",
            remedy="Give the 64 hex digits of its SHA-256.",
        )
    digest = bytes.fromhex(erased.sha256)
    connection.execute(SQL["put_erased"], (digest, size))
    connection.execute(SQL["drop_artifact"], (digest,))


def _yes(*_: object) -> int:
    return 1

"""The doctor: looks at everything a ledger rests on, and says what is wrong. It never fixes.

Each check is a function that returns a `Check`. None of them appends, migrates or repairs.
"""

from __future__ import annotations

import os
import platform
import shutil
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

import apsw

from holdfast import config
from holdfast.kernel.errors import HoldfastError
from holdfast.kernel.limits import MIB, WAL_PAGES_MAX
from holdfast.ledger.published import DOCUMENTS
from holdfast.ledger.sources import Clock, system_clock
from holdfast.ledger.state_log import NAME as STATE_LOG
from holdfast.storage.files import FILE_MODE, FOLDER_MODE, NETWORK_FILE_SYSTEMS, file_system
from holdfast.storage.port import Reader
from holdfast.storage.sqlite.connection import FORMAT, check_sqlite
from holdfast.storage.sqlite.inspection import Inspection, inspect
from holdfast.storage.sqlite.queue import WriterQueue
from holdfast.wiring.agent_status import checks as agent_checks
from holdfast.wiring.checks import Check, checked, failed
from holdfast.wiring.looking import open_reader
from holdfast.wiring.places import IGNORED, KEY_BYTES, Place
from holdfast.wiring.state_checks import state_checks
from holdfast.wiring.status import age_s, last_entry, spell_age

PYTHON_OLDEST: Final = (3, 11)
FREE_BYTES_MIN: Final = 100 * MIB
LOG_BYTES_MAX: Final = 16 * WAL_PAGES_MAX * 4096
"""A longer write-ahead log means that it is not being moved into the database."""
QUEUE_WAIT_S: Final = 1.0


def examine(place: Place | HoldfastError, *, clock: Clock = system_clock) -> list[Check]:
    """Run every check. `place` is the ledger's, or why none was found."""
    checks = [_python(), _platform(), _sqlite(), _found(place)]
    if isinstance(place, Place) and checks[-1].ok:
        checks += [check(place) for check in _FILES]
        checks += _database(place, clock)
        checks += agent_checks(place, clock)
    return [*checks, _settings(place.settings if isinstance(place, Place) else None)]


# The machine


def _python() -> Check:
    return checked(
        "python",
        sys.version_info >= PYTHON_OLDEST,
        f"Python {platform.python_version()}",
        "Install Python 3.11 or newer.",
    )


def _platform() -> Check:
    return checked(
        "platform",
        sys.platform in ("linux", "darwin"),
        f"{platform.system()} {platform.machine()}",
        "Use Linux, macOS or WSL 2.",
    )


def _sqlite() -> Check:
    version = apsw.sqlite_lib_version()
    try:
        check_sqlite(version)
    except HoldfastError as problem:
        return failed("sqlite", problem)
    return Check("sqlite", True, f"SQLite {version}, apsw {apsw.apsw_version()}")


def _settings(project_file: Path | None) -> Check:
    try:
        config.load(project_file)
    except HoldfastError as problem:
        return failed("settings", problem)
    return Check("settings", True, "the settings files can be used")


# The files


def _found(place: Place | HoldfastError) -> Check:
    if isinstance(place, HoldfastError):
        return failed("ledger", place)
    return checked(
        "ledger",
        place.database.is_file(),
        str(place.database),
        "There is no ledger there. Make one with `holdfast init`, or name another with --ledger.",
    )


def _file_system(place: Place) -> Check:
    kind = file_system(str(place.database))
    return checked(
        "file system",
        kind not in NETWORK_FILE_SYSTEMS,
        kind or "of a kind that this machine does not tell",
        "Keep the ledger on a local disk: two writers could destroy it on a network.",
    )


def _private(place: Place) -> Check:
    """Nobody but the owner may look at the ledger. A folder that is not ours is not our concern."""
    wrong = [
        f"{path.name} is {_mode(path):03o}"
        for path, mode in _paths(place)
        if path.exists() and _mode(path) & ~mode
    ]
    return checked(
        "permissions",
        not wrong,
        ", ".join(wrong) or "only the owner can read the ledger",
        f"Run: chmod -R go= {place.folder if place.project else place.database.with_suffix('.*')}",
    )


def _paths(place: Place) -> Iterator[tuple[Path, int]]:
    if place.project is not None:
        yield place.folder, FOLDER_MODE
    name = place.database.name
    for path in (name, f"{name}-wal", f"{name}-shm", place.lock.name, place.key.name):
        yield place.folder / path, FILE_MODE
    yield place.views, FILE_MODE
    yield place.code, FILE_MODE
    for folder in (place.state, place.archives, place.state / "indexes"):
        yield folder, FOLDER_MODE
    for path in (STATE_LOG, *DOCUMENTS):
        yield place.state / path, FILE_MODE


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def _writable(place: Place) -> Check:
    """Stand in the writers' queue once, without writing."""
    for path in (place.folder, place.database):
        if not os.access(path, os.W_OK):
            remedy = "Check who owns it, its permissions, and whether the disk is read-only."
            return Check("writable", False, f"{path} cannot be written", remedy)
    if not place.lock.exists():
        return Check("writable", True, "nobody has written yet")
    queue = WriterQueue(str(place.lock), wait_s=QUEUE_WAIT_S)
    try:
        with queue:
            return Check("writable", True, "the writers' queue is free")
    except HoldfastError as problem:
        remedy = "See which process keeps it: a stopped one, or one that writes without a pause."
        return Check("writable", False, problem.what, remedy)
    except OSError as error:
        return Check("writable", False, f"{place.lock}: {error.strerror}", "Check its permissions.")
    finally:
        queue.close()


def _key(place: Place) -> Check:
    try:
        size = place.key.stat().st_size
    except OSError:
        size = 0
    return checked(
        "fingerprint key",
        size == KEY_BYTES,
        f"{place.key.name} is there" if size == KEY_BYTES else f"{place.key} is not a key",
        "The next `holdfast record` makes a missing one; older fingerprints then match no more.",
    )


def _room(place: Place) -> Check:
    free = shutil.disk_usage(place.folder).free
    return checked(
        "disk space",
        free >= FREE_BYTES_MIN,
        f"{free // MIB:,} MiB free",
        "Make room: on a full disk nothing can be recorded.",
    )


def _log(place: Place) -> Check:
    try:
        size = place.database.with_name(place.database.name + "-wal").stat().st_size
    except OSError:
        size = 0
    return checked(
        "write-ahead log",
        size <= LOG_BYTES_MAX,
        f"{size:,} bytes",
        "Close programs that read this ledger for long; the next writes then shorten it.",
    )


def _ignored(place: Place) -> Check:
    if place.project is None:
        return Check("git", True, "the database stands alone, outside a project")
    ignore = place.folder / ".gitignore"
    try:
        there = IGNORED.splitlines()[0] in ignore.read_bytes().splitlines()
    except OSError:
        there = False
    return checked(
        "git",
        there,
        f"{ignore} keeps the ledger out of git"
        if there
        else f"{ignore} does not ignore the ledger",
        f"Write into it, on lines of their own: {' and '.join(IGNORED.decode().split())}",
    )


_FILES: Final[tuple[Callable[[Place], Check], ...]] = (
    _file_system,
    _private,
    _writable,
    _key,
    _room,
    _log,
    _ignored,
)


# The database


def _database(place: Place, clock: Clock) -> Iterator[Check]:
    try:
        found = inspect(str(place.database))
    except HoldfastError as problem:
        yield failed("database", problem)
        return
    yield from _structure(found)
    try:
        with closing(open_reader(place.database, inspect=True)) as reader:
            yield _recent(reader, clock)
            yield from state_checks(place, reader, clock)
    except HoldfastError as problem:
        yield failed("last entry", problem)


def _structure(found: Inspection) -> Iterator[Check]:
    yield checked(
        "database",
        found.schema_intact,
        "opens, and its guards are in place" if found.schema_intact else "its schema was changed",
        "Run `holdfast verify` to see what was touched, then restore a backup beside it.",
    )
    current = "the current one" if found.format == FORMAT else f"brought to {FORMAT} when written"
    yield Check("format", True, f"format {found.format}, {current}")
    yield checked(
        "newest entries",
        not found.newest_fault,
        found.newest_fault or "fit their leaf hashes",
        "Run `holdfast verify`, then restore a backup beside it.",
    )


def _recent(reader: Reader, clock: Clock) -> Check:
    """Say when the last entry came. A quiet ledger is no fault, but somebody may wonder."""
    last = last_entry(reader, reader.head().size)
    if last is None:
        return Check("last entry", True, "nothing was recorded yet")
    age = None if last.timestamp is None else age_s(last.timestamp, clock())
    when = "at a time that cannot be read" if age is None else f"{spell_age(age)} ago"
    return Check("last entry", True, f"entry {last.seq} came {when}")

"""Healing what is derived: the ledger, or the project's files, say it again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import Final, TypeAlias
from urllib.parse import quote

import apsw

from holdfast.evidence import healing
from holdfast.evidence.healing import damage_of
from holdfast.index import code_database, database
from holdfast.kernel import entry as entries
from holdfast.kernel.errors import Damaged
from holdfast.kernel.limits import MIB
from holdfast.ledger import published
from holdfast.ledger.trajectory import day_of
from holdfast.storage.port import Reader, Selection
from holdfast.views.trajectory import PHASES
from holdfast.wiring.healing_steps import Step, Ward

Look: TypeAlias = Callable[[], str | None]
"""Says what is wrong with a file."""

_LOOKED_THROUGH: Final = 256 * MIB
"""Largest database whose pages are all looked at."""

_BESIDE: Final = ("-wal", "-shm", "-journal")


def views_steps(ward: Ward) -> Iterator[Step]:
    """Heal the kept folds and the search index."""
    damage = _database_damage(ward.place.views, database.APPLICATION_ID)
    if damage is None or not _has_entries(ward):
        return
    if ward.check:
        yield Step(ward.place.views.name, damage, False, "reindex")
        return
    kept = _set_aside(ward, ward.place.views)
    project = ward.writable()
    taken = project.views.catch_up(project.ledger.reader)
    detail = f"{taken:,} entries taken in"
    yield Step(ward.place.views.name, damage, True, "reindex", kept, detail)


def published_steps(ward: Ward) -> Iterator[Step]:
    """Heal the documents of the state folder and the trajectory, which are written together.

    All of them are looked at, and kept aside, before any is written: that would hide the rest.
    """
    reader = ward.reader
    if reader is None or not _has_entries(ward):
        return
    looks = dict(_looks(ward, reader))
    found = {what: damage for what, (_, look) in looks.items() if (damage := look())}
    if ward.check:
        yield from (Step(what, damage, False, "ledger") for what, damage in found.items())
        return
    if not found:
        return
    kept = {what: ward.set_aside(looks[what][0]) for what in found}
    ward.writable().publish()
    for what, damage in found.items():
        still = looks[what][1]()
        source = "ledger" if still is None else None
        yield Step(what, damage, still is None, source, kept[what], still)


def _looks(ward: Ward, reader: Reader) -> Iterator[tuple[str, tuple[Path, Look]]]:
    """Yield what is published: its name, where it is, and how to see whether it is damaged."""
    for name in published.DOCUMENTS:
        path = ward.place.state / name
        yield name, (path, partial(_document_damage, path, reader))
    for day in sorted(_days(reader)):  # of a day without anything to tell there is no file
        path = ward.place.trajectory / f"{day}.jsonl"
        yield f"trajectory/{path.name}", (path, partial(_lines_damage, path))


def _lines_damage(path: Path) -> str | None:
    return damage_of(healing.read(path), "lines")


def code_steps(ward: Ward) -> Iterator[Step]:
    """Heal the search index of the project's code, where there was one."""
    path = ward.place.code
    damage = _database_damage(path, code_database.APPLICATION_ID)
    if damage is None or ward.place.project is None:
        return
    if damage == healing.MISSING and not _was_searched(ward):
        return
    if ward.check:
        yield Step(path.name, damage, False, "reindex")
        return
    kept = _set_aside(ward, path)
    yield Step(path.name, damage, True, "reindex", kept, _reindexed(ward))


def _reindexed(ward: Ward) -> str:
    from holdfast.index import vectors
    from holdfast.index.code_index import CodeIndex
    from holdfast.wiring.code_files import CodeFiles
    from holdfast.wiring.code_indexing import Indexing
    from holdfast.workers import ParseWorker

    files = CodeFiles(ward.place)
    with CodeIndex(str(ward.place.code)) as index, ParseWorker() as worker:
        brought = Indexing(files, index, worker, model=vectors.load()).catch_up()
    return f"{brought.taken:,} files taken in"


def _was_searched(ward: Ward) -> bool:
    """Tell whether the code was searched before, so that there was an index."""
    if ward.reader is None:
        return False
    return any(True for _ in ward.reader.read(Selection(type="ghost_checked")))


def _has_entries(ward: Ward) -> bool:
    return ward.reader is not None and ward.reader.head().size > 0


def _database_damage(path: Path, application_id: int) -> str | None:
    """Say what is wrong with a derived database; one of another layout is made anew by itself."""
    if not path.exists():
        return healing.MISSING
    if path.stat().st_size == 0:
        return "empty"
    try:
        with closing(_opened(path)) as connection:
            if connection.pragma("application_id") != application_id:
                return "not a file of holdfast"
            if path.stat().st_size > _LOOKED_THROUGH:
                return None
            found = connection.pragma("quick_check", 1)
            return None if found == "ok" else f"damaged pages: {found}"
    except (apsw.NotADBError, apsw.CorruptError) as error:
        return f"cannot be read: {error}"


def _opened(path: Path) -> apsw.Connection:
    """Open a database to look at it, without leaving a file beside it."""
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    alone = not path.with_name(f"{path.name}-wal").exists()
    name = f"file:{quote(str(path))}?mode=ro{'&immutable=1' if alone else ''}"
    connection = apsw.Connection(name, flags=flags)
    connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    return connection


def _set_aside(ward: Ward, path: Path) -> str | None:
    """Keep a database aside with its log, which means nothing without it."""
    for end in _BESIDE:
        with suppress(FileNotFoundError):
            ward.set_aside(path.with_name(path.name + end))
    return ward.set_aside(path)


def _document_damage(path: Path, reader: Reader) -> str | None:
    """Say what is wrong with a document; one that is behind is brought up to date by itself."""
    content = healing.read(path)
    if content is None:
        return healing.MISSING
    if not content.strip():
        return "empty"
    if published.is_former(content):
        return None  # the next command writes it as it is written now
    if published.read(path) is None:
        return "torn or edited"
    return None if published.earlier(path, reader) is not None else "of another ledger"


def _days(reader: Reader) -> set[str]:
    """Return the days that the trajectory has something to tell of."""
    days = set()
    for name in sorted(PHASES):
        for stored in reader.read(Selection(type=name)):
            with suppress(Damaged):
                days.add(day_of(entries.read(stored.body).timestamp))
    return days

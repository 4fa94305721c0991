"""Healing the database itself: only from what exists, and only if nothing is lost by it.

The state log and the archives are a second copy of all entries. Where the database is gone, or its
entries do not hold together, a new one is made from them, proved, and compared with what can still
be read of the old one; it takes its place if it holds at least as much. Else nothing is changed and
it is told. The old one is kept, with its log, under a new name beside it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

import msgspec

from holdfast.evidence.healing import MISSING
from holdfast.kernel.errors import Damaged, HoldfastError, NewerFormat, NotALedger, StorageFailed
from holdfast.kernel.limits import HEALED_ASIDE_MAX
from holdfast.ledger.state_log import NAME as STATE_LOG
from holdfast.ledger.verify import Report, verify
from holdfast.storage.archives.names import ARCHIVE_END
from holdfast.storage.files import RealFiles
from holdfast.storage.sqlite.inspection import inspect
from holdfast.storage.sqlite.queue import WriterQueue
from holdfast.wiring.healing_steps import Step
from holdfast.wiring.looking import open_reader
from holdfast.wiring.places import Place
from holdfast.wiring.rebuilding import Rebuilt, rebuild
from holdfast.wiring.salvage import Salvager
from holdfast.wiring.verifying import archive_check

_BESIDE: Final = ("", "-wal", "-shm", "-journal")
ARCHIVES: Final = "archives"
"""Where a database comes from: its state log and its archives."""

_NOT_OURS: Final = frozenset({"archive", "artifact"})
"""Faults that a new database would have as well."""


class _Found(msgspec.Struct, frozen=True):
    """What is wrong with a database, and how far it can still be read."""

    damage: str | None
    readable: int = 0
    """The number behind the last entry that can be."""
    whole: bool = False
    """It holds together; only git knows another history of it."""
    told: str | None = None
    """Why it is not for us to heal."""


def database_steps(place: Place, anchor: tuple[int, str] | None, *, check: bool) -> Iterator[Step]:
    """Look at the database, and make it anew if it is damaged and the files beside it have it.

    `anchor` is the size and root of its tree that git kept.
    """
    found = _look(place, anchor)
    if found.damage is None:
        return
    name = place.database.name
    if found.told is not None:
        yield Step(name, found.damage, False, detail=found.told)
        return
    if check:
        yield Step(name, found.damage, False, *_remains(place))
        return
    try:
        with WriterQueue(str(place.lock)):
            rebuilt, kept = _made_anew(place, found, anchor)
    except (HoldfastError, OSError) as problem:
        why = problem.what if isinstance(problem, HoldfastError) else str(problem)
        yield Step(name, found.damage, False, detail=why.replace(f"{place.folder}/", ""))
        return
    detail = f"{rebuilt.entries:,} entries from the state log and the archives"
    if anchor is not None and rebuilt.entries < anchor[0]:
        detail += f"; git knows of {anchor[0]:,}, the newest are lost"
    if rebuilt.missing:
        detail += f"; {len(rebuilt.missing):,} artifacts are in no pack and stay missing"
    yield Step(name, found.damage, True, ARCHIVES, kept, detail)


def _look(place: Place, anchor: tuple[int, str] | None) -> _Found:
    if not place.database.exists():
        return _Found(MISSING)
    try:
        inspect(str(place.database))
        with closing(Salvager(place.database)) as reader:
            report = verify(reader, expected=anchor, check_archive=archive_check(place))
    except NewerFormat as problem:
        return _Found("written by a newer holdfast", told=problem.remedy or problem.what)
    except (Damaged, NotALedger) as problem:
        said = problem.what.replace(f"{place.folder}/", "")
        return _Found(f"cannot be read: {said}", _readable(place))
    return _Found(None) if report.ok else _judged(report, place)


def _readable(place: Place) -> int:
    """Return the number behind the last entry that can be read, 0 when none can."""
    last = -1
    with suppress(HoldfastError), closing(Salvager(place.database)) as reader:
        for stored in reader.read():
            last = stored.seq
    return last + 1


def _judged(report: Report, place: Place) -> _Found:
    """Tell faults of the database from those of the files beside it."""
    named = (fault for fault in report.faults if fault.seq is not None)
    first = next(named, report.faults[0])
    more = len(report.faults) - 1 + report.faults_left_out
    where = "" if first.seq is None else f"entry {first.seq}: "
    damage = f"{where}{first.detail}" + (f" (and {more:,} faults more)" if more else "")
    kinds = {fault.kind for fault in report.faults}
    if kinds <= _NOT_OURS:
        return _Found(damage, told="put the file back from a backup; all else is whole")
    return _Found(damage, _readable(place), whole=kinds == {"expected"})


def _remains(place: Place) -> tuple[str | None, None, str]:
    """Say what there is to make it anew from, without trying."""
    log = (place.state / STATE_LOG).exists()
    archives = len(list(place.archives.glob(f"*{ARCHIVE_END}"))) if place.archives.is_dir() else 0
    if not log and not archives:
        return None, None, "there is neither a state log nor an archive: only a backup helps"
    said = f"{'a state log' if log else 'no state log'} and {archives:,} archives"
    return ARCHIVES, None, said


def _made_anew(
    place: Place, found: _Found, anchor: tuple[int, str] | None
) -> tuple[Rebuilt, str | None]:
    """Make a database beside the old one, compare, and let them change places."""
    draft = place.database.with_name(f".{place.database.stem}.{os.urandom(4).hex()}.healed")
    try:
        rebuilt = rebuild(place.state, draft)
        _compare(rebuilt, draft, found, anchor)
        kept = _set_aside(place.database)
        os.link(draft, place.database)
        RealFiles().sync_folder(str(place.folder))
        return rebuilt, kept
    finally:
        draft.unlink(missing_ok=True)


def _compare(rebuilt: Rebuilt, draft: Path, found: _Found, anchor: tuple[int, str] | None) -> None:
    """Refuse a new database that holds less than the old one, or another history than git knows."""
    if rebuilt.entries < found.readable:
        raise StorageFailed(
            f"The state log and the archives hold {rebuilt.entries:,} entries; the database can be "
            f"read up to entry {found.readable - 1:,}. It was left as it is."
        )
    if anchor is None:
        return
    size, root = anchor
    if rebuilt.entries < size:
        if found.whole:
            raise StorageFailed(
                f"Git knows of {size:,} entries, and no file here has more than "
                f"{rebuilt.entries:,}: this may be an older copy. It was left as it is."
            )
        return
    with closing(open_reader(draft, inspect=True)) as reader:
        if reader.node(0, size).hex() != root:
            raise StorageFailed(
                "The state log and the archives lead to another history than git knows. The "
                "database was left as it is."
            )


def _set_aside(database: Path) -> str | None:
    """Give a database and its log new names beside it that nobody has."""
    there = [end for end in _BESIDE if os.path.lexists(f"{database}{end}")]
    if not there:
        return None
    for number in range(1, HEALED_ASIDE_MAX):
        name = f"{database}.{number}.damaged"
        if not any(os.path.lexists(f"{name}{end}") for end in _BESIDE):
            break
    else:
        raise StorageFailed("Too many damaged databases are kept here.")
    for end in there:
        os.rename(f"{database}{end}", f"{name}{end}")  # noqa: PTH104 - the lock is held
    return Path(name).name

"""The doctor's look at the four hooks of the state protocol and at the views. It never fixes.

One check for each hook id: 001 append, 002 checkpoint, 003 compression, 004 restore.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Final

import apsw
import msgspec

from holdfast import config
from holdfast.config import Settings
from holdfast.index import database
from holdfast.kernel import entry as entries
from holdfast.kernel.entry import Entry
from holdfast.kernel.errors import Damaged, HoldfastError, InvalidInput
from holdfast.kernel.hashing import leaf_hash
from holdfast.kernel.limits import CHECKPOINT_ENTRIES_READ, MIB
from holdfast.ledger import published, state_log
from holdfast.ledger.sources import Clock
from holdfast.storage.archives import pack_name
from holdfast.storage.port import Archive, Reader, Selection
from holdfast.wiring.checks import Check, checked, failed
from holdfast.wiring.places import Place
from holdfast.wiring.saves import SavesFolder
from holdfast.wiring.sealing import TRY_AGAIN_ENTRIES
from holdfast.wiring.status import age_s, spell_age

NAMED_MAX: Final = 3
"""Files that a check names; the others are counted."""

QUICK_BYTES_MAX: Final = 64 * MIB
"""Largest views.db whose pages are all looked at."""


class Ward(msgspec.Struct, frozen=True):
    """What is looked at."""

    place: Place
    reader: Reader
    settings: Settings
    clock: Clock


def state_checks(place: Place, reader: Reader, clock: Clock) -> Iterator[Check]:
    """Yield a check for each hook, and those of the views."""
    try:
        settings = config.load(place.settings).settings
    except InvalidInput:
        settings = Settings()  # the check of the settings says what is wrong with them
    ward = Ward(place, reader, settings, clock)
    for name, look in _CHECKS:
        try:
            yield look(name, ward)
        except HoldfastError as problem:
            yield failed(name, problem)
        except OSError as error:
            remedy = "Check the permissions of the ledger's folder."
            yield Check(name, False, f"could not look: {error}", remedy)


# The hooks


def _append(name: str, ward: Ward) -> Check:
    size = ward.reader.head().size
    if size == 0:
        return Check(name, True, "append: nothing was recorded yet")
    remedy = "Run `holdfast verify`, then restore a backup beside it."
    for stored in ward.reader.read(Selection(size - 1, size)):
        whole = leaf_hash(stored.body) == stored.leaf
        detail = f"append: {size:,} entries, the last one reads back" if whole else ""
        return checked(name, whole, detail or f"append: entry {size - 1} is damaged", remedy)
    return Check(name, False, f"append: entry {size - 1} does not read back", remedy)


def _checkpoint(name: str, ward: Ward) -> Check:
    last = _newest(ward.reader, "checkpoint")
    if last is None:
        said = "checkpoint: there is none yet"
    else:
        age = age_s(last.timestamp, ward.clock())
        when = "at a time that cannot be read" if age is None else f"{spell_age(age)} ago"
        said = f"checkpoint: the newest, entry {last.seq}, came {when}"
    every = ward.settings.checkpoint.every_calls
    calls, session = _calls_since(ward.reader)
    if session is not None:
        said += f"; {calls:,} tool calls since the last one of session {session}"
    return checked(
        name,
        every == 0 or calls < 2 * every,
        f"{said} (one is due every {every})" if every else f"{said} (never made by itself)",
        "Check that the agent's hooks run; `holdfast checkpoint` makes one now.",
    )


def _calls_since(reader: Reader) -> tuple[int, str | None]:
    """Count the calls that no checkpoint took in, in the session that called a tool last."""
    call = _newest(reader, "tool_called")
    if call is None or call.session_id is None:
        return 0, None
    count, through = 0, -1
    newest = reader.read(Selection(session_id=call.session_id, newest_first=True))
    for stored in islice(newest, CHECKPOINT_ENTRIES_READ):
        entry = _read(stored.body)
        if entry is None or entry.seq <= through:
            continue
        if entry.type == "checkpoint":
            taken = entry.value().get("through")
            through = max(through, taken if isinstance(taken, int) else entry.seq)
        count += entry.type == "tool_called"
    return count, call.session_id


def _compression(name: str, ward: Ward) -> Check:
    archives = ward.reader.archives()
    active = ward.reader.head().size - (archives[-1].last + 1 if archives else 0)
    seal = ward.settings.seal
    most = max(seal.threshold, seal.keep) + TRY_AGAIN_ENTRIES
    said = f"compression: {active:,} active entries"
    said += f", sealed above {seal.threshold:,}" if seal.auto else ", not sealed by itself"
    left = _leftovers(ward.place.archives, archives)
    if left:
        said += f"; left over, harmless, in no list: {_some(left)}"
    if not _writable(ward.place.archives):
        remedy = "Check who owns the folder, its permissions, and the disk."
        return Check(name, False, f"{said}; {ward.place.archives} cannot be written", remedy)
    remedy = "Run `holdfast seal`; it says what keeps entries from being archived."
    return checked(name, not seal.auto or active <= most, said, remedy)


def _restore(name: str, ward: Ward) -> Check:
    archives = ward.reader.archives()
    wrong = [
        f"{archive.name} (entries {archive.first} to {archive.last}): {why}"
        for archive in archives
        if (why := _size_fault(ward.place.archives / Path(archive.name).name, archive.bytes))
    ]
    if not archives:
        return Check(name, True, "restore: there are no archives yet")
    whole = f"restore: all {len(archives):,} archives are there with the right size"
    return checked(
        name,
        not wrong,
        f"restore: {_some(wrong)}"
        if wrong
        else f"{whole}; their hashes were not compared (`holdfast metrics` does)",
        "Put the file back from a backup; all other entries still restore.",
    )


# The views


def _views_on_disk(name: str, ward: Ward) -> Check:
    head, folder = ward.reader.head(), ward.place.state
    remedy = "The next command that records or publishes writes it anew."
    if not folder.exists():
        return Check(name, True, "not written yet; the next command that records does")
    said = []
    for file in published.DOCUMENTS:
        path = folder / file
        if not path.exists():
            said.append(f"{file} is not there and will be written")
            continue
        document = published.earlier(path, ward.reader) if head.size else published.read(path)
        if document is None:
            return Check(name, False, f"{file} is damaged, edited or of another ledger", remedy)
        if file != published.RESTORE_INDEX and document["as_of_seq"] < head.size - 1:
            said.append(f"{file} is as of entry {document['as_of_seq']}")
    kept = sorted(path.name for path in folder.glob("*.kept.jsonl"))
    if kept:
        said.append(f"kept aside, with entries that this ledger does not have: {_some(kept)}")
    if not (folder / state_log.NAME).exists():
        said.append(f"{state_log.NAME} is not there and will be written")
    return Check(name, True, "; ".join(said) or f"current, as of entry {head.size - 1}")


def _views_database(name: str, ward: Ward) -> Check:
    path = ward.place.views
    if not path.exists():
        return Check(name, True, "not made yet; made when it is first needed")
    remedy = "It is derived: the next command that needs it makes it anew."
    try:
        connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
        try:
            layout = (connection.pragma("application_id"), connection.pragma("user_version"))
            small = path.stat().st_size <= QUICK_BYTES_MAX
            sound = not small or connection.pragma("quick_check", 1) == "ok"
        finally:
            connection.close(force=True)
    except apsw.Error as error:
        return Check(name, False, f"cannot be read: {error}", remedy)
    fits = layout == (database.APPLICATION_ID, database.LAYOUT)
    wrong = "is of another layout" if not fits else "is damaged"
    right = "can be used" if small else "opens; too large for a quick look at its pages"
    return checked(name, fits and sound, right if fits and sound else wrong, remedy)


def _saves(name: str, ward: Ward) -> Check:
    """Read every save. Whether one boots is for `boot` to say: that takes the whole log."""
    found = SavesFolder(ward.place.saves).list()
    strange = [one for one in found.saves if one.ledger != ward.reader.head().ledger]
    bad = [*(one.name for one in found.damaged), *(one.snapshot_id for one in strange)]
    said = f"{len(found.saves) - len(strange):,} saves"
    if found.saves:
        said += f", the newest up to entry {found.saves[0].timestamp_event_id}"
    if bad:
        said += f"; damaged, or of another ledger: {_some(bad)}"
    return checked(name, not bad, said, "Move these files away; `holdfast save` makes a new one.")


_CHECKS: Final[tuple[tuple[str, Callable[[str, Ward], Check]], ...]] = (
    ("CTX-STATE-001", _append),
    ("CTX-STATE-002", _checkpoint),
    ("CTX-STATE-003", _compression),
    ("CTX-STATE-004", _restore),
    ("views on disk", _views_on_disk),
    ("views database", _views_database),
    ("saves", _saves),
)


def _newest(reader: Reader, kind: str) -> Entry | None:
    for stored in reader.read(Selection(type=kind, newest_first=True)):
        if (entry := _read(stored.body)) is not None:
            return entry
    return None


def _read(body: bytes) -> Entry | None:
    try:
        return entries.read(body)
    except Damaged:
        return None


def _leftovers(folder: Path, archives: Sequence[Archive]) -> list[str]:
    listed = {archive.name for archive in archives}
    listed |= {pack_name(name) for name in listed}
    if not folder.is_dir():
        return []
    return sorted(path.name for path in folder.iterdir() if path.name not in listed)


def _size_fault(path: Path, size: int) -> str | None:
    try:
        found = path.lstat().st_size
    except FileNotFoundError:
        return "the file is missing"
    return None if found == size else f"the file has {found:,} bytes, not {size:,}"


def _writable(folder: Path) -> bool:
    """Tell whether files can be made in a folder, or the folder itself where it is not there."""
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return os.access(folder, os.W_OK)


def _some(names: Sequence[str]) -> str:
    more = len(names) - NAMED_MAX
    return ", ".join(names[:NAMED_MAX]) + (f" and {more:,} more after these" if more > 0 else "")

"""Restoring: entries come back as the bytes that were sealed, each proved, or are named as missing.

Each entry is held against its leaf hash and the one before it, each archive that was needed against
the hash it is listed with. An entry that cannot be read cannot say whose it is, so a session is not
looked for by reading alone: where it must be is known from elsewhere, for archived entries from an
index or from the notes of the seals. What is active is read whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

import msgspec

from holdfast.kernel import entry as entries
from holdfast.kernel.errors import Damaged, NotFound
from holdfast.ledger import vault
from holdfast.ledger.proving import fault_of, leaf_before
from holdfast.storage.port import Archive, Reader, Selection, Stored

if TYPE_CHECKING:
    from holdfast.storage.archives import ArchiveFolder

Span: TypeAlias = tuple[int, int]
"""Entries from the first number up to, not including, the second."""

Where: TypeAlias = Callable[[str, int], Iterable[Span]]
"""Says in which spans the archived entries of a session below a number lie; it MAY name more."""

REDACTED: Final = "[REDACTED:"
"""How the mark begins that stands for a secret."""

UNREADABLE: Final = "it cannot be read"


class Missing(msgspec.Struct, frozen=True):
    """Entries that did not come back, and why; `archive` is the file that held them, if one did."""

    first: int
    last: int
    archive: str | None
    why: str


class Restored(msgspec.Struct, frozen=True):
    """What came back, and what did not."""

    entries: list[Stored]
    missing: list[Missing]
    damaged: list[Missing] = []
    """Archives that were needed and are not the files that are listed, with all they should hold.
    What could be proved of their entries came back."""
    archives: tuple[str, ...] = ()
    """The archives that were needed."""

    @property
    def whole(self) -> bool:
        """Whether everything came back, from files that are as they should be."""
        return not self.missing and not self.damaged


def restore(
    reader: Reader,
    archives: ArchiveFolder,
    session_id: str | None,
    at: int | None = None,
    *,
    where: Where | None = None,
) -> Restored:
    """Give back the entries of a session, or all, up to and including entry `at`."""
    restoring = Restoring(reader, archives, session_id, at, where=where)
    found = list(restoring)
    return Restored(found, restoring.missing, restoring.damaged, restoring.archives)


class Restoring:
    """Yields the entries one by one; once all have come, it knows which did not and why."""

    def __init__(
        self,
        reader: Reader,
        archives: ArchiveFolder,
        session_id: str | None = None,
        at: int | None = None,
        *,
        where: Where | None = None,
    ) -> None:
        self.missing: list[Missing] = []
        self.damaged: list[Missing] = []
        self._reader = reader
        self._folder = archives
        self._session_id = session_id
        self._where = where
        self._listed: Sequence[Archive] = reader.archives()
        self.held = self._listed[-1].last + 1 if self._listed else 0
        """The oldest active entry."""
        head = reader.head()
        self._ledger = head.ledger
        self._stop = head.size if at is None else _checked(at, head.size) + 1
        self._needed: dict[str, Archive] = {}
        self._lost: list[tuple[int, str]] = []

    @property
    def archives(self) -> tuple[str, ...]:
        """The archives that were needed so far."""
        return tuple(self._needed)

    def __iter__(self) -> Iterator[Stored]:
        for span in self._spans():
            yield from self._proved(span)
        lost = list(self._of_session())
        for seq, _ in lost:
            self._need(seq)
        whys = {
            archive.name: why
            for archive in self._needed.values()
            if (why := self._folder.check(archive)) is not None
        }
        self.damaged += [
            Missing(archive.first, archive.last, archive.name, whys[archive.name])
            for archive in self._needed.values()
            if archive.name in whys
        ]
        self.missing += _ranges(lost, self._listed, whys)

    def _spans(self) -> list[Span]:
        """Return where to look, in order, neighbours joined."""
        if self._session_id is None:
            return [(0, self._stop)]
        sealed = min(self.held, self._stop)
        found = (self._where or self._noted)(self._session_id, sealed)
        spans = [(first, min(stop, sealed)) for first, stop in found if first < sealed]
        return joined([*spans, (self.held, self._stop)])

    def _proved(self, span: Span) -> Iterator[Stored]:
        """Yield the entries of a span that are right and asked for; note those that are lost."""
        expected, stop = span
        prev = leaf_before(self._reader, expected)
        for stored in self._reader.read(Selection(expected, stop)):
            if stored.seq > expected:
                self._lose(range(expected, stored.seq), UNREADABLE)
                prev = leaf_before(self._reader, stored.seq)
            expected = stored.seq + 1
            fault = fault_of(stored, ledger=self._ledger, prev=prev)
            # The kept hash is what the next one must name, whatever became of the bytes.
            prev = stored.leaf
            if fault is not None:
                self._lose(range(stored.seq, expected), fault[1])
            elif self._is_asked_for(stored):
                self._need(stored.seq)
                yield stored
        self._lose(range(expected, stop), UNREADABLE)

    def _is_asked_for(self, stored: Stored) -> bool:
        asked = self._session_id
        return asked is None or entries.read(stored.body).session_id == asked

    def _lose(self, numbers: Iterable[int], why: str) -> None:
        self._lost += [(seq, why) for seq in numbers]

    def _need(self, seq: int) -> None:
        archive = _holder(self._listed, seq)
        if archive is not None:
            self._needed.setdefault(archive.name, archive)

    def _of_session(self) -> Iterator[tuple[int, str]]:
        """Yield the lost entries that are the session's, as far as the notes of seals can tell."""
        if self._session_id is None or not self._lost:
            yield from self._lost
            return
        held = [(_holder(self._listed, seq), seq, why) for seq, why in self._lost]
        notes = Notes(self._reader, {archive.name for archive, _, _ in held if archive})
        for archive, seq, why in held:
            ranges = None if archive is None else notes.ranges(archive, self._session_id)
            if ranges is None:
                yield seq, f"{why}; it may be of this session"
            elif any(first <= seq < stop for first, stop in ranges):
                yield seq, why

    def _noted(self, session_id: str, stop: int) -> Iterator[Span]:
        """Say where a session lies by the notes of the seals; an archive without one is suspect."""
        listed = [archive for archive in self._listed if archive.first < stop]
        notes = Notes(self._reader, {archive.name for archive in listed})
        for archive in listed:
            ranges = notes.ranges(archive, session_id)
            yield from [(archive.first, archive.last + 1)] if ranges is None else ranges


class Notes:
    """What the `compression` entries say about archives."""

    def __init__(self, reader: Reader, names: set[str]) -> None:
        self._by_name: dict[str, dict[str, list[Span]]] = {}
        ledger = reader.head().ledger
        for stored in reader.read(Selection(type="compression")) if names else ():
            if fault_of(stored, ledger=ledger, prev=leaf_before(reader, stored.seq)):
                continue
            self._take(stored, reader, names)
            if len(self._by_name) == len(names):
                return

    def ranges(self, archive: Archive, session_id: str) -> list[Span] | None:
        """Return where a session lies in an archive, None when that is not known."""
        sessions = self._by_name.get(archive.name)
        return None if sessions is None else sessions.get(session_id, [])

    def sessions(self) -> set[str]:
        """Return every session that the notes name."""
        return {session for sessions in self._by_name.values() for session in sessions}

    def _take(self, stored: Stored, reader: Reader, names: set[str]) -> None:
        data = entries.read(stored.body).value()
        name = str(data.get("archive_path")).rpartition("/")[2]
        if name not in names:
            return
        try:
            resolved = vault.resolve(data.get("restore_index"), reader.artifact)
            self._by_name[name] = {
                session: [(first, last + 1) for first, last in part["ranges"]]
                for session, part in resolved.items()
            }
        except (Damaged, AttributeError, KeyError, TypeError, ValueError):
            return  # a note of another shape tells nothing; the archive is looked through
        if any(REDACTED in session for session in self._by_name[name]):
            del self._by_name[name]  # an id that looked like a secret: whose it is, it cannot tell


def joined(spans: Iterable[Span]) -> list[Span]:
    """Put spans in order, and those that touch together."""
    whole: list[Span] = []
    for first, stop in sorted(spans):
        if first >= stop:
            continue
        if whole and first <= whole[-1][1]:
            whole[-1] = (whole[-1][0], max(stop, whole[-1][1]))
        else:
            whole.append((first, stop))
    return whole


def _checked(at: int, size: int) -> int:
    if 0 <= at < size:
        return at
    raise NotFound(
        f"There is no entry {at}: that range never was.",
        meaning=f"The ledger holds entries 0 to {size - 1}." if size else "The ledger is empty.",
        remedy="`holdfast log` lists them.",
    )


def _holder(listed: Sequence[Archive], seq: int) -> Archive | None:
    """Return the archive that holds an entry, None when it is active."""
    low, high = 0, len(listed)
    while low < high:
        middle = (low + high) // 2
        if listed[middle].last < seq:
            low = middle + 1
        else:
            high = middle
    return listed[low] if low < len(listed) and listed[low].first <= seq else None


def _ranges(
    lost: Iterable[tuple[int, str]], listed: Sequence[Archive], whys: dict[str, str]
) -> list[Missing]:
    """Put neighbours that are lost for one reason together."""
    found: list[Missing] = []
    for seq, why in lost:
        archive = _holder(listed, seq)
        name = None if archive is None else archive.name
        if name in whys:
            why = f"{why}; the archive is damaged: {whys[name]}"
        last = found[-1] if found else None
        if last and (last.last, last.archive, last.why) == (seq - 1, name, why):
            found[-1] = msgspec.structs.replace(last, last=seq)
        else:
            found.append(Missing(seq, seq, name, why))
    return found

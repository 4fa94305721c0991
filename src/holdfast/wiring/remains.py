"""What remains of a ledger whose database is lost: its archives and the log of active entries."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from holdfast.kernel import chain
from holdfast.kernel import entry as entries
from holdfast.kernel.chain import Head
from holdfast.kernel.entry import Sealed
from holdfast.kernel.errors import Damaged, NotFound
from holdfast.kernel.hashing import leaf_hash
from holdfast.ledger import published
from holdfast.ledger.state_log import NAME as STATE_LOG
from holdfast.storage.archives import ArchiveFolder, read_lines
from holdfast.storage.archives.names import ARCHIVE_END
from holdfast.storage.files import replace

_RANGE = re.compile(rf"_([0-9]{{1,15}})-([0-9]{{1,15}}){re.escape(ARCHIVE_END)}$")


class Remains:
    """The files of a state folder, as one chain of entries."""

    def __init__(self, state_folder: Path) -> None:
        self.folder = state_folder
        self.archives = ArchiveFolder(str(state_folder / "archives"))
        self.torn: str | None = None
        self._log = state_folder / STATE_LOG
        self._files = sorted(map(_Promised, (state_folder / "archives").glob(f"*{ARCHIVE_END}")))
        self._said = published.read(state_folder / published.CURRENT_STATE) or {}

    def first_head(self) -> Head:
        """Return the empty head of the ledger that these files are of."""
        for _, body in self._log_lines():
            return Head(entries.read(body).ledger)
        for file in self._files:
            for _, body in read_lines(str(file.path)):
                return Head(entries.read(body).ledger)
        raise NotFound(
            f"There are no entries in {self.folder}.",
            meaning="No database was made.",
            remedy=f"Name the folder that holds {STATE_LOG} and archives.",
        )

    def entries(self, head: Head) -> Iterator[Sealed]:
        """Yield the entries behind an empty head, each proved to follow the one before it."""
        while True:
            before = head.size
            for seq, body in self._lines_from(head):
                if seq != head.size:
                    continue  # an archive and the log may hold the same ones
                sealed = _link(head, body)
                if sealed is None:
                    break
                yield sealed
                head = chain.after(head, sealed)
            if head.size == before:
                break
        self._check_end(head)

    def _lines_from(self, head: Head) -> Iterator[tuple[int, bytes]]:
        """Yield the lines of the first file that has the next entry, in place behind the head."""
        for file in self._files:
            if not file.first <= head.size <= file.last:
                continue
            lines = read_lines(str(file.path))
            found = next((line for line in lines if line[0] == head.size), None)
            if found is not None and _link(head, found[1]) is not None:
                yield found
                yield from lines
                return
        yield from self._log_lines()

    def _log_lines(self) -> Iterator[tuple[int, bytes]]:
        """Yield the lines of the state log; what was torn off at its end is set aside."""
        try:
            file = self._log.open("rb")
        except FileNotFoundError:
            return
        with file:
            for number, line in enumerate(file, start=1):
                body = line.rstrip(b"\n")
                try:
                    seq = entries.read(body).seq
                except Damaged as problem:
                    if not file.read().strip(b"\0\n"):
                        self._set_aside(line)
                        return
                    raise Damaged(
                        f"Line {number} of {self._log} is not an entry.",
                        meaning="No database was made; the files are as they were.",
                        remedy="Put the line right from a copy, or rebuild from a backup.",
                    ) from problem
                yield seq, body

    def _set_aside(self, line: bytes) -> None:
        """Keep the torn end: the log will be written anew once there is a database."""
        name = f"{self._log.stem}.torn-{leaf_hash(line).hex()[:12]}.kept"
        if not (self.folder / name).exists():
            replace(str(self.folder / name), line)
        self.torn = name

    def _check_end(self, head: Head) -> None:
        """Refuse when some file goes on behind a gap, or when a view knew another chain."""
        last = max((file.last for file in self._files), default=-1)
        last = max(last, *(seq for seq, _ in self._log_lines()), -1)
        if last >= head.size:
            raise Damaged(
                f"Entry {head.size} is in no file, or does not follow the one before it.",
                meaning=f"No database was made: entries up to {last} cannot be proved.",
                remedy="Put the archive that held it back, or rebuild from a backup.",
            )
        if self._said.get("as_of_seq") == head.size - 1 and self._said["head"] != head.leaf.hex():
            raise Damaged(
                f"Entry {head.size - 1} is not the one that {published.CURRENT_STATE} names.",
                meaning="No database was made: an entry was changed, or that file was.",
                remedy="Look at both; without that file the entries are taken as they are.",
            )


class _Promised:
    """An archive file, and which entries its name says it holds; what it holds is proved."""

    def __init__(self, path: Path) -> None:
        found = _RANGE.search(path.name)
        self.path = path
        self.first, self.last = (int(found[1]), int(found[2])) if found else (0, -1)

    def __lt__(self, other: _Promised) -> bool:
        return (self.first, self.last, self.path) < (other.first, other.last, other.path)


def _link(head: Head, body: bytes) -> Sealed | None:
    """Return a line as the entry behind the head, None when it is not."""
    entry = entries.read(body)
    prev = head.leaf.hex()
    if any(chain.link(entry, ledger=head.ledger, seq=head.size, prev=prev)):
        return None
    return Sealed(entry.seq, entry.id, entry.type, entry.session_id, leaf_hash(body), body)

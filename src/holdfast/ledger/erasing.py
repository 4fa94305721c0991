"""Erasing: the bytes of an artifact go, everywhere, because somebody asked; its hash stays.

The chain is made of entries, so these are never erased, and it proves the same as before. The note
comes first, in one step with the bytes leaving the database; then the packs, then the words in the
search index. Whoever repeats an erasure that was cut short finishes it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

import msgspec

from holdfast.kernel import entry as entries
from holdfast.kernel.errors import Busy, Damaged, InvalidInput, NotFound
from holdfast.kernel.limits import INTEGER_MAX
from holdfast.ledger import vault
from holdfast.ledger.erased import NOTE, ErasedArtifacts
from holdfast.ledger.ledger import Draft, Ledger
from holdfast.ledger.sealing import remove_drafts
from holdfast.ledger.vault import Reference
from holdfast.ledger.verify import Progress, no_progress
from holdfast.storage.files import Files
from holdfast.storage.locks import file_lock
from holdfast.storage.port import Erased, Reader, Selection, Stored

if TYPE_CHECKING:
    from holdfast.index.views import Views
    from holdfast.storage.archives import ArchiveFolder

PREFIX_CHARS_MIN: Final = 8
"""Digits of a hash that must be given."""

NAMED_MAX: Final = 5
"""Artifacts that a message names; the others are counted."""

_HASH: Final = re.compile(rf"[0-9a-f]{{{PREFIX_CHARS_MIN},64}}")
_PROGRESS_EVERY: Final = 1000


class Target(msgspec.Struct, frozen=True):
    """An artifact that may be erased."""

    sha256: str
    bytes: int
    named_by: tuple[int, ...]
    """The entries it is a part of."""
    erased: bool
    """It was erased before."""
    as_of: int
    """How many entries were looked at."""


class Erasure(msgspec.Struct, frozen=True):
    """What was erased."""

    sha256: str
    bytes: int
    named_by: tuple[int, ...]
    packs: int
    """Packs beside archives that held it."""
    seq: int
    """The entry that says so."""


def find(reader: Reader, key: str, *, progress: Progress = no_progress) -> list[Target]:
    """Return the artifact with a hash or the beginning of one, or all that an entry names."""
    size = reader.head().size
    named = _named_by(reader, size, progress)
    entry = _entry(reader, key)
    if entry is not None:
        chosen = sorted(sha256 for sha256, (_, seqs) in named.items() if entry.seq in seqs)
        if not chosen:
            raise _nothing(f"Entry {entry.seq} names no artifact.")
    else:
        chosen = _matching(named, key)
    is_erased = ErasedArtifacts(reader)
    return [
        Target(sha256, named[sha256][0], tuple(sorted(named[sha256][1])), is_erased(sha256), size)
        for sha256 in chosen
    ]


class Eraser:
    """Erases artifacts of one ledger."""

    def __init__(
        self,
        ledger: Ledger,
        archives: ArchiveFolder,
        views: Views,
        *,
        lock_path: str,
        files: Files | None = None,
    ) -> None:
        self._ledger = ledger
        self._archives = archives
        self._views = views
        self._lock_path = lock_path
        self._files = files

    def erase(self, target: Target, reason: str, *, wait_s: float = 10.0) -> Erasure:
        """Drop the bytes of an artifact from the database, the packs and the search index."""
        note = Draft(
            NOTE, {"sha256": target.sha256, "bytes": target.bytes, "reason": reason.strip()}
        )
        with file_lock(self._lock_path, wait_s=wait_s) as held:
            if held is None:
                raise Busy(
                    f"Another process kept the archives for more than {wait_s:g} s.",
                    meaning="Nothing was erased.",
                    remedy="Try again when its seal is done.",
                )
            left: Busy | None = None
            try:
                self._ledger._drop(Erased(target.sha256), note)
            except Busy as problem:
                left = problem  # somebody reads the log; the rest can be erased all the same
            packs = self._clear_packs(target.sha256)
        self._clear_words(target)
        if left is not None:
            raise left
        seq = ErasedArtifacts(self._ledger.reader).notes[target.sha256]
        return Erasure(target.sha256, target.bytes, target.named_by, packs, seq)

    def _clear_packs(self, sha256: str) -> int:
        remove_drafts(self._archives.folder)
        return self._archives.erase(sha256, self._files)

    def _clear_words(self, target: Target) -> None:
        """Index the entries again that it was a part of, those that came meanwhile too."""
        reader = self._ledger.reader
        self._views.catch_up(reader)
        later = [
            stored.seq
            for stored in reader.read(Selection(target.as_of))
            if target.sha256.encode() in stored.body
        ]
        self._views.forget([*target.named_by, *later], reader)


def _named_by(reader: Reader, size: int, progress: Progress) -> dict[str, tuple[int, set[int]]]:
    """Return every artifact that entries name: its size, and which entries."""
    named: dict[str, tuple[int, set[int]]] = {}
    for stored in reader.read(Selection(stop=size)):
        if stored.seq % _PROGRESS_EVERY == 0:
            progress(stored.seq, size)
        for reference in _references(stored, reader.artifact):
            named.setdefault(reference.sha256, (reference.bytes, set()))[1].add(stored.seq)
    return named


def _references(stored: Stored, load: Callable[[str], bytes | None]) -> Iterator[Reference]:
    """Yield the references of an entry, and those in the parts that they stand for."""
    if vault.KEY.encode() not in stored.body:
        return
    try:
        waiting = vault.named_in(entries.read(stored.body).value())
    except Damaged:
        return  # verify names it
    while waiting:
        reference = waiting.pop()
        yield reference
        if not reference.nests:
            continue
        try:
            content = load(reference.sha256)
            waiting += vault.named_in(msgspec.json.decode(content)) if content else []
        except (Damaged, msgspec.DecodeError):
            continue  # it can be erased even so


def _entry(reader: Reader, key: str) -> Stored | None:
    """Return the entry that is meant, None when it is the hash of an artifact."""
    if key.isascii() and key.isdigit() and int(key[:20]) < INTEGER_MAX:
        wanted = Selection(int(key[:20]), int(key[:20]) + 1)
    else:
        wanted = Selection(id=key)
    return next(iter(reader.read(wanted)), None)


def _matching(named: dict[str, tuple[int, set[int]]], key: str) -> list[str]:
    if not _HASH.fullmatch(key.lower()):
        raise _nothing(f"There is no entry {key!r}, and it is not the beginning of a hash.")
    found = sorted(sha256 for sha256 in named if sha256.startswith(key.lower()))
    if not found:
        raise _nothing(f"No entry names an artifact {key}.")
    if len(found) > 1:
        more = f" and {len(found) - NAMED_MAX} more" if len(found) > NAMED_MAX else ""
        raise InvalidInput(
            f"{len(found)} artifacts begin with {key}: {', '.join(found[:NAMED_MAX])}{more}.",
            meaning="Nothing was erased.",
            remedy="Give more of the hash.",
        )
    return found


def _nothing(what: str) -> NotFound:
    return NotFound(
        what,
        meaning="Nothing was erased. Entries themselves never are: the chain is made of them.",
        remedy=f"Give an entry, or at least {PREFIX_CHARS_MIN} digits of an artifact's hash, as "
        "`holdfast show ENTRY --json` has it.",
    )

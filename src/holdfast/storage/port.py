"""The storage port: what an engine MUST do, and what a caller may rely on.

Ten methods. A `Reader` has no way to write; whoever holds one cannot change the ledger. An
`Appender` can only add. Engines know nothing of hashes, types or meaning: they keep bytes in order.
`holdfast.testing.conformance` holds every sentence below as a test.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol, runtime_checkable

import msgspec

from holdfast.kernel.chain import Head
from holdfast.kernel.entry import Entry, Prepared, Sealed


class Stored(msgspec.Struct, frozen=True, gc=False):
    """An entry as it lies on disk."""

    seq: int
    body: bytes
    leaf: bytes
    """The leaf hash kept beside the bytes; whether it fits them is for the verifier to say."""


class Selection(msgspec.Struct, frozen=True):
    """Which entries to read: `first` up to, not including, `stop`. Every condition must hold."""

    first: int = 0
    stop: int | None = None
    id: str | None = None
    type: str | None = None
    session_id: str | None = None
    newest_first: bool = False


EVERYTHING = Selection()


class Archive(msgspec.Struct, frozen=True):
    """A file that holds entries `first` to `last` in full."""

    first: int
    last: int
    name: str
    sha256: str
    bytes: int


class Erased(msgspec.Struct, frozen=True):
    """An artifact whose bytes are to be dropped because somebody asked."""

    sha256: str


class Fault(msgspec.Struct, frozen=True):
    """One thing that is not as it was sealed."""

    seq: int | None
    kind: str
    detail: str


class Batch(msgspec.Struct, frozen=True):
    """Entries to append and the artifacts they name, keyed by SHA-256 in hex."""

    entries: Sequence[Sealed]
    artifacts: Mapping[str, bytes] = {}


class ArchiveSource(Protocol):
    """Reads entries back out of archive files."""

    def __call__(self, archive: Archive, first: int, stop: int) -> Iterator[tuple[int, bytes]]:
        """Yield number and bytes of the entries `first` up to, not including, `stop`, in order.

        What cannot be read is left out; whether the bytes are the right ones is for the reader of
        the leaf hashes to say.
        """


class Audit(Protocol):
    """Compares what an engine adds to the entries, such as indexes, with the entries themselves.

    Ranges of entries MAY be taken by audits in different processes, whose parts are then compared
    by one of them; a range starts at a multiple of 65,536 or of whatever the verifier uses.
    """

    def take(self, entry: Entry, /) -> None:
        """Count one entry. Entries come in order of `seq`; damaged ones do not come at all."""

    def part(self) -> bytes:
        """Return what was counted."""

    def structure(self) -> Iterator[Fault]:
        """Yield faults that can be seen without the entries: schema, pages, surplus rows."""

    def compare(self, parts: Sequence[bytes], size: int, /) -> Iterator[Fault]:
        """Yield faults of indexes, given the parts that make up the first `size` entries."""


class Reader(Protocol):
    """Looks at a ledger. It MUST NOT change a byte that counts."""

    def head(self) -> Head:
        """Return where the chain ends, as of now, whichever process wrote last."""

    def read(self, selection: Selection = EVERYTHING) -> Iterator[Stored]:
        """Yield the entries that fit, archived ones included, in order of `seq` or newest first.

        MUST yield the exact bytes that were appended. MUST NOT block writers while the caller
        thinks. With an id, a type or a session the cost MUST depend on how many entries fit, not
        on how many there are. Entries that cannot be found are left out: a caller that needs
        all of them MUST compare `seq`. Of an id that may be among those, which alone could tell
        whether it was used, an engine MUST raise Damaged.
        """

    def node(self, first: int, stop: int) -> bytes:
        """Return the tree hash over the kept leaf hashes from `first` up to before `stop`."""

    def artifact(self, sha256: str) -> bytes | None:
        """Return an artifact, None when it is not there. MUST raise Damaged if it changed."""

    def archives(self) -> Sequence[Archive]:
        """Return the listed archives in order."""

    def audit(self) -> Audit:
        """Begin to look for damage in the engine's own structures."""

    def close(self) -> None:
        """Let go of everything. MAY be called twice."""


class Appender(Protocol):
    """Adds to a ledger. Nothing here can change what is there; bytes leave only by `drop`."""

    def queue(self) -> AbstractContextManager[None]:
        """Wait for this writer's turn; inside, no other writer can move the head.

        Writers are served in about the order they came. MUST raise Busy, not wait for ever.
        """

    def append(self, batch: Batch, *, expected_head: Head) -> None:
        """Append all of a batch or none of it.

        MUST be durable when it returns. MUST raise Conflict when the head is another one. The
        caller MUST have looked, in this turn, for ids that it did not make itself; an engine MAY
        raise InvalidInput for one that is there already. After StorageFailed the caller does not
        know whether the batch is there: it MUST look for its ids before it tries again.
        """

    def drop(self, leaving: Archive | Erased, note: Batch, *, expected_head: Head) -> None:
        """Drop bytes that may go, and append the note that says so, in one step.

        Of an archive: list it and drop the bytes of the entries it holds. The caller MUST have
        written, synced and re-read it. Ids, leaf hashes and proofs stay. MUST raise Conflict for a
        range that is not the oldest one still held. Any entry may be the last of it.

        Of an artifact: drop its bytes so that they are in no file of the engine any more. One that
        is not there is dropped all the same.

        All of it or nothing is durable when it returns. MUST raise Conflict when the head is
        another one.
        """


@runtime_checkable
class Finder(Protocol):
    """What an engine MAY have besides: it looks for many ids at once."""

    def find(self, ids: Collection[str]) -> Mapping[str, Stored]:
        """Return the entries that have one of these ids, by id.

        MUST say the same as `read` with each id, also of damaged entries.
        """


@runtime_checkable
class Placer(Protocol):
    """What an engine MAY have besides: it appends one entry in one go, as most appends are."""

    def place(self, entry: Prepared, seal: Callable[[Head, Prepared], Sealed]) -> Sealed:
        """Append what `seal` makes of the head and an entry without artifacts, and return it.

        MUST do what `queue`, `head` and `append` do, and raise what they raise.
        """


class Engine(Reader, Appender, Protocol):
    """Both sides of one ledger."""


def find(reader: Reader, ids: Collection[str]) -> Mapping[str, Stored]:
    """Return the entries that have one of these ids, by id, as fast as an engine can."""
    if isinstance(reader, Finder):
        return reader.find(ids)
    return {one: stored for one in ids for stored in reader.read(Selection(id=one))}

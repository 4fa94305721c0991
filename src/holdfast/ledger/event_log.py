"""The log that a save is made of and a boot goes through: a ledger that is looked at, or lines.

It is read in blocks, and every entry has to be there. When the hashes do not fit, `suspect` looks
for the entry that is not as it was sealed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, Final, Protocol, TypeAlias

from holdfast.kernel import chain, merkle
from holdfast.kernel import entry as entries
from holdfast.kernel.chain import Head
from holdfast.kernel.entry import Entry
from holdfast.kernel.errors import BootFailed, Damaged, InvalidInput
from holdfast.kernel.hashing import ZERO_LEAF, leaf_hash
from holdfast.kernel.merkle import Frontier
from holdfast.storage.port import EVERYTHING, Selection, Stored

BLOCK_ENTRIES: Final = 1024
"""Entries that are handed on together."""

CHECK_LOG: Final = "Run `holdfast verify` to see what is wrong with the ledger."


class EventLog(Protocol):
    """What a save and a boot use of a `Reader`; the port says what each MUST do."""

    def head(self) -> Head:
        """Return where the chain ends."""

    def read(self, selection: Selection = EVERYTHING) -> Iterator[Stored]:
        """Yield the entries that fit, in order of `seq` or newest first."""

    def node(self, first: int, stop: int) -> bytes:
        """Return the tree hash over a range of leaves."""


class HasReader(Protocol):
    """A ledger."""

    @property
    def reader(self) -> EventLog:
        """The ledger for those who only look."""


Source: TypeAlias = EventLog | HasReader | Iterable[bytes]


def log_of(source: Source) -> EventLog:
    """Return the half of a ledger that only looks, or lines as one."""
    known: Any = source
    if hasattr(known, "reader"):
        known = known.reader
    if all(hasattr(known, name) for name in ("head", "read", "node")):
        log: EventLog = known
        return log
    return Lines(known)


class Lines:
    """Entries as lines of bytes from entry 0 on, with or without line feeds."""

    def __init__(self, lines: Iterable[bytes]) -> None:
        if not hasattr(lines, "__iter__"):
            raise _no_log()
        self._bodies = [_body(line) for line in lines]
        self._leaves: list[bytes] | None = None

    def head(self) -> Head:
        """Return where the lines end, and the ledger that the first of them names."""
        if not self._bodies:
            return Head("")
        try:
            ledger = entries.read(self._bodies[0]).ledger
        except Damaged:
            ledger = ""
        return Head(ledger, len(self._bodies), leaf_hash(self._bodies[-1]))

    def read(self, selection: Selection = EVERYTHING) -> Iterator[Stored]:
        """Yield lines; no leaf hashes are kept beside them."""
        numbers = range(len(self._bodies))[max(selection.first, 0) : selection.stop]
        for seq in reversed(numbers) if selection.newest_first else numbers:
            stored = Stored(seq, self._bodies[seq], b"")
            if selection.type is None or _is_a(stored, selection.type):
                yield stored

    def node(self, first: int, stop: int) -> bytes:
        """Return the tree hash over some of the lines."""
        if self._leaves is None:
            self._leaves = [leaf_hash(body) for body in self._bodies]
        return merkle.root_of(self._leaves[first:stop])


def blocks(log: EventLog, first: int, stop: int) -> Iterator[list[bytes]]:
    """Yield the bytes of every entry of a range, some at a time; one that is missing is named."""
    try:
        stream = log.read(Selection(first, stop))
        while first < stop:
            block = list(islice(stream, BLOCK_ENTRIES))
            numbers = [stored.seq for stored in block]
            if numbers != list(range(first, first + len(block))) or not block:
                pairs = enumerate(numbers, first)
                raise missing(next((seq for seq, found in pairs if seq != found), first))
            yield [stored.body for stored in block]
            first += len(block)
    except BootFailed:
        raise
    except Damaged as problem:
        raise _unreadable(first, problem.what) from problem


def tail(log: EventLog, size: int, count: int) -> list[Entry]:
    """Return the last entries of the first `size` ones."""
    found = log.read(Selection(max(size - count, 0), size))
    return [entries.read(stored.body) for stored in found]


def frontier_at(log: EventLog, size: int) -> Frontier:
    """Return the tree over the first `size` entries, as the log keeps it."""
    peaks, first = [], 0
    for bit in reversed(range(size.bit_length())):
        if size >> bit & 1:
            peaks.append(log.node(first, first + (1 << bit)))
            first += 1 << bit
    return Frontier(size, tuple(peaks))


def suspect(log: EventLog, first: int, stop: int) -> tuple[int, str] | None:
    """Return the first entry of a range that is not as it was sealed, and what is wrong with it."""
    before: str | None = ZERO_LEAF.hex() if first == 0 else None
    ledger = log.head().ledger
    for stored in log.read(Selection(first, stop)):
        leaf = leaf_hash(stored.body)
        try:
            entry = entries.read(stored.body)
        except Damaged as problem:
            return stored.seq, problem.what
        for _, detail in chain.link(entry, ledger=ledger, seq=stored.seq, prev=before):
            return stored.seq, detail
        if stored.leaf and stored.leaf != leaf:
            return stored.seq, "the bytes are not those that were sealed"
        before = leaf.hex()
    return None


def missing(seq: int) -> BootFailed:
    """Say that an entry is not there."""
    return BootFailed(
        f"Entry {seq} is missing from the log.",
        step=3,
        expected=f"entry {seq}",
        found="nothing",
        remedy=CHECK_LOG,
    )


def _unreadable(seq: int, what: str) -> BootFailed:
    return BootFailed(
        f"The log cannot be read from entry {seq} on: {what}",
        step=3,
        expected=f"entry {seq}",
        found="nothing that can be read",
        remedy=CHECK_LOG,
    )


def _is_a(stored: Stored, type_name: str) -> bool:
    try:
        return entries.read(stored.body).type == type_name
    except Damaged:
        return False


def _body(line: object) -> bytes:
    if not isinstance(line, bytes):
        raise _no_log()
    return line.removesuffix(b"\n")


def _no_log() -> InvalidInput:
    return InvalidInput(
        "This is no event log.",
        meaning="Nothing was changed.",
        remedy="Give a ledger, a reader, or the entries as lines of bytes, the first one first.",
    )

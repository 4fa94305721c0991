"""The verifier: proves a ledger from its bytes, with the kernel, the fold of the State Map and a
reader, and nothing else.

It shares no line with the code that writes. A ledger is checked in ranges, which may run side by
side; `combine` joins their answers. What it finds is a list of faults; it repairs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, TypeAlias

import msgspec

from holdfast.kernel import chain, merkle
from holdfast.kernel import entry as entries
from holdfast.kernel.errors import Damaged
from holdfast.kernel.hashing import EMPTY_ROOT, ZERO_LEAF, data_hash, leaf_hash
from holdfast.kernel.limits import TREE_BLOCK_LEAVES
from holdfast.ledger.vault import references
from holdfast.ledger.verify_moves import check_moves
from holdfast.storage.port import Archive, Fault, Reader, Selection, Stored

RANGE_ENTRIES: Final = 32_768
"""Entries in one range; a power of two, so that each full range is one node of the tree."""

RANGES_WORTH_PROCESSES: Final = 2
"""Below this, starting processes costs more than they save."""

FAULTS_MAX: Final = 1000
"""Faults named in a report; what is beyond is counted."""

CheckArchive: TypeAlias = Callable[[Archive], str | None]
"""Says why the file of a listed archive is not the one that was listed; None when it is."""

Progress: TypeAlias = Callable[[int, int], None]
"""Told how many entries of how many are done."""


class RangeReport(msgspec.Struct, frozen=True):
    """What one range holds: enough to join it with its neighbours."""

    first: int
    stop: int
    prev: str | None
    """The leaf that its first entry names as the one before; None when that is unreadable."""
    last_leaf: str
    blocks: list[tuple[int, str]]
    """(leaves, root) of the subtrees that make up the range, left to right."""
    counted: bytes
    """What the engine's audit counted."""
    faults: list[Fault]


class Report(msgspec.Struct, frozen=True):
    """The answer for a whole ledger."""

    ok: bool
    entries: int
    head: str
    root: str
    faults: list[Fault]
    faults_left_out: int = 0


Findings: TypeAlias = tuple[list[RangeReport], list[Fault]]
Checks: TypeAlias = Callable[[Sequence[tuple[int, int]], Progress], Findings]
"""Checks ranges and structures, in whichever processes; the reports come back in order."""


def no_progress(_done: int, _total: int) -> None:
    """Tell nobody."""


def verify(
    reader: Reader,
    *,
    expected: tuple[int, str] | None = None,
    checks: Checks | None = None,
    check_archive: CheckArchive | None = None,
    progress: Progress = no_progress,
) -> Report:
    """Check every entry, the chain, the tree, the data, the vault and the engine's own structures.

    `expected` is a size and a root that somebody kept elsewhere: without it, a ledger that was
    rewritten from some entry on to its end cannot be told from one that was always so. Without
    `check_archive`, archived entries are proved as they are read, their files are not.
    """
    head = reader.head()
    ranges = [
        (first, min(first + RANGE_ENTRIES, head.size))
        for first in range(0, head.size, RANGE_ENTRIES)
    ]
    if checks is None or len(ranges) < RANGES_WORTH_PROCESSES:
        checks = _in_this_process(reader)
    reports, faults = checks(ranges, progress)
    root, joined = combine(reports)
    faults = [*faults, *joined, *_compare(reader, reports, head.size)]
    if head.size and reports[-1].last_leaf != head.leaf.hex():
        faults.append(Fault(head.size - 1, "head", "the last entry is not the one the head names"))
    faults += _check_kept_root(reader, head.size, root)
    faults += check_moves(reader)
    if expected is not None:
        faults += _check_expected(reader, head.size, *expected)
    if check_archive is not None:
        faults += _check_archives(reader, check_archive)
    faults.sort(key=_importance)
    return Report(
        ok=not faults,
        entries=head.size,
        head=head.leaf.hex(),
        root=root.hex(),
        faults=faults[:FAULTS_MAX],
        faults_left_out=max(0, len(faults) - FAULTS_MAX),
    )


def check_range(reader: Reader, ledger: str, first: int, stop: int) -> RangeReport:
    """Check the entries of one range; `first` is a multiple of RANGE_ENTRIES."""
    checker = _RangeChecker(reader, ledger, first)
    for stored in reader.read(Selection(first, stop)):
        checker.take(stored)
    return checker.finish(stop)


def combine(reports: Iterable[RangeReport]) -> tuple[bytes, list[Fault]]:
    """Join ranges into one tree and check the chain across their seams."""
    frontier = merkle.Frontier.empty()
    faults: list[Fault] = []
    before: str = ZERO_LEAF.hex()
    for report in reports:
        faults += report.faults
        if report.prev is not None and report.prev != before:
            faults.append(Fault(report.first, "chain", f"does not follow {before[:12]}"))
        for leaves, root in report.blocks:
            frontier = frontier.append_subtree(bytes.fromhex(root), leaves)
        before = report.last_leaf
    return (frontier.root() if frontier.size else EMPTY_ROOT), faults


class _RangeChecker:
    """Walks through one range, entry by entry."""

    def __init__(self, reader: Reader, ledger: str, first: int) -> None:
        self._reader = reader
        self._ledger = ledger
        self._first = first
        self._next = first
        self._prev: str | None = None
        self._first_prev: str | None = None
        self._leaves: list[bytes] = []
        self._faults: list[Fault] = []
        self._audit = reader.audit()
        self._erased: dict[str, int] | None = None

    def take(self, stored: Stored) -> None:
        """Check one entry."""
        seq, body = stored.seq, stored.body
        if seq != self._next:
            if seq < self._next:
                self._fault(seq, "extra", "more than one entry is stored under this number")
                return
            self._missing(seq)
        leaf = leaf_hash(body)
        try:
            entry = entries.read(body)
        except Damaged as problem:
            self._fault(seq, "entry", problem.what)
        else:
            self._audit.take(entry)
            if (
                entry.prev != self._prev
                or entry.seq != seq
                or entry.hash != data_hash(entry.data)
                or entry.ledger != self._ledger
                or b'"$artifact":' in body
            ):
                self._look_closer(entry, seq)
        if leaf != stored.leaf:
            self._fault(seq, "leaf", "the bytes are not those that were sealed")
        self._leaves.append(leaf)
        self._prev = leaf.hex()
        self._next = seq + 1

    def finish(self, stop: int) -> RangeReport:
        """Report on the range up to `stop`."""
        if self._next < stop:
            self._missing(stop)
        return RangeReport(
            first=self._first,
            stop=stop,
            prev=self._first_prev,
            last_leaf=self._leaves[-1].hex(),
            blocks=list(self._blocks()),
            counted=self._audit.part(),
            faults=self._faults,
        )

    def _look_closer(self, entry: entries.Entry, seq: int) -> None:
        """Say what is wrong with an entry's place, and look at what it names in the vault."""
        if seq == self._first:
            self._first_prev = entry.prev
        for kind, detail in chain.link(entry, ledger=self._ledger, seq=seq, prev=self._prev):
            self._fault(seq, kind, detail)
        try:
            self._check_artifacts(seq, entry.value())
        except Damaged as problem:
            self._fault(seq, "entry", problem.what)

    def _check_artifacts(self, seq: int, value: object) -> None:
        """Look at every artifact that a value names, and at those that these name in turn."""
        for sha256, holds_more in references(value):
            try:
                content = self._reader.artifact(sha256)
            except Damaged as problem:
                self._fault(seq, "artifact", problem.what)
                continue
            if content is None:
                if self._erased_at(sha256) > seq:
                    continue
                self._fault(seq, "artifact", f"{sha256[:12]} is not in the vault")
            elif holds_more and b'"$artifact":' in content:
                self._check_artifacts(seq, msgspec.json.decode(content))

    def _erased_at(self, sha256: str) -> int:
        """Return the newest entry that says an artifact was erased, -1 when none does."""
        if self._erased is None:
            self._erased = dict(_erasures(self._reader, self._ledger))
        return self._erased.get(sha256, -1)

    def _missing(self, stop: int) -> None:
        """Note entries that are gone. Their places in the tree stay open, so no root fits."""
        for seq in range(self._next, stop):
            self._fault(seq, "missing", "the entry is not there")
            self._leaves.append(ZERO_LEAF)
        self._prev = None

    def _blocks(self) -> Iterator[tuple[int, str]]:
        """Yield the subtrees of the range and compare the kept nodes with them."""
        whole = len(self._leaves) - len(self._leaves) % TREE_BLOCK_LEAVES
        frontier = merkle.Frontier.empty()
        for offset in range(0, whole, TREE_BLOCK_LEAVES):
            root = merkle.root_of(self._leaves[offset : offset + TREE_BLOCK_LEAVES])
            self._check_node(self._first + offset, root)
            frontier = frontier.append_subtree(root, TREE_BLOCK_LEAVES)
        frontier = frontier.extend(self._leaves[whole:])
        sizes = [1 << bit for bit in range(frontier.size.bit_length()) if frontier.size >> bit & 1]
        for leaves, peak in zip(reversed(sizes), frontier.peaks, strict=True):
            yield leaves, peak.hex()

    def _check_node(self, first: int, root: bytes) -> None:
        try:
            kept = self._reader.node(first, first + TREE_BLOCK_LEAVES)
        except Damaged as problem:
            self._fault(first, "tree", problem.what)
            return
        if kept != root:
            self._fault(first, "tree", f"the kept node over {TREE_BLOCK_LEAVES} entries is wrong")

    def _fault(self, seq: int, kind: str, detail: str) -> None:
        self._faults.append(Fault(seq, kind, detail))


def _erasures(reader: Reader, ledger: str) -> Iterator[tuple[str, int]]:
    """Yield what was erased, and the entry that says so, oldest first.

    Only an entry that is what was sealed counts; the ranges check that it is part of the chain.
    """
    for stored in reader.read(Selection(type="artifact_erased")):
        try:
            entry = entries.read(stored.body)
        except Damaged:
            continue
        sealed = leaf_hash(stored.body) == stored.leaf and entry.hash == data_hash(entry.data)
        if sealed and (entry.ledger, entry.seq) == (ledger, stored.seq):
            yield str(entry.value().get("sha256")), stored.seq


def structure(reader: Reader) -> list[Fault]:
    """Ask the engine about its own structures; one that cannot look has a fault."""
    try:
        return list(reader.audit().structure())
    except Damaged as problem:
        return [Fault(None, "database", problem.what)]


def _compare(reader: Reader, reports: Sequence[RangeReport], size: int) -> list[Fault]:
    try:
        return list(reader.audit().compare([report.counted for report in reports], size))
    except Damaged as problem:
        return [Fault(None, "index", problem.what)]


def _check_archives(reader: Reader, check_archive: CheckArchive) -> Iterator[Fault]:
    try:
        listed = reader.archives()
    except Damaged as problem:
        yield Fault(None, "archive", problem.what)
        return
    for archive in listed:
        why = check_archive(archive)
        if why is not None:
            held = f"{archive.name} with entries {archive.first} to {archive.last}"
            yield Fault(archive.first, "archive", f"{held}: {why}")


def _importance(fault: Fault) -> int:
    """Order faults by entry, causes before what follows from them, so that they are not cut off."""
    if fault.kind == "archive":
        return -2
    return -1 if fault.seq is None else fault.seq


def _in_this_process(reader: Reader) -> Checks:
    def checks(ranges: Sequence[tuple[int, int]], progress: Progress) -> Findings:
        ledger = reader.head().ledger
        reports = []
        for first, stop in ranges:
            reports.append(check_range(reader, ledger, first, stop))
            progress(stop, ranges[-1][1])
        return reports, structure(reader)

    return checks


def _check_kept_root(reader: Reader, size: int, root: bytes) -> Iterator[Fault]:
    """Compare the root that the engine's kept nodes give, which proofs are made from."""
    try:
        if reader.node(0, size) != root:
            yield Fault(None, "tree", "the kept nodes do not add up to the root of the entries")
    except Damaged as problem:
        yield Fault(None, "tree", problem.what)


def _check_expected(reader: Reader, size: int, kept_size: int, kept_root: str) -> Iterator[Fault]:
    if kept_size > size:
        yield Fault(size, "expected", f"the ledger had {kept_size} entries; {size} are left")
        return
    try:
        found = reader.node(0, kept_size).hex()
    except Damaged as problem:
        found = problem.what
    if found != kept_root:
        yield Fault(None, "expected", f"the first {kept_size} entries are not those of that root")

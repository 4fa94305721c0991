"""A sync: another ledger's new entries are taken, proved and merged, or its word is refused.

Of our own ledger one entry is all that changes: `peer_merged` with the tree head, or `peer_refused`
with the evidence. Where there is nothing new there is no entry.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from hashlib import sha256
from typing import Literal, Protocol, TypeAlias

import msgspec

from holdfast.kernel.errors import Damaged, InvalidInput
from holdfast.kernel.hashing import EMPTY_ROOT
from holdfast.ledger.ledger import Ledger
from holdfast.ledger.peers.judging import Contradiction, contradiction
from holdfast.ledger.peers.known import SYNCER, known_of
from holdfast.ledger.peers.source import ReaderSource, Source, TreeHead, checked_head, unproved
from holdfast.ledger.peers.taking import take
from holdfast.ledger.verify import RANGE_ENTRIES, Progress, check_range, no_progress
from holdfast.storage.port import Engine, Reader

Outcome: TypeAlias = Literal["merged", "same", "behind", "refused"]


class Mirrors(Protocol):
    """Where the chains of other ledgers are kept, each in a place of its own."""

    def open(self, ledger: str) -> AbstractContextManager[Engine]:
        """Open the place of a ledger, empty at first; one process at a time."""

    def restart(self, ledger: str, keep: int) -> None:
        """Begin a place anew with the first `keep` entries of what is there."""

    def forget_derived(self, ledger: str) -> None:
        """Drop what was derived of a ledger's entries: it may hold what is being erased."""

    def keep_evidence(self, ledger: str, name: str, entries: tuple[bytes, bytes]) -> str:
        """Keep two entries byte for byte; return where. The same again is harmless."""


class Synced(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a sync."""

    outcome: Outcome
    """merged: something new. same: nothing new. behind: it has less than is here, and the same.
    refused: it contradicts what it said before."""
    ledger: str
    size: int
    """Entries of it that are here and merged."""
    root: str | None
    new: int = 0
    told: int = 0
    """Entries that it says it has."""
    seq: int | None = None
    """Our entry that says so; null where there is none."""
    contradiction: Contradiction | None = None
    evidence: str | None = None
    """Where both entries are kept."""


def sync(
    ledger: Ledger,
    source: Source,
    mirrors: Mirrors,
    *,
    name: str,
    progress: Progress = no_progress,
) -> Synced:
    """Bring what is here of another ledger up to date; `name` is what the peer was called by.

    Raises Damaged when its word does not hold, InvalidInput when it is this ledger itself.
    """
    told = checked_head(source.head())
    if told.ledger == ledger.id:
        return _same_ledger(ledger, source, told, mirrors)
    known = known_of(ledger.reader, told.ledger) or _nothing(told.ledger)
    if found := _compare(source, told, known, mirrors):
        return _refused(ledger, known, told, found, mirrors)
    with mirrors.open(told.ledger) as mirror:
        if told.size <= known.size <= mirror.head().size:
            outcome: Outcome = "behind" if told.size < known.size else "same"
            return _answer(outcome, known, told)
    _take(source, told, known, mirrors, progress)
    if told.size == known.size:
        return _answer("same", known, told)  # its place was gone; what is merged is here again
    data = {"ledger": told.ledger, "size": told.size, "root": told.root, "source": name}
    receipt = ledger.append("peer_merged", data, actor=SYNCER)
    return _answer("merged", told, told, new=told.size - known.size, seq=receipt.seq)


def _take(
    source: Source, told: TreeHead, known: TreeHead, mirrors: Mirrors, progress: Progress
) -> None:
    """Take what is new, and prove it. What does not hold as a whole is not gone on from.

    A place that has less than was merged is brought up to that first, by the root alone: what its
    entries name may have been erased by one that comes later.
    """
    proved, fault = known.size, None

    def forget() -> None:
        mirrors.forget_derived(told.ledger)

    with mirrors.open(told.ledger) as mirror:
        if mirror.head().size < known.size:
            proved = 0
            take(source, mirror, known.size, on_erased=forget, progress=progress)
            fault = _other_root(mirror, known)
        if fault is None:
            take(source, mirror, told.size, on_erased=forget, progress=progress)
            fault = _fault(mirror, told, proved)
    if fault is not None:
        mirrors.restart(told.ledger, proved)
        raise unproved(fault)


def _compare(
    source: Source, told: TreeHead, known: TreeHead, mirrors: Mirrors
) -> Contradiction | None:
    """Hold what is told now against what was merged, and what a sync that was cut short left.

    That was never merged: where it does not fit any more, it is left out, and comes anew.
    """
    with mirrors.open(told.ledger) as mirror:
        size = mirror.head().size
        _check_mirror(mirror, known)
        found = contradiction(source, told, known, mirror)
        if found is not None or size in (0, known.size):
            return found
        left = TreeHead(told.ledger, size, mirror.node(0, size).hex())
        fits = _fits(source, told, left, mirror)
    if not fits:
        mirrors.restart(told.ledger, known.size if size > known.size else 0)
    return None


def _fits(source: Source, told: TreeHead, left: TreeHead, mirror: Reader) -> bool:
    try:
        return told.size >= left.size and contradiction(source, told, left, mirror) is None
    except Damaged:
        return False


def _check_mirror(mirror: Reader, known: TreeHead) -> None:
    """Refuse to go on from a place that does not hold what was merged."""
    if mirror.head().size < known.size or known.size == 0:
        return
    if mirror.node(0, known.size).hex() != known.root:
        raise Damaged(
            "What is kept of this peer is not what was merged of it.",
            meaning="Our own ledger is not affected.",
            remedy="Move the peer's folder away and sync again: its entries come anew.",
        )


def _fault(mirror: Reader, told: TreeHead, first: int) -> str | None:
    """Let the verifier look at all that came, and compare the root with what was told."""
    for begin in range(first - first % RANGE_ENTRIES, told.size, RANGE_ENTRIES):
        stop = min(begin + RANGE_ENTRIES, told.size)
        for fault in check_range(mirror, told.ledger, begin, stop).faults:
            return f"Its entry {fault.seq} does not hold: {fault.detail}."
    return _other_root(mirror, told)


def _other_root(mirror: Reader, head: TreeHead) -> str | None:
    if mirror.node(0, head.size) == head.root_bytes():
        return None
    return "Its entries are not those of the root that it names."


def _same_ledger(ledger: Ledger, source: Source, told: TreeHead, mirrors: Mirrors) -> Synced:
    """Refuse this ledger itself; a copy that goes another way contradicts it, and is evidence."""
    head = ledger.head()
    ours = TreeHead(ledger.id, head.size, ledger.root())
    if found := contradiction(source, told, ours, ledger.reader):
        return _refused(ledger, ours, told, found, mirrors)
    raise InvalidInput(
        "That is this ledger itself, or a copy of it.",
        meaning=f"It has {told.size} entries, this one {ours.size}; nothing was recorded.",
        remedy="Name the project of another ledger.",
    )


def _refused(
    ledger: Ledger, known: TreeHead, told: TreeHead, found: Contradiction, mirrors: Mirrors
) -> Synced:
    """Keep both sides as evidence, and say that neither is believed anew. Told again: once."""
    data = {
        "ledger": told.ledger,
        "seq": found.seq,
        "known": found.known,
        "told": found.told,
        "reason": found.reason,
    }
    kept = None
    if found.evidence is not None:
        kept = mirrors.keep_evidence(told.ledger, f"{found.seq}-{found.told[:16]}", found.evidence)
        before, now = (body.decode() for body in found.evidence)
        data |= {"evidence": {"known": before, "told": now}}
    names = "\n".join((told.ledger, str(found.seq), found.known, found.told))
    entry_id = f"refused-{sha256(names.encode()).hexdigest()[:32]}"
    receipt = ledger.append("peer_refused", data, actor=SYNCER, id=entry_id)
    return _answer("refused", known, told, seq=receipt.seq, contradiction=found, evidence=kept)


def _answer(
    outcome: Outcome,
    here: TreeHead,
    told: TreeHead,
    *,
    new: int = 0,
    seq: int | None = None,
    contradiction: Contradiction | None = None,
    evidence: str | None = None,
) -> Synced:
    return Synced(
        outcome=outcome,
        ledger=told.ledger,
        size=here.size,
        root=here.root if here.size else None,
        new=new,
        told=told.size,
        seq=seq,
        contradiction=contradiction,
        evidence=evidence,
    )


def _nothing(ledger: str) -> TreeHead:
    return TreeHead(ledger, 0, EMPTY_ROOT.hex())


def copy_entries(origin: Reader, target: Engine, count: int) -> None:
    """Take the first entries of a place over into another one."""
    if count:
        take(ReaderSource(origin), target, count)

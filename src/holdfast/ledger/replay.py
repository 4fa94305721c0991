"""Steps 3 to 6 of a boot: the log goes by once, and is hashed and folded at the same time.

What the fold could not take is kept back until the hashes were compared: of an altered log it is
said that it was altered, not that it makes no sense.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from holdfast.kernel import entry as entries
from holdfast.kernel.entry import Entry, Outline
from holdfast.kernel.errors import BootFailed, Damaged, HoldfastError, InvalidInput, NewerFormat
from holdfast.kernel.merkle import Frontier
from holdfast.kernel.snapshot import SaveSnapshot
from holdfast.ledger.base import Base, check_tree, fold_from
from holdfast.ledger.event_log import CHECK_LOG, EventLog, blocks, frontier_at, missing, suspect
from holdfast.ledger.log_proof import Beginning, HashingFrom, Proof
from holdfast.ledger.verify import Progress, no_progress
from holdfast.stores import STORES, Fold, Items, Store
from holdfast.stores.registry import FORMER, Past

STORE_PIN: Final = "store."


def check_extent(save: SaveSnapshot, log: EventLog) -> None:
    """Step 3, before anything is read: the log is of the ledger, and reaches as far as the save."""
    head = log.head()
    if head.ledger != save.ledger and (head.size or head.ledger):
        raise BootFailed(
            "This save was made of another ledger.",
            step=3,
            expected=save.ledger,
            found=head.ledger or "entries of no ledger",
            remedy="Boot it where the ledger is that it was made of.",
        )
    if head.size < save.tree_size:
        raise missing(head.size)
    first, last = save.event_log_range
    if (last, last + 1) != (save.timestamp_event_id, save.tree_size) or not 0 <= first <= last + 1:
        raise BootFailed(
            "The save names a part of the log that does not end where the save does.",
            step=3,
            expected=f"a range that ends with entry {save.timestamp_event_id}",
            found=f"{first} to {last}, in a tree of {save.tree_size}",
            remedy="Use another save: `holdfast boot --list` shows them.",
        )


def stores_of(save: SaveSnapshot) -> list[Store]:
    """Step 5: return the stores of the save, each in the version it was made with."""
    known = (*STORES, *FORMER)
    found = {(store.name, str(store.version)) for store in known}
    names = {store.name for store in known}
    pinned = {
        pin.removeprefix(STORE_PIN): version
        for pin, version in save.pins_snapshot.items()
        if pin.startswith(STORE_PIN)
    }
    for name in sorted({*pinned, *save.store_digests}):
        if name not in names:
            raise _no_store(f"The store {name!r} is not known here", "a known store", name)
        if name not in save.store_digests:
            raise _no_store(f"The save has no digest of the store {name!r}", "a digest", "none")
        if name not in pinned:
            raise _no_store(f"The save does not say which {name!r} it has", "a version", "none")
        if (name, pinned[name]) not in found:
            versions = ", ".join(sorted(v for n, v in found if n == name))
            raise _no_store(
                f"The store {name!r} of version {pinned[name]} is not known here",
                pinned[name],
                versions,
            )
    return [store for store in known if pinned.get(store.name) == str(store.version)]


def replay(
    save: SaveSnapshot,
    log: EventLog,
    *,
    base: Base | None,
    hashing: HashingFrom,
    progress: Progress = no_progress,
) -> Fold:
    """Go through the log of a save, prove it, and return what it folds to."""
    size = 0 if base is None else base.snapshot.tree_size
    kept = _kept_tree(log, size)
    segment_first = save.event_log_range[0]
    first = min(segment_first, size)
    folding = _Folding(save, log, base)
    with hashing(Beginning(kept.peaks, size, first, segment_first, save.tree_size)) as hasher:
        for bodies in blocks(log, first, save.tree_size):
            hasher.take(bodies)
            folding.take(bodies if first >= size else bodies[size - first :])
            first += len(bodies)
            progress(first, save.tree_size)
        proof = hasher.finish()
    if base is not None:
        check_tree(base, kept)
    _compare(save, log, proof, size)
    return folding.finish()


def _kept_tree(log: EventLog, size: int) -> Frontier:
    try:
        return frontier_at(log, size)
    except Damaged as problem:
        raise BootFailed(
            f"The tree up to entry {size - 1} cannot be read: {problem.what}",
            step=4,
            expected="the tree of the base",
            found="nothing that can be read",
            remedy="Boot without a base.",
        ) from problem


class _Folding:
    """The fold beside the hashing; after the first entry it cannot take, it takes no more."""

    def __init__(self, save: SaveSnapshot, log: EventLog, base: Base | None) -> None:
        self._ledger = save.ledger
        self._failure: Exception | None = None
        self._fold: Fold | None = None
        try:
            stores = stores_of(save)
            self._fold = (
                Fold(stores) if base is None else fold_from(base, stores, _past(log, stores))
            )
        except BootFailed as failure:
            self._failure = failure

    def take(self, bodies: Sequence[bytes]) -> None:
        """Fold the next entries."""
        if self._failure is not None or self._fold is None:
            return
        try:
            self._take(self._fold, bodies)
        except Exception as failure:  # told when the hashes fit; before that it may be damage
            self._failure = failure

    def _take(self, fold: Fold, bodies: Sequence[bytes]) -> None:
        first, outlines = fold.size, self._in_place(bodies, fold.size)
        if outlines is not None:
            fold.apply_all(outlines, lambda outline: entries.read(bodies[outline.seq - first]))
            return
        for body in bodies:  # one of them is not right: it is the next of the fold when it is met
            entry = entries.read(body)
            if entry.ledger != self._ledger or entry.seq != fold.size:
                raise _misplaced(fold.size, self._ledger, entry)
            fold.apply(entry)

    def _in_place(self, bodies: Sequence[bytes], first: int) -> list[Outline] | None:
        """Return the entries' outlines when all can be read and stand where they say they do."""
        try:
            taken = entries.outline_all(bodies)
        except Damaged:
            return None
        numbers = [outline.seq for outline in taken]
        in_order = numbers == list(range(first, first + len(taken)))
        return taken if in_order and {one.ledger for one in taken} == {self._ledger} else None

    def finish(self) -> Fold:
        """Return the fold, or tell why there is none."""
        if self._fold is None or isinstance(self._failure, (BootFailed, NewerFormat)):
            raise self._failure or AssertionError("a fold or a failure")
        if isinstance(self._failure, HoldfastError):
            raise _not_taken(self._fold.size, self._failure) from self._failure
        if self._failure is not None:
            raise self._failure
        return self._fold


def _past(log: EventLog, stores: Sequence[Store]) -> Past:
    """Return what was true after an entry by folding everything up to it."""

    def past(seq: int) -> Mapping[str, Items]:
        fold = Fold(stores)
        for bodies in blocks(log, 0, seq + 1):
            for body in bodies:
                fold.apply(entries.read(body))
        return fold.items()

    return past


def _compare(save: SaveSnapshot, log: EventLog, proof: Proof, size: int) -> None:
    """Step 4: the log is the one that the save was made of."""
    first, last = save.event_log_range
    for what, start, expected, found in (
        ("part of the log", min(first, size), save.event_log_hash, proof.segment),
        ("log", size, save.tree_root, proof.root),
    ):
        if expected == found:
            continue
        place = suspect(log, start if what == "log" else first, last + 1)
        told = f"entries {start} to {last}" if place is None else f"entry {place[0]}: {place[1]}"
        raise BootFailed(
            f"This {what} is not the one that the save was made of ({told}).",
            step=4,
            expected=expected,
            found=found,
            remedy=CHECK_LOG,
        )


def _misplaced(seq: int, ledger: str, entry: Entry) -> BootFailed:
    return BootFailed(
        f"The entry at {seq} is entry {entry.seq} of the ledger {entry.ledger}.",
        step=6,
        expected=f"entry {seq} of {ledger}",
        found=f"entry {entry.seq} of {entry.ledger}",
        remedy=CHECK_LOG,
    )


def _not_taken(seq: int, failure: HoldfastError) -> BootFailed:
    unknown = isinstance(failure, InvalidInput)  # nothing else that is given is refused here
    return BootFailed(
        f"Entry {seq} cannot be replayed: {failure.what}",
        step=6,
        expected="an entry of a known type" if unknown else "an entry that can be replayed",
        found=failure.what,
        remedy="Use the holdfast that wrote it." if unknown else CHECK_LOG,
    )


def _no_store(what: str, expected: str, found: str) -> BootFailed:
    return BootFailed(
        f"{what}.",
        step=5,
        expected=expected,
        found=found,
        remedy="Use the holdfast that made the save.",
    )

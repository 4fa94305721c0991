"""Where a boot may begin instead of with nothing: an earlier save, with its items.

The items come from what is kept and are no authority: before one of them counts, the digests of all
are worked out anew and compared with the save's. Where they are given as they are written, that is
done over those bytes, and the items are read from the very same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from holdfast.kernel.errors import BootFailed, InvalidInput
from holdfast.kernel.hashing import digest_of, item_hashes
from holdfast.kernel.merkle import Frontier
from holdfast.kernel.snapshot import SaveSnapshot
from holdfast.ledger.event_log import CHECK_LOG
from holdfast.stores import Fold, Items, Store
from holdfast.stores.registry import Past
from holdfast.stores.spelled import SpelledItems

WITHOUT: Final = "Boot without a base: then nothing that is kept is used."


class Base(msgspec.Struct, frozen=True):
    """An earlier save and the items of its stores, by store and key."""

    snapshot: SaveSnapshot
    items: Mapping[str, Items] = {}
    past: Past | None = None
    """Returns what was true before it, should an entry go back so far; without it the log is folded
    from its first entry then."""
    spelled: Mapping[str, Mapping[str, bytes]] | None = None
    """The items in canonical JSON, in the place of `items`; much quicker to prove."""


def check_base(base: Base, save: SaveSnapshot) -> None:
    """Refuse a base that the save cannot go on from."""
    earlier = base.snapshot
    if earlier.ledger != save.ledger:
        raise _unfit("ledger", 3, save.ledger, earlier.ledger)
    if earlier.tree_size > save.tree_size:
        raise _unfit("size", 3, f"at most {save.tree_size} entries", f"{earlier.tree_size} entries")
    for name in sorted({*earlier.store_digests, *save.store_digests}):
        pin = f"store.{name}"
        ours, theirs = save.pins_snapshot.get(pin), earlier.pins_snapshot.get(pin)
        if ours != theirs or (name in earlier.store_digests) != (name in save.store_digests):
            raise _unfit(f"version of the store {name}", 5, str(ours), str(theirs))


def check_tree(base: Base, kept: Frontier) -> None:
    """Step 4: the tree that the log keeps up to the base is the one of that save."""
    found = kept.root().hex()
    if found != base.snapshot.tree_root:
        raise BootFailed(
            f"The log up to entry {base.snapshot.timestamp_event_id} is not the one that the "
            f"base {base.snapshot.snapshot_id} was made of.",
            step=4,
            expected=base.snapshot.tree_root,
            found=found,
            remedy=CHECK_LOG,
        )


def fold_from(base: Base, stores: Sequence[Store], past: Past) -> Fold:
    """Return a fold that goes on from the base, once its items are proved."""
    size, past = base.snapshot.tree_size, base.past or past
    try:
        if base.spelled is None:
            fold = Fold(stores, size=size, items=base.items, past=past)
            _compare(base, fold.digests())
            return fold
        spelled = {store.name: base.spelled.get(store.name, {}) for store in stores}
        hashes = {name: _hashes(items) for name, items in spelled.items()}
        _compare(base, {name: digest_of(found.values()) for name, found in hashes.items()})
        items = {name: SpelledItems(found) for name, found in spelled.items()}
    except (TypeError, InvalidInput) as error:
        raise BootFailed(
            f"What is kept for the base {base.snapshot.snapshot_id} are no items: {error}",
            step=5,
            expected="items of its stores",
            found="something else",
            remedy=WITHOUT,
        ) from error
    return Fold(stores, size=size, items=items, hashes=hashes, past=past)


def _hashes(spelled: Mapping[str, bytes]) -> dict[str, bytes]:
    return dict(zip(spelled, item_hashes(spelled.items()), strict=True))


def _compare(base: Base, digests: Mapping[str, str]) -> None:
    for name, found in digests.items():
        expected = base.snapshot.store_digests[name]
        if found != expected:
            raise BootFailed(
                f"What is kept of the store {name} is not what the base "
                f"{base.snapshot.snapshot_id} was made of.",
                step=5,
                expected=expected,
                found=found,
                remedy=WITHOUT,
            )


def _unfit(what: str, step: int, expected: str, found: str) -> BootFailed:
    return BootFailed(
        f"This save cannot be booted from that base: the {what} is another.",
        step=step,
        expected=expected,
        found=found,
        remedy="Choose an earlier save of the same ledger as the base, or boot without one.",
    )

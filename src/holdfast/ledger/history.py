"""What was true at any entry, and what changed between two of them.

Nothing here can append: it takes a `Reader`, and the kept folds only for where to start from.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from holdfast.kernel import canonical
from holdfast.kernel import entry as entries
from holdfast.kernel.entry import Entry
from holdfast.kernel.errors import Damaged, InvalidInput, NotFound
from holdfast.kernel.types import TYPES, Registry
from holdfast.storage.port import Reader, Selection
from holdfast.stores import STORES, Fold, Items, Store, Value

if TYPE_CHECKING:
    from holdfast.index.views import Views


class StoreDifference(msgspec.Struct, frozen=True):
    """How the items of one store differ; keys in order."""

    store: str
    added: dict[str, Value]
    removed: dict[str, Value]
    """With what they were."""
    changed: dict[str, tuple[Value, Value]]
    """With what they were, and what they are."""


class Difference(msgspec.Struct, frozen=True):
    """What is true after some entries and was not after others, or the other way round."""

    before: int
    """How many entries were taken in on the one side,"""
    after: int
    """and on the other."""
    stores: tuple[StoreDifference, ...]
    """Those that differ, in the order of the stores."""


def fold_at(
    reader: Reader,
    size: int,
    views: Views | None = None,
    *,
    stores: Sequence[Store] = STORES,
    types: Registry = TYPES,
) -> Fold:
    """Work out what was true after the first `size` entries.

    With kept folds it starts from their nearest point, else from the beginning. Needs every entry
    from there on: one that is damaged, missing or of an unknown type is a hard failure.
    """
    _check(reader, size)
    kept = views if views is not None and views.versions == _versions(stores) else None
    point, items = (0, None) if kept is None else kept.items_at(size, reader)

    def past(to: int) -> Mapping[str, Items]:
        # Kept folds have a point after each rollback they know: it is only asked for when they
        # are behind, and then for what they do know.
        return fold_at(reader, to + 1, kept, stores=stores, types=types).items()

    fold = Fold(stores, types, size=point, items=items, past=past)
    fold.apply_all(_unbroken(reader, point, size), lambda entry: entry)
    if fold.size < size:
        raise Damaged(
            f"Entry {fold.size} is missing.",
            meaning=f"What was true after {size} entries cannot be worked out.",
            remedy="Run `holdfast verify` to see what else is.",
        )
    return fold


def diff(before: Fold, after: Fold) -> Difference:
    """Compare what is true in two folds, store by store and item by item."""
    ours, theirs = before.items(), after.items()
    names = dict.fromkeys([*ours, *theirs])
    compared = (_compare(name, ours.get(name, {}), theirs.get(name, {})) for name in names)
    differing = (one for one in compared if one.added or one.removed or one.changed)
    return Difference(before.size, after.size, tuple(differing))


def _check(reader: Reader, size: int) -> None:
    held = reader.head().size
    if size < 0:
        raise InvalidInput(
            f"There is nothing after {size} entries.",
            meaning="Nothing was looked at.",
            remedy=f"Give a number from 0 to {held}.",
        )
    if size > held:
        raise NotFound(
            f"The ledger holds {held} entries, not {size}.",
            meaning="What is true after those that are to come is not known.",
            remedy="`holdfast log` lists them.",
        )


def _unbroken(reader: Reader, first: int, stop: int) -> Iterator[Entry]:
    """Yield entries up to the first one that is missing."""
    for stored in reader.read(Selection(first, stop)):
        if stored.seq != first:
            return
        yield entries.read(stored.body)
        first += 1


def _versions(stores: Sequence[Store]) -> dict[str, int]:
    return {store.name: store.version for store in stores}


def _compare(store: str, before: Items, after: Items) -> StoreDifference:
    common = (key for key in before if key in after)
    return StoreDifference(
        store,
        {key: after[key] for key in sorted(key for key in after if key not in before)},
        {key: before[key] for key in sorted(key for key in before if key not in after)},
        {
            key: (before[key], after[key])
            for key in sorted(key for key in common if _differ(before[key], after[key]))
        },
    )


def _differ(old: Value, new: Value) -> bool:
    """Compare values as they are spelled: to Python, true is 1."""
    return old is not new and (old != new or canonical.encode(old) != canonical.encode(new))

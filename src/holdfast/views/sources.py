"""What compactions are made from, by handle.

    an entry's id        the entry
    `store:` and a name  the items of a store
    `working_set`        the working set

Other handles say what stood there when a compaction was made (`state:`, `working_set:`, ids of
facts) or where it belongs (`ledger:`); nobody is asked for those.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Protocol, TypeAlias

from holdfast.kernel.entry import Entry
from holdfast.stores.registry import STORES
from holdfast.stores.store import Items
from holdfast.views.working_set import WorkingSet

LEDGER: Final = "ledger:"
STORE: Final = "store:"
WORKING_SET: Final = "working_set"

Input: TypeAlias = Entry | Items | WorkingSet


class Source(Protocol):
    """Gives what stands under a handle now."""

    def inputs(self, handles: Sequence[str]) -> Mapping[str, Input]:
        """Return it by handle. MUST leave out what is not there, MUST NOT ask a compaction."""


class Material:
    """A source of what is in hand: stores, some entries, a working set."""

    def __init__(
        self,
        stores: Mapping[str, Items],
        entries: Iterable[Entry] = (),
        working_set: WorkingSet | None = None,
    ) -> None:
        self._found: dict[str, Input] = {entry.id: entry for entry in entries}
        self._found |= {STORE + name: items for name, items in stores.items()}
        if working_set is not None:
            self._found[WORKING_SET] = working_set

    def inputs(self, handles: Sequence[str]) -> Mapping[str, Input]:
        """Return what is in hand of what is asked for."""
        return {handle: self._found[handle] for handle in handles if handle in self._found}


def touched_by(entry: Entry) -> tuple[str, ...]:
    """Return the handles of what a new entry may have changed."""
    changed = (
        store.name
        for store in STORES
        if store.takes is None
        or entry.type in store.takes
        or (store.rolls_back and entry.type == "rolled_back")
    )
    return (entry.id, WORKING_SET, *(STORE + name for name in changed))

"""What is derived at the boundary of a save: the working set, and the compactions beside it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import msgspec

from holdfast.kernel.limits import RECAP_ENTRIES
from holdfast.ledger.event_log import EventLog, tail
from holdfast.stores import Items
from holdfast.views.compaction import Compaction
from holdfast.views.compactions import context_cache, recap, synopsis
from holdfast.views.working_set import Policy, WorkingSet, compile_working_set


class Folded(Protocol):
    """Stores as of some entry: a fold, or what is kept of one."""

    @property
    def size(self) -> int:
        """How many entries were taken in."""

    def items(self) -> Mapping[str, Items]:
        """Return the items of every store, by its name."""

    def digests(self) -> Mapping[str, str]:
        """Return the digest of every store, by its name."""


class Boundary(msgspec.Struct, frozen=True):
    """What stores and log come to at one entry."""

    working_set: WorkingSet
    compactions: tuple[Compaction, ...]


def boundary_of(folded: Folded, log: EventLog, policy: Policy, pins: Mapping[str, str]) -> Boundary:
    """Make recap and synopsis, the working set with what these may mention, and its text."""
    stores = folded.items()
    told = (recap(tail(log, folded.size, RECAP_ENTRIES)), synopsis(stores))
    working_set = compile_working_set(stores, policy, pins, told)
    return Boundary(working_set, (*told, context_cache(working_set)))

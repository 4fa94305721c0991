"""Step six of a clear: which raw output of a session becomes identifiers, and what that saves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any

from holdfast.kernel.entry import Entry
from holdfast.kernel.errors import Damaged
from holdfast.kernel.limits import DECAY_ENTRIES_MAX
from holdfast.storage.port import Selection
from holdfast.views.decay import Decay, decayed, is_raw

if TYPE_CHECKING:
    from holdfast.ledger.ledger import Ledger


def decay_of(
    ledger: Ledger, session_id: str | None, *, first: int = 0, stop: int | None = None
) -> Decay:
    """Return what stands for the raw output of a session, in the order it came.

    Of a session with very many entries the newest are looked at, and the answer says so.
    """
    newest = _entries(ledger, session_id, first, stop)
    items = []
    for entry in islice(newest, DECAY_ENTRIES_MAX):
        one = decayed(entry, _data(ledger, entry)) if is_raw(entry.type) else None
        items += [] if one is None else [one]
    return Decay(tuple(reversed(items)), unseen=next(newest, None) is not None)


def _entries(
    ledger: Ledger, session_id: str | None, first: int, stop: int | None
) -> Iterator[Entry]:
    """Yield the entries of a session, the newest first; of none for those outside any."""
    wanted = Selection(first, stop, session_id=session_id, newest_first=True)
    for entry in ledger.read(wanted, on_damaged=lambda _fault: None):
        if entry.session_id == session_id:
            yield entry


def _data(ledger: Ledger, entry: Entry) -> Mapping[str, Any]:
    try:
        return ledger.data(entry)
    except Damaged:
        return entry.value()  # its large parts stay references, which count by their size

"""Sessions: where each began, where it ended and how, and what it goes on from.

An item for each session id: the numbers of its first and last entry, how many it has, and the
numbers of the entries that started and ended it. A session that was started again is open again.
"""

from __future__ import annotations

from typing import Final

from holdfast.kernel.entry import Entry
from holdfast.kernel.types import Model, SessionEnded, SessionStarted, VaultRef
from holdfast.stores.store import NO_CHANGES, Changes, Items, Value


class Sessions:
    """The fold over everything that carries a session id."""

    name: Final = "sessions"
    version: Final = 1
    items_max: Final = 1_000_000

    def apply(self, items: Items, entry: Entry, data: Model) -> Changes:
        """Count the entry to its session, and note its beginning or end."""
        if entry.session_id is None:
            return NO_CHANGES
        known = items.get(entry.session_id)
        session: dict[str, Value] = dict(known) if isinstance(known, dict) else _unseen(entry)
        count = session["entries"]
        assert isinstance(count, int)
        session |= {"entries": count + 1, "last": entry.seq}
        match data:
            case SessionStarted(parent=parent):
                session |= {"started": entry.seq, "parent": parent, "ended": None, "reason": None}
            case SessionEnded(reason=reason):
                said = reason.hash if isinstance(reason, VaultRef) else reason
                session |= {"ended": entry.seq, "reason": said}
            case _:
                pass  # every other type counts, and changes nothing else about its session
        return {entry.session_id: session}


def _unseen(entry: Entry) -> dict[str, Value]:
    return {
        "ended": None,
        "entries": 0,
        "first": entry.seq,
        "last": entry.seq,
        "parent": None,
        "reason": None,
        "started": None,
    }

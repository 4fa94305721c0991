"""Open work: what was begun and is not over yet. An item is there while its work is open."""

from __future__ import annotations

from typing import Final

from holdfast.kernel.entry import Entry
from holdfast.kernel.types import Model, WorkClosed, WorkOpened
from holdfast.stores.store import NO_CHANGES, Changes, Items
from holdfast.stores.wording import told


class OpenWork:
    """The fold over work that is opened and closed, by the work's own name.

    Opened twice, it keeps the number of the first entry and takes the newest title. Closing what
    is not open changes nothing.
    """

    name: Final = "open_work"
    version: Final = 1
    items_max: Final = 1_000_000
    takes: Final = frozenset({"work_opened", "work_closed"})
    reads: Final = takes
    rolls_back: Final = False

    def apply(self, items: Items, entry: Entry, data: Model) -> Changes:
        """Put work on the list, or take it off."""
        match data:
            case WorkOpened(work=work, title=title, kind=kind):
                known = items.get(work)
                return {
                    work: {
                        "kind": None if kind is None else told(kind),
                        "seq": known["seq"] if isinstance(known, dict) else entry.seq,
                        "session": entry.session_id,
                        "title": told(title),
                    }
                }
            case WorkClosed(work=work) if work in items:
                return {work: None}
            case _:
                return NO_CHANGES  # no other type opens or closes work

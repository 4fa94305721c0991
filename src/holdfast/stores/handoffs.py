"""Handoffs between agents: what was offered, to whom, and how it was answered.

    <id>          an offer, by the id of the entry that made it; it stays when it was answered
    OPEN          the list of offers that wait for an answer
    " to <name>"  those of them that are for one agent or one session

An offer is answered once: the first answer counts, and what comes later changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from heapq import merge
from typing import Any, Final

from holdfast.kernel.entry import Entry
from holdfast.kernel.types import HandoffAnswered, HandoffOffered, Model, VaultRef
from holdfast.stores.lists import Editing, count, newest
from holdfast.stores.store import NO_CHANGES, Changes, Items
from holdfast.stores.wording import told

__all__ = ["LISTED_MAX", "OPEN", "Handoffs", "count", "newest", "offer_of", "open_for", "open_now"]

OPEN: Final = " open"

LISTED_MAX: Final = 20
"""Next steps and references that an item keeps; its entry has all of them."""


class Handoffs:
    """The fold over offers and answers."""

    name: Final = "handoffs"
    version: Final = 1
    items_max: Final = 1_000_000
    takes: Final = frozenset({"handoff_offered", "handoff_answered"})
    reads: Final = takes
    rolls_back: Final = False

    def apply(self, items: Items, entry: Entry, data: Model) -> Changes:
        """Let an offer wait, or note its answer."""
        step = _Step(items, dict)
        match data:
            case HandoffOffered():
                step.offer(entry, data)
            case HandoffAnswered(handoff=handoff):
                if not step.waits(handoff):
                    return NO_CHANGES
                step.answer(entry, data)
            case _:
                return NO_CHANGES  # no other type offers or answers
        return step.changes


def open_for(items: Items, agent: str | None, session: str | None) -> list[dict[str, Any]]:
    """Return the offers that wait for an agent or for a session, the newest first."""
    names = dict.fromkeys(name for name in (agent, session) if name is not None)
    lists = [(item for _, item in newest(items, _to(name))) for name in names]
    return list(merge(*lists, key=_newness))


def open_now(items: Items, limit: int | None = None) -> Iterator[dict[str, Any]]:
    """Yield all offers that wait, the newest first."""
    return (item for _, item in newest(items, OPEN, limit))


def offer_of(items: Items, handoff: str) -> dict[str, Any] | None:
    """Return an offer by its id, answered ones too; None when there is none."""
    found: Any = items.get(handoff)
    return None if handoff.startswith(" ") or found is None else dict(found)


class _Step(Editing):
    """What one entry changes."""

    def offer(self, entry: Entry, data: HandoffOffered) -> None:
        """Put an offer on the lists."""
        item = self.at(entry.id)
        item |= {
            "answer": None,
            "answered": None,
            "by": None,
            "from": entry.actor.name,
            "id": entry.id,
            "next_steps": _listed(data.next_steps),
            "note": None if data.note is None else told(data.note),
            "reason": None,
            "refs": _listed(data.refs),
            "seq": entry.seq,
            "session": entry.session_id,
            "task": data.task,
            "title": told(data.title),
            "to": data.to,
        }
        self.link(OPEN, entry.id)
        self.link(_to(data.to), entry.id)

    def waits(self, handoff: str) -> bool:
        """Tell whether there is an offer that nobody answered yet."""
        offer: Any = self._items.get(handoff)
        return isinstance(offer, dict) and OPEN in offer.get("older", ())

    def answer(self, entry: Entry, data: HandoffAnswered) -> None:
        """Keep how an offer was answered; it waits no longer."""
        item = self.at(data.handoff)
        item |= {
            "answer": data.answer,
            "answered": entry.seq,
            "by": data.by,
            "reason": None if data.reason is None else told(data.reason),
        }
        self.unlink(OPEN, data.handoff)
        self.unlink(_to(item["to"]), data.handoff)


def _listed(texts: list[str | VaultRef] | VaultRef | None) -> list[str]:
    """Bound a list; its last line says how many more there are, and where."""
    if texts is None:
        return []
    if isinstance(texts, VaultRef):
        return [told(texts)]
    more = len(texts) - LISTED_MAX
    shown = [told(one) for one in texts[:LISTED_MAX]]
    return [*shown, f"… +{more}"] if more > 0 else shown


def _to(name: str) -> str:
    return f" to {name}"


def _newness(item: dict[str, Any]) -> int:
    return -int(item["seq"])

"""Lists that run through the items of a store, newest first, and changing several items at once.

Items are asked for by key only, so whoever wants the newest of very many needs a list: its head is
an item of its own, `{"count", "newest"}`, and each item on it names its neighbours under the list's
name in `older` and `newer`. Names of lists begin with a blank, which no key of an item does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from holdfast.stores.store import Items


def newest(items: Items, which: str, limit: int | None = None) -> Iterator[tuple[str, Any]]:
    """Yield the newest of a list, without looking at others."""
    head: Any = items.get(which)
    key = head["newest"] if head else None
    while key is not None and (limit is None or limit > 0):
        item: Any = items[key]
        yield key, item
        key = item["older"][which]
        limit = None if limit is None else limit - 1


def count(items: Items, which: str) -> int:
    """Return how many items a list holds."""
    head: Any = items.get(which)
    return int(head["count"]) if head else 0


class Editing:
    """What one entry changes, seen together with what was there before."""

    def __init__(self, items: Items, blank: Callable[[], dict[str, Any]]) -> None:
        self._items = items
        self._blank = blank
        self.changes: dict[str, Any] = {}

    def known(self, key: str) -> bool:
        """Tell whether there is such an item."""
        return (self.changes[key] if key in self.changes else self._items.get(key)) is not None

    def at(self, key: str) -> dict[str, Any]:
        """Return an item that may be changed: a copy of what is there, or a blank one."""
        if self.changes.get(key) is None:
            known: Any = None if key in self.changes else self._items.get(key)
            self.changes[key] = (
                _copy(known) if known else self._blank() | {"newer": {}, "older": {}}
            )
        item: dict[str, Any] = self.changes[key]
        return item

    def drop(self, key: str) -> None:
        """Take an item off every list, and away."""
        for which in list(self.at(key)["older"]):
            self.unlink(which, key)
        self.changes[key] = None

    def link(self, which: str, key: str) -> None:
        """Put an item in front of a list."""
        head = self._head(which)
        before = head["newest"]
        item = self.at(key)
        item["older"][which] = before
        item["newer"][which] = None
        if before is not None:
            self.at(before)["newer"][which] = key
        head |= {"count": head["count"] + 1, "newest": key}

    def unlink(self, which: str, key: str) -> None:
        """Take an item off a list, if it is on it."""
        item = self.at(key)
        if which not in item["older"]:
            return
        head = self._head(which)
        older, newer = item["older"].pop(which), item["newer"].pop(which)
        if older is not None:
            self.at(older)["newer"][which] = newer
        if newer is not None:
            self.at(newer)["older"][which] = older
        head |= {"count": head["count"] - 1}
        if newer is None:
            head["newest"] = older

    def each(self, which: str) -> list[str]:
        """Return the keys on a list as it is now, newest first."""
        head: Any = self.changes.get(which) or self._items.get(which)
        key = head["newest"] if head else None
        found = []
        while key is not None:
            found.append(key)
            item: Any = self.changes.get(key) or self._items[key]
            key = item["older"][which]
        return found

    def _head(self, which: str) -> dict[str, Any]:
        if which not in self.changes:
            known: Any = self._items.get(which)
            self.changes[which] = dict(known) if known else {"count": 0, "newest": None}
        head: dict[str, Any] = self.changes[which]
        return head


def _copy(item: dict[str, Any]) -> dict[str, Any]:
    return {
        key: value.copy() if isinstance(value, (dict, list)) else value
        for key, value in item.items()
    }

"""What changed in a store, as people mean it: without the links that lists run through.

Beside what they say, items hold who stands before and behind them on a list, and a few items are
about many. A fact did not change because another one came after it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from holdfast.stores.store import Items, Value
from holdfast.stores.story import PLACE

_LINKS: Final = frozenset({"newer", "older", "cited_by", "cites_before"})
"""Fields that say nothing about an item but where it stands."""


class Changes(msgspec.Struct, frozen=True):
    """What is there now, what is not any more, and which fields are others."""

    added: dict[str, Value]
    removed: dict[str, Value]
    """With what they were."""
    changed: dict[str, dict[str, tuple[Value, Value]]]
    """By field: what it was, and what it is."""

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.changed)


def readable(added: Items, removed: Items, changed: Mapping[str, tuple[Value, Value]]) -> Changes:
    """Leave out what is there for lists alone."""
    fields = {key: _fields(*both) for key, both in changed.items() if _tells(key)}
    return Changes(
        {key.strip(): _said(value) for key, value in added.items() if _tells(key)},
        {key.strip(): _said(value) for key, value in removed.items() if _tells(key)},
        {key.strip(): parts for key, parts in fields.items() if parts},
    )


def _tells(key: str) -> bool:
    return not key.startswith(" ") or key == PLACE


def _said(value: Value) -> Value:
    if not isinstance(value, dict):
        return value
    return {name: part for name, part in value.items() if name not in _LINKS}


def _fields(before: Value, after: Value) -> dict[str, tuple[Value, Value]]:
    old: Any = _said(before) if isinstance(before, dict) else {"value": before}
    new: Any = _said(after) if isinstance(after, dict) else {"value": after}
    return {
        name: (old.get(name), new.get(name))
        for name in sorted({*old, *new})
        if old.get(name) != new.get(name)
    }

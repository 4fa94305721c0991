"""Which task is meant, and which dependencies would go round in a circle."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any, Final

from holdfast.kernel.errors import InvalidInput, NotFound
from holdfast.kernel.limits import NEAR_NAMES_MAX
from holdfast.stores import tasks as store
from holdfast.stores.store import Items

NAMED_MAX: Final = 5
"""Tasks that a message names; the others are counted."""


def cycle(items: Items, task: str, depends_on: Sequence[str]) -> list[str] | None:
    """Return a way from a task through these dependencies back to it, None when there is none."""
    came: dict[str, str] = {}
    waiting = []
    for name in depends_on:
        came.setdefault(name, task)
        waiting.append(name)
    while waiting:
        name = waiting.pop()
        if name == task:
            return _way(came, task)
        item = store.item_of(items, name)
        for further in () if item is None else item["depends_on"]:
            if further not in came:
                came[further] = name
                waiting.append(further)
    return None


def spelled(way: Sequence[str]) -> str:
    """Say which way a cycle goes; of a long one, its ends."""
    if len(way) > 2 * NAMED_MAX:
        between = f"… {len(way) - 2 * NAMED_MAX + 2} more"
        way = [*way[: NAMED_MAX - 1], between, *way[-NAMED_MAX + 1 :]]
    return " → ".join(way)


def _way(came: Mapping[str, str], task: str) -> list[str]:
    way, name = [task], came[task]
    while name != task:
        way.append(name)
        name = came[name]
    return [task, *reversed(way)]


def find(items: Items, key: str) -> Any:
    """Return the item of the task that an id, or the beginning of one, names."""
    if (found := store.item_of(items, key)) is not None:
        return found
    begun = [
        item
        for _, item in store.newest(items, store.TASKS)
        if key.strip() and item["task"].startswith(key)
    ]
    if len(begun) == 1:
        return begun[0]
    if begun:
        names = ", ".join(item["task"] for item in begun[:NAMED_MAX])
        more = f" and {len(begun) - NAMED_MAX} more" if len(begun) > NAMED_MAX else ""
        raise InvalidInput(
            f"{len(begun)} tasks begin with {key!r}: {names}{more}.",
            meaning="Nothing was recorded.",
            remedy="Give more of the id.",
        )
    raise _unknown(items, key)


def _unknown(items: Items, key: str) -> NotFound:
    known = [item for _, item in islice(store.newest(items, store.TASKS), NEAR_NAMES_MAX)]
    near = difflib.get_close_matches(key, [item["task"] for item in known], n=3)
    near += [
        item["task"]
        for item in known
        if key.strip() and key.casefold() in item["title"].casefold() and item["task"] not in near
    ][: NAMED_MAX - len(near)]
    return NotFound(
        f"There is no task {key[:80]!r}.",
        meaning="Nothing was recorded.",
        remedy=f"Near ones: {', '.join(near)}."
        if near
        else "`holdfast task list` shows those there are.",
    )

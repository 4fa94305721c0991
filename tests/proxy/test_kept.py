"""Items in few bytes: what is read is what was given."""

from __future__ import annotations

from typing import Any

import pytest

from holdfast.kernel.hashing import artifact_hash
from holdfast.proxy.kept import KeptItems, Shown

DIGEST = artifact_hash(b"def f(): 1")
ITEM: dict[str, Any] = {
    "artifact": DIGEST,
    "buried": None,
    "episode": 3,
    "nodes": 26,
    "proposals": [],
    "seq": 70_000,
    "stale": False,
    "state": "AUTHORITATIVE",
    "tokens": 27,
    "version": "episode/r1",
    "withheld": False,
}
PROPOSAL = {"artifact": DIGEST, "nodes": 1, "sound": True, "tokens": 2, "version": "e/r2"}


@pytest.mark.parametrize(
    "item",
    [
        ITEM,
        ITEM | {"artifact": None, "state": None, "version": None, "proposals": [PROPOSAL]},
        ITEM | {"artifact": DIGEST.upper()},
        ITEM | {"artifact": "no digest"},
        ITEM | {"buried": 12, "state": "TOMBSTONED", "stale": True},
        ITEM | {"more": 1},
        {"proposals": [], "state": None, "artifact": None, "seq": 1},
    ],
)
def test_an_item_is_read_as_it_was_given(item: dict[str, Any]) -> None:
    items = KeptItems()
    items["entity a.py::f"] = item
    assert items["entity a.py::f"] == item
    assert items.shown("a.py::f") == Shown(item["artifact"], item["state"], item["seq"])


def test_an_item_takes_half_of_what_it_takes_with_its_fields_named() -> None:
    items = KeptItems()
    items["entity a.py::f"], items["file a.py"] = ITEM, ITEM
    [entity], [other] = items._entities.values(), items._others.values()
    assert len(entity) < len(other) / 2


def test_items_of_other_kinds_are_told_apart() -> None:
    items = KeptItems()
    items["entity file a"], items["file a"], items["tombstones 1"] = ITEM, {"seq": 1}, ["x"] * 11
    assert dict(items) == {"entity file a": ITEM, "file a": {"seq": 1}, "tombstones 1": ["x"] * 11}
    assert (len(items), list(items.entities())) == (3, ["file a"])
    del items["file a"]
    assert "file a" not in items
    assert "entity file a" in items


def test_a_copy_stays_what_it_was() -> None:
    told: list[str] = []
    items = KeptItems(lambda name, *_: told.append(name))
    items["entity a::f"] = ITEM
    copied = items.copy()
    del items["entity a::f"]
    copied["entity a::g"] = ITEM
    assert (set(items), set(copied)) == (set(), {"entity a::f", "entity a::g"})
    assert told == ["a::f", "a::f"]


def test_the_state_before_and_the_state_now_are_told() -> None:
    told: list[tuple[str, str | None, str | None]] = []
    items = KeptItems(lambda *change: told.append(change))
    items["entity a::f"] = ITEM
    items["entity a::f"] = ITEM | {"state": "TOMBSTONED"}
    items["file a"] = {}
    del items["entity a::f"]
    assert told == [
        ("a::f", None, "AUTHORITATIVE"),
        ("a::f", "AUTHORITATIVE", "TOMBSTONED"),
        ("a::f", "TOMBSTONED", None),
    ]

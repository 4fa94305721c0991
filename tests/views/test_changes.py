"""What changed in a store, without the links that lists run through."""

from __future__ import annotations

from holdfast.stores.store import Value
from holdfast.stores.story import PLACE
from holdfast.views.changes import readable


def test_links_and_heads_of_lists_are_left_out() -> None:
    item: dict[str, Value] = {
        "kind": "place",
        "newer": {" current": None},
        "older": {" current": "b"},
    }
    moved: dict[str, Value] = {**item, "newer": {" current": "c"}}
    changes = readable({"a": item, " current": {"count": 1}}, {}, {"b": (item, moved)})
    assert changes.added == {"a": {"kind": "place"}}
    assert changes.changed == {}
    assert not readable({" current": {"count": 1}}, {}, {"b": (item, moved)})


def test_a_field_that_became_another_is_shown_with_both_values() -> None:
    changes = readable({}, {}, {"a": ({"x": 0, "y": 1}, {"x": None, "y": 1, "z": []})})
    assert changes.changed == {"a": {"x": (0, None), "z": (None, [])}}


def test_where_the_story_takes_place_is_shown_and_plain_values_too() -> None:
    changes = readable({PLACE: {"scene": "gate"}}, {"n": 0}, {"m": (1, 2)})
    assert changes.added == {"place": {"scene": "gate"}}
    assert changes.removed == {"n": 0}
    assert changes.changed == {"m": {"value": (1, 2)}}

"""A JSON text is changed in one place, and every other byte of it stays."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.agents import json_text
from holdfast.kernel.errors import InvalidInput

ODD = """{
    "b" : [1,2 ,  3],  "a":{"x":"\\u00e9 {[,"},

\t"hooks": { "Stop": [ {"hooks":[]} ] }
}
"""

values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
objects = st.dictionaries(st.text(), values, max_size=4)
spellings = st.sampled_from([None, 1, 2, 4, "\t"])


def test_what_is_added_stands_at_the_end_and_all_else_stays() -> None:
    added = json_text.add_item(ODD, ("hooks", "Stop"), {"n": 1})
    assert added == ODD.replace('{"hooks":[]} ]', '{"hooks":[]}, {"n": 1} ]')
    assert json_text.get(added, ("hooks", "Stop", "x")) is None
    assert json_text.drop_item(added, ("hooks", "Stop"), 1) == ODD


def test_what_is_not_there_is_made_on_the_way() -> None:
    text = json_text.set_member("{}\n", ("a", "b", "c"), 1)
    assert text == '{\n  "a": {\n    "b": {\n      "c": 1\n    }\n  }\n}\n'
    assert json_text.set_member(text, ("a", "b", "c"), [2]) == text.replace(
        "1", "[\n        2\n      ]"
    )


def test_a_part_of_an_array_inside_an_item_can_go() -> None:
    text = '{"e": [{"hooks": [1, 2, 3], "m": "x"}]}'
    assert json_text.drop_item(text, ("e",), 0, "hooks", 1) == text.replace("2, ", "")


@given(objects, spellings, st.text(), values)
def test_adding_and_dropping_a_member_leaves_the_bytes(
    document: dict[str, Any], indent: int | str | None, key: str, value: Any
) -> None:
    document.pop(key, None)
    text = json.dumps(document, indent=indent, ensure_ascii=False)
    added = json_text.set_member(text, (key,), value)
    assert json.loads(added) == {**document, key: value}
    assert json_text.drop_member(added, (key,)) == text


@given(st.lists(values, max_size=4), spellings, values)
def test_adding_and_dropping_an_item_leaves_the_bytes(
    items: list[Any], indent: int | str | None, value: Any
) -> None:
    text = json.dumps({"list": items}, indent=indent)
    added = json_text.add_item(text, ("list",), value)
    assert json.loads(added) == {"list": [*items, value]}
    assert json_text.drop_item(added, ("list",), len(items)) == text


@given(objects, values)
def test_a_member_that_is_there_is_replaced_in_its_place(
    document: dict[str, Any], value: Any
) -> None:
    for key in document:
        changed = json_text.set_member(json.dumps(document, indent=2), (key,), value)
        assert list(json.loads(changed).items()) == list({**document, key: value}.items())


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        '{"a": 1,}',
        '// mine\n{"a": 1}',
        '{"a": 1, "a": 2}',
        '{"a": NaN}',
        "[" * 100_000,
        "\ufeff{}",
        "{} {}",
    ],
)
def test_what_is_not_plain_json_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="not plain JSON"):
        json_text.parse(text)


@pytest.mark.parametrize(("text", "path"), [("[]", ("a",)), ('{"a": 1}', ("a", "b"))])
def test_what_is_no_object_is_not_gone_into(text: str, path: tuple[str, ...]) -> None:
    with pytest.raises(InvalidInput, match="no object"):
        json_text.set_member(text, path, 1)

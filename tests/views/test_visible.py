"""Text of anybody's: shown, never obeyed."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from holdfast.views.visible import INVISIBLE, visible, visible_json

ODD = st.text(st.characters(codec="utf-8") | st.sampled_from("\u202e\u200b\x1b\x9b\U000e0100\r\n"))


@given(ODD)
def test_what_is_visible_has_no_character_that_hides_or_moves(text: str) -> None:
    shown = visible(text)
    assert shown.isprintable()
    assert not INVISIBLE & set(shown)
    assert visible(shown) == shown
    assert visible(text, lines=True).replace("\n", "").replace("\t", "").isprintable()


@given(st.dictionaries(ODD, ODD | st.lists(ODD)))
def test_visible_json_means_the_same(value: dict[str, object]) -> None:
    shown = visible_json(json.dumps(value, ensure_ascii=False))
    assert shown.isprintable()
    assert not INVISIBLE & set(shown)
    assert json.loads(shown) == value

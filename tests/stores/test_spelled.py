"""Items that are read when they are asked for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.kernel import canonical
from holdfast.kernel.hashing import item_hash, item_hashes
from holdfast.stores import Items, State, Value
from holdfast.stores.facts import Facts
from holdfast.stores.spelled import SpelledItems

values = st.dictionaries(st.sampled_from("abcd"), st.integers(0, 9) | st.text(max_size=3))
kept = st.dictionaries(st.sampled_from(["k", "l", "m", " head", "é"]), values, max_size=5)


def spelled(items: Items) -> dict[str, bytes]:
    return {key: canonical.encode(value) for key, value in items.items()}


@given(kept, st.lists(st.tuples(st.sampled_from("klmn"), st.none() | values), max_size=6))
def test_they_are_a_mapping_like_any_other(
    items: dict[str, Value], changes: list[tuple[str, Value]]
) -> None:
    given_bytes = spelled(items)
    before = dict(given_bytes)
    lazy, plain = SpelledItems(given_bytes), dict(items)
    for turn, (key, value) in enumerate(changes):
        if turn % 2:  # one that was never asked for can be put and taken away, too
            assert lazy.get(key) == plain.get(key)
        assert (key in lazy) == (key in plain)
        if value is None:
            lazy.pop(key, None)
            plain.pop(key, None)
        else:
            lazy[key] = plain[key] = value
        assert len(lazy) == len(plain)
    assert dict(lazy) == plain
    assert sorted(lazy) == sorted(plain)
    assert given_bytes == before


@given(kept)
def test_a_state_over_them_has_the_same_digest_and_bytes(items: dict[str, Value]) -> None:
    read, lazy = State(Facts(), items), State(Facts(), SpelledItems(spelled(items)))
    assert read.digest() == lazy.digest()
    assert read.dump() == lazy.dump()


@given(kept)
def test_hashes_of_many_are_those_of_each(items: dict[str, Value]) -> None:
    pairs = list(spelled(items).items())
    assert item_hashes(pairs) == [item_hash(key, value) for key, value in pairs]


def test_what_is_not_there_is_not_there() -> None:
    lazy = SpelledItems({"k": b"1"})
    with pytest.raises(KeyError):
        lazy["l"]
    with pytest.raises(KeyError):
        del lazy["l"]
    del lazy["k"]
    assert "k" not in lazy

"""Each entry names the leaf of the one before it; a change anywhere is seen at its place."""

from __future__ import annotations

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.kernel import chain, entry
from holdfast.kernel.chain import Head
from holdfast.kernel.entry import Sealed
from holdfast.testing import LEDGER, prepared, sealed_chain

START = Head(LEDGER)


def kinds(sealed: Sealed, seq: int, prev: bytes | None, *, ledger: str = LEDGER) -> list[str]:
    read = entry.read(sealed.body)
    before = None if prev is None else prev.hex()
    return [kind for kind, _ in chain.link(read, ledger=ledger, seq=seq, prev=before)]


def test_a_new_ledger_starts_at_zero_behind_64_zeros() -> None:
    first = chain.seal(START, prepared())
    read = entry.read(first.body)
    assert 0 == read.seq == first.seq
    assert read.prev == "0" * 64


def test_the_leaf_is_the_hash_of_the_bytes_as_stored() -> None:
    sealed = chain.seal(START, prepared())
    assert sha256(b"\x00" + sealed.body).digest() == sealed.leaf


def test_an_entry_names_the_leaf_before_it_and_the_next_number() -> None:
    first, second, third = sealed_chain(START, 3)
    assert [entry.read(one.body).seq for one in (first, second, third)] == [0, 1, 2]
    assert first.leaf.hex() == entry.read(second.body).prev
    assert second.leaf.hex() == entry.read(third.body).prev


def test_sealing_carries_the_names_that_engines_look_up() -> None:
    sealed = chain.seal(START, prepared("error", 3, id="x", session_id="s"))
    assert (sealed.id, sealed.type, sealed.session_id) == ("x", "error", "s")


@given(st.lists(st.integers(1, 4), max_size=5))
def test_a_chain_sealed_in_parts_is_the_chain_sealed_at_once(parts: list[int]) -> None:
    head, pieces = START, []
    for count in parts:
        piece = sealed_chain(head, count)
        pieces += piece
        head = chain.after(head, piece[-1])
    assert sealed_chain(START, sum(parts)) == pieces
    assert sum(parts) == head.size


def test_sealing_is_the_same_in_every_run() -> None:
    expected = "23ac5372521a"
    assert expected == sealed_chain(START, 3)[-1].leaf.hex()[:12]


def test_a_sealed_chain_has_no_faults() -> None:
    prev = START.leaf
    for seq, sealed in enumerate(sealed_chain(START, 5, types=("decision", "error"))):
        assert kinds(sealed, seq, prev) == []
        prev = sealed.leaf


def test_an_entry_at_another_place_is_seen() -> None:
    first, second, _ = sealed_chain(START, 3)
    assert kinds(second, 2, first.leaf) == ["seq"]


def test_an_entry_of_another_ledger_is_seen() -> None:
    (first,) = sealed_chain(START, 1)
    assert kinds(first, 0, START.leaf, ledger="f" * 32) == ["ledger"]


def test_an_entry_behind_another_one_is_seen() -> None:
    _, second = sealed_chain(START, 2)
    assert kinds(second, 1, b"\1" * 32) == ["chain"]


def test_an_entry_whose_neighbour_is_unreadable_is_checked_in_all_else() -> None:
    _, second = sealed_chain(START, 2)
    assert kinds(second, 1, None) == []
    assert kinds(second, 3, None) == ["seq"]


def test_data_that_was_changed_is_seen() -> None:
    first, _ = sealed_chain(START, 2)
    changed = Sealed(0, first.id, first.type, None, first.leaf, first.body.replace(b"Way", b"Wax"))
    assert changed.body != first.body
    assert kinds(changed, 0, START.leaf) == ["data"]


def test_every_fault_of_an_entry_is_named_at_once() -> None:
    (first,) = sealed_chain(START, 1)
    changed = Sealed(0, first.id, first.type, None, first.leaf, first.body.replace(b"Way", b"Wax"))
    found = kinds(changed, 4, b"\1" * 32, ledger="f" * 32)
    assert found == ["seq", "ledger", "chain", "data"]


@pytest.mark.parametrize("size", [0, 1, 9])
def test_the_head_after_an_entry_is_behind_it(size: int) -> None:
    head = Head(LEDGER, size, b"\7" * 32)
    sealed = chain.seal(head, prepared(n=size))
    assert Head(LEDGER, size + 1, sealed.leaf) == chain.after(head, sealed)

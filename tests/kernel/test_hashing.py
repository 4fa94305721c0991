"""Hashes are plain SHA-256 over a prefix that tells their uses apart."""

from __future__ import annotations

from hashlib import sha256
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from holdfast.kernel import hashing


def test_the_leaf_of_nothing_is_that_of_the_reference_implementation() -> None:
    expected = "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"
    assert expected == hashing.leaf_hash(b"").hex()


def test_the_empty_root_is_the_hash_of_nothing() -> None:
    expected = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert expected == hashing.EMPTY_ROOT.hex()


def test_the_zero_leaf_is_32_zero_bytes() -> None:
    assert hashing.ZERO_LEAF == b"\0" * 32


def test_a_node_hashes_its_children_in_order() -> None:
    left, right = hashing.leaf_hash(b"l"), hashing.leaf_hash(b"r")
    assert sha256(b"\x01" + left + right).digest() == hashing.node_hash(left, right)
    assert hashing.node_hash(right, left) != hashing.node_hash(left, right)


def test_a_leaf_made_of_two_hashes_is_not_their_node() -> None:
    left, right = hashing.leaf_hash(b"l"), hashing.leaf_hash(b"r")
    assert hashing.leaf_hash(left + right) != hashing.node_hash(left, right)


def test_content_hashes_are_what_sha256sum_prints() -> None:
    expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert expected == hashing.data_hash(b"abc")
    assert expected == hashing.artifact_hash(b"abc")


def test_an_item_hash_counts_the_key_in_bytes() -> None:
    expected = sha256(b"\x02\x00\x00\x00\x02" + b"\xc3\xa9" + b"v").digest()
    assert expected == hashing.item_hash("é", b"v")


def test_an_item_keeps_key_and_value_apart() -> None:
    assert hashing.item_hash("ab", b"c") != hashing.item_hash("a", b"bc")


def test_the_digest_of_nothing_is_the_hash_of_the_prefix() -> None:
    assert sha256(b"\x03").hexdigest() == hashing.digest_of([])


@given(st.lists(st.binary(min_size=32, max_size=32)), st.randoms())
def test_a_digest_does_not_depend_on_order(hashes: list[bytes], random: Random) -> None:
    shuffled = random.sample(hashes, len(hashes))
    assert hashing.digest_of(hashes) == hashing.digest_of(iter(shuffled))


def test_a_digest_counts_repeated_hashes() -> None:
    leaf = hashing.leaf_hash(b"")
    assert hashing.digest_of([leaf]) != hashing.digest_of([leaf, leaf])

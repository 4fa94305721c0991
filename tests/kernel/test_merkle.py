"""The tree agrees with the reference vectors and with the RFC's own definitions."""

from __future__ import annotations

from hashlib import sha256
from itertools import pairwise, product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.kernel import merkle
from holdfast.kernel.errors import InvalidInput
from holdfast.kernel.hashing import EMPTY_ROOT, leaf_hash
from holdfast.kernel.limits import INTEGER_MAX, TREE_BLOCK_LEAVES

# The vectors that certificate-transparency's reference implementations share.
REFERENCE_LEAVES = [
    leaf_hash(bytes.fromhex(text))
    for text in (
        "",
        "00",
        "10",
        "2021",
        "3031",
        "40414243",
        "5051525354555657",
        "606162636465666768696a6b6c6d6e6f",
    )
]
REFERENCE_ROOTS = [
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]
LEAF_0 = "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"
LEAF_1 = "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7"
LEAF_4 = "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b"
LEAVES_0_2 = "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"
LEAVES_0_4 = "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7"
LEAVES_2_4 = "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e"
LEAVES_4_6 = "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a"
LEAVES_4_8 = "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4"
LEAVES_6_8 = "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0"
REFERENCE_INCLUSION = [
    (0, 1, []),
    (0, 8, [LEAF_1, LEAVES_2_4, LEAVES_4_8]),
    (5, 8, [LEAF_4, LEAVES_6_8, LEAVES_0_4]),
    (2, 3, [LEAVES_0_2]),
    (1, 5, [LEAF_0, LEAVES_2_4, LEAF_4]),
]
REFERENCE_CONSISTENCY = [
    (1, 1, []),
    (1, 8, [LEAF_1, LEAVES_2_4, LEAVES_4_8]),
    (6, 8, [LEAVES_4_6, LEAVES_6_8, LEAVES_0_4]),
    (2, 5, [LEAVES_2_4, LEAF_4]),
]

LEAVES = [leaf_hash(number.to_bytes(2, "big")) for number in range(600)]
SMALL_SIZE_MAX = 40


# The definitions of RFC 9162 §2.1.1, §2.1.3.1 and §2.1.4.1, as they are written there.


def naive_root(leaves: list[bytes]) -> bytes:
    if not leaves:
        return sha256(b"").digest()
    if len(leaves) == 1:
        return leaves[0]
    k = naive_split(len(leaves))
    return sha256(b"\x01" + naive_root(leaves[:k]) + naive_root(leaves[k:])).digest()


def naive_path(m: int, leaves: list[bytes]) -> list[bytes]:
    if len(leaves) == 1:
        return []
    k = naive_split(len(leaves))
    if m < k:
        return [*naive_path(m, leaves[:k]), naive_root(leaves[k:])]
    return [*naive_path(m - k, leaves[k:]), naive_root(leaves[:k])]


def naive_subproof(m: int, leaves: list[bytes], whole: bool) -> list[bytes]:
    if m == len(leaves):
        return [] if whole else [naive_root(leaves)]
    k = naive_split(len(leaves))
    if m <= k:
        return [*naive_subproof(m, leaves[:k], whole), naive_root(leaves[k:])]
    return [*naive_subproof(m - k, leaves[k:], False), naive_root(leaves[:k])]


def naive_split(n: int) -> int:
    k = 1
    while k * 2 < n:
        k *= 2
    return k


def unhex(hashes: list[str]) -> list[bytes]:
    return [bytes.fromhex(text) for text in hashes]


def include(index: int, size: int) -> list[bytes]:
    return merkle.inclusion_proof(index, size, merkle.node_from_leaves(LEAVES[:size]))


def connect(old_size: int, new_size: int) -> list[bytes]:
    return merkle.consistency_proof(old_size, new_size, merkle.node_from_leaves(LEAVES[:new_size]))


def root(size: int) -> bytes:
    return merkle.root_of(LEAVES[:size])


def is_included(index: int, size: int, proof: list[bytes]) -> bool:
    return merkle.verify_inclusion(LEAVES[index], index, size, proof, root(size))


def is_consistent(old_size: int, new_size: int, proof: list[bytes]) -> bool:
    return merkle.verify_consistency(old_size, root(old_size), new_size, root(new_size), proof)


def spoilt(proof: list[bytes]) -> list[list[bytes]]:
    """Every proof one small step away: a bit flipped, two swapped, one lost, one added."""
    twins = []
    for place, old in enumerate(proof):
        for bit in range(256):
            flipped = (int.from_bytes(old, "big") ^ (1 << bit)).to_bytes(32, "big")
            twins.append([*proof[:place], flipped, *proof[place + 1 :]])
        twins.append(proof[:place] + proof[place + 1 :])
        twins.append([*proof[:place], old, *proof[place:]])
        twins.append([*proof[:place], old[:31], *proof[place + 1 :]])
        twins.append([*proof[:place], old + b"\0", *proof[place + 1 :]])
    for place, (left, right) in enumerate(pairwise(proof)):
        twins.append([*proof[:place], right, left, *proof[place + 2 :]])
    return [*twins, [*proof, bytes(32)], [bytes(32), *proof], [*proof, *proof, bytes(32)]]


@pytest.mark.parametrize("size", range(9))
def test_roots_are_those_of_the_reference_implementation(size: int) -> None:
    assert REFERENCE_ROOTS[size] == merkle.root_of(REFERENCE_LEAVES[:size]).hex()


@pytest.mark.parametrize(("index", "size", "expected"), REFERENCE_INCLUSION)
def test_inclusion_proofs_are_those_of_the_reference_implementation(
    index: int, size: int, expected: list[str]
) -> None:
    node = merkle.node_from_leaves(REFERENCE_LEAVES)
    proof = merkle.inclusion_proof(index, size, node)
    assert unhex(expected) == proof
    tree_root = bytes.fromhex(REFERENCE_ROOTS[size])
    assert merkle.verify_inclusion(REFERENCE_LEAVES[index], index, size, proof, tree_root)


@pytest.mark.parametrize(("old_size", "new_size", "expected"), REFERENCE_CONSISTENCY)
def test_consistency_proofs_are_those_of_the_reference_implementation(
    old_size: int, new_size: int, expected: list[str]
) -> None:
    proof = merkle.consistency_proof(old_size, new_size, merkle.node_from_leaves(REFERENCE_LEAVES))
    assert unhex(expected) == proof
    old_root, new_root = unhex([REFERENCE_ROOTS[old_size], REFERENCE_ROOTS[new_size]])
    assert merkle.verify_consistency(old_size, old_root, new_size, new_root, proof)


@given(st.lists(st.binary(min_size=32, max_size=32), max_size=300), st.integers(0, 300))
def test_a_root_is_the_rfcs_however_the_leaves_arrive(leaves: list[bytes], cut: int) -> None:
    whole = merkle.Frontier.empty().extend(leaves)
    assert naive_root(leaves) == whole.root()
    assert whole == merkle.Frontier.empty().extend(leaves[:cut]).extend(iter(leaves[cut:]))
    assert len(leaves) == whole.size


def test_appending_one_by_one_gives_every_root_on_the_way() -> None:
    frontier = merkle.Frontier.empty()
    for size in range(301):
        assert naive_root(LEAVES[:size]) == frontier.root()
        frontier = frontier.append(LEAVES[size])


def test_appending_leaves_the_older_frontier_as_it_was() -> None:
    older = merkle.Frontier.empty().extend(LEAVES[:5])
    older.append(LEAVES[5])
    older.extend(LEAVES[5:9])
    assert naive_root(LEAVES[:5]) == older.root()


@pytest.mark.parametrize("leaves", [1, 2, 4, 8, 16, 32, 64, 128, 256])
def test_appending_a_subtree_is_appending_its_leaves(leaves: int) -> None:
    for place in range(0, len(LEAVES) - leaves + 1, leaves):
        frontier = merkle.Frontier.empty().extend(LEAVES[:place])
        block = LEAVES[place : place + leaves]
        assert frontier.extend(block) == frontier.append_subtree(merkle.root_of(block), leaves)


def test_block_roots_and_a_ragged_rest_make_the_whole_tree() -> None:
    frontier = merkle.Frontier.empty()
    whole_blocks = len(LEAVES) // TREE_BLOCK_LEAVES
    for block in range(whole_blocks):
        first = block * TREE_BLOCK_LEAVES
        block_root = merkle.root_of(LEAVES[first : first + TREE_BLOCK_LEAVES])
        frontier = frontier.append_subtree(block_root, TREE_BLOCK_LEAVES)
    frontier = frontier.extend(LEAVES[whole_blocks * TREE_BLOCK_LEAVES :])
    assert naive_root(LEAVES) == frontier.root()


@pytest.mark.parametrize(("size", "leaves"), [(0, 0), (0, -1), (0, 3), (1, 2), (6, 4), (4, 8)])
def test_a_subtree_that_does_not_fit_is_refused(size: int, leaves: int) -> None:
    with pytest.raises(InvalidInput, match="does not fit"):
        merkle.Frontier.empty().extend(LEAVES[:size]).append_subtree(LEAVES[0], leaves)


@pytest.mark.parametrize("leaf", [b"", bytes(31), bytes(33)])
def test_a_leaf_that_is_not_a_hash_is_refused(leaf: bytes) -> None:
    with pytest.raises(InvalidInput, match="32 bytes"):
        merkle.Frontier.empty().append(leaf)
    with pytest.raises(InvalidInput, match="32 bytes"):
        merkle.root_of([LEAVES[0], leaf])


def test_every_small_inclusion_proof_is_the_rfcs_and_verifies() -> None:
    for size in range(1, SMALL_SIZE_MAX + 1):
        for index in range(size):
            proof = include(index, size)
            assert naive_path(index, LEAVES[:size]) == proof
            assert is_included(index, size, proof)


def test_every_small_consistency_proof_is_the_rfcs_and_verifies() -> None:
    for new_size in range(1, SMALL_SIZE_MAX + 1):
        for old_size in range(1, new_size + 1):
            proof = connect(old_size, new_size)
            assert naive_subproof(old_size, LEAVES[:new_size], True) == proof
            assert is_consistent(old_size, new_size, proof)


@given(st.integers(1, 300), st.data())
def test_larger_proofs_are_the_rfcs_and_verify(size: int, data: st.DataObject) -> None:
    index = data.draw(st.integers(0, size - 1))
    assert naive_path(index, LEAVES[:size]) == include(index, size)
    assert is_included(index, size, include(index, size))
    assert naive_subproof(index + 1, LEAVES[:size], True) == connect(index + 1, size)
    assert is_consistent(index + 1, size, connect(index + 1, size))


@given(st.integers(1, 600), st.data())
def test_a_prover_asks_only_for_aligned_ranges(size: int, data: st.DataObject) -> None:
    def node(first: int, last: int) -> bytes:
        assert 0 <= first < last <= size
        width = 1 << (last - first - 1).bit_length()
        assert first % width == 0
        assert last == size or last - first == width
        return bytes(32)

    index = data.draw(st.integers(0, size - 1))
    merkle.inclusion_proof(index, size, node)
    merkle.consistency_proof(index, size, node)


@pytest.mark.parametrize(("index", "size"), [(0, 0), (-1, 3), (3, 3), (4, 3)])
def test_no_inclusion_proof_is_made_for_a_leaf_that_is_not_there(index: int, size: int) -> None:
    with pytest.raises(InvalidInput, match="no leaf"):
        include(index, size)


@pytest.mark.parametrize(("old_size", "new_size"), [(-1, 3), (4, 3)])
def test_no_consistency_proof_is_made_backwards(old_size: int, new_size: int) -> None:
    with pytest.raises(InvalidInput, match="prefix"):
        connect(old_size, new_size)


@pytest.mark.parametrize(("index", "size"), [(0, 1), (0, 2), (4, 5), (6, 7), (3, 8), (10, 13)])
def test_a_spoilt_inclusion_proof_fails(index: int, size: int) -> None:
    proof = include(index, size)
    assert [
        twin for twin in spoilt(proof) if twin != proof and is_included(index, size, twin)
    ] == []


@pytest.mark.parametrize(
    ("old_size", "new_size"), [(1, 2), (2, 3), (3, 4), (4, 7), (6, 8), (7, 13), (8, 13), (5, 5)]
)
def test_a_spoilt_consistency_proof_fails(old_size: int, new_size: int) -> None:
    proof = connect(old_size, new_size)
    twins = [twin for twin in spoilt(proof) if twin != proof]
    assert [twin for twin in twins if is_consistent(old_size, new_size, twin)] == []


def test_an_inclusion_proof_fails_for_another_index_leaf_or_root() -> None:
    for size in range(2, 18):
        for index in range(size):
            proof, leaf = include(index, size), LEAVES[index]
            for other in (other for other in range(-2, size + 2) if other != index):
                assert not merkle.verify_inclusion(leaf, other, size, proof, root(size))
                assert not merkle.verify_inclusion(LEAVES[other], index, size, proof, root(size))
            assert not merkle.verify_inclusion(leaf, index, size, proof, root(size + 1))


def test_an_inclusion_proof_fails_for_the_root_of_another_size() -> None:
    for size in range(1, 18):
        for other in (other for other in range(18) if other != size):
            for index in range(min(size, other)):
                proof = include(index, size)
                leaf = LEAVES[index]
                assert not merkle.verify_inclusion(leaf, index, other, proof, root(other))


def test_a_consistency_proof_fails_for_the_sizes_of_others() -> None:
    for new_size in range(2, 14):
        for old_size in range(1, new_size):
            proof = connect(old_size, new_size)
            for other in (other for other in range(16) if other not in (old_size, new_size)):
                assert not is_consistent(other, new_size, proof)
                assert not is_consistent(old_size, other, proof)
            assert not is_consistent(new_size, old_size, proof)


def test_a_consistency_proof_fails_for_a_changed_root() -> None:
    for old_size, new_size in ((1, 2), (4, 6), (5, 9), (8, 8)):
        proof, old, new = connect(old_size, new_size), root(old_size), root(new_size)
        assert not merkle.verify_consistency(old_size, root(20), new_size, new, proof)
        assert not merkle.verify_consistency(old_size, old, new_size, root(20), proof)


def test_the_empty_tree_is_a_prefix_of_every_tree() -> None:
    for size in range(5):
        assert connect(0, size) == []
        assert is_consistent(0, size, [])
        assert not is_consistent(0, size, [bytes(32)])
        assert not merkle.verify_consistency(0, LEAVES[0], size, root(size), [])
    assert not merkle.verify_consistency(0, LEAVES[0], 0, LEAVES[0], [])


def test_equal_sizes_need_equal_roots_and_no_proof() -> None:
    for size in range(1, 6):
        assert is_consistent(size, size, [])
        assert not is_consistent(size, size, [root(size)])
        assert not merkle.verify_consistency(size, root(size), size, EMPTY_ROOT, [])


HOSTILE_SIZES: list[Any] = [
    -1,
    0,
    1,
    7,
    INTEGER_MAX,
    INTEGER_MAX + 1,
    2**64,
    1 << 100_000,
    7.0,
    None,
    "7",
]
HOSTILE_PROOFS: list[Any] = [
    [],
    [bytes(32)] * 54,
    [bytes(32)] * 100_000,
    [b""],
    [None],
    ["0" * 32],
    [1],
    None,
    7,
    bytes(32),
    {},
]


@pytest.mark.parametrize("proof", HOSTILE_PROOFS, ids=range(len(HOSTILE_PROOFS)))
def test_hostile_proofs_are_false_and_never_an_error(proof: Any) -> None:
    for first, second in product(HOSTILE_SIZES, repeat=2):
        assert not merkle.verify_inclusion(LEAVES[0], first, second, proof, LEAVES[1])
        assert not merkle.verify_consistency(first, LEAVES[0], second, LEAVES[1], proof)


@pytest.mark.parametrize("odd", [None, b"", bytes(31), bytes(33), "0" * 32, 0])
def test_hostile_hashes_are_false_and_never_an_error(odd: Any) -> None:
    assert not merkle.verify_inclusion(odd, 0, 1, [], LEAVES[0])
    assert not merkle.verify_inclusion(LEAVES[0], 0, 1, [], odd)
    assert not merkle.verify_consistency(1, odd, 1, odd, [])
    assert not merkle.verify_consistency(0, EMPTY_ROOT, 1, odd, [])


@given(
    st.integers(-1, 2**60),
    st.integers(-1, 2**60),
    st.lists(st.binary(min_size=31, max_size=33) | st.just(bytes(32)), max_size=70),
)
def test_random_proofs_are_false(first: int, second: int, proof: list[bytes]) -> None:
    assert not merkle.verify_inclusion(LEAVES[0], first, second, proof, LEAVES[1])
    assert not merkle.verify_consistency(first, LEAVES[0], second, LEAVES[1], proof)

"""The disk that chance leaves: what was synced is always there, the rest as the model says."""

from random import Random

import pytest

from holdfast.testing.faults.disk import MODELS, Digests, Disk, Image, Model
from holdfast.testing.faults.ops import (
    Create,
    Delete,
    Op,
    Rename,
    Sync,
    SyncFailed,
    SyncFolder,
    Truncate,
    Write,
)


def _images(disk: Disk, model: Model, count: int = 60) -> list[Image]:
    return [disk.image(model, Random(seed)) for seed in range(count)]


def _disk(*ops: Op, honest: bool = True) -> Disk:
    disk = Disk({"a": b"old"}, honest=honest)
    for op in ops:
        disk.apply(op)
    return disk


@pytest.mark.parametrize("model", MODELS)
def test_what_was_synced_is_there_under_every_model(model: Model) -> None:
    disk = _disk(Write("a", 0, b"new"), Sync("a"))
    assert disk.settled
    assert _images(disk, model) == [{"a": b"new"}] * 60


def test_lost_has_nothing_and_all_has_everything_that_was_not_synced() -> None:
    disk = _disk(Write("a", 0, b"N"), Write("a", 3, b"more"))
    assert _images(disk, "lost", 1) == [{"a": b"old"}]
    assert _images(disk, "all", 1) == [{"a": b"Nldmore"}]


def test_prefix_keeps_the_order_and_subset_does_not() -> None:
    disk = _disk(Write("a", 0, b"1"), Write("a", 1, b"2"))
    prefixes = {image["a"] for image in _images(disk, "prefix")}
    subsets = {image["a"] for image in _images(disk, "subset")}
    assert prefixes == {b"old", b"1ld", b"12d"}
    assert subsets == prefixes | {b"o2d"}


def test_torn_writes_break_at_sectors_of_the_disk() -> None:
    disk = _disk(Truncate("a", 1536), Sync("a"), Write("a", 256, b"x" * 768))
    seen = {image["a"][256:1024] for image in _images(disk, "torn", 200)}
    sectors = {(part[:256], part[256:]) for part in seen}
    assert {left for left, _ in sectors} == {bytes(256), b"x" * 256}
    assert {right for _, right in sectors} == {bytes(512), b"x" * 512}
    assert len(sectors) == 4


def test_a_hole_reads_as_zeros() -> None:
    assert _images(_disk(Write("a", 5, b"!")), "all", 1) == [{"a": b"old\0\0!"}]


def test_a_new_file_may_be_missing_until_its_folder_is_synced() -> None:
    made: list[Op] = [Create("b"), Write("b", 0, b"x"), Sync("b")]
    assert _images(_disk(*made), "lost", 1) == [{"a": b"old"}]
    assert _images(_disk(*made, SyncFolder("")), "lost", 1) == [{"a": b"old", "b": b"x"}]


def test_a_deleted_file_may_be_back_until_its_folder_is_synced() -> None:
    assert _images(_disk(Delete("a")), "lost", 1) == [{"a": b"old"}]
    assert _images(_disk(Delete("a"), SyncFolder("")), "lost", 1) == [{}]


def test_a_rename_is_there_or_not() -> None:
    disk = _disk(Create("b"), Write("b", 0, b"new"), Sync("b"), SyncFolder(""), Rename("b", "a"))
    assert _images(disk, "lost", 1) == [{"a": b"old", "b": b"new"}]
    assert _images(disk, "all", 1) == [{"a": b"new"}]


def test_what_a_failed_sync_forgot_does_not_come_back_with_the_next_one() -> None:
    disk = _disk(Write("a", 0, b"new"), SyncFailed("a"), Sync("a"))
    forgotten = _images(disk, "all", 1)[0]["a"]
    disk.apply(Write("a", 0, b"new"))
    disk.apply(Sync("a"))
    assert forgotten in (b"old", b"new")
    assert _images(disk, "lost", 1) == [{"a": b"new"}]


def test_a_lying_disk_keeps_nothing_for_sure() -> None:
    disk = _disk(Write("a", 0, b"new"), Sync("a"), honest=False)
    assert _images(disk, "lost", 1) == [{"a": b"old"}]


def test_images_have_the_same_name_only_when_every_byte_is_the_same() -> None:
    names = Digests()
    images: list[Image] = [
        {"a": b"1"},
        {"a": b"2"},
        {"b": b"1"},
        {"a": b"1", "b": b""},
        {"a": b"1"},
    ]
    found = [names.name(image) for image in images]
    assert found[0] == found[-1]
    assert len(set(found)) == 4

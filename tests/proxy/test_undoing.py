"""An edit that the client did not carry out did not happen."""

from __future__ import annotations

import pytest

from holdfast.proxy.values import Ruling
from tests.proxy.world import PATH, World, rebuilt

TWO = "def a():\n    return 1\n\n\ndef b():\n    return 2\n"
THREE = TWO.replace("return 1", "return 10") + "\n\ndef c():\n    return 3\n"
ONE = "def a():\n    return 10\n"


def undo(world: World, done: Ruling) -> Ruling:
    world.episode += 1
    episode = f"e{world.episode}"
    ruling = world.judging.undo(world.map, done, version=f"{episode}/1", episode=episode)
    return world.take(ruling)


@pytest.mark.req("T6")
def test_the_old_text_comes_back_as_a_sighting_of_its_own_and_what_was_new_goes() -> None:
    world = World()
    world.user(TWO)
    ruling = undo(world, world.tell(THREE))
    assert world.text("a") == "def a():\n    return 1"
    assert world.entity("a").version == "e3/1"
    assert world.state("c") == "TOMBSTONED"
    assert world.is_file(TWO)
    assert ruling.promoted == (f"{PATH}::a",)
    assert world.reasons() == {"the client did not carry it out"}
    assert world.map.dump() == rebuilt(world)


def test_what_was_taken_away_comes_back() -> None:
    world = World()
    world.user(TWO)
    done = world.change(ONE)
    assert world.state("b") == "TOMBSTONED"
    undo(world, done)
    assert world.text("b") == "def b():\n    return 2"
    assert world.text("a") == "def a():\n    return 1"
    assert world.is_file(TWO)


def test_what_was_taken_away_comes_back_after_its_tombstone_is_gone() -> None:
    world = World()
    world.user(TWO)
    done = world.change(ONE)
    world.episodes(20)
    undo(world, done)
    assert world.text("b") == "def b():\n    return 2"


def test_where_somebody_moved_on_that_stays() -> None:
    world = World()
    world.user(TWO)
    done = world.tell(THREE)
    world.user(THREE.replace("return 10", "return 100"))
    undo(world, done)
    assert world.text("a") == "def a():\n    return 100"
    assert world.state("c") == "TOMBSTONED"
    assert world.is_file(THREE.replace("return 10", "return 100"))


def test_undoing_twice_does_nothing_more() -> None:
    world = World()
    world.user(TWO)
    done = world.tell(THREE)
    undo(world, done)
    before = world.map.dump()
    assert undo(world, done).drafts == ()
    assert before == world.map.dump()


def test_a_new_file_that_was_not_written_is_gone() -> None:
    world = World()
    undo(world, world.tell(TWO))
    assert (world.state("a"), world.state("b")) == ("TOMBSTONED", "TOMBSTONED")
    assert world.is_file(None)


def test_what_only_waited_has_nothing_to_be_undone() -> None:
    world = World()
    world.user(TWO)
    assert undo(world, world.tell(ONE)).drafts == ()

"""A sound proposal can be given authority; nothing else can, and a late word only lowers."""

from __future__ import annotations

import pytest

from tests.proxy.world import PATH, World, rebuilt

CLASS = (
    "class C:\n"
    "    def a(self):\n        return 1\n\n"
    "    def b(self):\n        return 2\n\n"
    "    def c(self):\n        return 3\n"
)
SMALLER = CLASS.replace("    def b(self):\n        return 2\n\n", "").replace(
    "return 1", "return 10"
)
NAME = f"{PATH}::C"


@pytest.fixture
def world() -> World:
    """A world with a sound proposal: the class without one of its methods."""
    world = World()
    world.user(CLASS + "\n\ndef f():\n    return 1\n")
    world.tell(SMALLER + "\n\ndef f():\n    return 1\n")
    assert [one.sound for one in world.entity("C").proposals] == [True]
    return world


@pytest.mark.req("T7", "T12")
@pytest.mark.parametrize("name", ["C", "C.a"])
def test_a_vouched_for_class_is_taken_with_all_that_stands_in_it(world: World, name: str) -> None:
    ruling = world.judging.grant(world.map, f"{PATH}::{name}", "e9", "verification")
    world.take(ruling)
    assert world.text("C") == SMALLER.rstrip()
    assert world.text("C.a") == "def a(self):\n        return 10"
    assert world.state("C.b") == "TOMBSTONED"
    assert world.state("C.c") == world.state("f") == "AUTHORITATIVE"
    assert world.is_file(SMALLER + "\n\ndef f():\n    return 1\n")
    assert set(ruling.promoted) == {NAME, f"{NAME}.a"}
    raised = [one for one in world.moves() if one["after"] == "AUTHORITATIVE"][-1]
    assert (raised["grant"], raised["version"]) == ("verification", "e2/1")
    assert world.map.dump() == rebuilt(world)


@pytest.mark.req("T13")
def test_an_audit_raises_only_what_its_own_episode_proposed(world: World) -> None:
    assert world.judging.grant(world.map, NAME, "e1", "audit").drafts == ()
    assert world.judging.grant(world.map, NAME, "e", "audit").drafts == ()
    world.take(world.judging.grant(world.map, NAME, "e2", "audit"))
    assert world.text("C") == SMALLER.rstrip()


def test_the_newest_sound_proposal_is_the_one_that_counts(world: World) -> None:
    newer = SMALLER.replace("return 10", "return 11")
    world.tell(newer + "\n\ndef f():\n    return 1\n")
    world.take(world.judging.grant(world.map, NAME, "e9", "verification"))
    assert world.text("C") == newer.rstrip()
    assert world.entity("C").proposals == ()


@pytest.mark.parametrize("name", [f"{PATH}::f", f"{PATH}::none", f"{NAME}.b", "none.py::C"])
def test_where_nothing_is_proposed_nothing_is_raised(world: World, name: str) -> None:
    assert world.judging.grant(world.map, name, "e2", "verification").drafts == ()
    assert world.judging.lower(world.map, name, "e2", "partial").drafts == ()


@pytest.mark.lesson("T5")
@pytest.mark.parametrize(
    "text",
    [
        "def f():\n    return 1\n",  # loses the class
        CLASS.replace("return 1", "return (1") + "\n\ndef f():\n    return 1\n",
    ],
)
def test_nobody_s_word_raises_what_is_not_sound(text: str) -> None:
    world = World()
    world.user(CLASS + "\n\ndef f():\n    return 0\n")
    world.tell(text)
    assert not any(one.sound for one in world.entity("C").proposals)
    for name in ("C", "C.a"):
        for grant in ("verification", "audit"):
            ruling = world.judging.grant(world.map, f"{PATH}::{name}", "e2", grant)
            assert ruling.drafts == ()


@pytest.mark.req("T13")
def test_a_word_that_it_is_not_done_takes_the_proposals_away(world: World) -> None:
    before = world.text("C"), world.text("C.a")
    world.take(world.judging.lower(world.map, f"{NAME}.a", "e2", "the audit says: partial"))
    assert world.entity("C").proposals == world.entity("C.a").proposals == ()
    assert before == (world.text("C"), world.text("C.a"))
    assert {(one["before"], one["after"]) for one in world.moves()[-1:]} == {
        ("PROPOSED", "TOMBSTONED")
    }
    assert world.judging.grant(world.map, NAME, "e2", "audit").drafts == ()
    assert world.map.dump() == rebuilt(world)


@pytest.mark.req("T13")
def test_a_late_word_never_lowers_what_is_authoritative(world: World) -> None:
    world.take(world.judging.grant(world.map, NAME, "e2", "audit"))
    before = world.map.dump()
    assert world.judging.lower(world.map, NAME, "e2", "partial").drafts == ()
    assert before == world.map.dump()


def test_a_method_s_proposal_is_not_raised_without_its_class(world: World) -> None:
    """A snippet of a method that lost something inside it: its class would be another truth."""
    nested = "class D:\n    def a(self):\n        def x(): return 1\n        return x, x, x\n"
    world.user(nested, "src/d.py")
    text = "class D:\n    def a(self):\n        return 1, 2, 3, 4, 5, 6, 7, 8\n"
    world.tell(text, "src/d.py", symbol="D.a", form="block")
    assert [one.sound for one in world.entity("D.a", "src/d.py").proposals] == [True]
    ruling = world.judging.grant(world.map, "src/d.py::D.a", "e9", "verification")
    assert ruling.drafts == ()

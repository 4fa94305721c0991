"""Whatever crosses, in whatever order: no illegal move, nothing unproved promoted, nothing lost."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from msgspec.structs import replace

from holdfast.code import read_symbols
from holdfast.kernel.types import LEGAL
from holdfast.proxy.values import Entity, Piece, Ruling
from tests.proxy.world import World, rebuilt

PATHS = ("a.py", "b.py")
NAMES = ("f", "g", "h")

SOUND = ["return 1", "return 2", "return 3", "y = [1, 2, 3]\n    return y", "pass"]
bodies = st.sampled_from([*SOUND * 3, "return (1", "x = 1\n    # ... rest unchanged"])
methods = st.lists(st.tuples(st.sampled_from(NAMES), st.integers(0, 3)), max_size=2)


@st.composite
def texts(draw: st.DrawFn) -> str:
    """Some functions and a class, sound or not, in any order."""
    parts = []
    for name in draw(st.lists(st.sampled_from(NAMES), max_size=3)):
        parts.append(f"def {name}():\n    {draw(bodies)}\n")
    if draw(st.booleans()):
        inner = "".join(
            f"    def {name}(self):\n        return {value}\n" for name, value in draw(methods)
        )
        parts.append(f"class C:\n    x = 1\n{inner}")
    return "\n\n".join(draw(st.permutations(parts)))


pieces = st.fixed_dictionaries(
    {
        "text": texts(),
        "path": st.sampled_from([*PATHS, None, "../up.py"]),
        "speaker": st.sampled_from(["user", "model", "model", "tool"]),
        "whole": st.sampled_from([True, True, False]),
        "delta": st.booleans(),
        "saw_base": st.sampled_from([True, True, False]),
        "complete": st.sampled_from([True, True, True, False]),
        "level": st.sampled_from(["CONFIRMED"] * 4 + ["INFERRED", "UNRESOLVED"]),
        "deletes": st.sampled_from([False] * 6 + [True]),
        "symbol": st.sampled_from([None, None, None, "f", "C", "C.f", "C.g"]),
        "near": st.sampled_from([None, "a.py::f"]),
    }
)


def crossing(world: World, given: dict[str, Any]) -> Piece:
    fields = dict(given)
    text, path = fields.pop("text"), fields.pop("path")
    if fields["symbol"] is None:
        fields.pop("symbol")
    else:
        fields["whole"] = fields["delta"] = False
    if fields["deletes"]:
        text = None
    if path is None:
        fields |= {"delta": False}
    return world.piece(text, path, **fields)


def standing(world: World) -> dict[str, Entity]:
    """Return what is true, whatever waits beside it."""
    return {
        one.name: replace(one, proposals=(), updated=0)
        for one in world.map.entities()
        if one.state == "AUTHORITATIVE"
    }


def check(before: dict[str, Entity], world: World, piece: Piece, ruling: Ruling) -> None:
    """What a piece may have done, by the rules in plain words."""
    after = standing(world)
    came = {name for name, one in after.items() if one != before.get(name) and not one.stale}
    gone = before.keys() - after.keys()
    if piece.level != "CONFIRMED" or piece.path is None or ".." in piece.path:
        assert before == after
        return
    assert all(name.startswith(f"{piece.path}::") for name in came | gone)
    for name in came:
        text = world.map.text(after[name].artifact or "") or ""
        reading = read_symbols(text, "python")
        assert not reading.errors, text
        assert not reading.elided, text
        assert piece.complete
        assert piece.saw_base or piece.speaker != "model" or not piece.delta
    if gone and piece.speaker == "model":
        assert piece.deletes or piece.delta, "only a change can say that something goes"
        assert "renamed" not in str(ruling.drafts)


@pytest.mark.req("T6", "T7", "T8")
@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(pieces, min_size=1, max_size=8))
def test_no_piece_moves_anything_that_is_not_proved(crossed: list[dict[str, Any]]) -> None:
    world = World()
    for given_ in crossed:
        before = standing(world)
        piece = crossing(world, given_)
        ruling = world.take(world.judging.judge(world.map, piece))
        check(before, world, piece, ruling)
    assert {(one["before"], one["after"]) for one in world.moves()} <= LEGAL
    assert world.map.dump() == rebuilt(world)
    assert world.ledger.verify().ok


@pytest.mark.req("T14")
@settings(max_examples=60, deadline=None)
@given(texts(), st.sampled_from(["a.py::f", "a.py::none", None]), st.sampled_from([None, "n.py"]))
def test_similarity_makes_and_advances_nothing(
    text: str, near: str | None, path: str | None
) -> None:
    world = World()
    world.user("def f():\n    return 1\n", "a.py")
    before = standing(world)
    world.tell(text, path, level="INFERRED", by="similarity", near=near)
    assert before == standing(world)
    assert world.map.entity("n.py::f") is None


class Crossing(RuleBasedStateMachine):
    """Pieces, grants, audits, undone edits and episodes in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.world = World()
        self.done: list[Ruling] = []

    @rule(given_=pieces)
    def cross(self, given_: dict[str, Any]) -> None:
        piece = crossing(self.world, given_)
        self.done.append(self.world.take(self.world.judging.judge(self.world.map, piece)))

    @rule(
        path=st.sampled_from(PATHS),
        symbol=st.sampled_from([*NAMES, "C", "C.f"]),
        grant=st.sampled_from(["verification", "audit"]),
        back=st.integers(0, 2),
    )
    def grant(self, path: str, symbol: str, grant: Any, back: int) -> None:
        name = f"{path}::{symbol}"
        sound = _sound(self.world.map.entity(name))
        episode = f"e{self.world.episode - back}"
        ruling = self.world.judging.grant(self.world.map, name, episode, grant)
        self.world.take(ruling)
        assert sound or not ruling.drafts
        assert set(ruling.promoted) <= standing(self.world).keys()

    @rule(
        path=st.sampled_from(PATHS),
        symbol=st.sampled_from([*NAMES, "C", "C.f"]),
        back=st.integers(0, 2),
    )
    def lower(self, path: str, symbol: str, back: int) -> None:
        before = standing(self.world)
        episode = f"e{self.world.episode - back}"
        name = f"{path}::{symbol}"
        self.world.take(self.world.judging.lower(self.world.map, name, episode, "partial"))
        assert before == standing(self.world)

    @precondition(lambda self: self.done)
    @rule(which=st.integers(0, 3))
    def undo(self, which: int) -> None:
        done = self.done[max(0, len(self.done) - 1 - which)]
        self.world.episode += 1
        episode = f"e{self.world.episode}"
        ruling = self.world.judging.undo(
            self.world.map, done, version=f"{episode}/1", episode=episode
        )
        self.world.take(ruling)

    @rule(count=st.integers(1, 6))
    def pass_by(self, count: int) -> None:
        self.world.episodes(count)

    @rule(path=st.sampled_from(PATHS), symbol=st.sampled_from([None, "f", "C"]))
    def doubt(self, path: str, symbol: str | None) -> None:
        data = {"path": path, "symbol": symbol, "reason": "it changed on disk"}
        self.world.ledger.append("disk_truth", data)
        self.world.map.catch_up(self.world.ledger.reader)

    @invariant()
    def live_is_rebuilt(self) -> None:
        assert self.world.map.dump() == rebuilt(self.world)

    @invariant()
    def a_class_holds_what_is_said_of_its_methods(self) -> None:
        """No entity is another truth than the one that it stands in, unless that is doubted."""
        for path in PATHS:
            outer = self.world.map.entity(f"{path}::C")
            if outer is None or outer.state != "AUTHORITATIVE" or outer.stale:
                continue
            text = self.world.map.text(outer.artifact or "") or ""
            for name in self.world.map.symbols(path):
                inner = self.world.map.entity(f"{path}::{name}")
                if name.startswith("C.") and inner is not None and not inner.stale:
                    assert (self.world.map.text(inner.artifact or "") or "") in text


def _sound(entity: Entity | None) -> bool:
    return entity is not None and any(one.sound for one in entity.proposals)


TestCrossing = pytest.mark.req("T4", "T6")(Crossing.TestCase)
TestCrossing.settings = settings(
    max_examples=60, stateful_step_count=14, deadline=None, suppress_health_check=list(HealthCheck)
)

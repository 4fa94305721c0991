"""What is judged on drafts is what is true once they are entries."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from holdfast.proxy.overlay import Overlay
from holdfast.proxy.resolving import Parser
from holdfast.proxy.values import Draft, Entity, Map
from holdfast.workers import ParseWorker
from tests.proxy.exchanges import Chat, Room, block, text
from tests.proxy.shown import Desk, define

ADD = "def add(a, b):\n    return a + b\n"
SUB = "def sub(a, b):\n    return a - b\n"


def without_places(entity: Entity | None) -> object:
    """Return all of an entity but which entry changed it: drafts have no place yet."""
    return None if entity is None else (entity.state, entity.artifact, entity.version,
        entity.nodes, entity.tokens, entity.stale, entity.proposals)  # fmt: skip


def told(known: Map, *paths: str) -> list[object]:
    found: list[object] = []
    for path in paths:
        names = {*known.symbols(path), *known.proposed(path), "add", "sub", "never"}
        found += [known.symbols(path), known.proposed(path), known.file(path)]
        found += [without_places(known.entity(f"{path}::{name}")) for name in sorted(names)]
    return found


@pytest.fixture(scope="module")
def parser() -> Iterator[Parser]:
    with ParseWorker() as worker:
        yield worker


def test_drafts_on_top_look_as_they_will_as_entries(parser: Parser) -> None:
    room = Room(parser)
    chat = Chat(room)
    chat.user(block("calc.py", f"{ADD}\n\n{SUB}"))
    answers = [
        block("calc.py", ADD.replace("+", "*")),
        block("calc.py", f"{ADD.replace(chr(43), chr(47))}\n\n{SUB}"),
        block("other.py", ADD),
        block("calc.py::sub", SUB.replace("a - b", "b - a")),
    ]
    room.together = True
    for words in answers:
        chat.exchange("go on", text(words))
        overlay, jobs = Overlay(room.live), list(room.waiting)
        overlay.apply(room.settler.settle(jobs, room.live).drafts)
        before = told(room.live, "calc.py", "other.py")
        room.flush()
        after = told(room.live, "calc.py", "other.py")
        assert told(overlay, "calc.py", "other.py") == after != before


def test_texts_of_drafts_are_at_hand_and_what_is_below_stays_as_it_is() -> None:
    desk = Desk()
    desk.show("a.py", add=ADD)
    overlay = Overlay(desk.live)
    _, moves = desk._moves("a.py")
    moves.promote([define("add", ADD)], "again", "parity")
    moves.propose([define("add", SUB)], "new", sound=True)
    moves.settle(define("", SUB).artifact, SUB, "all of it")
    overlay.apply([draft for draft in moves.drafts() if draft.data.get("before") is None])
    assert overlay.text(define("", SUB).artifact) == SUB
    assert desk.live.text(define("", SUB).artifact) is None
    assert overlay.file("a.py") == define("", SUB).artifact
    assert desk.live.file("a.py") is None
    assert overlay.proposed("a.py") == ("add",)
    assert desk.live.proposed("a.py") == ()


def test_what_somebody_says_of_the_disk_counts_on_top_as_well() -> None:
    desk = Desk()
    desk.show("a.py", add=ADD)
    overlay = Overlay(desk.live)
    overlay.apply([Draft("disk_truth", {"path": "a.py", "symbol": "add", "reason": "changed"})])
    entity = overlay.entity("a.py::add")
    assert entity is not None
    assert entity.stale

"""Decisions in a ledger: recorded with all that belongs to them, or not at all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.index.views import Views
from holdfast.kernel.chain import Head
from holdfast.kernel.entry import Actor
from holdfast.kernel.errors import NotFound, StorageFailed
from holdfast.kernel.types import ScenarioAdded
from holdfast.ledger import rulings
from holdfast.ledger.decisions import Asked, Decided, Decisions, Joined
from holdfast.ledger.forks import Forks, derived_id, fork_id
from holdfast.ledger.ledger import Draft, Ledger, Receipt
from holdfast.ledger.redaction import Redactor
from holdfast.storage.memory import MemoryEngine
from holdfast.storage.port import Batch
from holdfast.stores.decisions import CURRENT, newest
from holdfast.testing.builders import KEY, LEDGER, open_memory_ledger

SCENARIO = ScenarioAdded(task=None, name="boundary", type="edge", expected="it holds")


class Log(MemoryEngine):
    """An engine that remembers how many entries came at once, and can refuse them."""

    def __init__(self) -> None:
        super().__init__(LEDGER)
        self.batches: list[int] = []
        self.refuses = False

    def append(self, batch: Batch, *, expected_head: Head) -> None:
        if self.refuses:
            raise StorageFailed("no room")
        super().append(batch, expected_head=expected_head)
        self.batches.append(len(batch.entries))


class Desk:
    """A ledger in memory, with what decides in it."""

    def __init__(self, ledger: Ledger | None = None) -> None:
        self.engine = Log()
        self.ledger = ledger or open_memory_ledger(self.engine)
        self.views = Views(":memory:")
        self.decisions = Decisions(self.ledger, self.views)
        self.forks = Forks(self.ledger, self.views)

    def decide(self, choice: str, subject: str | None = "store", **fields: Any) -> Decided:
        joined, key = fields.pop("joined", None), fields.pop("id", None)
        asked = Asked(choice, "because", "which?", subject=subject, **fields)
        return self.decisions.decide(asked, id=key, joined=joined)

    def types(self) -> list[str]:
        return [entry.type for entry in self.ledger.read()]


@pytest.fixture
def desk() -> Iterator[Desk]:
    opened = Desk()
    yield opened
    opened.views.close()


@pytest.mark.req("L2")
def test_a_contradicting_decision_is_recorded_with_its_fork_at_once(desk: Desk) -> None:
    first = desk.decide("Keep it in Redis")
    second = desk.decide("Keep it in SQLite", joined=Joined(scenarios=(SCENARIO,)))
    assert desk.types() == ["decision", "decision", "scenario_added", "fork_opened"]
    assert desk.engine.batches == [1, 3]
    [fork] = second.forks
    assert (fork.decision, fork.against_decision) == (second.receipt.id, first.receipt.id)
    assert [known.fork for known in desk.forks.open()] == [fork]


@pytest.mark.req("L2")
@pytest.mark.lesson("N2")
def test_ids_that_something_else_took_keep_nothing_of_a_decision_out(desk: Desk) -> None:
    desk.decide("Keep it in Redis", id="d1")
    taken = (fork_id("d2", "d1"), derived_id("scenario", "d2", "0"))
    for name in taken:
        desk.ledger.append("session_started", {}, id=name)
    second = desk.decide("Keep it in SQLite", id="d2", joined=Joined(scenarios=(SCENARIO,)))
    assert desk.types()[3:] == ["decision", "scenario_added", "fork_opened"]
    assert desk.engine.batches == [1, 1, 1, 3]
    assert [known.fork for known in desk.forks.open()] == list(second.forks)
    assert second.forks[0].fork == f"{fork_id('d2', 'd1')}-2"


@pytest.mark.req("L2")
def test_if_one_entry_of_a_decision_cannot_be_written_none_is(desk: Desk) -> None:
    desk.decide("Keep it in Redis")
    desk.engine.refuses = True
    with pytest.raises(StorageFailed):
        desk.decide("Keep it in SQLite", joined=Joined(scenarios=(SCENARIO,)))
    assert desk.types() == ["decision"]
    assert desk.forks.count() == 0


def test_compatible_decisions_open_no_fork_and_name_what_was_decided(desk: Desk) -> None:
    first = desk.decide("Keep it in Redis")
    second = desk.decide("Keep it in Redis for a day", "storage")
    assert second.forks == ()
    assert [ruling.id for ruling in second.prior.found] == [first.receipt.id]
    assert second.prior.found[0].statement.choice == "Keep it in Redis"


@pytest.mark.lesson("N2")
def test_superseding_opens_no_fork_and_shows_nothing_that_no_longer_holds(desk: Desk) -> None:
    first = desk.decide("Keep it in Redis")
    second = desk.decide("Keep it in SQLite", supersedes=(first.receipt.id,))
    assert (second.forks, second.prior.found) == ((), ())
    third = desk.decide("Keep it in Redis")
    assert [fork.against_decision for fork in third.forks] == [second.receipt.id]


@pytest.mark.parametrize(("superseded", "ruling"), [(0, "ledger outdated"), (1, "agent wrong")])
def test_superseding_one_side_settles_a_fork(desk: Desk, superseded: int, ruling: str) -> None:
    sides = [desk.decide("Keep it in Redis"), desk.decide("Keep it in SQLite")]
    stays = "Keep it in SQLite" if superseded == 0 else "Keep it in Redis"
    last = desk.decide(stays, supersedes=(sides[superseded].receipt.id,))
    [fork] = sides[1].forks
    assert last.settled == (fork.fork,)
    known = desk.forks.get(fork.fork)
    assert (known.is_open, known.ruling, known.decision) == (False, ruling, last.receipt.id)


def test_every_contradicted_decision_gets_its_fork(desk: Desk) -> None:
    desk.decide("Keep it in Redis")
    desk.decide("Keep it in SQLite")
    assert len(desk.decide("Keep it in PostgreSQL").forks) == 2
    assert desk.forks.count() == 3


@pytest.mark.req("L1")
@pytest.mark.parametrize(
    ("before", "now", "said"),
    [
        ("user", "agent", "What the user decided outranks what a model says now."),
        ("agent", "user", "What the user decided outranks a decision in the log."),
        ("agent", "agent", "A decision in the log outranks what a model says now."),
        ("user", "user", "what was recorded before stands until it is ruled on"),
    ],
)
def test_a_fork_names_the_side_that_outranks_the_other(before: Any, now: Any, said: str) -> None:
    engine = Log()
    for kind, choice in ((before, "Keep it in Redis"), (now, "Keep it in SQLite")):
        ledger = Ledger(engine, redactor=Redactor(KEY), actor=Actor(kind, "somebody"))
        decided = Desk(ledger).decide(choice)
    assert said in decided.forks[0].higher


def test_a_retry_with_the_same_id_adds_nothing(desk: Desk) -> None:
    desk.decide("Keep it in Redis")
    asked = Asked("Keep it in SQLite", "because", "which?", subject="store")
    first = desk.decisions.decide(asked, id="d", joined=Joined(scenarios=(SCENARIO,)))
    again = desk.decisions.decide(asked, id="d", joined=Joined(scenarios=(SCENARIO,)))
    assert (first.receipt.duplicate, again.receipt.duplicate) == (False, True)
    assert again.receipt.seq == first.receipt.seq
    assert len(desk.types()) == 4
    desk.decide("Keep it in PostgreSQL")
    size = len(desk.types())
    late = desk.decisions.decide(asked, id="d", joined=Joined(scenarios=(SCENARIO,)))
    assert (late.receipt.duplicate, late.forks) == (True, ())
    assert len(desk.types()) == size


@pytest.mark.req("L2")
def test_what_is_too_long_to_be_repeated_is_read_from_its_entry(desk: Desk) -> None:
    desk.decide("Keep it in Redis; " + "that is well considered; " * 20)
    assert len(desk.decide("Keep it in SQLite").forks) == 1
    desk.decide("Turn the frob; " + "x" * 40_000, "frob")
    assert len(desk.decide("Do not turn the frob", "frob").forks) == 1


@pytest.mark.lesson("N15")
def test_of_very_many_near_ones_the_newest_are_looked_at_and_the_others_counted(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rulings, "FORK_LOOKED_AT_MAX", 2)
    for part in ("first", "second", "third", "fourth"):
        desk.decide("Keep it in Redis", f"store of the {part} part")
    decided = desk.decide("Keep it in SQLite", "store")
    assert decided.prior.unlooked == 2
    assert [fork.subject for fork in decided.forks] == ["store", "store"]
    desk.decide("Keep it in PostgreSQL", "store of the first part")
    assert len(desk.forks.open()) > 2


class Interrupted(Ledger):
    """A ledger in which somebody else writes right before our turn, once."""

    meanwhile: tuple[Draft, ...] = ()

    def append_many(
        self, drafts: Iterable[Draft], *, now_us: int | None = None, at: int | None = None
    ) -> list[Receipt]:
        due, self.meanwhile = self.meanwhile, ()
        for draft in due:
            self.append(draft.type, draft.data)
        return super().append_many(drafts, now_us=now_us, at=at)


@pytest.mark.req("L2")
def test_what_others_decide_between_our_look_and_our_turn_is_not_missed() -> None:
    ours = Interrupted(Log(), redactor=Redactor(KEY))
    theirs = {
        **{"question": "which?", "choice": "Keep it in Redis", "reasoning": "r"},
        **{"alternatives": [], "subject": "store"},
    }
    ours.meanwhile = (Draft("decision", theirs),)
    desk = Desk(ours)
    decided = desk.decide("Keep it in SQLite")
    assert decided.receipt.seq == 1
    assert [fork.against for fork in decided.forks] == ["Keep it in Redis"]
    assert desk.forks.count() == 1


def test_what_is_not_there_cannot_be_superseded_and_nothing_is_recorded(desk: Desk) -> None:
    with pytest.raises(NotFound):
        desk.decide("Keep it in Redis", supersedes=("nobody",))
    assert desk.types() == []


PLACES = ("Redis", "SQLite", "PostgreSQL")
STEPS = st.lists(
    st.tuples(
        st.sampled_from(("session store", "storage of sessions", "job queue")),
        st.sampled_from(PLACES),
        st.none() | st.integers(0, 7),
    ),
    min_size=2,
    max_size=8,
)


@pytest.mark.req("L2")
@given(STEPS)
@settings(max_examples=40)
def test_no_two_current_decisions_contradict_each_other_without_a_fork(
    steps: list[tuple[str, str, int | None]],
) -> None:
    desk = Desk()
    made: dict[str, tuple[bool, str]] = {}
    for subject, place, superseded in steps:
        known = list(made)
        ended = () if superseded is None or not known else (known[superseded % len(known)],)
        decided = desk.decide(f"Keep it in {place}", subject, supersedes=ended)
        made[decided.receipt.id] = ("session" in subject, place)
    current = {key for key, _ in newest(desk.views.items("decisions"), CURRENT)}
    forked = {
        frozenset((data["decision"], data["against_decision"]))
        for entry in desk.ledger.read()
        if entry.type == "fork_opened" and (data := entry.value())
    }
    for one, other in combinations(sorted(current), 2):
        differ = made[one][0] == made[other][0] and made[one][1] != made[other][1]
        assert (frozenset((one, other)) in forked) == differ
    still = [known.fork for known in desk.forks.open()]
    assert all({fork.decision, fork.against_decision} <= current for fork in still)
    desk.views.close()

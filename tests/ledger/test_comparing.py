"""Many decisions held against each other: found is what one by one would find, in its order."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any, Final

import pytest

from holdfast.index.views import Views
from holdfast.kernel.limits import FORK_COMPARED_CHARS_MAX, FORK_SAME_MAX
from holdfast.ledger import rulings
from holdfast.ledger.comparing import Unopened, unopened
from holdfast.ledger.forks import Fork, Forks, fork_of
from holdfast.ledger.ledger import Ledger
from holdfast.ledger.rulings import ruling_of, rulings_on
from holdfast.stores import decisions
from holdfast.testing.builders import data_for, open_memory_ledger

SUBJECTS: Final = ("the queue", "queues", "queue order", "order", "retry", "", None)
SYMBOLS: Final = ("src/a.py::put", "src/a.py::take", "src/b.py::run")
CHOICES: Final = (
    "Keep it in {}", "Do not keep it in {}", "Retry {} times", "Take it eagerly from {}",
    "Take it lazily from {}", "Use {} instead of redis", "Leave {} out",
)  # fmt: skip
THINGS: Final = ("memory", "redis", "sqlite", "postgresql", "3", "5")


class Desk:
    """A ledger with decisions in it that were recorded as plain entries."""

    def __init__(self) -> None:
        self.ledger: Ledger = open_memory_ledger()
        self.views = Views(":memory:")
        self.forks = Forks(self.ledger, self.views)

    def decide(self, choice: str, **said: Any) -> str:
        data = data_for("decision", choice=choice, **{"alternatives": [], **said})
        data = {name: value for name, value in data.items() if value is not None}
        return self.ledger.append("decision", data).id

    def fold(self) -> None:
        self.views.fold_up(self.ledger.reader)

    def held(self) -> list[str]:
        """Return the decisions that hold, the newest first."""
        self.fold()
        return [key for key, _ in decisions.newest(self._items(), decisions.CURRENT)]

    def _items(self) -> Any:
        return self.views.items("decisions")

    def unopened(self, **asked: Any) -> Unopened:
        return unopened(self.ledger, self.views, self.held(), **asked)

    def one_by_one(self, *, same_only: bool) -> list[Fork]:
        """Hold each decision against the others by itself, as it is said to be done."""
        found = []
        for key in self.held():
            mine = ruling_of(self.ledger, key)
            if mine is None or not (mine.statement.subject or mine.statement.symbols):
                continue
            said = mine.statement
            on = rulings_on(self.ledger, self.views, said, without={key}, same_only=same_only)
            found += [
                fork_of(said, other, conflict, decision=key)
                for other, conflict in on.against(said)
                if other.seq < mine.seq
            ]
        return [fork for fork in found if not self.forks.was_opened(fork)]


@pytest.fixture
def desk() -> Iterator[Desk]:
    made = Desk()
    with made.ledger, made.views:
        yield made


def work(desk: Desk, chance: random.Random, count: int) -> None:
    """Record decisions by chance, some superseded, some grounded anew, some long."""
    made: list[str] = []
    for _ in range(count):
        choice = chance.choice(CHOICES).format(chance.choice(THINGS))
        if chance.random() < 0.05:
            choice += "; and so on" * chance.choice((200, 500))
        said: dict[str, Any] = {"subject": chance.choice(SUBJECTS)}
        if chance.random() < 0.3:
            symbols = chance.sample(SYMBOLS, chance.randrange(1, 3))
            said["grounds"] = {"cited": 1, "exact": 1, "symbols": symbols}
        if chance.random() < 0.3:
            said["alternatives"] = [f"Keep it in {chance.choice(THINGS)}"]
        if made and chance.random() < 0.1:
            said["supersedes"] = [chance.choice(made)]
        made.append(desk.decide(choice, **said))
        if chance.random() < 0.1:
            grounds = {"cited": 1, "exact": 1, "symbols": [chance.choice(SYMBOLS)]}
            anew = {"decision": chance.choice(made), "grounds": grounds}
            desk.ledger.append("decision_grounded", anew)


def settle_some(desk: Desk, chance: random.Random) -> None:
    """Open some forks, rule on some of those, and take the names that others would have."""
    for fork in chance.sample(desk.one_by_one(same_only=True), k=12):
        match chance.randrange(4):
            case 0:
                desk.ledger.append("session_started", {}, id=fork.fork)
            case 1:
                draft = fork.draft()
                desk.ledger.append(draft.type, draft.data, id=f"other {fork.fork}")
            case number:
                desk.forks.open_all([fork])
                if number == 2:
                    settled = desk.forks.resolution(fork.fork, "compatible", "both may stand")
                    desk.ledger.append_many([settled])


@pytest.mark.req("L2", "L15")
@pytest.mark.parametrize("same_only", [True, False])
@pytest.mark.parametrize("seed", range(6))
def test_what_is_found_is_what_one_by_one_finds_in_the_same_order(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, seed: int, same_only: bool
) -> None:
    monkeypatch.setattr(rulings, "RULINGS_KEPT_MAX", (4_096, 60, 0)[seed % 3])
    chance = random.Random(seed)
    work(desk, chance, 120)
    desk.fold()
    settle_some(desk, chance)
    expected = desk.one_by_one(same_only=same_only)
    assert len(expected) > 20
    assert Unopened(expected) == desk.unopened(same_only=same_only)
    for limit in (0, 1, 10, len(expected), len(expected) + 1):
        first = expected[:limit]
        cut = Unopened(first, len(expected) - len(first))
        assert cut == desk.unopened(same_only=same_only, limit=limit)


def test_among_very_many_the_newest_on_a_subject_are_held_against_each_other(desk: Desk) -> None:
    for number in range(FORK_SAME_MAX + 20):
        desk.decide(f"Retry {number} times", subject="retry")
    expected = desk.one_by_one(same_only=True)
    assert len(expected) == FORK_SAME_MAX * (FORK_SAME_MAX - 1) // 2
    assert Unopened(expected) == desk.unopened(same_only=True)


def test_forks_beyond_the_limit_are_counted_however_many(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("holdfast.ledger.comparing.FOUND_AT_ONCE", 7)
    for number in range(30):
        desk.decide(f"Retry {number} times", subject="retry")
    expected = desk.one_by_one(same_only=True)
    found = desk.unopened(same_only=True, limit=3)
    assert Unopened(expected[:3], len(expected) - 3) == found


def test_a_long_decision_is_held_against_others_too(desk: Desk) -> None:
    long = "; and so on" * (FORK_COMPARED_CHARS_MAX // 10)
    desk.decide(f"Keep it in memory{long}", subject="retry")
    later = desk.decide(f"Do not keep it in memory{long}", subject="retry")
    [fork] = desk.unopened(same_only=True).forks
    assert fork.decision == later


def test_what_is_looked_up_grows_with_the_decisions_and_not_with_their_pairs(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(200):
        desk.decide("Keep it in memory", subject=f"part {number % 4}", alternatives=[f"{number}"])
    desk.fold()
    looked_up = []
    look = desk.views.look

    def counted(ask: Any) -> Any:
        looked_up.append(ask)
        return look(ask)

    monkeypatch.setattr(desk.views, "look", counted)
    assert desk.unopened(same_only=True) == Unopened([])
    assert len(looked_up) < 5 * 200

"""Tasks as callers move them: found by the beginning of an id, never in a circle, shown whole."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.index.views import Views
from holdfast.kernel.errors import InvalidInput, NotFound
from holdfast.kernel.limits import TASK_DEPENDENCIES_MAX
from holdfast.ledger.ledger import Ledger
from holdfast.ledger.tasks import TaskChanges, Tasks
from holdfast.testing.builders import data_for, open_memory_ledger


class Desk:
    def __init__(self) -> None:
        self.ledger: Ledger = open_memory_ledger(session_id="s1")
        self.views = Views(":memory:")
        self.tasks = Tasks(self.ledger, self.views)

    def add(self, *names: str, **fields: Any) -> None:
        for name in names:
            self.tasks.add(f"Do {name}", task=name, **fields)


@pytest.fixture
def desk() -> Iterator[Desk]:
    made = Desk()
    yield made
    made.views.close()


@pytest.mark.req("L14")
def test_a_task_is_shown_whole_as_others_exchange_it(desk: Desk) -> None:
    desk.add("hf-1", description="d" * 40_000, priority=1, kind="bug")
    grounds = {
        "cited": 1,
        "exact": 1,
        "task": "hf-1",
        "evidence": [{"path": "a.py", "line": 3, "quote": "x = 1", "state": "exact"}],
    }
    desk.ledger.append(
        "decision", data_for("decision", choice="Rotate", reasoning="r" * 40_000, grounds=grounds)
    )
    desk.tasks.scenario("At the edge", type="edge_case", expected="grace", task="hf-1")
    desk.tasks.update("hf-1", TaskChanges(next_steps=["n" * 500, "two"], blockers=["the key"]))
    desk.ledger.append(
        "handoff_made",
        data_for(
            "handoff_made",
            task="hf-1",
            notes_refs=["NOTES.md:45-67"],
            trajectory_ref="trajectory/2026-11-15.jsonl:span-abc",
        ),
    )
    desk.ledger.append("delta_synced", data_for("delta_synced", task="hf-1"))
    whole = desk.tasks.show("hf-1")
    [decision] = whole.decisions
    assert (decision.decision, decision.rationale) == ("Rotate", "r" * 40_000)
    assert decision.ts.startswith("2026-11-15T")
    [cited] = decision.evidence
    assert (cited.path, cited.line, cited.quote) == ("${PROJECT_ROOT}/a.py", 3, "x = 1")
    [scenario] = whole.test_scenarios
    assert (scenario.name, scenario.type, scenario.expected) == (
        "At the edge",
        "edge_case",
        "grace",
    )
    [handoff] = whole.handoffs
    assert (handoff.session_id, handoff.notes_ref) == ("s1", "NOTES.md:45-67")
    assert handoff.trajectory_ref == "trajectory/2026-11-15.jsonl:span-abc"
    assert handoff.ended.startswith("2026-11-15T")
    assert (whole.next_steps, whole.blockers) == (["n" * 500, "two"], ["the key"])
    assert (whole.delta_synced, whole.description) == (True, "d" * 40_000)


def test_ready_and_list_put_the_most_urgent_first_and_then_the_oldest(desk: Desk) -> None:
    for name, priority in (("a", None), ("b", 0), ("c", 4), ("d", 2), ("e", 1)):
        desk.add(name, priority=priority)
    assert [one.task for one in desk.tasks.ready()] == list("beadc")
    desk.tasks.start("d")
    desk.tasks.close("b", "done")
    assert [one.task for one in desk.tasks.ready()] == list("eac")
    assert [one.task for one in desk.tasks.list()] == list("eadc")
    assert [one.task for one in desk.tasks.list(statuses=["closed"])] == ["b"]
    assert [one.task for one in desk.tasks.list(finished=True)] == list("beadc")


def test_made_names_are_short_and_never_taken(desk: Desk) -> None:
    made = [desk.tasks.add("x")[1] for _ in range(3)]
    assert len(set(made)) == 3
    assert all(name.startswith("hf-") for name in made)
    with pytest.raises(InvalidInput, match="already"):
        desk.tasks.add("again", task=made[0])


def test_a_name_that_others_have_is_made_longer(desk: Desk) -> None:
    short = desk.tasks.add("x")[1]
    assert len(short) == len("hf-0000")
    fixed = desk.ledger.new_id()
    desk.ledger.new_id = lambda: fixed  # type: ignore[method-assign]
    first, second = desk.tasks.add("x")[1], desk.tasks.add("x")[1]
    assert second.endswith(first.removeprefix("hf-"))
    assert len(second) == len(first) + 1


@pytest.mark.parametrize(
    ("wrong", "near"), [("hf-12cd", "hf-12ce"), ("ROTATE", "hf-12ce"), ("nothing", "task list")]
)
def test_an_unknown_task_names_near_ones(desk: Desk, wrong: str, near: str) -> None:
    desk.tasks.add("Rotate tokens", task="hf-12ce")
    with pytest.raises(NotFound) as caught:
        desk.tasks.start(wrong)
    assert near in caught.value.remedy


def test_the_beginning_of_an_id_is_enough_when_it_is_the_only_one(desk: Desk) -> None:
    desk.add("hf-1a", "hf-1b", "hf-2")
    assert desk.tasks.find("hf-2").task == "hf-2"
    with pytest.raises(InvalidInput, match="2 tasks begin with 'hf-1'"):
        desk.tasks.find("hf-1")
    for nothing in ("", " "):
        with pytest.raises(NotFound):
            desk.tasks.find(nothing)


def test_cycles_are_refused_and_the_way_is_named(desk: Desk) -> None:
    desk.add("a")
    desk.add("b", depends_on=["a"])
    desk.add("c", depends_on=["b"])
    size = desk.ledger.head().size
    with pytest.raises(InvalidInput, match="a → c → b → a"):
        desk.tasks.update("a", TaskChanges(depends_on=["c"]))
    with pytest.raises(InvalidInput, match="a → a"):
        desk.tasks.update("a", TaskChanges(depends_on=["a"]))
    assert desk.ledger.head().size == size
    desk.tasks.update("b", TaskChanges(depends_on=[]))
    desk.tasks.update("a", TaskChanges(depends_on=["c"]))  # now it is no cycle


def test_of_a_long_cycle_the_ends_are_named(desk: Desk) -> None:
    desk.add("t0")
    for n in range(1, 20):
        desk.add(f"t{n}", depends_on=[f"t{n - 1}"])
    with pytest.raises(InvalidInput) as caught:
        desk.tasks.update("t0", TaskChanges(depends_on=["t19"]))
    assert "t0 → t19 → t18 → t17 → … 13 more → t3 → t2 → t1 → t0" in caught.value.what


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=14))
def test_whatever_was_allowed_can_be_done_in_some_order(edges: list[tuple[int, int]]) -> None:
    desk = Desk()
    desk.add(*(f"t{n}" for n in range(6)))
    for task, other in edges:
        before = desk.tasks.show(f"t{task}").depends_on
        with contextlib.suppress(InvalidInput):  # a cycle
            desk.tasks.update(f"t{task}", TaskChanges(depends_on=[*before, f"t{other}"]))
    for _ in range(6):
        desk.tasks.close(desk.tasks.ready()[0].task, "done")
    assert desk.tasks.list() == []
    desk.views.close()


@pytest.mark.parametrize(
    ("changes", "refusal"),
    [
        (TaskChanges(), "Nothing was named"),
        (TaskChanges(status="closed"), "with a reason"),
        (TaskChanges(depends_on=["nope"]), "There is no task 'nope'"),
        (TaskChanges(status="wild"), "status"),
        (TaskChanges(title=" "), "title"),
    ],
)
def test_a_change_that_cannot_be_is_refused(desk: Desk, changes: TaskChanges, refusal: str) -> None:
    desk.add("a")
    with pytest.raises((InvalidInput, NotFound), match=refusal):
        desk.tasks.update("a", changes)
    assert desk.ledger.head().size == 1


def test_more_dependencies_than_a_fold_sees_are_refused(desk: Desk) -> None:
    others = [f"t{n}" for n in range(TASK_DEPENDENCIES_MAX + 1)]
    desk.add(*others)
    with pytest.raises(InvalidInput, match="65 dependencies"):
        desk.tasks.add("x", depends_on=others)


def test_closing_twice_is_refused_and_opening_again_forgets_the_reason(desk: Desk) -> None:
    desk.add("a")
    desk.tasks.close("a", "merged")
    assert (desk.tasks.show("a").reason, desk.tasks.show("a").status) == ("merged", "closed")
    with pytest.raises(InvalidInput, match="closed already: merged"):
        desk.tasks.close("a", "again")
    desk.tasks.update("a", TaskChanges(status="open"))
    whole = desk.tasks.show("a")
    assert (whole.reason, whole.closed_at) == (None, None)


def test_scenarios_of_a_session_are_its_own(desk: Desk) -> None:
    desk.tasks.scenario("one", type="happy_path", expected="works")
    desk.add("a")
    desk.tasks.scenario("two", type="error", expected="fails", task="a")
    assert [one.name for one in desk.tasks.scenarios_of(session="s1")] == ["one"]
    assert [one.name for one in desk.tasks.scenarios_of("a")] == ["two"]
    assert desk.tasks.scenarios_of(session="s2") == []


def test_the_current_task_of_a_session(desk: Desk) -> None:
    assert desk.tasks.current("s1") is None
    desk.add("a", "b")
    desk.tasks.start("a")
    desk.ledger.session_id = "s2"
    desk.tasks.start("b")
    found = [desk.tasks.current(one) for one in ("s1", "s2", "s3")]
    assert [one.task for one in found if one is not None] == ["a", "b", "b"]

"""The store of tasks: what is to do, what it waits for, and what belongs to it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.kernel.limits import TASK_DEPENDENCIES_MAX, TASK_STEPS_MAX
from holdfast.ledger.ledger import Ledger
from holdfast.stores import tasks as store
from holdfast.testing.builders import data_for, open_memory_ledger

STATUSES = ("open", "in_progress", "blocked", "deferred", "closed")


def items(ledger: Ledger) -> Any:
    return ledger.fold().state("tasks").items


def add(ledger: Ledger, task: str, **fields: Any) -> None:
    ledger.append("task_added", {"task": task, "title": f"Do {task}", **fields})


def update(ledger: Ledger, task: str, session: str | None = None, **fields: Any) -> None:
    ledger.append("task_updated", {"task": task, **fields}, session_id=session)


def names(ledger: Ledger, which: str) -> list[str]:
    return [item["task"] for _, item in store.newest(items(ledger), which)]


def ready(ledger: Ledger) -> set[str]:
    return {item["task"] for item in store.ready(items(ledger))}


@pytest.mark.req("L14")
def test_a_task_is_ready_when_everything_it_depends_on_is_closed() -> None:
    ledger = open_memory_ledger()
    add(ledger, "a")
    add(ledger, "b", depends_on=["a"])
    assert ready(ledger) == {"a"}
    update(ledger, "a", status="in_progress")
    assert ready(ledger) == set()
    ledger.append("task_closed", {"task": "a", "reason": "done"})
    assert ready(ledger) == {"b"}
    update(ledger, "a", status="open")
    assert ready(ledger) == {"a"}


def test_what_was_never_added_is_not_closed() -> None:
    ledger = open_memory_ledger()
    add(ledger, "b", depends_on=["nowhere"])
    assert ready(ledger) == set()
    assert store.waits_for(items(ledger), store.item_of(items(ledger), "b")) == ["nowhere"]


@pytest.mark.parametrize(
    "depends_on", [[f"t{n}" for n in range(TASK_DEPENDENCIES_MAX + 1)], ["n" * 190] * 300]
)
def test_a_task_whose_dependencies_are_not_all_seen_is_never_ready(depends_on: list[str]) -> None:
    ledger = open_memory_ledger()
    for name in dict.fromkeys(depends_on):
        add(ledger, name)
        ledger.append("task_closed", {"task": name, "reason": "done"})
    add(ledger, "b", depends_on=depends_on)
    assert ready(ledger) == set()


@pytest.mark.req("L14")
def test_the_current_task_is_the_newest_the_session_began_else_anybodys() -> None:
    ledger = open_memory_ledger()
    for name in "abc":
        add(ledger, name)
    assert store.current(items(ledger), "s1") is None
    update(ledger, "a", "s1", status="in_progress")
    update(ledger, "b", "s1", status="in_progress")
    update(ledger, "c", "s2", status="in_progress")
    held = items(ledger)
    assert [store.current(held, one)["task"] for one in ("s1", "s2", "s3", None)] == list("bccc")
    ledger.append("task_closed", {"task": "b", "reason": "done"})
    ledger.append("task_closed", {"task": "c", "reason": "done"})
    held = items(ledger)
    assert [store.current(held, one)["task"] for one in ("s1", "s2", "s3")] == list("aaa")


def test_begun_again_by_another_session_it_is_theirs() -> None:
    ledger = open_memory_ledger()
    add(ledger, "a")
    update(ledger, "a", "s1", status="in_progress")
    update(ledger, "a", "s2", status="in_progress")
    assert store.count(items(ledger), store.started_by("s1")) == 0
    assert store.current(items(ledger), "s2")["session"] == "s2"


@pytest.mark.req("L14")
def test_decisions_scenarios_and_handoffs_belong_to_their_task() -> None:
    ledger = open_memory_ledger(session_id="s1")
    add(ledger, "a")
    grounds = {"cited": 0, "exact": 0, "task": "a"}
    ledger.append("decision", data_for("decision", 1, grounds=grounds))
    ledger.append("decision", data_for("decision", 2))
    ledger.append("scenario_added", data_for("scenario_added", 1, task="a"))
    ledger.append("scenario_added", data_for("scenario_added", 2, task=None))
    ledger.append("handoff_made", data_for("handoff_made", 1, task="a"))
    ledger.append("handoff_made", data_for("handoff_made", 2))
    held = items(ledger)
    assert store.count(held, store.decisions_of("a")) == 1
    assert store.count(held, store.handoffs_of("a")) == 1
    assert store.count(held, store.scenarios_of("a", None)) == 1
    assert store.count(held, store.scenarios_of(None, "s1")) == 1
    assert store.count(held, store.scenarios_of(None, "s2")) == 0
    [(_, handoff)] = store.newest(held, store.handoffs_of("a"))
    assert (handoff["session"], handoff["notes_ref"]) == ("s1", "NOTES.md:2-10")


@pytest.mark.req("L14")
def test_a_task_is_synced_until_it_has_another_decision() -> None:
    ledger = open_memory_ledger()
    add(ledger, "a")

    def synced() -> bool:
        return bool(store.item_of(items(ledger), "a")["delta_synced"])

    assert not synced()
    ledger.append("delta_synced", data_for("delta_synced", task="a"))
    assert synced()
    ledger.append("decision", data_for("decision", grounds={"cited": 0, "exact": 0, "task": "a"}))
    assert not synced()
    update(ledger, "a", delta_synced=True)
    assert synced()


def test_what_is_not_named_stays_and_lists_are_replaced() -> None:
    ledger = open_memory_ledger()
    add(ledger, "a", description="all", priority=3, kind="bug")
    update(ledger, "a", next_steps=["one", "two"], completed=1, total=4)
    update(ledger, "a", next_steps=["three"], title="New")
    item = store.item_of(items(ledger), "a")
    shown = (item["title"], item["description"], item["priority"], item["kind"], item["total"])
    assert shown == ("New", "all", 3, "bug", 4)
    assert item["next_steps"] == ["three"]
    assert item["said"] == {"title": 2, "description": 0, "next_steps": 2}


def test_long_lists_and_texts_are_bounded_and_counted() -> None:
    ledger = open_memory_ledger()
    add(ledger, "a", description="d" * 40_000)
    update(
        ledger, "a", blockers=[f"b{n}" for n in range(TASK_STEPS_MAX + 5)], next_steps=["n" * 999]
    )
    item = store.item_of(items(ledger), "a")
    assert (len(item["blockers"]), item["blockers_more"]) == (TASK_STEPS_MAX, 5)
    assert len(item["description"]) == 64  # the hash of what stands in the vault
    assert item["next_steps"][0].endswith("… +839")


def test_what_is_said_about_no_task_changes_no_task() -> None:
    ledger = open_memory_ledger()
    update(ledger, "a", title="x")
    ledger.append("task_closed", {"task": "a", "reason": "done"})
    ledger.append("delta_synced", data_for("delta_synced", task="a"))
    assert items(ledger) == {}


def test_added_again_it_keeps_its_place_and_status() -> None:
    ledger = open_memory_ledger()
    add(ledger, "a")
    update(ledger, "a", status="in_progress")
    add(ledger, "a", priority=0)
    item = store.item_of(items(ledger), "a")
    assert (item["status"], item["priority"], item["added"]) == ("in_progress", 0, 0)
    assert store.count(items(ledger), store.TASKS) == 1


def test_tasks_do_not_go_back_with_a_rollback() -> None:
    ledger = open_memory_ledger()
    ledger.append("metric", data_for("metric"))
    add(ledger, "a")
    ledger.append("rolled_back", {"to": 0, "reason": "wrong"})
    assert names(ledger, store.TASKS) == ["a"]


STEPS = st.tuples(
    st.sampled_from(["add", "close", *STATUSES]),
    st.sampled_from("abcd"),
    st.sampled_from(["s1", "s2", None]),
)


@given(st.lists(STEPS, max_size=30))
def test_the_lists_are_what_a_plain_model_says(steps: list[tuple[str, str, str | None]]) -> None:
    ledger = open_memory_ledger()
    status: dict[str, str] = {}
    order: list[str] = []
    begun: list[tuple[str, str | None]] = []
    for what, task, session in steps:
        if what == "add":
            add(ledger, task)
            if task not in status:
                status[task] = "open"
                order.insert(0, task)
            continue
        if what == "close":
            ledger.append("task_closed", {"task": task, "reason": "done"})
        else:
            update(ledger, task, session, status=what)
        if task in status:
            status[task] = "closed" if what == "close" else what
            begun = [one for one in begun if one[0] != task]
            if what == "in_progress":
                begun.insert(0, (task, session))
    assert names(ledger, store.TASKS) == order
    assert set(names(ledger, store.UNFINISHED)) == {t for t in status if status[t] != "closed"}
    assert ready(ledger) == {task for task in status if status[task] == "open"}
    assert names(ledger, store.STARTED) == [task for task, _ in begun]
    for session in ("s1", "s2"):
        mine = [task for task, by in begun if by == session]
        assert names(ledger, store.started_by(session)) == mine

"""Decisions through StateManager: evidence, tasks, assumptions, and what they contradict."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

from holdfast import StateManager
from holdfast.kernel.errors import InvalidInput, NotFound
from holdfast.kernel.limits import FORK_COMPARED_CHARS_MAX, SCENARIOS_MAX
from tests.wiring.projects import data, entries

EXACT = "`LIMIT = 10` [${PROJECT_ROOT}/limits.py:1]"
WRONG = "`LIMIT = 20` [${PROJECT_ROOT}/limits.py:1]"


@pytest.fixture
def limits(project: Path) -> Path:
    """A file that decisions can cite."""
    path = project / "limits.py"
    path.write_text("LIMIT = 10\n")
    return path


@pytest.mark.req("L7")
@pytest.mark.usefixtures("limits")
def test_a_decision_can_bring_its_evidence_its_task_and_its_scenarios() -> None:
    with StateManager() as sm:
        sm.start_session("s")
        sm.ledger.append("task_added", {"task": "hf-1", "title": "Raise the limit"})
        receipt = sm.log_decision(
            *("which limit?", "ten", "it says so"),
            evidence=EXACT,
            task="hf-1",
            scenarios="edge: at ten: refused",
            subject="limit",
        )
    [decision] = data("decision")
    grounds = decision["grounds"]
    assert (grounds["cited"], grounds["exact"], grounds["task"]) == (1, 1, "hf-1")
    [scenario] = data("scenario_added")
    assert scenario == {
        **{"task": "hf-1", "type": "edge"},
        **{"name": "at ten", "expected": "refused"},
    }
    assert [entry.seq for entry in entries("scenario_added")] == [receipt.seq + 1]


@pytest.mark.req("L2")
@pytest.mark.usefixtures("project")
def test_what_contradicts_a_decision_is_recorded_and_warned_of() -> None:
    with StateManager() as sm:
        sm.log_decision("where?", "Keep it in Redis", "fast", subject="store")
        with pytest.warns(RuntimeWarning, match="'Keep it in SQLite' contradicts 'Keep it in Red"):
            sm.log_decision("where?", "Keep it in SQLite", "small", subject="store")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            sm.log_decision("what?", "Keys are short", "memory", subject="store")
    assert len(data("fork_opened")) == 1


@pytest.mark.req("L1", "L2")
@pytest.mark.usefixtures("limits")
def test_decide_returns_how_a_decision_stands() -> None:
    with StateManager() as sm:
        wrong = sm.decide("twenty", because="b", evidence=WRONG)
        right = sm.decide("ten", because="b", evidence=[EXACT])
        open_question = sm.decide("eleven?", because="b", assumption=True)
    assert (wrong.grounded, wrong.failed, wrong.is_open) == (False, True, True)
    assert [fork.against for fork in wrong.decided.forks] == [EXACT]
    assert (right.grounded, right.failed, right.is_open) == (True, False, False)
    assert (open_question.grounded, open_question.is_open) == (False, False)
    assert open_question.grounds is not None
    assert open_question.grounds.assumption


@pytest.mark.usefixtures("limits")
def test_evidence_that_does_not_hold_is_warned_of() -> None:
    with (
        StateManager() as sm,
        pytest.warns(RuntimeWarning, match="does not prove it: relative-path"),
    ):
        sm.log_decision("q", "c", "r", evidence="`LIMIT = 10` [limits.py:1]")
    assert data("decision")[0]["grounds"]["faults"] == ["relative-path"]


@pytest.mark.usefixtures("project")
def test_a_file_that_cannot_be_looked_at_proves_nothing() -> None:
    Path("limits.py").write_bytes(b"\0\xff")
    with StateManager() as sm:
        outcome = sm.decide("ten", because="b", evidence=EXACT)
    assert (outcome.failed, outcome.decided.forks) == (True, ())
    assert outcome.grounds is not None
    assert outcome.grounds.faults == ["unreadable"]


@pytest.mark.usefixtures("project")
def test_too_many_scenarios_and_unknown_tasks_are_refused() -> None:
    with StateManager() as sm:
        many = ["a: b: c"] * (SCENARIOS_MAX + 1)
        with pytest.raises(InvalidInput, match=f"{SCENARIOS_MAX + 1} scenarios"):
            sm.log_decision("q", "c", "r", scenarios=many)
        with pytest.raises(NotFound, match="There is no task"):
            sm.log_decision("q", "c", "r", task="nope")
    assert entries() == []


@pytest.mark.lesson("N15")
@pytest.mark.usefixtures("project")
def test_what_is_too_long_to_be_compared_is_said() -> None:
    with StateManager() as sm:
        long = sm.decide("x" * (FORK_COMPARED_CHARS_MAX + 7), because="b", about="s")
        short = sm.decide("x" * FORK_COMPARED_CHARS_MAX, because="b", about="s")
    assert "last 7 characters" in " ".join(long.told)
    assert short.told == ()


@pytest.mark.usefixtures("project")
def test_the_question_is_the_current_tasks_title_else_the_subject() -> None:
    with StateManager() as sm:
        sm.start_session("s")
        sm.decide("x", because="b", about="limits")
        sm.append_entry("task_added", {"task": "hf-1", "title": "Raise the limit"})
        sm.append_entry("task_updated", {"task": "hf-1", "status": "in_progress"})
        outcome = sm.decide("ten", because="b")
        sm.decide("ten", because="b", question="which?")
    assert [one["question"] for one in data("decision")] == ["limits", "Raise the limit", "which?"]
    assert outcome.grounds is not None
    assert outcome.grounds.task == "hf-1"

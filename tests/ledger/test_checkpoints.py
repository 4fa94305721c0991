"""Checkpoints: when one is due, what goes into it, and what it costs."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdfast.kernel.errors import InvalidInput
from holdfast.kernel.limits import CHECKPOINT_ENTRIES_READ
from holdfast.ledger.ledger import Draft
from holdfast.storage.memory import MemoryEngine
from holdfast.storage.port import Stored
from holdfast.storage.sqlite import reading
from holdfast.storage.sqlite.create import create as create_database
from holdfast.storage.sqlite.engine import SqliteEngine
from holdfast.testing.builders import LEDGER, data_for
from holdfast.testing.clock import START_US, FixedClock
from tests.ledger.crew import Agent, engine


def resumes(agent: Agent) -> list[object]:
    return [entry.value()["quick_resume"] for entry in agent.entries("checkpoint")]


# When


def test_every_fifth_tool_call_makes_one() -> None:
    agent = Agent(engine())
    made = []
    for _ in range(12):
        agent.call("s1")
        made.append(len(agent.entries("checkpoint")))
    assert made == [0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2]
    assert agent.checkpoints.calls_since("s1") == 2


def test_sessions_count_apart() -> None:
    agent = Agent(engine())
    for session in ("s1", "s2", None) * 4:
        agent.call(session)
    assert agent.entries("checkpoint") == []
    agent.call("s2")
    assert [entry.session_id for entry in agent.entries("checkpoint")] == ["s2"]
    agent.call(None)
    assert [entry.session_id for entry in agent.entries("checkpoint")] == ["s2", None]


@pytest.mark.lesson("P8")
def test_every_zero_calls_means_never() -> None:
    agent = Agent(engine(), every_calls=0)
    for _ in range(12):
        agent.call("s1")
    assert agent.entries("checkpoint") == []


def test_every_single_call_may_make_one() -> None:
    agent = Agent(engine(), every_calls=1)
    for _ in range(3):
        agent.call("s1")
    assert len(agent.entries("checkpoint")) == 3


def test_one_on_request_begins_the_count_anew() -> None:
    agent = Agent(engine())
    for _ in range(4):
        agent.call("s1")
    agent.checkpoints.create("s1", next_action="item 2")
    agent.call("s1")
    assert len(agent.entries("checkpoint")) == 1
    assert agent.checkpoints.calls_since("s1") == 1


def test_calls_that_are_retried_count_once() -> None:
    agent = Agent(engine())
    for n in (1, 2, 3, 4, 4, 4):
        agent.ledger.append("tool_called", {"tool": "Read"}, session_id="s1", id=f"call-{n}")
        agent.checkpoints.after_call("s1")
    assert agent.entries("checkpoint") == []


@pytest.mark.lesson("P10")
@pytest.mark.parametrize(("calls", "expected"), [(4, 0), (5, 1), (8, 1), (10, 2), (13, 2)])
def test_however_late_they_look_racing_processes_make_what_is_due(
    calls: int, expected: int
) -> None:
    shared = engine()
    crew = [Agent(shared, pid=number + 1) for number in range(calls)]
    for agent in crew:  # all record, and only then look
        agent.ledger.append("tool_called", {"tool": "Read"}, session_id="s1")
    for agent in crew:
        agent.checkpoints.after_call("s1")
    assert len(crew[0].entries("checkpoint")) == expected


@pytest.mark.lesson("P10")
def test_what_is_recorded_while_one_is_made_goes_into_the_next() -> None:
    agent = Agent(engine())
    for n in range(7):
        agent.ledger.append("tool_called", {"tool": f"T{n}"}, session_id="s1")
    agent.checkpoints.after_call("s1")
    assert agent.checkpoints.calls_since("s1") == 2
    for n in range(7, 10):
        agent.call("s1", f"T{n}")
    assert resumes(agent) == [
        "called T0 1x, T1 1x, T2 1x, T3 1x, T4 1x; last: T4",
        "called T5 1x, T6 1x, T7 1x, T8 1x, T9 1x; last: T9",
    ]


def test_an_id_that_somebody_took_ends_the_matter() -> None:
    agent = Agent(engine())
    for _ in range(4):
        agent.call("s1")
    from holdfast.ledger.sessions import derived_id

    agent.ledger.append("metric", data_for("metric"), id=derived_id("due", "s1", 5))
    agent.call("s1")
    assert agent.entries("checkpoint") == []


def test_a_clock_that_goes_backwards_changes_nothing() -> None:
    agent = Agent(engine(), clock=FixedClock(START_US, step_us=-1_000_000))
    for _ in range(11):
        agent.call("s1")
    first, second = agent.entries("checkpoint")
    assert first.timestamp > second.timestamp
    assert agent.checkpoints.last("s1") == second
    assert agent.checkpoints.calls_since("s1") == 1


# At the end


def test_at_the_end_of_a_session_what_is_new_is_kept() -> None:
    agent = Agent(engine())
    agent.sessions.start("s1")
    assert agent.checkpoints.at_end("s1") is None
    agent.ledger.append("file_change", data_for("file_change", 3), session_id="s1")
    receipt = agent.checkpoints.at_end("s1")
    assert receipt is not None
    assert "src/part_3.py" in str(resumes(agent)[0])
    assert agent.checkpoints.at_end("s1") is None


# What


@pytest.mark.lesson("P8")
def test_nothing_completed_is_said_as_such() -> None:
    agent = Agent(engine())
    agent.checkpoints.create("s1", task="the parser", completed=0, total=12, next_action="item 1")
    [entry] = agent.entries("checkpoint")
    assert entry.value()["completed"] == 0
    assert entry.value()["quick_resume"] == "the parser 0/12; next: item 1"


@pytest.mark.lesson("P12")
def test_it_is_made_from_facts_since_the_last_one() -> None:
    agent = Agent(engine())
    agent.ledger.append("file_change", data_for("file_change", 1), session_id="s1")
    agent.checkpoints.create("s1", task="the parser", next_action="strings")
    agent.ledger.append("file_change", data_for("file_change", 2), session_id="s1")
    agent.ledger.append("command_ran", {"command": "make t", "exit_code": 2}, session_id="s1")
    agent.ledger.append("decision", data_for("decision", 7), session_id="s1")
    agent.ledger.append("file_change", data_for("file_change", 9), session_id="another")
    agent.checkpoints.create("s1")
    data = agent.entries("checkpoint")[-1].value()
    assert data["task"] == "the parser"
    assert data["files_modified"] == ["src/part_2.py"]
    assert data["decisions_made"] == 1
    assert "make t (exit 2)" in str(data["quick_resume"])


@pytest.mark.lesson("P12")
def test_an_automatic_one_without_facts_names_the_tools() -> None:
    agent = Agent(engine())
    for tool in ("Read", "Bash", "Read", "Read", "Grep"):
        agent.call("s1", tool, detail="parser.py")
    assert resumes(agent) == ["called Read 3x, Bash 1x, Grep 1x; last: Grep parser.py"]


@pytest.mark.lesson("P12")
@pytest.mark.parametrize("text", ["", "   ", "Phase: unknown, Call: 52", "n/a", "12"])
def test_a_resume_that_says_nothing_is_refused(text: str) -> None:
    agent = Agent(engine())
    agent.call("s1")
    with pytest.raises(InvalidInput):
        agent.checkpoints.create("s1", quick_resume=text)
    assert agent.entries("checkpoint") == []


def test_where_there_is_nothing_to_say_it_says_what_is_missing() -> None:
    agent = Agent(engine())
    agent.sessions.start("s1")
    for task in (None, "unknown"):
        with pytest.raises(InvalidInput) as refusal:
            agent.checkpoints.create("s1", task=task, completed=0)
        assert "--task, --next or --resume" in refusal.value.remedy
    assert agent.entries("checkpoint") == []


def test_open_work_is_in_it_until_it_is_closed() -> None:
    agent = Agent(engine())
    agent.ledger.append("work_opened", {"work": "w1", "title": "a review"}, session_id="s1")
    agent.checkpoints.create("s1", next_action="wait")
    agent.ledger.append("work_closed", {"work": "w1", "outcome": "fine"}, session_id="s2")
    agent.checkpoints.create("s1", next_action="go on")
    assert [entry.value()["open_work"] for entry in agent.entries("checkpoint")] == [
        ["a review"],
        [],
    ]


def test_a_damaged_entry_is_left_out_and_stops_nothing() -> None:
    shared = engine()
    agent = Agent(shared)
    seqs = [agent.call("s1") for _ in range(3)]
    shared._entries[seqs[1]] = Stored(seqs[1], b"{", shared._entries[seqs[1]].leaf)
    late = Agent(shared)
    assert late.checkpoints.calls_since("s1") == 2
    late.checkpoints.create("s1", next_action="go on")
    assert len(late.entries("checkpoint")) == 1


def test_more_than_the_bound_is_said_to_be_unseen() -> None:
    agent = Agent(engine())
    agent.checkpoints.create("s1", task="the parser", next_action="strings")
    agent.ledger.append_many(
        [Draft("metric", data_for("metric", n), "s1") for n in range(CHECKPOINT_ENTRIES_READ)]
    )
    assert agent.checkpoints.since("s1").unseen is False
    agent.ledger.append("metric", data_for("metric"), session_id="s1")
    since = agent.checkpoints.since("s1")
    assert since.unseen is True
    assert len(since.entries) == CHECKPOINT_ENTRIES_READ
    assert since.checkpoint is not None
    agent.checkpoints.create("s1")
    assert "the parser" in str(resumes(agent)[-1])


def test_the_last_one_is_that_of_the_session_or_of_all() -> None:
    agent = Agent(engine())
    assert agent.checkpoints.last() is None
    for session in ("s1", "s2"):
        agent.checkpoints.create(session, next_action=f"item of {session}")
    one, all_of_them = agent.checkpoints.last("s1"), agent.checkpoints.last()
    assert one is not None
    assert all_of_them is not None
    assert (one.session_id, all_of_them.session_id) == ("s1", "s2")


# What it costs


class Counting(MemoryEngine):
    """Counts the entries that it hands out."""

    handed_out = 0

    def read(self, *args: object, **kwargs: object):  # type: ignore[no-untyped-def]
        for stored in super().read(*args, **kwargs):  # type: ignore[arg-type]
            self.handed_out += 1
            yield stored


@pytest.mark.lesson("P7")
def test_a_checkpoint_reads_what_is_new_however_long_the_log_is() -> None:
    costs = []
    for size in (100, 3000):
        counting = Counting(LEDGER)
        agent = Agent(counting)
        agent.ledger.append_many(
            [Draft("metric", data_for("metric", n), f"s{n % 2}") for n in range(size)]
        )
        agent.checkpoints.create("s1", next_action="item 1")
        counting.handed_out = 0
        for _ in range(5):
            agent.call("s1")
        costs.append(counting.handed_out)
    assert costs[0] == costs[1] < 60


@pytest.mark.lesson("P7")
def test_the_real_engine_looks_at_few_entries_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_at = 0
    names_of = reading.names_of

    def counted(body: bytes) -> reading.Names | None:
        nonlocal looked_at
        looked_at += 1
        return names_of(body)

    monkeypatch.setattr(reading, "names_of", counted)
    costs = []
    for size in (640, 12_800):
        path = str(tmp_path / f"{size}.db")
        create_database(path, LEDGER)
        agent = Agent(SqliteEngine(path))
        for first in range(0, size, 640):
            numbers = range(first, first + 640)
            agent.ledger.append_many(
                [Draft("metric", data_for("metric", n), f"s{n % 2}") for n in numbers]
            )
        agent.checkpoints.create("s1", next_action="item 1")
        looked_at = 0
        for _ in range(5):
            agent.call("s1")
        costs.append(looked_at)
        agent.ledger.close()
    assert costs[0] == costs[1] < 2000


@pytest.mark.lesson("P12")
def test_an_automatic_checkpoint_keeps_the_task_that_was_told() -> None:
    """Tool calls alone do not push aside what the work is and what comes next."""
    agent = Agent(engine())
    agent.checkpoints.create("s1", task="the parser", completed=0, total=12, next_action="item 1")
    for _ in range(5):
        agent.call("s1")
    assert len(agent.entries("checkpoint")) == 2
    assert "the parser 0/12; next: item 1" in str(resumes(agent)[-1])

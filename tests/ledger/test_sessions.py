"""Sessions: lineage, crashed ones, and whose session an entry belongs to."""

from __future__ import annotations

import pytest

from holdfast.kernel.entry import Actor
from holdfast.kernel.errors import InvalidInput, NotFound
from holdfast.kernel.types import Holder
from holdfast.ledger.sessions import Sessions, Started, derived_id
from holdfast.storage.memory import MemoryEngine
from holdfast.storage.port import Stored
from holdfast.testing.clock import START_US, FixedClock
from tests.ledger.crew import Agent, Machine, engine


def ends(agent: Agent) -> list[tuple[str | None, object, str]]:
    return [
        (e.session_id, e.value()["reason"], e.actor.name) for e in agent.entries("session_ended")
    ]


def test_the_first_session_has_no_parent_and_is_the_root_of_its_line() -> None:
    agent = Agent(engine())
    started = agent.sessions.start("s1", title="the parser")
    [entry] = agent.entries()
    assert started == Started("s1", None)
    assert entry.value() == {
        "parent": None,
        "holder": {"pid": 100, "started": "boot:100"},
        "title": "the parser",
    }
    assert entry.span is not None
    assert (entry.span.id, entry.span.parent, entry.span.root) == ("s1", None, "s1")


def test_a_session_goes_on_from_the_newest_that_is_over() -> None:
    agent = Agent(engine())
    for name in ("s1", "s2", "s3"):
        agent.sessions.start(name)
        agent.sessions.end(name, "completed")
    spans = [entry.span for entry in agent.entries("session_started")]
    assert [(span.parent, span.root) for span in spans if span] == [
        (None, "s1"),
        ("s1", "s1"),
        ("s2", "s1"),
    ]


def test_the_newest_is_told_by_the_last_entry_not_by_the_clock() -> None:
    backwards = FixedClock(START_US, step_us=-60_000_000)
    agent = Agent(engine(), clock=backwards)
    for name in ("s1", "s2"):
        agent.sessions.start(name)
        agent.sessions.end(name, "completed")
    stamps = [entry.timestamp for entry in agent.entries()]
    assert stamps == sorted(stamps, reverse=True)
    assert agent.sessions.start("s3").parent == "s2"
    assert agent.sessions.current() == "s3"
    assert [one.session_id for one in agent.sessions.all()] == ["s1", "s2", "s3"]


def test_a_parent_may_be_named_by_the_beginning_of_its_id() -> None:
    agent = Agent(engine())
    for name in ("alpha", "beta"):
        agent.sessions.start(name)
        agent.sessions.end(name, "completed")
    assert agent.sessions.start("gamma", parent="al").parent == "alpha"


def test_a_parent_that_comes_from_the_session_itself_is_refused() -> None:
    agent = Agent(engine())
    for name in ("s1", "s2"):
        agent.sessions.start(name)
        agent.sessions.end(name, "completed")
    size = agent.ledger.head().size
    for parent in ("s1", "s2"):
        with pytest.raises(InvalidInput, match="cannot go on from"):
            agent.sessions.start("s1", parent=parent)
    assert agent.ledger.head().size == size


def test_starting_an_open_session_again_records_nothing() -> None:
    agent = Agent(engine())
    first = agent.sessions.start("s1")
    again = agent.sessions.start("s1")
    assert (again.session_id, again.parent, again.resumed) == ("s1", first.parent, True)
    assert len(agent.entries()) == 1


def test_a_session_that_is_over_is_opened_again_with_the_parent_it_had() -> None:
    agent = Agent(engine())
    for name in ("s1", "s2"):
        agent.sessions.start(name)
        agent.sessions.end(name, "completed")
    assert agent.sessions.start("s1").parent is None
    assert agent.sessions.open() == ["s1"]
    assert len(agent.entries("session_started")) == 3


def test_two_who_start_one_session_at_once_start_it_once() -> None:
    shared = engine()
    one, two = Agent(shared, pid=1), Agent(shared, pid=2)
    two.sessions.open()  # looks before the other one starts
    id_of_start = derived_id("started", "s1", -1)
    one.sessions.start("s1")
    receipt = two.ledger.append(
        "session_started", {"parent": None}, session_id="s1", id=id_of_start
    )
    assert receipt.duplicate
    assert len(one.entries("session_started")) == 1


# Crashed ones


def test_a_session_whose_holder_is_gone_is_closed_by_the_next_start() -> None:
    shared, machine = engine(), Machine()
    dead = Agent(shared, "a", pid=1, machine=machine)
    dead.sessions.start("s1")
    machine.gone.add(1)
    started = Agent(shared, "b", pid=2, machine=machine).sessions.start("s2")
    assert started == Started("s2", "s1", crashed=("s1",))
    assert ends(dead) == [("s1", "crashed", "holdfast")]


def test_a_holder_with_the_number_of_a_dead_one_is_not_taken_for_it() -> None:
    shared = engine()
    agent = Agent(shared, "a", pid=1)
    agent.sessions.start("s1", holder=Holder(1, "an earlier boot:1"))
    assert Agent(shared, "b", pid=2).sessions.start("s2").crashed == ("s1",)


def test_another_live_holder_keeps_its_session() -> None:
    shared = engine()
    one = Agent(shared, "same name", pid=1)
    one.sessions.start("s1")
    assert Agent(shared, "same name", pid=2).sessions.start("s2").crashed == ()
    assert Agent(shared, "other name", pid=1).sessions.start("s3").crashed == ()
    assert one.sessions.open() == ["s1", "s2", "s3"]


def test_one_holder_works_in_one_session_at_a_time() -> None:
    agent = Agent(engine())
    agent.sessions.start("s1")
    assert agent.sessions.start("s2").crashed == ("s1",)
    assert agent.sessions.open() == ["s2"]


def test_a_session_without_a_holder_is_closed_by_its_own_name_only() -> None:
    shared = engine()
    for name in ("a", "b"):
        agent = Agent(shared, name, pid=1)
        agent.ledger.append("session_started", {"parent": None}, session_id=f"of {name}")
    assert Agent(shared, "a", pid=2).sessions.start("s2").crashed == ("of a",)


def test_the_next_entry_of_a_session_closed_by_mistake_opens_it_again() -> None:
    agent = Agent(engine())
    agent.sessions.start("s1")
    agent.sessions.start("s2")
    assert agent.sessions.open() == ["s2"]
    agent.call("s1")
    assert agent.sessions.open() == ["s1", "s2"]


def test_of_several_crashed_the_one_worked_in_last_is_the_parent() -> None:
    shared, machine = engine(), Machine()
    first = Agent(shared, "a", pid=1, machine=machine)
    second = Agent(shared, "b", pid=2, machine=machine)
    first.sessions.start("s1")
    second.sessions.start("s2")
    first.call("s1")
    machine.gone |= {1, 2}
    started = Agent(shared, "c", pid=3, machine=machine).sessions.start("s3")
    assert (started.crashed, started.parent) == (("s2", "s1"), "s1")


def test_two_who_find_a_crashed_session_close_it_once() -> None:
    shared, machine = engine(), Machine()
    dead = Agent(shared, "a", pid=1, machine=machine)
    dead.sessions.start("s1")
    last = dead.ledger.head().size - 1
    machine.gone.add(1)
    other = Agent(shared, "b", pid=2, machine=machine)
    other.sessions.start("s2")
    again = other.ledger.append(
        "session_ended",
        {"reason": "crashed"},
        session_id="s1",
        actor=Actor("holdfast", "holdfast"),
        id=derived_id("crashed", "s1", last),
    )
    assert again.duplicate
    assert len(ends(dead)) == 1


def test_a_session_whose_holder_died_is_started_anew_by_the_next_one() -> None:
    shared, machine = engine(), Machine()
    Agent(shared, "a", pid=1, machine=machine).sessions.start("s1")
    machine.gone.add(1)
    agent = Agent(shared, "a", pid=2, machine=machine)
    started = agent.sessions.start("s1")
    assert (started.crashed, started.resumed) == (("s1",), False)
    assert agent.entries("session_started")[-1].value()["holder"] == {
        "pid": 2,
        "started": "boot:2",
    }


def test_a_start_that_is_refused_closes_nothing() -> None:
    agent = Agent(engine())
    agent.sessions.start("s1")
    with pytest.raises(NotFound):
        agent.sessions.start("s2", parent="nobody")
    with pytest.raises(InvalidInput):
        agent.sessions.start("  ")
    assert agent.sessions.open() == ["s1"]


# Ending


def test_an_end_keeps_its_kind() -> None:
    agent = Agent(engine())
    agent.sessions.start("s1")
    agent.sessions.end("s1", "the user went home")
    assert ends(agent) == [("s1", "the user went home", "agent")]
    assert agent.sessions.all()[0].state == "ended"


def test_what_is_unknown_or_over_cannot_be_ended() -> None:
    agent = Agent(engine())
    agent.sessions.start("s1")
    agent.sessions.end("s1", "completed")
    with pytest.raises(NotFound, match=r"over already \(completed\)"):
        agent.sessions.end("s1", "completed")
    with pytest.raises(NotFound, match="no session 's9'"):
        agent.sessions.end("s9", "completed")
    assert len(ends(agent)) == 1


# Whose entry


def test_without_an_open_session_an_entry_belongs_to_none() -> None:
    agent = Agent(engine())
    assert agent.sessions.current() is None
    agent.sessions.start("s1")
    agent.sessions.end("s1", "completed")
    assert agent.sessions.current() is None


def test_the_only_open_session_is_the_current_one_for_everybody() -> None:
    shared = engine()
    Agent(shared, "a", pid=1).sessions.start("s1")
    assert Agent(shared, "b", pid=2).sessions.current() == "s1"


def test_of_several_it_is_the_one_with_our_name() -> None:
    shared = engine()
    one, two = Agent(shared, "a", pid=1), Agent(shared, "b", pid=2)
    one.sessions.start("s1")
    two.sessions.start("s2")
    assert (one.sessions.current(), two.sessions.current()) == ("s1", "s2")


def test_of_several_with_our_name_it_is_the_one_our_process_holds() -> None:
    shared = engine()
    one, two = Agent(shared, "same", pid=1), Agent(shared, "same", pid=2)
    one.sessions.start("s1")
    two.sessions.start("s2")
    assert (one.sessions.current(), two.sessions.current()) == ("s1", "s2")


def test_an_ancestor_may_hold_it() -> None:
    shared = engine()
    for pid in (1, 2):
        Agent(shared, "same", pid=pid).sessions.start(f"s{pid}")
    hook = Agent(shared, "same", pid=3)
    hook.machine.line_of_us += [Holder(2, "boot:2"), Holder(0, "boot:0")]
    assert hook.sessions.current() == "s2"


def test_where_nothing_decides_it_is_refused_by_name() -> None:
    shared = engine()
    for number in range(7):
        Agent(shared, "same", pid=number + 1).sessions.start(f"s{number}")
    with pytest.raises(InvalidInput) as refusal:
        Agent(shared, "another", pid=99).sessions.current()
    assert refusal.value.what == "7 sessions are open: s0, s1, s2, s3, s4 and 2 more."
    assert "--session" in refusal.value.remedy


def test_who_ended_beside_another_does_not_write_into_the_others_session() -> None:
    shared = engine()
    one, two = Agent(shared, "a", pid=1), Agent(shared, "b", pid=2)
    one.sessions.start("s1")
    two.sessions.start("s2")
    one.sessions.end("s1", "completed")
    assert one.sessions.current() is None
    assert two.sessions.current() == "s2"
    # but who was done before the other one began may speak in the current session
    three = Agent(shared, "c", pid=3)
    two.sessions.end("s2", "completed")
    three.sessions.start("s3")
    assert one.sessions.current() == "s3"


# Finding


def test_an_exact_id_wins_over_longer_ones() -> None:
    agent = Agent(engine())
    for name in ("s1", "s10", "s11", "t1"):
        agent.call(name)
    assert [agent.sessions.resolve(name) for name in ("s1", "s10", "t")] == ["s1", "s10", "t1"]


def test_an_ambiguous_beginning_names_the_candidates() -> None:
    agent = Agent(engine())
    for number in range(7):
        agent.call(f"s1{number}")
    with pytest.raises(InvalidInput) as refusal:
        agent.sessions.resolve("s1")
    assert refusal.value.what == ("7 sessions begin with 's1': s10, s11, s12, s13, s14 and 2 more.")


@pytest.mark.parametrize("name", ["x", "", "S1"])
def test_an_unknown_session_is_not_found(name: str) -> None:
    agent = Agent(engine())
    agent.call("s1")
    with pytest.raises(NotFound):
        agent.sessions.resolve(name)


# Where the fold does not reach


def test_far_behind_the_fold_is_not_waited_for_and_the_answers_are_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shared, machine = engine(), Machine()
    one = Agent(shared, "a", pid=1, machine=machine)
    two = Agent(shared, "b", pid=2, machine=machine)
    one.sessions.start("s1")
    two.sessions.start("s2")
    two.sessions.end("s2", "completed")
    one.sessions.start("s3")  # s1 is presumed crashed
    one.call("s1")  # and goes on
    behind, level = (Agent(shared, "a", pid=1, machine=machine) for _ in range(2))
    expected = level.sessions.open()
    monkeypatch.setattr("holdfast.ledger.sessions.BEHIND_MAX", 3)
    assert behind.sessions.open() == expected == ["s1", "s3"]
    assert behind.views.size == 0
    assert behind.sessions.resolve("s2") == "s2"


def test_views_of_another_ledger_are_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    agent, foreign = Agent(engine()), Agent(MemoryEngine("f" * 32))
    foreign.sessions.start("theirs")
    foreign.sessions.open()
    for n in range(5):
        agent.call(f"ours-{n}")
    agent.sessions.start("ours")
    mixed = Sessions(agent.ledger, foreign.views, processes=agent.machine)
    monkeypatch.setattr("holdfast.ledger.sessions.BEHIND_MAX", 3)
    assert mixed.open() == ["ours"]


def test_beginnings_and_ends_are_followed_past_a_damaged_entry() -> None:
    shared = engine()
    agent = Agent(shared, "a", pid=1)
    agent.sessions.start("s1")
    damaged = agent.call("s1")
    _damage(shared, damaged)
    other = Agent(shared, "a", pid=1)
    other.sessions.end("s1", "completed")
    other.sessions.start("s2")
    late = Agent(shared, "a", pid=1)
    late.call("s9")
    assert late.sessions.current() == "s2"
    assert late.sessions.resolve("s9") == "s9"


def _damage(shared: MemoryEngine, seq: int) -> None:
    shared._entries[seq] = Stored(seq, b"{", shared._entries[seq].leaf)


def test_an_id_that_is_derived_is_always_the_same_and_looks_like_one() -> None:
    assert derived_id("due", "s1", 5) == derived_id("due", "s1", 5)
    assert derived_id("due", "s1", 5) != derived_id("due", "s1", 6)
    assert len(derived_id("due", "s1", 5)) == 36
    assert derived_id("due", "s1", 5)[14] == "8"

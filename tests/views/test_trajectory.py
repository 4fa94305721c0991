"""The trajectory: which lines an entry comes to, in the words of the seed."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any

import pytest

from holdfast.kernel import entry as entries
from holdfast.kernel.entry import Actor, Entry, Span
from holdfast.kernel.types import TYPES
from holdfast.ledger.ledger import Ledger
from holdfast.storage.memory import MemoryEngine
from holdfast.testing import LEDGER, data_for, open_memory_ledger
from holdfast.views.trajectory import PHASES, lines_of, span_of


def entry_of(type_name: str, data: dict[str, Any], span: Span | None = None) -> Entry:
    ledger: Ledger = open_memory_ledger(MemoryEngine(LEDGER))
    ledger.append(type_name, data, session_id="s2", span=span)
    [stored] = ledger.reader.read()
    return entries.read(stored.body)


def lines(type_name: str, **changes: Any) -> list[dict[str, Any]]:
    data = data_for(type_name, 1, **changes)
    entry = entry_of(type_name, data)
    return lines_of(entry, entry.value(), "s1")


@pytest.mark.req("L10")
def test_a_handoff_has_the_fields_of_the_seed() -> None:
    [line] = lines(
        "handoff_made",
        task="bd-x7y8",
        notes_refs=["NOTES.md:68-92"],
        edd_verified=True,
        grounding_ratio=0.97,
        next_session_ready=True,
        next_steps=["go on"],
    )
    assert line["phase"] == "session_handoff"
    assert line["session_id"] == "s2"
    assert line["root_span_id"] == f"span-{sha256(b's1').hexdigest()[:12]}"
    assert line["bead_id"] == "bd-x7y8"
    assert line["notes_refs"] == ["NOTES.md:68-92"]
    assert (line["edd_verified"], line["grounding_ratio"]) == (True, 0.97)
    assert line["next_session_ready"] is True
    assert list(line)[:4] == ["ts", "phase", "session_id", "root_span_id"]


@pytest.mark.req("L10", "L11")
def test_a_pivot_has_the_fields_of_the_seed() -> None:
    [line] = lines(
        "pivot_logged",
        reason="query too broad",
        result_count=127,
        hypothesis_failure="all in one module",
        refined_hypothesis="one loop for each client",
    )
    assert {name: line[name] for name in ("phase", "reason", "result_count")} == {
        "phase": "pivot",
        "reason": "query too broad",
        "result_count": 127,
    }
    assert line["hypothesis_failure"] == "all in one module"
    assert line["refined_hypothesis"] == "one loop for each client"


@pytest.mark.req("L10")
def test_a_delta_has_the_fields_of_the_seed() -> None:
    [line] = lines("delta_synced", tokens=5000, decisions_persisted=3, task="t")
    assert (line["phase"], line["tokens"], line["decisions_persisted"]) == ("delta_sync", 5000, 3)
    assert line["bead_id"] == "t"


@pytest.mark.req("L10")
@pytest.mark.lesson("L6")
@pytest.mark.parametrize(("passed", "status"), [(True, "passed"), (False, "failed")])
def test_a_checkpoint_says_whether_it_passed(passed: bool, status: str) -> None:
    blocks = [] if passed else [{"step": 1, "reason": "no quote", "remedy": "add one"}]
    [line] = lines("gate_ran", passed=passed, blocks=blocks)
    assert (line["phase"], line["status"], line["passed"]) == (
        "synthesis_checkpoint",
        status,
        passed,
    )
    assert line["blocks"] == blocks


@pytest.mark.req("L10")
def test_a_decision_is_one_line_and_each_citation_another() -> None:
    cited = [
        {"path": "a.py", "line": 3, "quote": "x", "state": "exact"},
        {"path": "b.py", "line": 4, "last": 5, "quote": "y\nz", "state": "moved", "found": 9},
    ]
    told = lines("decision", grounds={"cited": 2, "exact": 1, "task": "t", "evidence": cited})
    assert [line["phase"] for line in told] == ["decision", "cite", "cite"]
    assert (told[0]["bead_id"], told[0]["citations"], told[0]["exact"]) == ("t", 2, 1)
    assert {line["decision_id"] for line in told} == {told[0]["decision_id"]}
    assert (told[2]["path"], told[2]["quote"], told[2]["found"]) == ("b.py", "y\nz", 9)
    assert "found" not in told[1]


@pytest.mark.req("L10")
@pytest.mark.parametrize(
    ("type_name", "phase"),
    [
        ("session_started", "session_start"),
        ("session_ended", "session_end"),
        ("decision_grounded", "grounding"),
        ("ghost_flagged", "negative_grounding"),
        ("ghost_checked", "negative_grounding"),
        ("healed", "self_heal"),
        ("fork_opened", "fork"),
        ("fork_resolved", "fork"),
        ("evidence_recorded", "evidence"),
        ("attention_measured", "attention"),
        ("search_ran", "search"),
        ("task_added", "task"),
        ("scenario_added", "test_scenario"),
    ],
)
def test_each_phase_has_its_name(type_name: str, phase: str) -> None:
    told = lines(type_name)
    assert told[0]["phase"] == phase
    assert json.loads(json.dumps(told)) == told


def test_a_fork_says_whether_it_is_open() -> None:
    assert lines("fork_opened")[0]["status"] == "open"
    assert lines("fork_resolved")[0]["status"] == "resolved"


def test_a_ghost_keeps_what_became_of_it() -> None:
    assert lines("ghost_flagged")[0]["status"] == "unverified"
    assert lines("ghost_checked", status="confirmed")[0]["status"] == "confirmed"


def test_what_is_told_of_is_known_to_the_registry() -> None:
    for name in PHASES:
        TYPES.spec(name)


def test_other_entries_leave_no_line() -> None:
    assert lines("prompt_given") == []
    assert lines("command_ran") == []


def test_the_lineage_is_known_from_the_span_where_nobody_says_it() -> None:
    entry = entry_of("session_ended", {"reason": "x"}, Span("s2", "s1", "s0"))
    [line] = lines_of(entry, entry.value())
    assert line["root_span_id"] == span_of("s0")
    assert line["actor"] == f"{Actor('agent', 'builder').kind}:builder"


@pytest.mark.req("L10")
def test_no_field_of_an_entry_says_which_phase_it_is_or_whose() -> None:
    forged = {"ts": "1970", "phase": "decision", "session_id": "s9", "seq": 7, "actor": "user:me"}
    [line] = lines("healed", **forged)
    assert (line["phase"], line["session_id"], line["seq"]) == ("self_heal", "s2", 0)
    assert line["ts"].startswith("2026-11-15")
    assert line["actor"] == "agent:builder"

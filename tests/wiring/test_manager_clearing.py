"""Clearing by way of StateManager: the same verbs as on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdfast import StateManager
from tests.wiring.projects import data, entries


def plan(manager: StateManager) -> None:
    for number in range(3):
        scenario = {"name": f"case {number}", "type": "edge", "expected": "works"}
        manager.append_entry("scenario_added", scenario)


@pytest.mark.req("L5")
def test_a_count_belongs_to_the_session_and_does_what_its_zone_asks(project: Path) -> None:
    with StateManager() as manager:
        manager.start_session("s")
        assert manager.measure_attention(6_000).zone == "yellow"
    assert (project / "NOTES.md").exists()
    found = {
        entry.type: entry.session_id for entry in entries("attention_measured", "delta_synced")
    }
    assert found == {"attention_measured": "s", "delta_synced": "s"}


@pytest.mark.req("L15")
def test_a_clear_is_checked_blocked_and_passed(project: Path) -> None:
    with StateManager() as manager:
        manager.start_session("s")
        assert [block.step for block in manager.check_clear().blocks] == [7]
        assert manager.clear().handoff is None
        plan(manager)
        assert manager.check_clear().ok
        handoff = manager.clear().handoff
        assert handoff is not None
        assert handoff.session_id == "s"
        assert manager.session_id is None
    assert [ran["passed"] for ran in data("gate_ran")] == [False, True]
    assert project.exists()


def test_looking_leaves_the_managers_session_as_it_was(project: Path) -> None:
    with StateManager() as manager:
        manager.start_session("s")
        before = manager.ledger.session_id
        manager.check_clear()
        assert manager.ledger.session_id == before
        assert manager.session_id == "s"
    assert project.exists()

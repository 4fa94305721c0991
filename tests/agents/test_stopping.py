"""The end of a turn tells what a clear would lose, by the process that the agent starts, and never
keeps the agent from stopping."""

from __future__ import annotations

import json
from typing import Any

import pytest

from holdfast.agents.values import AgentName
from holdfast.wiring.opening import open_ledger
from tests.agents.hooks import Project

LOST = "a clear now would lose sight of 1 ungrounded decision"
DECIDED = {"question": "What?", "choice": "This", "reasoning": "so", "alternatives": []}


def decide(project: Project, choice: str = "This") -> None:
    with open_ledger(project.root) as ledger:
        ledger.append("decision", DECIDED | {"choice": choice})


def stop(project: Project, agent: AgentName = "claude-code", **fields: Any) -> dict[str, Any]:
    done = project.hook(project.told("Stop", **fields), agent=agent)
    assert (done.code, done.err) == (0, "")
    told: dict[str, Any] = json.loads(done.out) if done.out else {}
    return told


@pytest.mark.req("X4")
@pytest.mark.parametrize("agent", ["claude-code", "codex"])
def test_a_stop_says_what_a_clear_would_lose(project: Project, agent: AgentName) -> None:
    project.start()
    assert stop(project, agent) == {}
    decide(project)
    told = stop(project, agent)
    assert LOST in told["systemMessage"]
    assert "holdfast clear --check" in told["systemMessage"]
    assert set(told) == {"systemMessage"}, "nothing that holds the agent back"


@pytest.mark.req("X4")
@pytest.mark.parametrize("active", [True, False])
def test_an_agent_that_stops_again_and_again_is_told_once_and_never_held(
    project: Project, active: bool
) -> None:
    """A hook that blocks a stop lets the agent go on, which then stops again: a loop."""
    project.start()
    decide(project)
    told = [stop(project, stop_hook_active=active) for _ in range(4)]
    assert [LOST in one.get("systemMessage", "") for one in told] == [True, False, False, False]
    for one in told:
        assert not {"decision", "continue", "stopReason", "hookSpecificOutput"} & set(one)
    decide(project, "That")
    assert "2 ungrounded decisions" in stop(project, stop_hook_active=active)["systemMessage"]


def test_a_stop_of_a_worker_says_nothing(project: Project) -> None:
    project.start()
    decide(project)
    done = project.hook(project.told("SubagentStop", agent_id="a1", stop_hook_active=True))
    assert (done.code, done.out) == (0, "")


def test_where_the_ledger_cannot_be_opened_a_stop_is_no_obstacle(project: Project) -> None:
    project.start()
    decide(project)
    for path in project.folder.glob("ledger.db*"):
        path.write_bytes(b"no database at all" * 400)
    done = project.hook(project.told("Stop", stop_hook_active=True))
    assert done.code == 0
    assert "decision" not in done.out
    assert "is kept, to be recorded later" in done.err

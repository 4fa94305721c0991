"""The guide's table of agents says what the modules say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from holdfast.agents.installing import Setup
from holdfast.agents.registry import agent as agent_named
from holdfast.agents.values import AGENTS, AgentName
from tests.agents.setups import Place

GUIDE = (Path(__file__).parents[2] / "docs" / "guide" / "agents.md").read_text()


def row(beginning: str) -> list[str]:
    """Return the cells of a row, one for each agent."""
    [line] = [line for line in GUIDE.splitlines() if line.startswith(f"| {beginning}")]
    return [cell.strip() for cell in line.strip("|").split("|")][1:]


def test_it_says_how_much_each_may_be_told() -> None:
    told = [int(re.sub(r"\D", "", cell)) for cell in row("characters that it may be told")]
    assert told == [agent_named(agent).CONTEXT_CHARS_MAX for agent in AGENTS]


def test_it_says_of_each_whether_a_summary_is_told() -> None:
    told = [cell == "yes" for cell in row("the summary of a compaction")]
    silent = ["summary" not in " ".join(agent_named(agent).CANNOT) for agent in AGENTS]
    assert told == silent


@pytest.mark.parametrize("agent", AGENTS)
def test_it_names_every_file_that_is_written(tmp_path: Path, agent: AgentName) -> None:
    place = Place(tmp_path)
    [line] = [line for line in GUIDE.splitlines() if line.startswith(f"| `{agent}` |")]
    for edit in place.project(agent).edits:
        assert f"`{edit.path}`" in line
    user: Setup = place.user(agent)
    for edit in user.edits:
        folder, _, name = edit.path.rpartition("/")
        assert f"`~/{edit.path}`" in line or name in line or folder.endswith("plugins")

"""Agents by their names."""

from __future__ import annotations

import subprocess
import sys

import pytest

from holdfast.agents.registry import agent
from holdfast.agents.values import AGENTS
from holdfast.kernel.errors import InvalidInput


@pytest.mark.parametrize("name", AGENTS)
def test_each_agent_says_what_it_is(name: str) -> None:
    found = agent(name)
    assert name == found.NAME
    assert len(set(found.EVENTS)) == len(found.EVENTS) > 0
    assert found.CONTEXT_CHARS_MAX >= 2_000
    assert all(sentence.endswith(".") for sentence in found.CANNOT)


@pytest.mark.parametrize("name", ["", "claude", "values", "../x", "x" * 500])
def test_another_name_is_refused_with_those_that_there_are(name: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        agent(name)
    assert all(one in caught.value.remedy for one in AGENTS)
    assert len(caught.value.what) < 200


def test_an_agent_is_loaded_without_the_others() -> None:
    code = (
        "import sys; from holdfast.agents.registry import agent; agent('codex');"
        "print(sorted(m for m in sys.modules if m in "
        "{'holdfast.agents.gemini', 'holdfast.agents.claude_code', 'holdfast.agents.cursor'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"

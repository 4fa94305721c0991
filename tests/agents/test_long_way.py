"""The long way of a hook loads what it needs, and none of what only costs time."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import pytest

from holdfast.wiring.hook_command import hook_command
from tests.agents.hooks import Project

COSTLY = {"ast", "asyncio", "dataclasses", "inspect", "shutil", "tempfile"}
"""Some of it would come with typing_extensions, which msgspec asks for."""


@pytest.mark.lesson("N5")
@pytest.mark.parametrize("event", ["Stop", "PostToolUse"])
def test_nothing_is_loaded_that_only_costs_time(project: Project, event: str) -> None:
    """git is asked in a repository alone, and that needs more."""
    project.start()
    call: dict[str, Any] = {
        "tool_name": "Bash",
        "tool_use_id": "t1",
        "tool_input": {"command": "true"},
    }
    python, flags, *words = hook_command("claude-code")
    done = subprocess.run(
        [python, flags, "-X", "importtime", *words],
        input=json.dumps(project.told(event) | call).encode(),
        capture_output=True,
        cwd=project.root,
        env=project.env,
        check=True,
    )
    lines = done.stderr.decode().splitlines()
    loaded = {line.rpartition("|")[2].strip() for line in lines}
    assert "holdfast.wiring.hooking" in loaded
    assert loaded & COSTLY == set()

"""One session, told by hooks and read from its transcript, is recorded once.

The transcripts are those of the sessions that the payloads are of, without what clients add for the
model or the screen.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from holdfast.agents.transcripts import claude_code, codex
from holdfast.agents.values import AgentName
from holdfast.ledger.importing.lines import Line
from holdfast.ledger.ledger import Draft
from tests.agents.hearing import drafts, recorded

FILES = Path(__file__).parent / "payloads"


def told(name: AgentName, session: str) -> dict[str, Draft]:
    payloads = [one for one in recorded(name) if one["session_id"] == session]
    made = [draft for payload in payloads for draft in drafts(name, payload)]
    return {str(draft.id): draft for draft in reversed(made)}


def written(reader: Any, file: str) -> dict[str, Draft]:
    lines = (FILES / file).read_bytes().splitlines()
    made = [
        draft
        for number, line in enumerate(lines, 1)
        for draft in reader.read(Line(file, number, line))
    ]
    return {str(draft.id): draft for draft in reversed(made)}


def of(found: dict[str, Draft], kind: str) -> set[str]:
    return {name for name, draft in found.items() if draft.type == kind}


@pytest.mark.req("X4", "X7")
@pytest.mark.parametrize("kind", ["agent_said", "command_ran", "tool_called", "tool_begun"])
def test_claude_code_is_recorded_once(kind: str) -> None:
    session = str(recorded("claude-code")[0]["session_id"])
    hooks = told("claude-code", session)
    read = written(claude_code.Reader(session), "claude_code_transcript.jsonl")
    # A helper has a file of its own; a call that never ran has a beginning there alone.
    own = {name for name in of(hooks, kind) if "worker" not in hooks[name].data}
    unheard = {name for name in of(read, kind) - own if read[name].data.get("call") == "toolu_8"}
    assert of(read, kind) - unheard == own
    assert own
    assert bool(unheard) == (kind == "tool_begun")


@pytest.mark.req("X4", "X7")
def test_what_the_user_said_to_claude_code_is_recorded_once() -> None:
    session = str(recorded("claude-code")[0]["session_id"])
    hooks = told("claude-code", session)
    read = written(claude_code.Reader(session), "claude_code_transcript.jsonl")
    assert of(hooks, "prompt_given") <= of(read, "prompt_given")
    others = of(read, "prompt_given") - of(hooks, "prompt_given")
    assert all(read[one].data["text"].startswith("<task-notification>") for one in others)


@pytest.mark.req("X4", "X7")
def test_codex_is_recorded_once_and_its_rollout_tells_how_commands_ended() -> None:
    session = str(recorded("codex")[0]["session_id"])
    hooks = told("codex", session)
    read = written(codex.Reader(session), "codex_rollout.jsonl")
    for kind in ("prompt_given", "tool_called", "tool_begun"):
        assert of(hooks, kind) <= of(read, kind)
        assert of(hooks, kind)
    assert of(hooks, "command_ran") == set()
    codes = [read[name].data for name in of(read, "command_ran")]
    assert {(one["command"], one["exit_code"]) for one in codes} >= {
        ("cat made.py; echo err >&2", 0),
        ("echo no; exit 3", 3),
    }

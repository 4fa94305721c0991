"""Payloads as real clients gave them to a hook, in order, without the paths of the machine.

`claude_code.jsonl` and `codex.jsonl` are sessions with a scripted model: Claude Code 2.1.325 with
`-p`, Codex 0.166.0 with `exec`. `opencode.jsonl` is what the plugin passed on of opencode 1.18.33.
Those of Gemini CLI and Cursor are written after their documentation.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from holdfast.agents.registry import agent
from holdfast.agents.values import AgentName, Event
from holdfast.ledger.ledger import Draft
from holdfast.testing.builders import open_memory_ledger

AT_US = 1_794_787_200_000_000

FIRED = {
    "claude-code": "Notification",
    "codex": "PermissionRequest",
    "opencode": "todo.updated",
    "gemini": "Notification",
    "cursor": "afterAgentThought",
}
"""An event of each that has no type of its own."""


def recorded(name: AgentName) -> list[dict[str, Any]]:
    """Return the payloads of a session."""
    file = Path(__file__).parent / "payloads" / f"{name.replace('-', '_')}.jsonl"
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def read(name: AgentName, payload: Any, at_us: int = AT_US) -> Event:
    """Read a payload."""
    return agent(name).read(payload, at_us)


def drafts(name: AgentName, payload: Any, at_us: int = AT_US) -> list[Draft]:
    """Return the entries of a payload."""
    return agent(name).drafts(read(name, payload, at_us))


def types(made: list[Draft]) -> list[str]:
    """Return the types of drafts."""
    return [one.type for one in made]


def admit(made: list[Draft]) -> int:
    """Put drafts into a ledger; return how many became entries."""
    with open_memory_ledger() as ledger:
        receipts = ledger.append_many(made)
    return sum(not one.duplicate for one in receipts)

"""Payloads as Claude Code hands them to its hooks: what it reads, edits and greps is real code.

The texts are this Python's own library and this project, so that as much in them looks like a
secret, or is a long identifier, as does in what people work on.
"""

from __future__ import annotations

import json
import random
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

BYTES: Final = 7_000
"""How long the longest are; all together are about 6 kB long."""

SOURCES: Final = (Path(sysconfig.get_paths()["stdlib"]), Path(__file__).parents[1] / "src")


def payloads(count: int, root: Path, session: str, seed: int = 7) -> list[bytes]:
    """Make payloads of PostToolUse (Read, Edit, Grep) and, one in eight, of PreToolUse."""
    chance = random.Random(f"{seed} {session}")
    files = sorted(path for source in SOURCES for path in source.rglob("*.py"))
    files = [path for path in files if "site-packages" not in path.parts]
    makers = (_read, _read, _read, _edit, _edit, _grep, _grep, _begin)
    made = []
    for number in range(count):
        path = chance.choice(files)
        text = path.read_text(encoding="utf-8", errors="replace")
        told = makers[number % len(makers)](path, text, chance)
        told |= {
            "session_id": session,
            "transcript_path": f"{Path.home()}/.claude/projects/{session}.jsonl",
            "cwd": str(root),
            "permission_mode": "acceptEdits",
            "tool_use_id": f"toolu_{session}_{number:06d}",
        }
        made.append(json.dumps(told).encode())
    return made


def _part(text: str, chance: random.Random, size: int) -> str:
    start = chance.randrange(max(1, len(text) - size))
    return text[start : start + size]


def _read(path: Path, text: str, chance: random.Random) -> dict[str, Any]:
    content = _part(text, chance, BYTES - 1_200)
    file = {"filePath": str(path), "content": content, "numLines": content.count("\n")}
    return {
        "hook_event_name": "PostToolUse",
        "tool_name": "Read",
        "tool_input": {"file_path": str(path), "offset": 1, "limit": 200},
        "tool_response": {"type": "text", "file": file | {"startLine": 1, "totalLines": 900}},
    }


def _edit(path: Path, text: str, chance: random.Random) -> dict[str, Any]:
    before = _part(text, chance, 1_200)
    after = before.replace("self", "this")
    patch = [f"-{line}" for line in before.splitlines()] + [f"+{x}" for x in after.splitlines()]
    # a path that is not below the root: what is measured here is the event, not a file
    return {
        "hook_event_name": "PostToolUse",
        "tool_name": "Edit",
        "tool_input": {"file_path": str(path), "old_string": before, "new_string": after},
        "tool_response": {
            "filePath": str(path),
            "oldString": before[:600],
            "newString": after[:600],
            "structuredPatch": [{"oldStart": 1, "newStart": 1, "lines": patch}],
        },
    }


def _grep(path: Path, text: str, chance: random.Random) -> dict[str, Any]:
    lines = [line for line in text.splitlines() if line.strip()] or [""]
    found: list[str] = []
    for number in _numbers(chance, len(lines)):
        found.append(f"{path}:{number + 1}:{lines[number]}")
        if sum(map(len, found)) > BYTES - 1_000:
            break
    return {
        "hook_event_name": "PostToolUse",
        "tool_name": "Grep",
        "tool_input": {"pattern": r"def \w+", "output_mode": "content"},
        "tool_response": {"mode": "content", "content": "\n".join(found), "numLines": len(found)},
    }


def _numbers(chance: random.Random, count: int) -> Iterator[int]:
    for _ in range(200):
        yield chance.randrange(count)


def _begin(path: Path, text: str, chance: random.Random) -> dict[str, Any]:
    given = {"file_path": str(path), "content": _part(text, chance, BYTES - 700)}
    return {"hook_event_name": "PreToolUse", "tool_name": "Write", "tool_input": given}

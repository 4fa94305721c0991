"""Entries as a working agent leaves them: mostly prompts, tool calls, commands and file changes.

A session of 500 has a scene, five decisions, four facts (one supersedes the one before), an unlock,
something pending that is settled, and now and then a rollback: about 20,000 items are live in all
stores together after a million entries.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any, Final

from bench import entries
from holdfast.ledger.ledger import Draft
from holdfast.stores.facts import fact_id

SESSION: Final = 500
ROLLBACK_SESSIONS: Final = 100
"""A session in so many goes back by a few entries."""

_COMMON: Final = ("tool_called", "command_ran", "file_change", "prompt_given", "agent_said")
_WEIGHTS: Final = (48, 16, 20, 5, 11)
_TOOLS: Final = ("Read", "Edit", "Grep", "Bash", "Write")


def drafts(size: int, *, seed: int = 1) -> Iterator[Draft]:
    """Yield entries, the same for the same seed."""
    chance = random.Random(seed)
    pool = {name: [_common(name, chance) for _ in range(2_000)] for name in _COMMON}
    for start in range(0, size, SESSION):
        number = start // SESSION
        session = f"s-{number}"
        marks = _marks(number, start, chance)
        for place in range(min(SESSION, size - start)):
            if place in marks:
                yield Draft(*marks[place], session)
            else:
                name = chance.choices(_COMMON, weights=_WEIGHTS)[0]
                yield Draft(name, chance.choice(pool[name]), session)


def _marks(number: int, start: int, chance: random.Random) -> dict[int, tuple[str, dict[str, Any]]]:
    """Return what is particular about a session, by its place in it."""
    scene, waiting = f"scene-{number}", f"pending-{number}"
    told = [f"{entries.text(chance, 8)} ({number}.{n})" for n in range(4)]
    ids = [fact_id("finding", text) for text in told]
    marks: dict[int, tuple[str, dict[str, Any]]] = {
        0: ("session_started", {"title": entries.text(chance, 5)}),
        1: ("scene_started", {"scene": scene, "title": entries.text(chance, 4)}),
        60: ("unlock_granted", {"handle": ids[0], "scope": "CAMPAIGN"}),
        61: ("unlock_granted", {"handle": ids[1], "scope": "SCENE"}),
        200: ("pending_opened", {"pending": waiting, "kind": "approval", "prompt": "May it run?"}),
        230: ("pending_resolved", {"pending": waiting, "outcome": "yes"}),
        498: ("scene_ended", {"scene": scene}),
        499: ("session_ended", {"reason": "done"}),
    }
    for n, text in enumerate(told):
        fact: dict[str, Any] = {"kind": "finding", "payload": text}
        marks[40 + 90 * n] = ("fact_recorded", fact | ({"supersedes": [ids[2]]} if n == 3 else {}))
    for n in range(5):
        marks[75 + 85 * n] = ("decision", entries.decision(chance))
    if number % ROLLBACK_SESSIONS == ROLLBACK_SESSIONS - 1:
        marks[470] = ("rolled_back", {"to": start + 420, "reason": "a dead end"})
    return marks


def _common(name: str, chance: random.Random) -> dict[str, Any]:
    text = entries.text
    match name:
        case "tool_called":
            params = {"file_path": f"src/part_{chance.randrange(300)}.py", "query": text(chance, 6)}
            tool = chance.choice(_TOOLS)
            return {"tool": tool, "ok": True, "params": params, "detail": text(chance, 20)}
        case "command_ran":
            command = f"pytest -q tests/test_{chance.randrange(300)}.py"
            return {"command": command, "exit_code": 0, "output": text(chance, 30), "cwd": "."}
        case "file_change":
            return entries.file_change(chance)
        case _:
            return {"text": text(chance, 40)}

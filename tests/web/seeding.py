"""Ledgers to look at: a made-up project's work, of any length, with a bit of everything in it."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from holdfast.config import Seal
from holdfast.kernel.entry import Actor
from holdfast.ledger.ledger import Draft
from holdfast.testing.clock import FixedClock
from holdfast.wiring.opening import open_ledger

BATCH: Final = 500
SESSION_ENTRIES: Final = 180
START_US: Final = 1_790_000_000_000_000
STEP_US: Final = 7_300_000

_AGENT: Final = Actor("agent", "claude-code")
_USER: Final = Actor("user", "claude-code")
_TOOL: Final = Actor("tool", "claude-code")
_HOLDFAST: Final = Actor("holdfast", "hook")

_PARTS: Final = ("parser", "reader", "store", "index", "relay", "page", "queue", "vault")
_VERBS: Final = ("split", "keep", "name", "bound", "retry", "cache", "order", "prove")


def seed(folder: Path, entries: int, *, chance: int = 7, words: str = "") -> Path:
    """Make a ledger of so many entries in a folder; `words` stands in every text of it."""
    folder.mkdir(parents=True, exist_ok=True)
    clock = FixedClock(START_US, step_us=STEP_US)
    with open_ledger(folder, clock=clock, seal=Seal(auto=False), entropy=False) as ledger:
        batch: list[Draft] = []
        for draft in _work(entries, random.Random(chance), words):
            batch.append(draft)
            if len(batch) == BATCH:
                ledger.append_many(batch)
                batch = []
        ledger.append_many(batch)
    return folder


def _work(entries: int, chance: random.Random, words: str) -> Iterator[Draft]:
    made, session = 0, -1
    while made < entries:
        session += 1
        name = f"session-{session:05d}"
        drafts = list(_session(name, session, chance, words))
        if made + len(drafts) >= entries:
            drafts = drafts[: entries - made]
        yield from drafts
        made += len(drafts)


def _session(name: str, number: int, chance: random.Random, words: str) -> Iterator[Draft]:
    def draft(kind: str, data: dict[str, Any], actor: Actor = _AGENT) -> Draft:
        return Draft(kind, data, name, actor)

    part = chance.choice(_PARTS)
    title = f"{chance.choice(_VERBS)} the {part} {words}".strip()
    yield draft("session_started", {"title": title})
    yield draft("task_added", {"task": f"t-{number}", "title": title})
    tokens = 1_000
    for step in range(SESSION_ENTRIES - 4):
        tokens += chance.randrange(200, 1_500)
        kind, data, actor = chance.choice(_STEPS)(chance, part, step, words)
        if kind == "attention_measured":
            data["tokens"] = tokens
            data["zone"] = _zone(tokens)
        yield draft(kind, data, actor)
    if number % 3 == 1:
        summary = f"We worked on the {part}. {words}"
        yield draft(
            "context_compacted", {"agent": "claude-code", "trigger": "auto", "summary": summary}
        )
        yield draft("context_given", _given(part, name, words), _HOLDFAST)
    yield draft("session_ended", {"reason": "clear" if number % 2 else "finished"})


def _given(part: str, session: str, words: str) -> dict[str, Any]:
    text = f"Commands, and how they ended:\n- pytest -q tests/test_{part}.py {words}"
    return {
        "agent": "claude-code",
        "event": "SessionStart",
        "source": "compact",
        "text": text,
        "tokens": 60,
        "counter": "holdfast-2",
        "about": [1],
        "of_session": session,
        "left_out": {"commands": 3},
    }


def _zone(tokens: int) -> str:
    for zone, least in (("red", 150_000), ("orange", 100_000), ("yellow", 50_000)):
        if tokens >= least:
            return zone
    return "green"


_Step = Callable[[random.Random, str, int, str], tuple[str, dict[str, Any], Actor]]


def _prompt(chance: random.Random, part: str, step: int, words: str) -> Any:
    text = f"Please {chance.choice(_VERBS)} what the {part} does at step {step}. {words}"
    return "prompt_given", {"text": text}, _USER


def _said(chance: random.Random, part: str, step: int, words: str) -> Any:
    return "agent_said", {"text": f"The {part} now does it; {step} tests pass. {words}"}, _AGENT


def _command(chance: random.Random, part: str, step: int, words: str) -> Any:
    data = {"command": f"pytest -q tests/test_{part}.py {words}".strip()}
    failed = chance.random() < 0.2
    return "command_ran", data | {"exit_code": int(failed), "output": f"{step} passed"}, _TOOL


def _tool(chance: random.Random, part: str, step: int, words: str) -> Any:
    data = {"tool": "Read", "ok": True, "params": {"file_path": f"src/{part}.py", "n": step}}
    return "tool_called", data | ({"detail": words} if words else {}), _TOOL


def _decision(chance: random.Random, part: str, step: int, words: str) -> Any:
    verb = chance.choice(_VERBS)
    data = {
        "question": f"How does the {part} {verb}? {words}",
        "choice": f"{verb} in one pass, at step {step} {words}".strip(),
        "reasoning": f"one pass reads every byte once {words}".strip(),
        "alternatives": [f"two passes {words}".strip()],
        "subject": f"{part} {verb} {chance.randrange(10**9)}",
    }
    return "decision", data, _AGENT


def _file(chance: random.Random, part: str, step: int, words: str) -> Any:
    data = {
        "path": f"src/{part}_{step}.py",
        "action": "modify",
        "size_before": step,
        "size_after": step + 10,
        "lines_changed": 2,
        "diff_summary": f"two lines more {words}".strip(),
        "hash_after": f"{step:064x}",
    }
    return "file_change", data, _TOOL


def _error(chance: random.Random, part: str, step: int, words: str) -> Any:
    data = {"error_type": "ValueError", "message": f"{part} at {step} {words}".strip()}
    return "error", data | {"context": words or None, "resolution": None, "prevention": None}, _TOOL


def _checkpoint(chance: random.Random, part: str, step: int, words: str) -> Any:
    data = {
        "task": f"the {part} {words}".strip(),
        "completed": step,
        "total": SESSION_ENTRIES,
        "files_created": [],
        "files_modified": [f"src/{part}.py"],
        "decisions_made": step // 10,
        "next_action": f"item {step + 1} {words}".strip(),
        "quick_resume": f"the {part} {step}/{SESSION_ENTRIES}; next: item {step + 1}",
    }
    return "checkpoint", data, _AGENT


def _metric(chance: random.Random, part: str, step: int, words: str) -> Any:
    value = round(chance.random() * 0.98 + 0.011, 3)
    data = {"name": f"{part} coverage", "value": value, "threshold": 0.5, "passed": value >= 0.5}
    return "metric", data | {"components": {}}, _AGENT


def _attention(chance: random.Random, part: str, step: int, words: str) -> Any:
    data = {"tokens": 0, "zone": "green", "counter": "usage", "source": "hook", "window": 200_000}
    return "attention_measured", data, _AGENT


_STEPS: Final[tuple[_Step, ...]] = (
    _prompt, _said, _command, _command, _command, _tool, _tool, _tool, _tool, _tool, _said, _file,
    _file, _decision, _error, _checkpoint, _metric, _attention, _tool, _command,
)  # fmt: skip


def seed_scripts(folder: Path, texts: Sequence[str]) -> int:
    """Make a ledger in which each text stands in every field of some entry; return how many
    entries that are."""
    chance = random.Random(1)
    drafts: list[Draft] = []
    for number, text in enumerate(texts):
        name = f"s{number} {text}"[:100].strip()
        drafts.append(Draft("session_started", {"title": text}, name, _AGENT))
        drafts.append(Draft("task_added", {"task": f"t-{number}", "title": text}, name, _AGENT))
        kind, data, actor = _STEPS[number % len(_STEPS)](chance, text, number, text)
        drafts.append(Draft(kind, data, name, actor))
        told = {"agent": "claude-code", "trigger": text, "summary": text}
        drafts.append(Draft("context_compacted", told, name, _AGENT))
        given = _given(text, name, text) | {"source": text, "counter": text, "left_out": {text: 1}}
        drafts.append(Draft("context_given", given, name, _HOLDFAST))
        drafts.append(Draft("work_opened", {"work": f"w-{number}", "title": text, "kind": text}))
    folder.mkdir(parents=True, exist_ok=True)
    with open_ledger(folder, seal=Seal(auto=False), entropy=False) as ledger:
        for place in range(0, len(drafts), BATCH):
            ledger.append_many(drafts[place : place + BATCH])
        return ledger.head().size

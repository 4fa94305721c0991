"""Valid data, entries and ledgers, as small as they may be and different for each number."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from holdfast.kernel import canonical, chain
from holdfast.kernel.chain import Head
from holdfast.kernel.entry import Actor, Prepared, Sealed, Span
from holdfast.kernel.hashing import data_hash
from holdfast.kernel.types import TYPES
from holdfast.ledger.ledger import Draft, Ledger
from holdfast.ledger.redaction import Redactor
from holdfast.ledger.sources import timestamp
from holdfast.storage.memory import MemoryEngine
from holdfast.storage.port import Engine
from holdfast.testing.clock import START_US, STEP_US, FixedClock, FixedIds, id_for

LEDGER: Final = "0123456789abcdef0123456789abcdef"
"""The name of every ledger made here."""

KEY: Final = bytes(range(32))
"""The key of the fingerprints of every ledger made here."""

ACTOR: Final = Actor("agent", "builder")

_DATA: Final[Mapping[str, Callable[[int], dict[str, Any]]]] = {
    "decision": lambda n: {
        "question": f"Which way at fork {n}?",
        "choice": f"Way {n}",
        "reasoning": "It is the shorter one.",
        "alternatives": ["the other way"],
        "confidence": 0.75,
    },
    "file_change": lambda n: {
        "path": f"src/part_{n}.py",
        "action": "modify",
        "size_before": n,
        "size_after": n + 20,
        "lines_changed": 1,
        "diff_summary": "one line more",
        "hash_after": data_hash(b"%d" % n),
    },
    "checkpoint": lambda n: {
        "task": "a task",
        "completed": n,
        "total": n + 1,
        "files_created": ["a.py"],
        "files_modified": [],
        "decisions_made": 0,
        "next_action": f"item {n + 1}",
        "quick_resume": f"{n} done",
    },
    "error": lambda n: {
        "error_type": "FileNotFound",
        "message": f"attempt {n} found nothing",
        "context": None,
        "resolution": None,
        "prevention": None,
    },
    "metric": lambda n: {
        "name": "S(x)",
        "value": n + 0.5,
        "threshold": 0.75,
        "passed": n > 0,
        "components": {"safety": 0.9},
    },
    "compression": lambda n: {
        "entries_compressed": n,
        "sessions_covered": ["S1"],
        "archive_path": f"archives/archive_{n}.jsonl.zst",
        "summary": {"total_decisions": n},
        "restore_index": {"S1": {"start": 0, "end": n}},
    },
    "session_started": lambda n: {"parent": f"session-{n}"},
    "session_ended": lambda n: {"reason": f"reason {n}"},
    "prompt_given": lambda n: {"text": f"Please see to part {n}."},
    "agent_said": lambda n: {"text": f"Part {n} is seen to."},
    "tool_called": lambda n: {"tool": "Read", "params": {"part": n}, "detail": f"part {n}"},
    "command_ran": lambda n: {
        "command": f"make part-{n}",
        "exit_code": n % 3,
        "output": f"{n} made",
        "cwd": "src",
    },
    "work_opened": lambda n: {"work": f"work-{n}", "title": f"Look into part {n}"},
    "work_closed": lambda n: {"work": f"work-{n}", "outcome": f"part {n} is sound"},
    "artifact_erased": lambda n: {
        "sha256": data_hash(b"%d" % n),
        "bytes": n,
        "reason": "asked for",
    },
    "line_quarantined": lambda n: {
        "source": "STATE_LOG.jsonl",
        "line": n,
        "reason": "no JSON",
        "encoding": "text",
        "content": "{broken",
    },
    "fact_recorded": lambda n: {"kind": "place", "payload": {"name": f"room {n}", "doors": n}},
    "fact_withdrawn": lambda n: {"fact": data_hash(b"%d" % n)[:32], "reason": "it was a rumour"},
    "unlock_granted": lambda n: {"handle": data_hash(b"%d" % n)[:32], "scope": "CAMPAIGN"},
    "story_set": lambda n: {"campaign": f"campaign {n}", "world": "the coast", "mode": "explore"},
    "scene_started": lambda n: {"scene": f"scene-{n}", "title": f"The room {n}"},
    "scene_ended": lambda n: {"scene": f"scene-{n}", "outcome": "they left"},
    "milestone_reached": lambda n: {"title": f"part {n} is done"},
    "pending_opened": lambda n: {
        "pending": f"pending-{n}",
        "kind": "PENDING_ROLL",
        "prompt": f"Roll for room {n}.",
    },
    "pending_step_taken": lambda n: {"pending": f"pending-{n}", "step": "ask"},
    "pending_resolved": lambda n: {"pending": f"pending-{n}", "outcome": f"{n}"},
    "pin_revised": lambda n: {
        "pin": "store.facts",
        "before": str(n),
        "after": str(n + 1),
        "reason": "facts carry more",
    },
    "rolled_back": lambda n: {"to": n, "reason": "the plan was wrong"},
    "ledger_continued": lambda n: {
        "ledger": LEDGER,
        "size": n,
        "root": data_hash(b"%d" % n),
        "snapshot_id": data_hash(b"%d" % n)[:16],
    },
    "decision_grounded": lambda n: {
        "decision": f"decision-{n}",
        "grounds": {"cited": 1, "exact": 1},
    },
    "evidence_recorded": lambda n: {"kind": "command", "passed": True, "command": f"make {n}"},
    "fork_opened": lambda n: {
        "fork": f"fork-{n}",
        "subject": "the store",
        "statement": f"Keep {n} copies.",
        "against": "Keep one copy.",
        "reason": "another choice on the same subject",
        "higher": "decision",
    },
    "fork_resolved": lambda n: {
        "fork": f"fork-{n}",
        "ruling": "agent wrong",
        "because": "one copy is enough",
    },
    "ghost_flagged": lambda n: {"ghost": f"feature-{n}"},
    "ghost_checked": lambda n: {
        "ghost": f"feature-{n}",
        "status": "unverified",
        "queries": [{"query": f"feature {n}", "level": "bm25", "files": n, "unread": 0, "hits": 0}],
    },
    "search_ran": lambda n: {"query": f"part {n}", "result_count": 51 + n, "scope": "code"},
    "pivot_logged": lambda n: {
        "reason": "query too broad",
        "result_count": 51 + n,
        "hypothesis_failure": "every part is called part",
        "refined_hypothesis": f"the part is called {n}",
    },
    "task_added": lambda n: {"task": f"task-{n}", "title": f"See to part {n}"},
    "task_updated": lambda n: {"task": f"task-{n}", "status": "in_progress"},
    "task_closed": lambda n: {"task": f"task-{n}", "reason": "done"},
    "scenario_added": lambda n: {
        "task": f"task-{n}",
        "name": f"part {n} is empty",
        "type": "edge_case",
        "expected": "it is left out",
    },
    "attention_measured": lambda n: {
        "tokens": n,
        "zone": "green",
        "counter": "estimate",
        "source": "cli",
    },
    "delta_synced": lambda n: {"tokens": 5000 + n, "decisions_persisted": n},
    "gate_ran": lambda n: {
        "passed": n % 2 == 0,
        "trigger": "clear",
        "enforcement": "strict",
        "threshold": 0.95,
        "grounding_ratio": 1.0,
        "decisions": n,
        "grounded": n,
        "assumptions": 0,
        "blocks": [],
    },
    "handoff_made": lambda n: {
        "notes_refs": [f"NOTES.md:{n + 1}-{n + 9}"],
        "edd_verified": True,
        "grounding_ratio": 1.0,
        "next_steps": [f"part {n}"],
        "next_session_ready": True,
    },
    "healed": lambda n: {"what": "NOTES.md", "damage": f"{n} lines", "source": "ledger"},
    "episode_recorded": lambda n: {
        "episode": f"episode-{n}",
        "conversation": "conversation",
        "dialect": "chat",
        "model": "a-model",
        "prompt": f"Change part {n}.",
        "response_hash": data_hash(b"%d" % n),
        "status": 200,
        "ended": "whole",
        "hydrated": [f"src/part_{n}.py::part"],
    },
    "artifact_seen": lambda n: {
        "version": f"episode-{n}/1",
        "episode": f"episode-{n}",
        "speaker": "model",
        "form": "whole",
        "path": f"src/part_{n}.py",
        "level": "CONFIRMED",
        "by": "tree-sitter",
        "reason": "its definitions were read",
    },
    "artifact_moved": lambda n: {
        "version": f"episode-{n}/1",
        "episode": f"episode-{n}",
        "path": f"src/part_{n}.py",
        "before": None,
        "after": "PROPOSED",
        "reason": "a part is missing",
        "symbols": [{"symbol": "part", "artifact": data_hash(b"%d" % n)}],
    },
    "file_settled": lambda n: {
        "path": f"src/part_{n}.py",
        "version": f"episode-{n}/1",
        "episode": f"episode-{n}",
        "digest": data_hash(b"%d" % n),
        "reason": "all of it was given",
    },
    "desk_changed": lambda n: {
        "conversation": "conversation",
        "change": "compacted",
        "kept": n,
        "lost": 3,
    },
    "audit_done": lambda n: {
        "episode": f"episode-{n}",
        "conversation": "conversation",
        "path": f"src/part_{n}.py",
        "symbol": "part",
        "status": "completed",
        "late": False,
        "model": "a-model",
    },
    "disk_truth": lambda n: {"path": f"src/part_{n}.py", "reason": "the file is another one"},
    "tool_begun": lambda n: {"tool": "Read", "call": f"call-{n}", "params": {"part": n}},
    "hook_fired": lambda n: {
        "agent": "claude-code",
        "event": "Notification",
        "payload": {"message": f"part {n}"},
    },
    "context_compacted": lambda n: {
        "agent": "claude-code",
        "trigger": "auto",
        "summary": f"{n} parts are done.",
    },
    "context_given": lambda n: {
        "agent": "claude-code",
        "event": "SessionStart",
        "source": "compact",
        "text": f"{n} parts are done.",
        "tokens": 5,
        "counter": "holdfast-2",
        "about": [n],
        "of_session": "s1",
        "as_of": n,
        "left_out": {"commands": n},
    },
    "recording_paused": lambda n: {"reason": f"part {n} is private"},
    "recording_resumed": lambda n: {"unrecorded": n},
    "handoff_offered": lambda n: {"to": "codex", "title": f"See to part {n}"},
    "handoff_answered": lambda n: {"handoff": f"offer-{n}", "answer": "accepted", "by": "codex"},
    "peer_merged": lambda n: {"ledger": LEDGER, "size": n, "root": data_hash(b"%d" % n)},
    "peer_refused": lambda n: {
        "ledger": LEDGER,
        "seq": n,
        "known": data_hash(b"known %d" % n),
        "told": data_hash(b"told %d" % n),
        "reason": "another entry has that number",
    },
    "state_kept": lambda n: {
        "framework": "langgraph",
        "kind": "checkpoint",
        "scope": data_hash(b"scope"),
        "about": data_hash(b"%d" % n),
        "nth": 0,
        "content": {"withheld": "secret", "sha256": data_hash(b"%d" % n), "bytes": n},
        "text": f"step {n}",
    },
    "state_dropped": lambda n: {
        "framework": "langgraph",
        "reason": "prune",
        "about": [data_hash(b"%d" % n)],
    },
}


def data_for(type_name: str, n: int = 0, **changes: Any) -> dict[str, Any]:
    """Return valid data of a type, different for each `n`, with some fields put or changed."""
    return {**_DATA[type_name](n), **changes}


def draft(type_name: str = "decision", n: int = 0, **fields: Any) -> Draft:
    """Return a draft; `fields` are those of Draft."""
    return Draft(type_name, **{"data": data_for(type_name, n), **fields})


def prepared(
    type_name: str = "decision",
    n: int = 0,
    *,
    id: str | None = None,
    session_id: str | None = None,
    data: Mapping[str, Any] | None = None,
    span: Span | None = None,
    actor: Actor = ACTOR,
) -> Prepared:
    """Return an entry that only lacks its place; id and time follow from `n`."""
    now_us = START_US + n * STEP_US
    encoded = canonical.encode(data_for(type_name, n) if data is None else data)
    return Prepared(
        id=id_for(n, now_us) if id is None else id,
        type=type_name,
        version=TYPES.spec(type_name).version,
        session_id=session_id,
        timestamp=timestamp(now_us),
        actor=actor,
        span=span,
        data=encoded,
        hash=data_hash(encoded),
    )


def sealed_chain(
    head: Head,
    count: int,
    *,
    types: Sequence[str] = ("decision",),
    sessions: Sequence[str | None] = (None,),
) -> list[Sealed]:
    """Return `count` entries behind `head`; types and sessions take turns."""
    numbers = range(head.size, head.size + count)
    return list(
        chain.seal_all(
            head,
            (
                prepared(types[n % len(types)], n, session_id=sessions[n % len(sessions)])
                for n in numbers
            ),
        )
    )


def open_memory_ledger(
    engine: Engine | None = None,
    *,
    session_id: str | None = None,
    redactor: Redactor | None = None,
    clock: FixedClock | None = None,
    ids: FixedIds | None = None,
) -> Ledger:
    """Return a ledger over the plain engine, or another one, that is the same in every run."""
    return Ledger(
        engine or MemoryEngine(LEDGER),
        redactor=redactor or Redactor(KEY),
        actor=ACTOR,
        session_id=session_id,
        clock=clock or FixedClock(),
        ids=ids or FixedIds(),
    )

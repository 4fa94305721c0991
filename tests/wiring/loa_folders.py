"""A Loa folder as projects have it: notes, trajectories, feedback, a handoff, sprints."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

NOTES = """# Project Notes

## Session Continuity
<!-- Load FIRST after /clear -->

### Active Context
- **Current Bead**: bd-x7y8 (rotate the tokens)
- **Last Checkpoint**: 2026-01-15T14:30:00Z
- **Reasoning State**: write the grace period, then its tests

### Lightweight Identifiers
| Identifier | Purpose | Last Verified |
|------------|---------|---------------|
| ${PROJECT_ROOT}/src/queue.py:2 | the queue | 14:25:00Z |

### Decision Log
#### 2026-01-15T14:30:00Z - Take from the front
**Decision**: Take the first item
**Rationale**: order matters
**Evidence**: `def take(self):` [${PROJECT_ROOT}/src/queue.py:2]
**Test Scenarios**: 1) happy 2) edge 3) error

#### 2026-01-16T09:00:00 - Rotate the tokens
**Decision**: Rotating refresh tokens
**Rationale**: a stolen one is of no use
**Evidence**: `rotate()` [src/auth.py:9]

## Blockers
- [ ] [ACTIVE] The key of the staging host is missing
- [x] The build was red
- None

## Whatever
A line that nobody can read as anything.
"""

TRAJECTORY: list[dict[str, Any]] = [
    {
        "ts": "2026-01-15T10:30:00Z",
        "agent": "implementing-tasks",
        "phase": "intent",
        "intent": "Find the entry points",
    },
    {
        "ts": "2026-01-15T10:35:00Z",
        "agent": "implementing-tasks",
        "phase": "pivot",
        "reason": "too broad",
        "original_query": "auth",
        "result_count": 127,
        "hypothesis_failure": "all of it was found",
        "refined_hypothesis": "only what starts",
    },
    {
        "ts": "2026-01-15T12:00:00Z",
        "agent": "implementing-tasks",
        "phase": "delta_sync",
        "tokens": 5000,
        "decisions_persisted": 3,
        "bead_updated": True,
    },
    {
        "ts": "2026-01-15T14:29:00Z",
        "agent": "implementing-tasks",
        "phase": "grounding_check",
        "total_claims": 20,
        "grounded_claims": 19,
        "assumptions": 1,
        "grounding_ratio": 0.95,
        "threshold": 0.95,
        "status": "pass",
    },
    {
        "ts": "2026-01-15T14:30:00Z",
        "agent": "implementing-tasks",
        "phase": "session_handoff",
        "session_id": "sess-002",
        "root_span_id": "span-def",
        "bead_id": "bd-x7y8",
        "notes_refs": ["grimoires/loa/NOTES.md:68-92"],
        "edd_verified": True,
        "grounding_ratio": 0.97,
        "test_scenarios": 3,
        "next_session_ready": True,
    },
    {
        "timestamp": "2026-01-15T15:00:00Z",
        "agent": "reviewing-code",
        "action": "review_round_1",
        "reasoning": "changes required",
        "grounding": {"feedback": "a2a/sprint-1/engineer-feedback.md"},
    },
    {
        "ts": "2026-01-15T16:00:00Z",
        "agent": "implementing-tasks",
        "phase": "decision",
        "decision": "Keep the pop",
        "rationale": "it is short",
        "evidence": [{"path": "${PROJECT_ROOT}/src/queue.py", "line": 3, "quote": "items.pop(0)"}],
    },
]

LEDGER: dict[str, Any] = {
    "version": "1.0.0",
    "cycles": [
        {
            "id": "cycle-001",
            "label": "First",
            "status": "active",
            "sprints": [
                {"local_id": "sprint-1", "global_id": 1, "label": "Core", "status": "completed"},
                {"local_id": "sprint-2", "global_id": 2, "label": "Ship", "status": "planned"},
            ],
        }
    ],
    "active_cycle": "cycle-001",
    "global_sprint_counter": 2,
}

HANDOFF = """---
schema_version: '1.0'
from: 'alice-agent'
to: 'bob-agent'
topic: 'the migration'
ts_utc: '2026-01-16T08:00:00Z'
---

Run the tests first.
"""

COUNTS = {"papers": 2, "steps": 7, "sprints": 2, "notes": 1, "decisions": 2, "blockers": 3}
"""Of what `make_loa` writes: how many entries, with the checkpoint one more."""


def make_loa(root: Path) -> Path:
    """Write such a folder into a project, and return it."""
    folder = root / "grimoires/loa"
    log = folder / "a2a/trajectory/implementing-tasks-2026-01-15.jsonl"
    feedback = folder / "a2a/sprint-1/engineer-feedback.md"
    handoff = folder / "handoffs/2026-01-16-migration.md"
    for path in (log, feedback, handoff):
        path.parent.mkdir(parents=True)
    (folder / "NOTES.md").write_text(NOTES)
    (folder / "ledger.json").write_text(json.dumps(LEDGER, indent=2))
    log.write_text("".join(json.dumps(one) + "\n" for one in TRAJECTORY))
    feedback.write_text("# Review\n\nChanges required: no test of the edge.\n")
    handoff.write_text(HANDOFF)
    (folder / "prd.yaml").write_text("a: 1\n")
    return folder

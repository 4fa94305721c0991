"""The trajectory: what happened, a phase a line, in the words of the protocol.

Derived from entries: `lines_of` says which lines an entry comes to. A decision comes to one line of
the phase `decision`, never more, and one of the phase `cite` for each of its citations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from hashlib import sha256
from typing import Any, Final, TypeAlias

from holdfast.kernel.entry import Entry
from holdfast.kernel.types.evidence import Grounds, grounds_of

Line: TypeAlias = dict[str, Any]
Data: TypeAlias = Mapping[str, Any]

_CITED: Final = ("path", "line", "last", "quote", "state", "fault", "found", "symbol", "file")


def lines_of(entry: Entry, data: Data, root: str | None = None) -> list[Line]:
    """Return the lines that an entry comes to. `root` is the first session of its lineage."""
    tell = PHASES.get(entry.type)
    if tell is None:
        return []
    return [_line(entry, phase, fields, root) for phase, fields in tell(entry, data)]


def span_of(root: str) -> str:
    """Return the name of a lineage, which sessions that go on from one another share."""
    return f"span-{sha256(root.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"


def unreadable(seq: int) -> Line:
    """Return the line for an entry that could not be read."""
    return {"ts": None, "phase": "unreadable", "seq": seq}


def _line(entry: Entry, phase: str, fields: Line, root: str | None) -> Line:
    first = root or (entry.session_id if entry.span is None else entry.span.root)
    line: Line = {
        "ts": entry.timestamp,
        "phase": phase,
        "session_id": entry.session_id,
        "root_span_id": None if first is None else span_of(first),
    }
    # an entry may have fields that nobody knows: none of them says who, when or what it was
    given = {name: value for name, value in fields.items() if value is not None}
    who = {"actor": f"{entry.actor.kind}:{entry.actor.name}", "seq": entry.seq}
    return line | {name: given[name] for name in given if line.get(name) is None} | who


def _decision(entry: Entry, data: Data) -> Iterator[tuple[str, Line]]:
    grounds = grounds_of(data.get("grounds"))
    about = {
        "decision_id": entry.id,
        "decision": data.get("choice"),
        "rationale": data.get("reasoning"),
        **_some(data, "subject", "alternatives", "confidence", "supersedes"),
    }
    if grounds is not None:
        about |= {
            "bead_id": grounds.task,
            "assumption": grounds.assumption,
            "citations": grounds.cited,
            "exact": grounds.exact,
        }
    yield "decision", about
    yield from _cites(entry.id, grounds)


def _grounded(_entry: Entry, data: Data) -> Iterator[tuple[str, Line]]:
    grounds = grounds_of(data.get("grounds"))
    about = {"decision_id": data.get("decision"), "reason": data.get("reason")}
    if grounds is not None:
        about |= {"citations": grounds.cited, "exact": grounds.exact, "faults": grounds.faults}
    yield "grounding", about
    yield from _cites(str(data.get("decision")), grounds)


def _cites(decision: str, grounds: Grounds | None) -> Iterator[tuple[str, Line]]:
    evidence = None if grounds is None else grounds.evidence
    for one in evidence if isinstance(evidence, list) else []:
        cited = {name: getattr(one, name) for name in _CITED}
        yield "cite", {"decision_id": decision, **cited}


def _handoff(_entry: Entry, data: Data) -> Iterator[tuple[str, Line]]:
    known = _some(
        data,
        *("notes_refs", "edd_verified", "grounding_ratio", "next_session_ready", "next_steps"),
        *("save", "trajectory_ref", "assumptions", "tokens_full", "tokens_kept"),
    )
    root = _some(data, "root_span_id")
    yield "session_handoff", {**root, "bead_id": data.get("task"), **known}


def _checkpoint(_entry: Entry, data: Data) -> Iterator[tuple[str, Line]]:
    yield (
        "synthesis_checkpoint",
        {"status": "passed" if data.get("passed") else "failed", **data},
    )


def _ghost(_entry: Entry, data: Data) -> Iterator[tuple[str, Line]]:
    yield "negative_grounding", {"status": "unverified", **data}


def _fork(status: str) -> _Tell:
    def tell(_entry: Entry, data: Data) -> Iterator[tuple[str, Line]]:
        yield "fork", {"status": status, **data}

    return tell


def _task(event: str) -> _Tell:
    def tell(_entry: Entry, data: Data) -> Iterator[tuple[str, Line]]:
        rest = {name: value for name, value in data.items() if name != "task"}
        yield "task", {"event": event, "bead_id": data.get("task"), **rest}

    return tell


def _delta(_entry: Entry, data: Data) -> Iterator[tuple[str, Line]]:
    known = _some(data, "tokens", "decisions_persisted", "notes_refs")
    yield "delta_sync", {**known, "bead_id": data.get("task")}


def _scenario(_entry: Entry, data: Data) -> Iterator[tuple[str, Line]]:
    yield "test_scenario", {"bead_id": data.get("task"), **_some(data, "name", "type", "expected")}


def _start(_entry: Entry, data: Data) -> Iterator[tuple[str, Line]]:
    yield "session_start", {"parent": data.get("parent"), "title": data.get("title")}


def _as(phase: str, *names: str) -> _Tell:
    """Tell some fields as they are; all of them when none is named."""

    def tell(_entry: Entry, data: Data) -> Iterator[tuple[str, Line]]:
        yield phase, _some(data, *(names or data))

    return tell


def _some(data: Data, *names: str) -> Line:
    return {name: data[name] for name in names if name in data}


_Tell: TypeAlias = Callable[[Entry, Data], Iterator[tuple[str, Line]]]

PHASES: Final[Mapping[str, _Tell]] = {
    "session_started": _start,
    "session_ended": _as("session_end", "reason"),
    "handoff_made": _handoff,
    "gate_ran": _checkpoint,
    "decision": _decision,
    "decision_grounded": _grounded,
    "evidence_recorded": _as("evidence"),
    "delta_synced": _delta,
    "attention_measured": _as("attention"),
    "search_ran": _as("search"),
    "pivot_logged": _as(
        "pivot", "reason", "result_count", "hypothesis_failure", "refined_hypothesis", "search"
    ),
    "ghost_flagged": _ghost,
    "ghost_checked": _ghost,
    "healed": _as("self_heal"),
    "fork_opened": _fork("open"),
    "fork_resolved": _fork("resolved"),
    "task_added": _task("added"),
    "task_updated": _task("updated"),
    "task_closed": _task("closed"),
    "scenario_added": _scenario,
    "checkpoint": _as("checkpoint", "task", "completed", "total", "next_action"),
    "rolled_back": _as("rollback"),
}
"""What each type of entry comes to; other types leave no line."""

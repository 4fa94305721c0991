"""Lines of Loa's logs as entries: what has a type here becomes one, the rest is kept as it came.

Nothing that stands there is believed beyond being said: a decision counts as grounded where its
quotes stand in the project's files now, and Loa's own checks of itself pass no gate.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from typing import Any, Final, TypeAlias

from holdfast.kernel.entry import Actor
from holdfast.kernel.errors import InvalidInput
from holdfast.kernel.types import TYPES
from holdfast.ledger.importing.intake import Found, Intake
from holdfast.ledger.importing.lines import Line
from holdfast.ledger.importing.reading import (
    UTC,
    Odd,
    digest,
    is_naive,
    parse,
    usable_name,
)
from holdfast.ledger.ledger import Draft, Ledger

ACTOR: Final = Actor("tool", "loa")
SYSTEM: Final = "loa"
_KINDS: Final = ("phase", "action", "type", "event")
_TIMES: Final = ("ts", "timestamp", "ts_utc", "time", "date")

Ground: TypeAlias = Callable[[list[str]], dict[str, Any]]
"""Returns what a decision rests on, given its evidence in words."""

Cite: TypeAlias = Callable[[Any], list[str]]
"""Returns evidence in words, of what a log has as evidence."""


class LoaReader:
    """Makes drafts of what a folder holds, each once."""

    def __init__(self, ledger: Ledger, ground: Ground, cite: Cite) -> None:
        self.intake = Intake(ledger, ACTOR)
        self._ledger = ledger
        self._ground = ground
        self._cite = cite
        self._seen: Counter[str] = Counter()

    def take_line(self, line: Line) -> None:
        """Turn a line of a log into an entry, or into a quarantined line."""
        try:
            record = parse(line)
        except Odd as odd:
            self.quarantine(line, str(odd))
            return
        spelled = json.dumps(record, sort_keys=True)
        entry_id = self.id_of(spelled)
        draft = self._typed(line, record, entry_id) or self._step(line, record, entry_id)
        self.intake.take(Found(line, draft))

    def quarantine(self, line: Line, why: str) -> None:
        """Keep a line as it stands."""
        text = line.content.decode("utf-8", "surrogateescape")
        entry_id = self.id_of(f"{line.part or 0}:{text}")
        self.intake.take(Found(line, self.intake.quarantine(line, why, entry_id)))

    def take(self, line: Line, type_name: str, data: dict[str, Any], said: str) -> None:
        """Record something that a text says; the same words are the same entry."""
        entry_id = self.id_of(f"{type_name}:{said}", counted=False)
        self.intake.take(Found(line, Draft(type_name, data, None, ACTOR, entry_id)))

    def is_known(self, type_name: str, said: str) -> bool:
        """Tell whether something that a text says is recorded."""
        entry_id = self.id_of(f"{type_name}:{said}", counted=False)
        return bool(self._ledger.find({entry_id}))

    def id_of(self, text: str, *, counted: bool = True) -> str:
        """Return an id that depends on what is said, not on where; said twice, it is two."""
        key = digest(self._ledger.redact(text))
        if not counted:
            return f"{SYSTEM}-{key}"
        self._seen[key] += 1
        return f"{SYSTEM}-{key}-{self._seen[key]}"

    def grounds(self, evidence: list[str]) -> dict[str, Any]:
        """Return what a decision rests on."""
        return self._ground(evidence)

    def _typed(self, line: Line, record: dict[str, Any], entry_id: str) -> Draft | None:
        """Return the entry of a type of ours that a line is; None when it is of none."""
        form = _FORMS.get(kind_of(record))
        if form is not None:
            type_name, fields = form(record, entry_id)
        elif text_of(record.get("decision")) is not None:
            type_name, fields = "decision", self._decision(record, entry_id)
        else:
            return None
        data = {name: value for name, value in fields.items() if value is not None}
        try:
            TYPES.check(type_name, data)
        except InvalidInput:
            return None
        known = ("session_id", *_TIMES, *fields)
        rest = {name: value for name, value in record.items() if name not in known}
        data["imported"] = origin(line, time_of(record), other=rest)
        return Draft(type_name, data, _session(record), ACTOR, entry_id)

    def _decision(self, record: dict[str, Any], entry_id: str) -> dict[str, Any]:
        said = record.get
        # its quotes are looked up once: what is recorded stays, whatever became of the code
        known = bool(self._ledger.find({entry_id}))
        evidence = [] if known else self._cite(said("evidence"))
        why = said("rationale") or said("reasoning") or said("reason")
        return {
            "question": text_of(said("question")) or said("decision"),
            "choice": said("decision"),
            "reasoning": text_of(why) or "",
            "alternatives": [],
            "grounds": self.grounds(evidence),
        }

    def _step(self, line: Line, record: dict[str, Any], entry_id: str) -> Draft:
        """Keep a step that has no type of its own, as it came."""
        data = {
            "agent": usable_name(record.get("agent")) or SYSTEM,
            "event": f"{SYSTEM}:{kind_of(record)}",
            "payload": record,
            "imported": origin(line, time_of(record)),
        }
        return Draft("hook_fired", data, _session(record), ACTOR, entry_id)


def origin(line: Line, time: str | None, **more: Any) -> dict[str, Any]:
    """Return where an entry comes from, with its own time."""
    found = {"system": SYSTEM, "source": line.source, "line": line.number, "timestamp": time}
    zone = {"assumed_zone": UTC} if time is not None and is_naive(time) else {}
    return found | zone | {name: value for name, value in more.items() if value}


def kind_of(record: dict[str, Any]) -> str:
    """Return what a step calls itself."""
    for name in _KINDS:
        value = record.get(name)
        if isinstance(value, str) and value.strip():
            return value.strip()[:80]
    return "line"


def time_of(record: dict[str, Any]) -> str | None:
    """Return when a record says that it was made."""
    for name in _TIMES:
        if isinstance(value := record.get(name), str) and value:
            return value[:80]
    return None


def text_of(value: Any) -> str | None:
    """Return a text that says something."""
    return value if isinstance(value, str) and value.strip() else None


def _session(record: dict[str, Any]) -> str | None:
    return usable_name(record.get("session_id"))


# What has a type here


def _handoff(record: dict[str, Any], _entry_id: str) -> tuple[str, dict[str, Any]]:
    names = ("notes_refs", "edd_verified", "grounding_ratio", "next_session_ready")
    return "handoff_made", {name: record.get(name) for name in names} | {
        "task": usable_name(record.get("bead_id")),
        "root_span_id": usable_name(record.get("root_span_id")),
        "next_steps": record.get("next_steps") or [],
    }


def _delta(record: dict[str, Any], _entry_id: str) -> tuple[str, dict[str, Any]]:
    names = ("tokens", "decisions_persisted")
    task = usable_name(record.get("bead_id"))
    return "delta_synced", {name: record.get(name) for name in names} | {"task": task}


def _pivot(record: dict[str, Any], entry_id: str) -> tuple[str, dict[str, Any]]:
    names = ("reason", "result_count", "hypothesis_failure", "refined_hypothesis")
    # it is about a search of Loa's: none of ours waits for it
    return "pivot_logged", {name: record.get(name) for name in names} | {"search": entry_id}


def _check(record: dict[str, Any], _entry_id: str) -> tuple[str, dict[str, Any]]:
    parts = ("total_claims", "grounded_claims", "assumptions")
    return "metric", {
        "name": "loa_grounding_ratio",
        "value": record.get("grounding_ratio"),
        "threshold": record.get("threshold"),
        "passed": record.get("status") == "pass",
        "components": {name: record[name] for name in parts if name in record},
    }


_FORMS: Final[dict[str, Callable[[dict[str, Any], str], tuple[str, dict[str, Any]]]]] = {
    "session_handoff": _handoff,
    "delta_sync": _delta,
    "pivot": _pivot,
    "grounding_check": _check,
}

"""Handoffs as they are read: the newest, the gate before it, what decayed with it, its lineage."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from holdfast.kernel.entry import Entry
from holdfast.kernel.errors import Damaged
from holdfast.storage.port import Selection
from holdfast.stores.gate import CLEAR, GATE
from holdfast.views.decay import Decay
from holdfast.views.trajectory import span_of
from holdfast.wiring.decay import decay_of
from holdfast.wiring.gate import GateReport

if TYPE_CHECKING:
    from holdfast.wiring.project import Project


class Handoff(msgspec.Struct, frozen=True):
    """What the next session is given, and where it stands."""

    seq: int
    session_id: str | None
    timestamp: str
    data: dict[str, Any]


def last_handoff(project: Project) -> Handoff | None:
    """Return the newest handoff of a clear, None when there is none."""
    wanted = Selection(type="handoff_made", newest_first=True)
    for entry in project.ledger.read(wanted, on_damaged=lambda _fault: None):
        if entry.actor == GATE:  # what somebody recorded in its name comes from another
            return handoff_of(project, entry)
    return None


def decay_since(project: Project, handoff: Handoff) -> Decay:
    """Return what decayed with a handoff: the raw output of its session since the one before."""
    first = first_of(project, handoff.session_id, handoff.seq)
    return decay_of(project.ledger, handoff.session_id, first=first, stop=handoff.seq)


def gate_of(project: Project, handoff: Handoff) -> dict[str, Any] | None:
    """Return how the gate passed right before a handoff: the entry before it, of the same batch."""
    wanted = Selection(max(0, handoff.seq - 1), handoff.seq, type="gate_ran")
    for entry in project.ledger.read(wanted, on_damaged=lambda _fault: None):
        ran = project.ledger.data(entry)
        passed = ran["passed"] is True and ran["trigger"] == CLEAR
        return ran if passed and entry.actor == GATE else None
    return None


def report_of(project: Project, handoff: Handoff) -> GateReport:
    """Return the report that a handoff was made on."""
    ran = gate_of(project, handoff)
    if ran is None:
        raise Damaged(
            f"The run of the gate before the handoff {handoff.seq} cannot be read.",
            meaning="The handoff stands; on what it was made is not known.",
            remedy="Run `holdfast verify` to see what else is damaged.",
        )
    names = ("threshold", "enforcement", "grounding_ratio", "decisions", "grounded", "assumptions")
    fields = {name: ran[name] for name in names} | {"ok": ran["passed"], "blocks": ran["blocks"]}
    return msgspec.convert(fields, GateReport)


def root_span(project: Project) -> str | None:
    """Return the name of the lineage: of the first session that this one goes on from."""
    session_id = project.ledger.session_id
    known: Any = None if session_id is None else project.views.items("sessions").get(session_id)
    root = session_id if known is None else known["root"]
    return None if root is None else span_of(root)


def first_of(project: Project, session_id: str | None, before: int | None = None) -> int:
    """Return the entry that a session's work begins with since its last handoff."""
    wanted = Selection(stop=before, type="handoff_made", session_id=session_id, newest_first=True)
    for entry in project.ledger.read(wanted, on_damaged=lambda _fault: None):
        if entry.session_id == session_id and entry.actor == GATE:
            return entry.seq + 1
    return 0


def handoff_of(project: Project, entry: Entry) -> Handoff:
    """Return a handoff from its entry."""
    return Handoff(entry.seq, entry.session_id, entry.timestamp, project.ledger.data(entry))

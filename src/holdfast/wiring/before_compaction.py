"""Before a context is compacted: what matters is written down, and a strict user holds it back.

Agents fire this event up to four times for one compaction. What is done here is done once until the
session goes on: ids follow from the last entry of work, and the answer is the same each time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from holdfast.agents import keys
from holdfast.agents.values import Event, Reply
from holdfast.kernel import entry as entries
from holdfast.kernel.errors import HoldfastError
from holdfast.kernel.limits import NOTES_REFS_MAX
from holdfast.kernel.types import Block
from holdfast.ledger.ledger import Draft
from holdfast.storage.port import Selection

if TYPE_CHECKING:
    from holdfast.wiring.gate import GateReport
    from holdfast.wiring.project import Project

COMPACTION: Final = "compaction"
"""What makes the gate look when a context is about to be compacted."""


def hold_or_pass(project: Project, event: Event) -> Reply:
    """Write down where the work stands; hold the compaction back where that is wanted."""
    del event
    mark = f"compaction {project.ledger.session_id} {_last_work(project)}"
    identity = keys.entry_id(mark, "gate")
    known = _known(project, identity)
    if known is None:
        _write_down(project, mark)
        known = _look(project, identity)
    blocks, ok = known
    if ok or not blocks or not project.settings.agents.block_compaction:
        return Reply()
    from holdfast.wiring.returning import refused

    said = refused("holdfast holds the compaction back.", blocks)
    return Reply(block=f"{said}\nOr run `holdfast clear`, and clear instead of compacting.")


def _last_work(project: Project) -> int:
    """Return the last entry of the session that tells of work, -1 without any."""
    session_id = project.ledger.session_id
    newest = Selection(session_id=session_id, newest_first=True)
    for entry in project.ledger.read(newest, on_damaged=lambda _fault: None):
        if entry.session_id == session_id and entry.type not in _NO_WORK:
            return entry.seq
    return -1


_NO_WORK: Final = frozenset(
    {"hook_fired", "checkpoint", "delta_synced", "gate_ran", "attention_measured", "compression"}
    | {"line_quarantined", "session_started", "file_change", "context_given"}
)
"""What comes of the event itself, however often it is fired: the notes are a file that changes."""


def _write_down(project: Project, mark: str) -> None:
    """Make a checkpoint and bring the notes up to date; neither keeps the other from being done."""
    for act in (_checkpoint, _synthesize):
        try:
            act(project, mark)
        except (HoldfastError, OSError):
            continue  # the gate's look right after this names what is not written down


def _checkpoint(project: Project, _mark: str) -> None:
    if project.ledger.session_id is not None:
        project.checkpoints.at_end(project.ledger.session_id)


def _synthesize(project: Project, mark: str) -> None:
    """Write down what was decided, and say so in the ledger."""
    from holdfast.wiring.attention import standing, written_refs

    refs = written_refs(project)
    now = standing(project)
    data: dict[str, Any] = {
        "tokens": 0 if now is None else now.tokens,
        "decisions_persisted": len([key for key in refs if key != "active"]),
        "notes_refs": list(dict.fromkeys(refs.values()))[:NOTES_REFS_MAX],
    }
    identity = keys.entry_id(mark, "delta")
    project.ledger.append_many([Draft("delta_synced", data, id=identity)])


def _look(project: Project, identity: str) -> tuple[tuple[Block, ...], bool]:
    """Let the gate look, and log how that came out."""
    from holdfast.wiring.gate import draft, look

    report: GateReport = look(project)
    clean = not report.blocks
    project.ledger.append_many([draft(report, COMPACTION, passed=clean, id=identity)])
    return report.blocks, report.ok


def _known(project: Project, identity: str) -> tuple[tuple[Block, ...], bool] | None:
    """Return how the gate's look came out that was logged for this very event."""
    for stored in project.ledger.reader.read(Selection(id=identity)):
        ran = project.ledger.data(entries.read(stored.body))
        blocks = msgspec.convert(ran["blocks"], tuple[Block, ...])
        return blocks, not blocks or ran["enforcement"] != "strict"
    return None

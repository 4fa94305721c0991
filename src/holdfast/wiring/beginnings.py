"""What the ledger knows about the beginning of an agent's session and the agent does not say.

Which session it goes on from, which process holds it, and which others are over without a word.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from holdfast.kernel.entry import Span
from holdfast.ledger.processes import SystemProcesses, caller

if TYPE_CHECKING:
    from holdfast.agents.values import Event
    from holdfast.ledger.ledger import Draft
    from holdfast.wiring.project import Project


def begun(project: Project, event: Event, draft: Draft, pid: int | None) -> list[Draft]:
    """Return the entries that a session begins with: ends of crashed ones, then its own."""
    if draft.session_id is None:
        return [draft]
    holder = None if pid is None else SystemProcesses().holder(caller(pid))
    goes_on = event.source in ("clear", "fork", "resume")
    found = project.sessions.before(draft.session_id, event.agent, holder, goes_on=goes_on)
    data: dict[str, Any] = dict(draft.data) | {"parent": found.parent}
    if holder is not None:
        data["holder"] = msgspec.to_builtins(holder)
    span = Span(draft.session_id, found.parent, found.root)
    return [*found.crashed, msgspec.structs.replace(draft, data=data, span=span)]

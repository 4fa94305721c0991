"""What the live view shows: how full the context is, the last checkpoint, what would block."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import msgspec

from holdfast.kernel.types import Block
from holdfast.ledger.now import items_now
from holdfast.stores.gate import FAILED, PASSED
from holdfast.wiring.attention import Standing, standing
from holdfast.wiring.gate import look

if TYPE_CHECKING:
    from holdfast.wiring.project import Project


class Ran(msgspec.Struct, frozen=True):
    """A run of the gate."""

    seq: int
    trigger: str
    passed: bool


class Gauge(msgspec.Struct, frozen=True):
    """Everything that the live view shows."""

    session_id: str | None
    entries: int
    standing: Standing | None
    """Null when nobody counted the tokens of the session."""
    ran: Ran | None
    """The last run of the gate; null when there was none."""
    grounding_ratio: float | None
    blocks: tuple[Block, ...]


def gauge(project: Project) -> Gauge:
    """Look once. Nothing is recorded."""
    report = look(project)
    return Gauge(
        project.ledger.session_id,
        project.ledger.head().size,
        standing(project),
        _last_run(project),
        report.grounding_ratio,
        report.blocks,
    )


def gauges(project: Project) -> Iterator[Gauge]:
    """Look for ever: a new gauge when something was recorded, else the same again, which is cheap.

    Without a session of its own it follows the one that is open.
    """
    head, found, follows = None, None, project.ledger.session_id is None
    while True:
        now = project.ledger.head()
        if found is None or now != head:
            if follows:
                going_on = project.sessions.open()
                project.ledger.session_id = going_on[-1] if going_on else None
            head, found = now, gauge(project)
        yield found


def _last_run(project: Project) -> Ran | None:
    items: Any = items_now(project.ledger.reader, project.views, "gate")
    runs = [
        Ran(item["seq"], item["trigger"], passed)
        for key, passed in ((PASSED, True), (FAILED, False))
        if (item := items.get(key)) is not None
    ]
    return max(runs, key=lambda run: run.seq, default=None)

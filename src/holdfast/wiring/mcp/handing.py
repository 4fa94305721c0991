"""Handoffs on behalf of an agent: what was handed over, what is offered, and its answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.kernel.errors import InvalidInput, NotFound
from holdfast.kernel.limits import MCP_LINES_MAX
from holdfast.mcp_server.values import Handoff, Told
from holdfast.wiring.handoffs import last_handoff
from holdfast.wiring.mcp import telling
from holdfast.wiring.mcp.telling import lines, recorded

if TYPE_CHECKING:
    from holdfast.wiring.project import Project


def look(project: Project, asked: Handoff) -> Told:
    """Show what the last clear handed over, or what is offered and waits."""
    waiting = project.handing.waiting()
    if asked.action == "list":
        shown = waiting[:MCP_LINES_MAX]
        text = lines(line for one in shown for line in telling.offer(one))
        left = len(waiting) - len(shown)
        more = (f"{left:,} older ones are not shown.",) if left else ()
        return Told(text or "No handoff waits for an answer.", more)
    handoff = last_handoff(project)
    if handoff is None:
        raise NotFound(
            "There was no handoff yet.",
            meaning="Nothing was cleared through the gate.",
            remedy='`clear_check` says what a clear needs; action="list" lists offers.',
        )
    also = [f"`show` with key={handoff.seq} has all of it."]
    if waiting:
        also.append(f'{len(waiting)} offers wait: action="list".')
    return Told(lines(telling.handed_over(handoff)), tuple(also))


def answer(project: Project, asked: Handoff) -> str:
    """Offer work, or take or decline what is offered."""
    if asked.action == "offer":
        if asked.to is None or asked.title is None:
            raise _lacking("An offer needs `to` and `title`.")
        receipt = project.handing.offer(
            asked.to,
            asked.title,
            task=asked.task,
            next_steps=asked.next,
            refs=asked.refs,
            note=asked.note,
        )
        return lines([f"Offered to {telling.line_of(asked.to)}.", recorded(receipt)])
    if asked.id is None:
        raise _lacking("Which offer is meant is not said: `id` is missing.")
    if asked.action == "accept":
        receipt, offer = project.handing.accept(asked.id)
    else:
        if asked.because is None:
            raise _lacking("Declining needs `because`.")
        receipt, offer = project.handing.decline(asked.id, asked.because)
    return lines([recorded(receipt), *telling.offer(offer)])


def _lacking(what: str) -> InvalidInput:
    return InvalidInput(
        what,
        meaning="Nothing was recorded.",
        remedy='Call it again with what is missing; action="list" lists offers and their ids.',
    )

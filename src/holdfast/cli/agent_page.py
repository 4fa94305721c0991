"""How the state of agents is told: a few lines each, or one document for scripts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

import msgspec

from holdfast.agents import heartbeat
from holdfast.agents.trusting import SAID
from holdfast.ledger.sources import system_clock
from holdfast.wiring.pausing import paused
from holdfast.wiring.scanning import scan_state
from holdfast.wiring.status import spell_age
from holdfast.wiring.trusting import is_trusted

if TYPE_CHECKING:
    from holdfast.wiring.agent_status import AgentStatus, Installed
    from holdfast.wiring.places import Place

PROBLEMS_SHOWN: Final = 5


def document(place: Place, found: Sequence[AgentStatus]) -> dict[str, Any]:
    """Return everything, for scripts."""
    return {
        "ok": is_trusted(place) and not any(one.faults for one in found),
        "trusted": is_trusted(place),
        "paused": msgspec.to_builtins(paused(place)),
        "agents": [{**msgspec.to_builtins(one), "faults": one.faults} for one in found],
        "problems": msgspec.to_builtins(heartbeat.problems(place.folder)),
    }


def lines(place: Place, found: Sequence[AgentStatus]) -> Iterator[str]:
    """Tell it to a person."""
    now_us = system_clock()
    if not is_trusted(place):
        yield f"NOT YOURS: {SAID}"
    for one in paused(place):
        whose = "" if one.session is None else f" for session {one.session}"
        yield f"PAUSED{whose}: {one.unrecorded:,} events were not recorded."
    for agent in found:
        yield from _agent(agent, now_us)
    yield f"files        {scan_state(place)}"
    problems = heartbeat.problems(place.folder)
    if problems:
        yield f"problems     {len(problems):,}, the newest {min(len(problems), PROBLEMS_SHOWN)}:"
    for problem in problems[-PROBLEMS_SHOWN:]:
        yield f"  {spell_age((now_us - problem.at_us) / 1_000_000)} ago: {problem.what}"


def _agent(one: AgentStatus, now_us: int) -> Iterator[str]:
    yield f"{one.agent:<12} {', '.join(map(_scope, one.installed))}"
    for fault in one.faults:
        yield f"  FAULT      {fault}"
    for note in (note for scope in one.installed for note in scope.notes):
        yield f"  note       {note}"
    if one.version is not None:
        yield f"  version    {one.version}"
    if one.heard.last_us is not None:
        ago = spell_age((now_us - one.heard.last_us) / 1_000_000)
        yield f"  last event {one.heard.last_event}, {ago} ago"
        times = f"p50 {one.heard.p50_ms:.0f} ms, p95 {one.heard.p95_ms:.0f} ms"
        yield f"  hook       {times}, of the last {one.heard.events:,}"
    elif one.is_there:
        yield "  last event none yet"
    for cannot in one.cannot:
        yield f"  cannot     {cannot}"


def _scope(one: Installed) -> str:
    words = {
        "installed": "installed",
        "outdated": "installed, another version",
        "absent": "not installed",
        "blocked": "installed in part",
    }
    return f"{words[one.state]} ({one.scope})"

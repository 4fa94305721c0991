"""The entries that events become, whichever agent they come from.

Who speaks is known by the channel: the user by prompts, tools by their results, the agent by
everything else. What an event says beyond the fields of its type is kept as `told`.
"""

from __future__ import annotations

from typing import Any

import msgspec

from holdfast.agents import keys
from holdfast.agents.reading import Fields, says
from holdfast.agents.values import Event
from holdfast.kernel.entry import Actor, ActorKind
from holdfast.ledger.ledger import Draft
from holdfast.ledger.sources import timestamp


class Ended(msgspec.Struct, frozen=True, kw_only=True):
    """How a call came out, as far as the agent tells."""

    ok: bool | None
    response: Any = None
    error: Any = None
    output: str | None = None
    """Of a command: what it said."""
    exit_code: int | None = None
    runs: bool = True
    """Of a command: whether its entry is to be made here. Where a transcript tells how it ended and
    the event does not, it is left to the transcript."""


def draft(
    event: Event,
    type_name: str,
    kind: ActorKind,
    data: dict[str, Any],
    *,
    key: str | None = None,
    part: str = "",
) -> Draft:
    """Make an entry of an event; fields that are None are left out."""
    whole = {name: value for name, value in data.items() if value is not None}
    whole |= {"agent": event.agent, "at": timestamp(event.at_us)}
    if event.turn is not None:
        whole["turn"] = event.turn
    if event.worker is not None:
        whole["worker"] = event.worker
    session = None if event.session is None else keys.session_id(event.session)
    actor = Actor(kind, event.agent)
    return Draft(type_name, whole, session, actor, keys.entry_id(key or event.key, part))


def fired(event: Event, payload: Any = None) -> Draft:
    """Keep an event that has no type of its own, as it came."""
    told = event.payload if payload is None else payload
    return draft(event, "hook_fired", "agent", {"event": event.name, "payload": told})


def started(event: Event, fields: Fields) -> Draft:
    """Make the beginning of a session."""
    data = {
        "title": fields.text("session_title", "title"),
        "source": event.source,
        "model": event.model,
        "transcript": event.transcript,
        "cwd": event.cwd,
        "told": fields.rest(),
    }
    return draft(event, "session_started", "agent", data)


def ended(event: Event, fields: Fields) -> Draft:
    """Make the end of a session."""
    data = {"reason": event.source or "not told", "told": fields.rest()}
    return draft(event, "session_ended", "agent", data)


def prompt(event: Event, fields: Fields) -> Draft:
    """Make what the user said."""
    return draft(event, "prompt_given", "user", {"text": event.text, "told": fields.rest()})


def begun(event: Event, params: Any, fields: Fields) -> Draft:
    """Make the beginning of a call."""
    data = {"tool": event.tool, "call": _call(event), "params": params, "told": fields.rest()}
    return draft(event, "tool_begun", "agent", data)


def finished(event: Event, params: Any, how: Ended, fields: Fields) -> list[Draft]:
    """Make the end of a call; of a shell's, its command too, which then holds what was said."""
    duration_ms = fields.count("duration_ms")
    data = {
        "tool": event.tool,
        "ok": how.ok,
        "call": _call(event),
        "params": params,
        "duration_ms": duration_ms,
        "error": how.error,
    }
    if event.command is None or not how.runs:
        called = data | {"response": how.response, "told": fields.rest()}
        return [draft(event, "tool_called", "tool", called)]
    ran = {
        "command": event.command,
        "output": how.output,
        "cwd": event.cwd,
        "call": _call(event),
        "duration_ms": duration_ms,
    }
    command = draft(event, "command_ran", "tool", ran, part=keys.COMMAND)
    whole = dict(command.data) | {"exit_code": how.exit_code}
    called = data | {"told": fields.rest()}
    return [
        draft(event, "tool_called", "tool", called),
        msgspec.structs.replace(command, data=whole),
    ]


def words(event: Event, text: str | None, *, key: str | None = None) -> list[Draft]:
    """Make what the agent said, where it said something."""
    if text is None or not says(text):
        return []
    said = keys.said(event.agent, event.session, event.turn, text, event.said, worker=event.worker)
    return [draft(event, "agent_said", "agent", {"text": text}, key=key or said)]


def compacted(event: Event, fields: Fields) -> Draft:
    """Make a compaction."""
    data = {"trigger": event.source, "summary": event.text, "told": fields.rest()}
    return draft(event, "context_compacted", "agent", data)


def work_opened(
    event: Event, worker: str, title: str, kind: str, *, part: str = "", **more: Any
) -> Draft:
    """Make the beginning of work that goes on by itself: a sub-agent, a background task."""
    data = {"work": keys.session_id(worker), "title": title, "kind": kind, **more}
    key = keys.worker_start(event.agent, event.session, worker)
    return draft(event, "work_opened", "agent", data, key=key, part=part)


def work_closed(event: Event, worker: str, outcome: str, *, part: str = "", **more: Any) -> Draft:
    """Make the end of such work."""
    data = {"work": keys.session_id(worker), "outcome": outcome, **more}
    key = keys.worker_stop(event.agent, event.session, worker)
    return draft(event, "work_closed", "agent", data, key=key, part=part)


def _call(event: Event) -> str | None:
    return None if event.call is None else keys.session_id(event.call)

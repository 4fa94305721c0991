"""The entries that the events of Claude Code become."""

from __future__ import annotations

import re
from typing import Any, Final

from holdfast.agents import drafting, keys, reading
from holdfast.agents.drafting import Ended
from holdfast.agents.reading import Fields, field, says, text_in
from holdfast.agents.values import Event
from holdfast.ledger.ledger import Draft

REPORT: Final = "<task-notification>"
"""How a prompt begins that reports the end of a background task."""

_PART: Final = re.compile(r"<(task-id|status|summary|result)>(.*?)</\1>", re.DOTALL)
_EXIT: Final = re.compile(r"\A(?:Error: )?Exit code (\d{1,3})\b[^\n]*\n?")
_NEVER_RAN: Final = "<tool_use_error>"
_APART: Final = reading.COMMON | {"agent_id", "prompt_id"}
_OF_SESSION: Final = frozenset({"model", "source"})


def drafts(event: Event) -> list[Draft]:
    """Return the entries of an event."""
    fields = Fields(event.payload, _APART)
    match event.kind:
        case "session_start":
            return [drafting.started(event, Fields(event.payload, _APART | _OF_SESSION))]
        case "session_end":
            fields.text("reason")
            return [drafting.ended(event, fields)]
        case "prompt":
            fields.text("prompt")
            return [drafting.prompt(event, fields)]
        case "tool_begin":
            return [drafting.begun(event, _params(fields), fields)]
        case "tool_end":
            return _finished(event, fields)
        case "tool_failed":
            return _failed(event, fields)
        case "stop":
            return _stopped(event)
        case "subagent_start":
            return _worker_started(event)
        case "subagent_stop":
            return _worker_stopped(event)
        case "post_compact":
            _ = fields.text("trigger"), fields.text("compact_summary")
            return [drafting.compacted(event, fields)]
        case "pre_compact":
            return [drafting.fired(event)]
        case "other":
            return _other(event)


def _params(fields: Fields) -> Any:
    _ = fields.text("tool_name"), fields.text("tool_use_id")
    return fields.value("tool_input")


def _finished(event: Event, fields: Fields) -> list[Draft]:
    params, response = _params(fields), fields.value("tool_response")
    how = Ended(ok=True, response=response)
    if event.command is not None:
        how = Ended(
            ok=True,
            response=response,
            output=_output(response),
            exit_code=_code(response),
            runs=isinstance(response, dict | str | None),
        )
    made = drafting.finished(event, params, how, fields)
    task = text_in(response, "backgroundTaskId")
    if task is not None:
        made.append(drafting.work_opened(event, task, event.command or task, "shell"))
    if field(response, "isAsync") is True and (helper := text_in(response, "agentId")):
        title = text_in(response, "description", "prompt") or helper
        made.append(drafting.work_opened(event, helper, title, "subagent"))
    return made


def _output(response: Any) -> str | None:
    if not isinstance(response, dict):
        return response if isinstance(response, str) else None
    parts = [response.get(name) for name in ("stdout", "stderr")]
    return "\n".join(part for part in parts if isinstance(part, str) and part)


def _code(response: Any) -> int | None:
    """Return 0 for a command that ended well and by itself; the client tells of others by words."""
    if not isinstance(response, dict) or response.get("interrupted") is not False:
        return None
    odd = ("backgroundTaskId", "returnCodeInterpretation", "timedOutAfterMs")
    return None if any(response.get(name) for name in odd) else 0


def _failed(event: Event, fields: Fields) -> list[Draft]:
    params, error = _params(fields), fields.value("error")
    return drafting.finished(event, params, _failure(event.command, error), fields)


def _failure(command: str | None, error: Any) -> Ended:
    if command is None or not isinstance(error, str):
        return Ended(ok=False, error=error, runs=isinstance(error, str | None))
    found = _EXIT.match(error)
    if found is None:
        return Ended(ok=False, error=error)
    return Ended(
        ok=False, error=found[0].strip(), output=error[found.end() :], exit_code=int(found[1])
    )


def _stopped(event: Event) -> list[Draft]:
    made = drafting.words(event, event.text) + _background(event)
    if not made or field(event.payload, "session_crons"):
        made.append(drafting.fired(event))
    return made


def _background(event: Event) -> list[Draft]:
    """Return the work that goes on when a turn or a worker is over.

    At the end of a turn a helper's task is told, where its start told what kind of helper it is.
    """
    tasks = field(event.payload, "background_tasks")
    made = []
    for task in tasks if isinstance(tasks, list) else ():
        name, title = text_in(task, "id"), text_in(task, "description", "command", "name")
        # While a worker stops it still runs, by its own word.
        if name is not None and name != event.worker:
            kind = text_in(task, "type") or "task"
            part = "named" if kind == "subagent" and event.kind == "stop" else ""
            made.append(drafting.work_opened(event, name, title or name, kind, part=part))
    return made


def _worker_started(event: Event) -> list[Draft]:
    if event.worker is None:
        return [drafting.fired(event)]
    title = text_in(event.payload, "agent_type") or event.worker
    return [drafting.work_opened(event, event.worker, title, "subagent")]


def _worker_stopped(event: Event) -> list[Draft]:
    """Return a worker's last words and its end; the client's own, which has no type, is no work."""
    if event.worker is None or text_in(event.payload, "agent_type") is None:
        return [drafting.fired(event)]
    transcript = text_in(event.payload, "agent_transcript_path")
    outcome = event.text or "it said nothing"
    return [
        *drafting.words(event, event.text),
        drafting.work_closed(event, event.worker, outcome, transcript=transcript),
        *_background(event),
    ]


def _other(event: Event) -> list[Draft]:
    match event.name:
        case "PostToolBatch":
            return _batch(event)
        case "MessageDisplay" if _is_whole(event.payload):
            return drafting.words(event, text_in(event.payload, "delta"))
        case "UserPromptSubmit":
            return [drafting.fired(event), *_reported(event)]
        case "StopFailure":
            return [*drafting.words(event, event.text), drafting.fired(event)]
        case _:
            return [drafting.fired(event)]


def _is_whole(payload: dict[str, Any]) -> bool:
    whole = payload.get("index") == 0 and payload.get("final") is True
    return whole and says(payload.get("delta"))


def _reported(event: Event) -> list[Draft]:
    """Return the end of the background task that a notification reports."""
    if event.text is None or not event.text.lstrip().startswith(REPORT):
        return []
    parts = {found[1]: found[2].strip() for found in _PART.finditer(event.text)}
    worker = parts.get("task-id")
    if not worker or not parts.get("status") or parts["status"] == "running":
        return []
    outcome = parts.get("result") or parts.get("summary") or parts["status"]
    # It is over for good, whatever else was told of it meanwhile.
    part = f"reported {event.turn}"
    return [drafting.work_closed(event, worker, outcome, part=part, status=parts["status"])]


def _batch(event: Event) -> list[Draft]:
    """Return the calls of a batch, and that they were one.

    Each call that ran has an event of its own, and so has its entry already. This adds those that
    never ran, of which no other event tells, and whatever got lost on its way.
    """
    told = field(event.payload, "tool_calls")
    if not isinstance(told, list):
        return [drafting.fired(event)]
    made, rest = [], []
    for one in told:
        call, tool = text_in(one, "tool_use_id"), text_in(one, "tool_name")
        if call is None or tool is None:
            rest.append(one)
        else:
            rest.append({"tool_use_id": call, "tool_name": tool})
            made.append(_call_of_batch(event, call, tool, one))
    return [*made, drafting.fired(event, {**event.payload, "tool_calls": rest})]


def _call_of_batch(event: Event, call: str, tool: str, told: dict[str, Any]) -> Draft:
    response = told.get("tool_response")
    failed = isinstance(response, str) and response.startswith(_NEVER_RAN)
    data = {
        "tool": tool,
        "ok": False if failed else None,
        "call": keys.session_id(call),
        "params": told.get("tool_input"),
        "error" if failed else "response": response,
    }
    key = keys.tool_end(event.agent, event.session, call, event.turn, event.worker)
    return drafting.draft(event, "tool_called", "tool", data, key=key)

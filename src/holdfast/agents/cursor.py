"""Cursor: what its hooks say, and how it is answered. Read from its documentation, not run.

Its session is a conversation, its turn a generation. The events before and after a shell or an MCP
call are not installed: those of tools tell of the same calls, with ids. An event name that a
version does not know can cost all of its hooks, so that only what is needed is installed.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from holdfast.agents import drafting, reading
from holdfast.agents.answering import shortened, spelled
from holdfast.agents.drafting import Ended
from holdfast.agents.reading import Fields, field, text_in
from holdfast.agents.values import AgentName, Answer, Event, Kind, Reply
from holdfast.ledger.ledger import Draft

NAME: Final[AgentName] = "cursor"

_KINDS: Final[dict[str, Kind]] = {
    "sessionStart": "session_start",
    "sessionEnd": "session_end",
    "beforeSubmitPrompt": "prompt",
    "preToolUse": "tool_begin",
    "postToolUse": "tool_end",
    "postToolUseFailure": "tool_failed",
    "stop": "stop",
    "subagentStart": "subagent_start",
    "subagentStop": "subagent_stop",
    "preCompact": "pre_compact",
}
EVENTS: Final[tuple[str, ...]] = (
    *_KINDS,
    "afterAgentResponse",
    "afterAgentThought",
    "afterFileEdit",
)
NOT_INSTALLED: Final[tuple[str, ...]] = (
    "beforeShellExecution",
    "afterShellExecution",
    "beforeMCPExecution",
    "afterMCPExecution",
    "beforeReadFile",
    "beforeTabFileRead",
    "afterTabFileEdit",
    "workspaceOpen",
)

CONTEXT_CHARS_MAX: Final = 9_000
"""No limit is written down for it; what is right for others is not too much."""

CANNOT: Final[tuple[str, ...]] = (
    "A compaction, a new chat or the end of a session cannot be held back.",
    "The summary of a compaction is not told, nor that it is over; what is known is brought back "
    "when a session starts, not after a compaction.",
    "A project's hooks run only in a workspace that is trusted.",
    "This was written after its documentation; it was not run against the editor.",
)

_SHELLS: Final = frozenset({"Shell"})
_WRITERS: Final = frozenset({"Delete", "Edit", "MultiEdit", "StrReplace", "Write"})
_APART: Final = reading.COMMON | {"conversation_id", "generation_id", "hook_event_name", "model"}
_TEXT_OF: Final[dict[str, tuple[str, ...]]] = {
    "beforeSubmitPrompt": ("prompt",),
    "afterAgentResponse": ("text",),
    "subagentStop": ("summary", "result"),
}


def read(payload: Any, at_us: int) -> Event:
    """Read a payload."""
    name = reading.event_name(NAME, payload)
    kind = _KINDS.get(name, "other")
    given, tool = payload.get("tool_input"), text_in(payload, "tool_name")
    text = text_in(payload, *_TEXT_OF.get(name, ()))
    if (kind == "prompt" and text is None) or (kind.startswith("tool_") and tool is None):
        kind = "other"
    return reading.event(
        NAME,
        kind,
        payload,
        name=name,
        session=text_in(payload, "conversation_id", "session_id"),
        cwd=text_in(payload, "cwd") or _root(payload.get("workspace_roots")),
        at_us=at_us,
        source=_source(kind, payload),
        turn=text_in(payload, "generation_id"),
        call=text_in(payload, "tool_use_id"),
        tool=tool,
        command=text_in(given, "command") if tool in _SHELLS else None,
        paths=_paths(name, tool, payload),
        text=text,
        transcript=text_in(payload, "transcript_path"),
        worker=text_in(payload, "subagent_id"),
        model=text_in(payload, "model"),
    )


def drafts(event: Event) -> list[Draft]:
    """Return the entries of an event."""
    fields = Fields(event.payload, _APART)
    match event.kind:
        case "session_start":
            return [drafting.started(event, fields)]
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
            params, error = _params(fields), fields.value("error_message", "error")
            return drafting.finished(event, params, Ended(ok=False, error=error), fields)
        case "subagent_start" if event.worker is not None:
            title = text_in(event.payload, "task", "description", "subagent_type") or event.worker
            return [drafting.work_opened(event, event.worker, title, "subagent")]
        case "subagent_stop" if event.worker is not None:
            outcome = event.text or text_in(event.payload, "status") or "it said nothing"
            return [drafting.work_closed(event, event.worker, outcome), drafting.fired(event)]
        case "other" if event.name == "afterAgentResponse" and event.text is not None:
            return drafting.words(event, event.text)
        case _:
            return [drafting.fired(event)]


def answer(event: Event, reply: Reply) -> Answer:
    """Spell a reply as JSON."""
    message = reply.message or None
    match event.kind:
        case "session_start":
            return spelled(additional_context=shortened(reply.context, CONTEXT_CHARS_MAX))
        case "prompt" if reply.block:
            return spelled(**{"continue": False}, user_message=reply.block)
        case "tool_begin" if reply.block:
            told = {"user_message": message or reply.block, "agent_message": reply.block}
            return spelled(permission="deny", **told)
        case "tool_end":
            return spelled(additional_context=shortened(reply.context, CONTEXT_CHARS_MAX))
        case "pre_compact":
            return spelled(user_message=message)
        case _:
            return Answer(stderr=f"{message}\n" if message else "")


def _root(roots: Any) -> str | None:
    found = roots[0] if isinstance(roots, list) and roots else None
    return found if isinstance(found, str) and found.strip() else None


def _source(kind: Kind, payload: dict[str, Any]) -> str | None:
    if kind == "session_start":
        return text_in(payload, "source") or "startup"
    return text_in(payload, "trigger", "reason", "status")


def _paths(name: str, tool: str | None, payload: dict[str, Any]) -> tuple[str, ...]:
    if name == "afterFileEdit":
        path = text_in(payload, "file_path")
    elif name == "postToolUse" and tool in _WRITERS:
        path = text_in(payload.get("tool_input"), "file_path", "path", "target_file")
    else:
        path = None
    return () if path is None else (path,)


def _params(fields: Fields) -> Any:
    _ = fields.text("tool_name"), fields.text("tool_use_id")
    return fields.value("tool_input")


def _finished(event: Event, fields: Fields) -> list[Draft]:
    """Return the end of a call; what came of it is JSON in a text, where it can be read."""
    params, told = _params(fields), fields.value("tool_output")
    response = _unpacked(told)
    code = field(response, "exitCode")
    known = isinstance(code, int) and not isinstance(code, bool)
    how = Ended(
        ok=code == 0 if known and event.command is not None else True,
        response=response,
        output=_output(response),
        exit_code=code if known else None,
        runs=_output(response) is not None or response is None,
    )
    return drafting.finished(event, params, how, fields)


def _unpacked(told: Any) -> Any:
    if not isinstance(told, str):
        return told
    try:
        value = msgspec.json.decode(told)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return told
    return value if isinstance(value, dict) else told


def _output(response: Any) -> str | None:
    if isinstance(response, str):
        return response
    parts = [field(response, name) for name in ("stdout", "output", "stderr")]
    texts = [part for part in parts if isinstance(part, str)]
    return "\n".join(part for part in texts if part) if texts else None

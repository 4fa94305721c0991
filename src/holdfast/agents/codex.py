"""Codex: what its hooks say, and how it is answered.

Its hooks speak as those of Claude Code do, with differences that are told here. How a command
ended and what a compaction left are not in its events: its rollout has both, and is read along.
"""

from __future__ import annotations

import re
from typing import Any, Final

from holdfast.agents import drafting, reading
from holdfast.agents.answering import held_back, in_utf8, shortened, specific, spelled
from holdfast.agents.drafting import Ended
from holdfast.agents.reading import Fields, text_in
from holdfast.agents.values import AgentName, Answer, Event, Kind, Reply
from holdfast.ledger.ledger import Draft

NAME: Final[AgentName] = "codex"

_KINDS: Final[dict[str, Kind]] = {
    "SessionStart": "session_start",
    "SessionEnd": "session_end",
    "UserPromptSubmit": "prompt",
    "PreToolUse": "tool_begin",
    "PostToolUse": "tool_end",
    "Stop": "stop",
    "SubagentStart": "subagent_start",
    "SubagentStop": "subagent_stop",
    "PreCompact": "pre_compact",
    "PostCompact": "post_compact",
}
EVENTS: Final[tuple[str, ...]] = (*_KINDS, "PermissionRequest")

CONTEXT_CHARS_MAX: Final = 9_000
"""2,500 tokens reach the model, which it takes for 10,000 bytes; of more, a preview and the name of
a file do. An answer is cut by its bytes."""

CANNOT: Final[tuple[str, ...]] = (
    "A hook runs only after its user has approved it (`/hooks`), and again whenever its command "
    "changes.",
    "`/clear` and `/new` cannot be held back. A compaction can, and that interrupts the turn.",
    "How a command ended is told by no hook; it is read from the rollout.",
    "The summary of a compaction is told by no hook; it is read from the rollout.",
    "A tool that refuses its arguments, and a command that goes on in the background, has a "
    "beginning and no end; the rollout tells of both.",
    "The end of a session cannot be held back, and waits 3 seconds at most.",
)

_SHELLS: Final = frozenset({"Bash", "exec_command", "local_shell", "shell"})
_PATCH: Final = "apply_patch"
_PATCHED: Final = re.compile(r"^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$", re.MULTILINE)
_EXIT: Final = re.compile(r"\AExit code: (\d{1,3})\n")
_CONTEXT_TO: Final = frozenset(
    {"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "SubagentStart"}
)


def read(payload: Any, at_us: int) -> Event:
    """Read a payload."""
    name = reading.event_name(NAME, payload)
    kind = _KINDS.get(name, "other")
    given, tool = payload.get("tool_input"), text_in(payload, "tool_name")
    text = text_in(payload, "prompt", "last_assistant_message", "compact_summary")
    if (kind == "prompt" and text is None) or (kind.startswith("tool_") and tool is None):
        kind = "other"
    return reading.event(
        NAME,
        kind,
        payload,
        name=name,
        session=text_in(payload, "session_id"),
        cwd=text_in(payload, "cwd"),
        at_us=at_us,
        source=text_in(payload, "source", "trigger", "reason"),
        turn=text_in(payload, "turn_id"),
        call=text_in(payload, "tool_use_id"),
        tool=tool,
        command=text_in(given, "command", "cmd") if tool in _SHELLS else None,
        paths=_patched(given) if kind == "tool_end" and tool == _PATCH else (),
        text=text,
        transcript=text_in(payload, "transcript_path"),
        worker=text_in(payload, "agent_id"),
        model=text_in(payload, "model"),
    )


def drafts(event: Event) -> list[Draft]:
    """Return the entries of an event."""
    fields = Fields(event.payload, reading.COMMON | {"agent_id", "model", "turn_id"})
    match event.kind:
        case "session_start":
            fields.text("source")
            return [drafting.started(event, fields)]
        case "session_end":
            fields.text("reason")
            return [drafting.ended(event, fields)]
        case "prompt":
            fields.text("prompt")
            return [drafting.prompt(event, fields)]
        case "tool_begin":
            return [drafting.begun(event, _params(fields), fields)]
        case "tool_end" | "tool_failed":
            return _finished(event, fields)
        case "stop":
            return drafting.words(event, event.text) or [drafting.fired(event)]
        case "subagent_start" if event.worker is not None:
            title = text_in(event.payload, "agent_type") or event.worker
            return [drafting.work_opened(event, event.worker, title, "subagent")]
        case "subagent_stop" if event.worker is not None:
            outcome = event.text or "it said nothing"
            closed = drafting.work_closed(event, event.worker, outcome)
            return [*drafting.words(event, event.text), closed]
        case "post_compact" if event.text is not None or event.transcript is None:
            _ = fields.text("trigger"), fields.text("compact_summary")
            return [drafting.compacted(event, fields)]
        case _:
            return [drafting.fired(event)]


def answer(event: Event, reply: Reply) -> Answer:
    """Spell a reply as JSON; a compaction is held back by it alone."""
    context = shortened(reply.context, CONTEXT_CHARS_MAX, in_utf8)
    message = reply.message or None
    match event.kind:
        case "prompt" if reply.block:
            return held_back(reply)
        case "tool_begin" if reply.block:
            told = specific(
                event.name, permissionDecision="deny", permissionDecisionReason=reply.block
            )
            return spelled(systemMessage=message, hookSpecificOutput=told)
        case "pre_compact" if reply.block:
            return spelled(**{"continue": False}, stopReason=reply.block, systemMessage=message)
        case "session_end":
            return Answer(stderr=f"{message}\n" if message else "")
        case _:
            given = context if event.name in _CONTEXT_TO else None
            told = specific(event.name, additionalContext=given)
            return spelled(systemMessage=message, hookSpecificOutput=told)


def _patched(given: Any) -> tuple[str, ...]:
    """Return the files that a patch names, each once."""
    text = text_in(given, "command", "input", "patch") or ""
    return tuple(dict.fromkeys(found.strip() for found in _PATCHED.findall(text)))


def _params(fields: Fields) -> Any:
    _ = fields.text("tool_name"), fields.text("tool_use_id")
    return fields.value("tool_input")


def _finished(event: Event, fields: Fields) -> list[Draft]:
    """Return the end of a call. Only a patch says how it went; a command's code is not told."""
    params, response = _params(fields), fields.value("tool_response")
    output = response if isinstance(response, str) else None
    found = _EXIT.match(output or "") if event.tool == _PATCH else None
    how = Ended(
        ok=None if found is None else found[1] == "0",
        response=response,
        output=output,
        runs=event.transcript is None and isinstance(response, str | None),
    )
    return drafting.finished(event, params, how, fields)

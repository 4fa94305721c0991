"""Claude Code: what its hooks say, and how it is answered.

Every event of its hooks is read. Two are not installed: a hook for WorktreeCreate would have to
make the worktree, and one for MessageDisplay starts with every few lines of an answer, which the
transcript and Stop tell as well. Prompts that the client writes by itself (a background task that
ended, a wake-up) come by the same event as the user's; they are not taken for the user's words.
"""

from __future__ import annotations

from typing import Any, Final

from holdfast.agents import reading
from holdfast.agents.answering import held_back, in_utf16, shortened, specific, spelled
from holdfast.agents.claude_code_drafts import REPORT, drafts
from holdfast.agents.reading import field, text_in
from holdfast.agents.values import AgentName, Answer, Event, Kind, Reply

__all__ = ["CANNOT", "CONTEXT_CHARS_MAX", "EVENTS", "NAME", "answer", "drafts", "read"]

NAME: Final[AgentName] = "claude-code"

_KINDS: Final[dict[str, Kind]] = {
    "SessionStart": "session_start",
    "SessionEnd": "session_end",
    "UserPromptSubmit": "prompt",
    "PreToolUse": "tool_begin",
    "PostToolUse": "tool_end",
    "PostToolUseFailure": "tool_failed",
    "Stop": "stop",
    "SubagentStart": "subagent_start",
    "SubagentStop": "subagent_stop",
    "PreCompact": "pre_compact",
    "PostCompact": "post_compact",
}
EVENTS: Final[tuple[str, ...]] = (
    *_KINDS,
    "PostToolBatch",
    "Notification",
    "UserPromptExpansion",
    "StopFailure",
    "PreModelSwitch",
    "PostModelSwitch",
    "PermissionRequest",
    "PermissionDenied",
    "Setup",
    "TeammateIdle",
    "TaskCreated",
    "TaskCompleted",
    "Elicitation",
    "ElicitationResult",
    "ConfigChange",
    "WorktreeRemove",
    "InstructionsLoaded",
    "CwdChanged",
    "FileChanged",
    "DirectoryAdded",
)
NOT_INSTALLED: Final[tuple[str, ...]] = ("WorktreeCreate", "MessageDisplay")

CONTEXT_CHARS_MAX: Final = 9_000
"""9 kB reach the model whole; somewhat above, a preview of 2 kB and the name of a file do."""

CANNOT: Final[tuple[str, ...]] = (
    "`/clear` cannot be held back by a hook. In a project, .claude/commands/clear.md takes its "
    "place and can; `/new` and `/reset` clear without asking.",
    "The end of a session cannot be held back.",
    "What it says between two tools is told by no hook that is installed; it is read from the "
    "transcript.",
    "A hook cannot tell a prompt that the user typed from one that the client wrote, where the "
    "client does not say so; what begins like a task's report is not taken for the user's.",
)

_SHELLS: Final = frozenset({"Bash", "PowerShell"})
_WRITERS: Final = frozenset({"Edit", "MultiEdit", "NotebookEdit", "Write"})
_NOT_THE_USER: Final = frozenset({"loop_wakeup", "poll_event", "schedule_wakeup", "system"})

_CONTEXT_TO: Final = frozenset(
    {
        "SessionStart",
        "Setup",
        "UserPromptSubmit",
        "PreToolUse",
        "PostToolUse",
        "PostToolUseFailure",
        "PostToolBatch",
        "SubagentStart",
        "Notification",
        "PostModelSwitch",
    }
)
"""Events that a text for the model can be answered to. Stop and SubagentStop can too, but that
makes the agent go on, which nobody asked for."""


def read(payload: Any, at_us: int) -> Event:
    """Read a payload."""
    name = reading.event_name(NAME, payload)
    kind = _KINDS.get(name, "other")
    given = payload.get("tool_input")
    tool = text_in(payload, "tool_name")
    text = text_in(payload, *_TEXT_OF.get(name, ()))
    if kind == "prompt" and not _is_users(payload, text):
        kind = "other"
    if kind in ("tool_begin", "tool_end", "tool_failed") and tool is None:
        kind = "other"
    written = kind == "tool_end" and tool in _WRITERS
    path = text_in(given, "file_path", "notebook_path") if written else None
    return reading.event(
        NAME,
        kind,
        payload,
        name=name,
        session=text_in(payload, "session_id"),
        cwd=text_in(payload, "cwd"),
        at_us=at_us,
        source=text_in(payload, "source", "trigger", "reason"),
        turn=text_in(payload, "prompt_id"),
        call=text_in(payload, "tool_use_id"),
        tool=tool,
        command=text_in(given, "command") if tool in _SHELLS else None,
        paths=() if path is None else (path,),
        text=text,
        transcript=text_in(payload, "transcript_path"),
        worker=text_in(payload, "agent_id"),
        model=text_in(payload, "model"),
    )


def answer(event: Event, reply: Reply) -> Answer:
    """Spell a reply: JSON, or by the exit code where that is what holds back."""
    context = shortened(reply.context, CONTEXT_CHARS_MAX, in_utf16)
    match event.kind:
        case "prompt" if reply.block:
            return held_back(reply)
        case "pre_compact" if reply.block:
            return held_back(reply)
        case "pre_compact" if context:
            # What is printed here plainly goes to whoever writes the summary.
            return Answer(stdout=context + "\n", stderr=_line(reply.message))
        case "tool_begin" if reply.block:
            told = specific(
                event.name, permissionDecision="deny", permissionDecisionReason=reply.block
            )
            return spelled(systemMessage=reply.message, hookSpecificOutput=told)
        case "post_compact":
            return Answer(stdout=_line(reply.message))  # what is printed is shown as it stands
        case "session_end":
            return Answer(stderr=_line(reply.message))
        case _:
            given = context if event.name in _CONTEXT_TO else None
            told = specific(event.name, additionalContext=given)
            return spelled(systemMessage=reply.message or None, hookSpecificOutput=told)


_TEXT_OF: Final[dict[str, tuple[str, ...]]] = {
    "UserPromptSubmit": ("prompt",),
    "Stop": ("last_assistant_message",),
    "StopFailure": ("last_assistant_message",),
    "SubagentStop": ("last_assistant_message",),
    "PostCompact": ("compact_summary",),
}


def _is_users(payload: dict[str, Any], text: str | None) -> bool:
    if text is None or field(payload, "source") in _NOT_THE_USER:
        return False
    return not text.lstrip().startswith(REPORT)


def _line(message: str | None) -> str:
    return f"{message}\n" if message else ""

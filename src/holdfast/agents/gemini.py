"""Gemini CLI: what its hooks say, and how it is answered.

The three events around a model's request are not installed: each carries the whole history again,
one of them with every chunk. No event of it has an id, so double ones are told by what they say.
"""

from __future__ import annotations

from typing import Any, Final

from holdfast.agents import drafting, reading
from holdfast.agents.answering import shortened, specific, spelled
from holdfast.agents.drafting import Ended
from holdfast.agents.reading import Fields, field, says, text_in
from holdfast.agents.values import AgentName, Answer, Event, Kind, Reply
from holdfast.ledger.ledger import Draft

NAME: Final[AgentName] = "gemini"

_KINDS: Final[dict[str, Kind]] = {
    "SessionStart": "session_start",
    "SessionEnd": "session_end",
    "BeforeAgent": "prompt",
    "AfterAgent": "stop",
    "BeforeTool": "tool_begin",
    "AfterTool": "tool_end",
    "PreCompress": "pre_compact",
}
EVENTS: Final[tuple[str, ...]] = (*_KINDS, "Notification")
NOT_INSTALLED: Final[tuple[str, ...]] = ("BeforeModel", "AfterModel", "BeforeToolSelection")

CONTEXT_CHARS_MAX: Final = 9_000
"""No limit is written down for it; what is right for others is not too much."""

CANNOT: Final[tuple[str, ...]] = (
    "A compression, `/clear` or the end of a session cannot be held back.",
    "The summary of a compression is not told.",
    "A compression that comes by itself is not told apart from a turn without one; only for a "
    "manual one a checkpoint is made.",
    "What it says between two tools is not told, and neither are tokens.",
    "How a command ended is told only in the words around its output; no exit code is recorded.",
    "It waits for no hook when a session ends.",
    "Two calls of one tool that are alike and at once are recorded as one.",
)

_SHELLS: Final = frozenset({"run_shell_command"})
_WRITERS: Final = frozenset({"replace", "write_file"})
_APART: Final = reading.COMMON | {"timestamp"}
_CONTEXT_TO: Final = frozenset({"SessionStart", "BeforeAgent", "AfterTool"})


def read(payload: Any, at_us: int) -> Event:
    """Read a payload."""
    name = reading.event_name(NAME, payload)
    kind = _KINDS.get(name, "other")
    given, tool = payload.get("tool_input"), text_in(payload, "tool_name")
    text = text_in(payload, "prompt_response" if kind == "stop" else "prompt")
    text = _typed(text) if kind == "prompt" else text
    if (kind == "prompt" and text is None) or (kind.startswith("tool_") and tool is None):
        kind = "other"
    if kind == "pre_compact" and text_in(payload, "trigger") == "auto":
        kind = "other"  # it comes before every turn, whether anything is compressed or not
    if kind == "tool_end" and field(field(payload, "tool_response"), "error"):
        kind = "tool_failed"
    written = kind == "tool_end" and tool in _WRITERS
    path = text_in(given, "file_path", "absolute_path") if written else None
    return reading.event(
        NAME,
        kind,
        payload,
        name=name,
        session=text_in(payload, "session_id"),
        cwd=text_in(payload, "cwd"),
        at_us=at_us,
        source=text_in(payload, "source", "trigger", "reason"),
        tool=tool,
        command=text_in(given, "command") if tool in _SHELLS else None,
        paths=() if path is None else (path,),
        text=text,
        transcript=text_in(payload, "transcript_path"),
    )


def drafts(event: Event) -> list[Draft]:
    """Return the entries of an event."""
    fields = Fields(event.payload, _APART)
    match event.kind:
        case "session_start":
            fields.text("source")
            return [drafting.started(event, fields)]
        case "session_end":
            fields.text("reason")
            return [drafting.ended(event, fields)]
        case "prompt":
            if event.text == event.payload.get("prompt"):
                fields.text("prompt")  # else all of it is kept beside what was typed
            return [drafting.prompt(event, fields)]
        case "tool_begin":
            fields.text("tool_name")
            return [drafting.begun(event, fields.value("tool_input"), fields)]
        case "tool_end" | "tool_failed":
            return _finished(event, fields)
        case "stop":
            # No turn has an id, so its end stands for it.
            said = drafting.words(event, event.text, key=event.key)
            return said or [drafting.fired(event)]
        case _:
            return [drafting.fired(event)]


def answer(event: Event, reply: Reply) -> Answer:
    """Spell a reply as JSON, which is all that may be printed."""
    message = reply.message or None
    if reply.block and event.kind in ("prompt", "tool_begin"):
        return spelled(decision="deny", reason=reply.block, systemMessage=message)
    given = shortened(reply.context, CONTEXT_CHARS_MAX) if event.name in _CONTEXT_TO else None
    told = specific(event.name, additionalContext=given)
    return spelled(systemMessage=message, hookSpecificOutput=told)


def _typed(prompt: str | None) -> str | None:
    """Return a prompt without what hooks told the model, which the client puts before it."""
    while prompt is not None and prompt.startswith("<hook_context>"):
        _, end, rest = prompt.partition("</hook_context>")
        if not end or not says(rest):
            break
        prompt = rest.lstrip("\n")
    return prompt


def _finished(event: Event, fields: Fields) -> list[Draft]:
    fields.text("tool_name")
    params, response = fields.value("tool_input"), fields.value("tool_response")
    shown = field(response, "llmContent")
    failed = event.kind == "tool_failed"
    how = Ended(
        ok=not failed if event.command is None or failed else None,
        response=response,
        error=field(response, "error") if failed else None,
        output=shown if says(shown) else None,
        runs=says(shown) or response is None,
    )
    return drafting.finished(event, params, how, fields)

"""opencode: what its plugin hooks and its bus say, as our plugin passes it on.

    {"hook_event_name", "session_id", "cwd", "input", "output"}

`input` and `output` are what opencode hands to a plugin, untouched; of an event of the bus, its
properties are the input. There the output is the plugin's own: of `session.compacted`, the summary
whose parts came before it; of such a part, that it is one. The answer is `context`, `message`,
`block`, for the plugin to act on.
"""

from __future__ import annotations

import re
from typing import Any, Final

import msgspec

from holdfast.agents import drafting, keys, reading
from holdfast.agents.answering import shortened, spelled
from holdfast.agents.drafting import Ended
from holdfast.agents.reading import Fields, field, says, text_in
from holdfast.agents.values import AgentName, Answer, Event, Kind, Reply
from holdfast.ledger.ledger import Draft

NAME: Final[AgentName] = "opencode"

_SYSTEM: Final = "experimental.chat.system.transform"
_KINDS: Final[dict[str, Kind]] = {
    "session.created": "session_start",
    _SYSTEM: "session_start",
    "session.deleted": "session_end",
    "chat.message": "prompt",
    "tool.execute.before": "tool_begin",
    "tool.execute.after": "tool_end",
    "session.idle": "stop",
    "experimental.session.compacting": "pre_compact",
    "session.compacted": "post_compact",
}
EVENTS: Final[tuple[str, ...]] = (
    *_KINDS,
    "command.execute.before",
    "file.edited",
    "message.part.updated",
    "message.updated",
    "permission.replied",
    "permission.updated",
    "session.error",
    "todo.updated",
)

CONTEXT_CHARS_MAX: Final = 20_000
"""It goes into the system prompt whole; this is what it may cost there."""

CANNOT: Final[tuple[str, ...]] = (
    "A new session or a compaction cannot be held back.",
    "A tool that fails has a beginning and no end.",
    "It does not say that it ends; a session without news is over when its process is. The last "
    "events before that may not come, as it does not wait for them.",
)

_CONTEXT_TO: Final = frozenset({_SYSTEM, "experimental.session.compacting"})
"""Events of which the plugin puts an answer's context before the model; that of others it drops."""

_SHELLS: Final = frozenset({"bash", "shell"})
_WRITERS: Final = frozenset({"edit", "multiedit", "write"})
_HELPER: Final = "task"
"""The tool that waits for a sub-agent, which is a session of its own."""
_PATCHERS: Final = frozenset({"apply_patch", "patch"})
_PATCHED: Final = re.compile(r"^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$", re.MULTILINE)


def read(payload: Any, at_us: int) -> Event:
    """Read a payload."""
    name = reading.event_name(NAME, payload)
    given, made = payload.get("input"), payload.get("output")
    kind, info = _KINDS.get(name, "other"), field(given, "info")
    session = text_in(payload, "session_id") or text_in(given, "sessionID")
    parent = text_in(info, "parentID") if name == "session.created" else None
    if parent is not None:
        kind = "subagent_start"
    text, tool = _text(name, given, made), text_in(given, "tool")
    if (kind == "prompt" and text is None) or (kind.startswith("tool_") and tool is None):
        kind = "other"
    args = _args(name, given, made)
    return reading.event(
        NAME,
        kind,
        payload,
        name=name,
        session=session if parent is None else parent,
        cwd=text_in(payload, "cwd"),
        at_us=at_us,
        source=_source(name, made),
        turn=_turn(name, given, made),
        call=text_in(given, "callID"),
        tool=tool,
        command=text_in(args, "command") if tool in _SHELLS else None,
        paths=_paths(name, tool, given, args),
        text=text,
        worker=session if parent is not None else None,
        model=text_in(field(given, "model"), "modelID", "id"),
    )


def drafts(event: Event) -> list[Draft]:
    """Return the entries of an event."""
    given = field(event.payload, "input")
    match event.kind:
        case "session_start" if event.name != _SYSTEM:
            return [drafting.started(event, Fields(field(given, "info"), ("id", "directory")))]
        case "session_end":
            return [drafting.ended(event, Fields(given, ()))]
        case "prompt":
            return _prompts(event)
        case "tool_begin":
            args = field(field(event.payload, "output"), "args")
            return [drafting.begun(event, args, Fields(given, _OF_CALL))]
        case "tool_end" | "tool_failed":
            return _finished(event, given)
        case "subagent_start" if event.worker is not None:
            title = text_in(field(given, "info"), "title") or event.worker
            return [drafting.work_opened(event, event.worker, title, "subagent")]
        case "post_compact":
            return [drafting.compacted(event, Fields(given, ("sessionID",)))]
        case "other" if event.name == "message.part.updated" and event.text is not None:
            return drafting.words(event, event.text)
        case _:
            return [drafting.fired(event)]


def answer(event: Event, reply: Reply) -> Answer:
    """Spell a reply for the plugin."""
    block = reply.block if event.kind in ("prompt", "tool_begin") else None
    given = reply.context if event.name in _CONTEXT_TO else None
    return spelled(
        context=shortened(given, CONTEXT_CHARS_MAX),
        message=reply.message or None,
        block=block or None,
    )


_OF_CALL: Final = ("args", "callID", "sessionID", "tool")


def _text(name: str, given: Any, made: Any) -> str | None:
    """Return the words of a prompt, of a part of an answer that is whole, or of a summary."""
    if name == "chat.message":
        return "\n".join(_typed(made)) or None
    if name == "session.compacted":
        return text_in(field(made, "summary"), "text")
    if field(made, "summary"):
        return None  # of a compaction, which tells it when it is over
    part = field(given, "part")
    # Only what the model says has an end; what the user said is there at once.
    ended = field(field(part, "time"), "end") is not None
    if name == "message.part.updated" and field(part, "type") == "text" and ended:
        return text_in(part, "text") if not field(part, "synthetic") else None
    return None


def _is_typed(part: dict[str, Any]) -> bool:
    own = not part.get("synthetic") and not part.get("ignored")
    return part.get("type") == "text" and own and says(part.get("text"))


def _typed(made: Any) -> list[str]:
    """Return what the user typed, a text for each part."""
    return [part["text"] for part in _objects(field(made, "parts")) if _is_typed(part)]


def _prompts(event: Event) -> list[Draft]:
    """Return the user's words, an entry for each part; what else came is with the first."""
    given, made = field(event.payload, "input"), field(event.payload, "output")
    others = [part for part in _objects(field(made, "parts")) if not _is_typed(part)]
    rest = given if isinstance(given, dict) else {}
    fields = Fields({**rest, "parts": others or None}, ("messageID", "sessionID"))
    first, *more = _typed(made)
    key = keys.prompt(NAME, event.session, event.turn, first) if more else event.key
    begun = drafting.prompt(msgspec.structs.replace(event, text=first, key=key), fields)
    return [begun, *(_another(event, text) for text in more)]


def _another(event: Event, text: str) -> Draft:
    key = keys.prompt(NAME, event.session, event.turn, text)
    return drafting.draft(event, "prompt_given", "user", {"text": text}, key=key)


def _turn(name: str, given: Any, made: Any) -> str | None:
    if name == "chat.message":
        return text_in(field(made, "message"), "id") or text_in(given, "messageID")
    if name == "session.compacted":
        return text_in(field(made, "summary"), "messageID")
    if name == "message.updated":
        return text_in(field(given, "info"), "id")
    return text_in(field(given, "part"), "messageID")


def _source(name: str, made: Any) -> str | None:
    match name:
        case "session.created":
            return "startup"
        case "experimental.chat.system.transform":
            return "compact" if field(made, "compacted") is True else "resume"
        case "session.compacted" if isinstance(field(made, "auto"), bool):
            return "auto" if field(made, "auto") else "manual"
        case "session.deleted":
            return "deleted"
        case _:
            return None


def _args(name: str, given: Any, made: Any) -> Any:
    return field(made if name == "tool.execute.before" else given, "args")


def _paths(name: str, tool: str | None, given: Any, args: Any) -> tuple[str, ...]:
    """Return the files that an event says were written."""
    if name == "file.edited":
        path = text_in(given, "file")
        return () if path is None else (path,)
    if name != "tool.execute.after":
        return ()
    if tool in _PATCHERS:
        text = text_in(args, "patchText", "patch", "input") or ""
        return tuple(dict.fromkeys(found.strip() for found in _PATCHED.findall(text)))
    path = text_in(args, "filePath", "file_path") if tool in _WRITERS else None
    return () if path is None else (path,)


def _finished(event: Event, given: Any) -> list[Draft]:
    made = field(event.payload, "output")
    code = field(field(made, "metadata"), "exit")
    known = isinstance(code, int) and not isinstance(code, bool)
    how = Ended(
        ok=code == 0 if known and event.command is not None else True,
        response=made,
        output=field(made, "output") if isinstance(field(made, "output"), str) else None,
        exit_code=code if known else None,
        runs=isinstance(made, dict | None),
    )
    ended = drafting.finished(event, field(given, "args"), how, Fields(given, _OF_CALL))
    helper = text_in(field(made, "metadata"), "sessionId") if event.tool == _HELPER else None
    if helper is not None:
        ended.append(drafting.work_closed(event, helper, how.output or "it said nothing"))
    return ended


def _objects(value: Any) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []

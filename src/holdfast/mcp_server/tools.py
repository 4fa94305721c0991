"""The tools: what each is called, what a model is told about it, and which verb does it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final, NamedTuple

import msgspec

from holdfast.kernel.errors import InvalidInput, NotFound
from holdfast.mcp_server import values
from holdfast.mcp_server.values import Asked, Caller, Told, Verbs


class Tool(NamedTuple):
    """One tool."""

    name: str
    asked: type[Asked]
    description: str
    reads_only: bool
    run: Callable[[Verbs, Caller, Any], Told]


TOOLS: Final = {
    tool.name: tool
    for tool in (
        Tool(
            "decide",
            values.Decide,
            "Record a decision and why, with quotes of the code as evidence. Says what was decided "
            "before on the subject, and what contradicts it.",
            False,
            lambda verbs, caller, asked: verbs.decide(caller, asked),
        ),
        Tool(
            "checkpoint",
            values.Checkpoint,
            "Record where the work stands and what comes next; the rest is taken from entries.",
            False,
            lambda verbs, caller, asked: verbs.checkpoint(caller, asked),
        ),
        Tool(
            "resume",
            values.Resume,
            "Say where the work stands. Call it when a session starts, or was cleared or "
            "compacted.",
            True,
            lambda verbs, caller, asked: verbs.resume(caller, asked),
        ),
        Tool(
            "recall",
            values.Recall,
            "Find entries of the ledger, or code, by words. Hits are short; `show` opens one.",
            False,
            lambda verbs, caller, asked: verbs.recall(caller, asked),
        ),
        Tool(
            "show",
            values.Show,
            "Open one entry, an artifact, or a piece of code, word for word.",
            True,
            lambda verbs, caller, asked: verbs.show(caller, asked),
        ),
        Tool(
            "ground",
            values.Ground,
            "Say what a decision rests on and whether it still stands there; or let it rest on "
            "other quotes.",
            False,
            lambda verbs, caller, asked: verbs.ground(caller, asked),
        ),
        Tool(
            "ghost",
            values.Ghost,
            "Before you say that a feature is missing: search for it with two queries that differ.",
            False,
            lambda verbs, caller, asked: verbs.ghost(caller, asked),
        ),
        Tool(
            "pivot",
            values.Pivot,
            "After a recall that found too much: say what was learned. The next recall waits for "
            "it.",
            False,
            lambda verbs, caller, asked: verbs.pivot(caller, asked),
        ),
        Tool(
            "task_add",
            values.TaskAdd,
            "Record something to do.",
            False,
            lambda verbs, caller, asked: verbs.task_add(caller, asked),
        ),
        Tool(
            "task_list",
            values.TaskList,
            "List tasks, the most urgent first; or show one with its decisions and tests.",
            True,
            lambda verbs, caller, asked: verbs.task_list(caller, asked),
        ),
        Tool(
            "task_update",
            values.TaskUpdate,
            "Change a task, begin it, or say how it will be tested.",
            False,
            lambda verbs, caller, asked: verbs.task_update(caller, asked),
        ),
        Tool(
            "task_close",
            values.TaskClose,
            "Record that a task is done, or will not be done.",
            False,
            lambda verbs, caller, asked: verbs.task_close(caller, asked),
        ),
        Tool(
            "clear_check",
            values.ClearCheck,
            "List everything that is in the way of clearing the context, with its remedy. Only "
            "looks.",
            True,
            lambda verbs, caller, asked: verbs.clear_check(caller, asked),
        ),
        Tool(
            "handoff",
            values.Handoff,
            "See what was handed over; offer work to another agent or session, accept or decline "
            "it.",
            False,
            lambda verbs, caller, asked: verbs.handoff(caller, asked),
        ),
    )
}


def find(name: str) -> Tool:
    """Return a tool, or say which there are."""
    if (tool := TOOLS.get(name)) is not None:
        return tool
    raise NotFound(
        f"There is no tool {name[:80]!r}.",
        meaning="Nothing was done.",
        remedy=f"The tools are {', '.join(TOOLS)}.",
    )


def read(tool: Tool, arguments: Mapping[str, Any] | None) -> Asked:
    """Read what a tool is given, or say what is wrong with it and what it takes."""
    try:
        return msgspec.convert(dict(arguments or {}), tool.asked, strict=False)
    except (msgspec.ValidationError, UnicodeError) as error:
        fields = msgspec.structs.fields(tool.asked)
        needed = [field.encode_name for field in fields if field.required]
        others = [field.encode_name for field in fields if not field.required]
        takes = f"It needs {' and '.join(needed)}. " if needed else ""
        raise InvalidInput(
            f"{tool.name}: {error}.",
            meaning="Nothing was done.",
            remedy=f"{takes}It also takes {', '.join(others)}." if others else takes.strip(),
        ) from error


@cache
def schema(asked: type[Asked]) -> dict[str, Any]:
    """Return what a model is told of the arguments: as short as it can be, for it is always there.

    Bounds that nobody reaches by mistake are left out here; they hold all the same.
    """
    _, components = msgspec.json.schema_components([asked])
    whole = components[asked.__name__]
    return {
        "type": "object",
        "properties": {name: _short(part) for name, part in whole["properties"].items()},
        "required": whole.get("required", []),
        "additionalProperties": False,
    }


_LEFT_OUT: Final = frozenset({"default", "maxLength", "maxItems", "minLength", "title"})


def _short(part: dict[str, Any]) -> dict[str, Any]:
    kept = {name: value for name, value in part.items() if name not in _LEFT_OUT}
    if "items" in kept:
        kept["items"] = _short(kept["items"])
    if "anyOf" in kept:
        kinds = [_short(one) for one in kept.pop("anyOf") if one != {"type": "null"}]
        kept |= kinds[0] if len(kinds) == 1 else {"anyOf": kinds}
    if kept.get("type") == "integer" and "maximum" in kept:
        kept.pop("maximum") if kept["maximum"] > 10_000 else None
    return kept

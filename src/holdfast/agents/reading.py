"""How payloads are read, whichever agent they come from: nothing in them is taken for granted.

A payload may be anything that is JSON. What a field ought to be and is not stays where it was: it
is kept with the rest of the payload, never dropped and never guessed at.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec

from holdfast.agents import keys
from holdfast.agents.values import AgentName, Event, Kind
from holdfast.kernel.errors import InvalidInput

COMMON: Final = frozenset({"cwd", "hook_event_name", "session_id", "transcript_path"})
"""Fields that say where a payload comes from, not what happened."""


class Fields:
    """The fields of a payload; those that were taken are not among the rest."""

    def __init__(self, payload: Any, apart: Iterable[str] = COMMON) -> None:
        self._fields: Mapping[str, Any] = payload if isinstance(payload, dict) else {}
        self._taken = set(apart)

    def text(self, *names: str) -> str | None:
        """Take the first of these that is a text of more than blanks."""
        found: str | None = self._take(names, says)
        return found

    def value(self, *names: str) -> Any:
        """Take the first of these that is there at all."""
        return self._take(names, lambda value: value is not None)

    def count(self, *names: str) -> int | None:
        """Take the first of these that is a count."""
        found: int | None = self._take(names, is_count)
        return found

    def rest(self) -> dict[str, Any] | None:
        """Return what nobody took, None when that is nothing."""
        return {
            name: value
            for name, value in self._fields.items()
            if name not in self._taken and value is not None
        } or None

    def _take(self, names: Iterable[str], fits: Any) -> Any:
        for name in names:
            value = self._fields.get(name)
            if fits(value):
                self._taken.add(name)
                return value
        return None


def says(value: Any) -> bool:
    """Tell whether a value is a text of more than blanks."""
    return isinstance(value, str) and bool(value.strip())


def is_count(value: Any) -> bool:
    """Tell whether a value is a whole number that can be counted to."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53


def text_in(value: Any, *names: str) -> str | None:
    """Return the first of an object's fields that is a text of more than blanks."""
    found: str | None = Fields(value, ()).text(*names)
    return found


def field(value: Any, name: str) -> Any:
    """Return a field of what may be an object."""
    return value.get(name) if isinstance(value, dict) else None


def event_name(agent: AgentName, payload: Any) -> str:
    """Return what a payload says it is about, or raise InvalidInput."""
    if not isinstance(payload, dict):
        raise _refused(agent, f"is {_kind_of(payload)}, not a JSON object")
    name = payload.get("hook_event_name")
    if not isinstance(name, str) or not name.strip():
        raise _refused(agent, "does not say which event it is of (`hook_event_name`)")
    return name


def event(agent: AgentName, kind: Kind, payload: dict[str, Any], **fields: Any) -> Event:
    """Make an event of what was read, with the key that follows from it."""
    made = Event(agent=agent, kind=kind, payload=payload, key="", **fields)
    return numbered(made, 1)


def numbered(event: Event, nth: int) -> Event:
    """Return an event as the nth of those that nothing in the payload tells apart."""
    natural = _natural_key(event)
    key = _counted_key(event, nth) if natural is None else natural
    return msgspec.structs.replace(event, key=key, counted=natural is None)


def _natural_key(event: Event) -> str | None:
    """Return the key of an event whose happening has an id of its own."""
    agent, session = event.agent, event.session
    match event.kind:
        case "prompt" if event.turn is not None:
            return keys.prompt(agent, session, event.turn, event.text or "")
        case "tool_begin" if event.call is not None:
            return keys.tool_begin(agent, session, event.call, event.turn, event.worker)
        case "tool_end" | "tool_failed" if event.call is not None:
            return keys.tool_end(agent, session, event.call, event.turn, event.worker)
        case "subagent_start" if event.worker is not None:
            return keys.worker_start(agent, session, event.worker)
        case "subagent_stop" if event.worker is not None:
            return keys.worker_stop(agent, session, event.worker)
        case "post_compact" if event.turn is not None and event.text is not None:
            return keys.compacted(agent, session, event.turn, event.text)
        case _:
            return None


def _counted_key(event: Event, nth: int) -> str:
    agent, session = event.agent, event.session
    match event.kind:
        case "session_start":
            return keys.session_start(agent, session, event.source, nth)
        case "session_end":
            return keys.session_end(agent, session, nth)
        case "prompt":
            return keys.prompt(agent, session, None, event.text or "", nth)
        case "post_compact":
            return keys.compacted(agent, session, event.turn, event.text, nth)
        case _:
            return keys.other(agent, session, event.name, _spelled(event), nth)


def _spelled(event: Event) -> str:
    """Spell a payload in one way, without the time that it was told at."""
    told = {name: value for name, value in event.payload.items() if name != "timestamp"}
    try:
        return json.dumps(told, sort_keys=True)
    except (RecursionError, ValueError) as problem:
        raise _refused(event.agent, "is nested too deeply, or holds too long a number") from problem


def _kind_of(value: Any) -> str:
    match value:
        case None:
            return "nothing that can be read"
        case list():
            return "a list"
        case str():
            return "a text"
        case bool():
            return "a truth value"
        case _:
            return "a number"


def _refused(agent: AgentName, what: str) -> InvalidInput:
    return InvalidInput(
        f"The payload of {agent} {what}.",
        meaning="It is kept as it came, and not understood.",
        remedy="`holdfast agents status` tells what else came.",
    )

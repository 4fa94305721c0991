"""How answers are spelled: JSON in ASCII, so that no text can break it, and within the bound."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final

from holdfast.agents.values import Answer, Reply

_MORE: Final = "`holdfast resume` shows them."


def spelled(**fields: Any) -> Answer:
    """Print fields as one JSON object; those that are None are left out, and none is no print."""
    told = {name: value for name, value in fields.items() if value is not None}
    return Answer(stdout=json.dumps(told) + "\n") if told else Answer()


def shortened(text: str | None, most: int, units: Callable[[str], int] = len) -> str | None:
    """Return a text that fits, saying how much of its end was cut off. `units` counts as the agent
    does: characters, if not said otherwise."""
    if text is None or units(text) <= most:
        return text or None
    kept = len(text)
    while True:
        cut = f"{text[:kept]}\n[{len(text) - kept:,} characters were cut off here; {_MORE}]"
        if (over := units(cut) - most) <= 0:
            return cut
        kept -= max(over // 4, 1)


def in_utf8(text: str) -> int:
    """Return how many bytes a text is."""
    return len(text.encode("utf-8", "surrogatepass"))


def in_utf16(text: str) -> int:
    """Return how long JavaScript takes a text to be."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def specific(event_name: str, **fields: Any) -> dict[str, Any] | None:
    """Return what concerns this kind of event only, in the spelling of Claude Code's hooks."""
    told = {name: value for name, value in fields.items() if value is not None}
    return {"hookEventName": event_name, **told} if told else None


def held_back(reply: Reply) -> Answer:
    """Refuse by the exit code, with the reason where it is shown."""
    return Answer(stderr=f"{reply.block}\n", exit_code=2)

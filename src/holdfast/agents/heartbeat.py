"""What hooks left behind: when they were last heard of, how long they took, what went wrong.

A hook that is dead says nothing, so that is found out from elsewhere: here by the program that it
names, in `traces` by an agent's own transcripts, which grow whether we hear of it or not.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from holdfast.agents import intake
from holdfast.agents.edits import is_hook


class Heard(msgspec.Struct, frozen=True):
    """The events of one agent, as far as they are remembered."""

    events: int = 0
    last_event: str | None = None
    last_us: int | None = None
    p50_ms: float | None = None
    p95_ms: float | None = None


class Problem(msgspec.Struct, frozen=True):
    """Something that went wrong in a hook."""

    at_us: int
    what: str


def heard(folder: Path) -> dict[str, Heard]:
    """Return what is remembered of every agent's hooks in a `.holdfast`."""
    found: dict[str, list[tuple[int, str, float]]] = {}
    for line in intake.read_lines(str(folder), intake.TIMINGS):
        match line.split():
            case [agent, event, ms, _, at_us] if at_us.isdigit() and _is_number(ms):
                found.setdefault(agent, []).append((int(at_us), event, float(ms)))
            case _:
                continue  # torn: these lines may be lost
    return {agent: _summed(lines) for agent, lines in found.items()}


def problems(folder: Path) -> list[Problem]:
    """Return what went wrong, the oldest first."""
    found = []
    for line in intake.read_lines(str(folder), intake.PROBLEMS):
        at_us, _, what = line.partition(" ")
        if at_us.isdigit():
            found.append(Problem(int(at_us), what))
    return found


def commands_in(documents: Sequence[Any]) -> list[list[str]]:
    """Return the argv of every hook of ours in an agent's files, each once."""
    found: list[list[str]] = []
    for handler in (one for document in documents for one in _handlers(document)):
        args = handler.get("args")
        argv = [handler["command"], *args] if isinstance(args, list) else _split(handler["command"])
        if argv not in found:
            found.append(argv)
    return found


def missing_in(argv: Sequence[str]) -> str | None:
    """Name what a hook's command needs and is not there: its Python, the program, the packages."""
    if not argv or not os.access(argv[0], os.X_OK) or not Path(argv[0]).is_file():
        return argv[0] if argv else "the command"
    paths = [word for word in argv[1:] if word.startswith("/")]
    return next((path for path in paths if not Path(path).exists()), None)


def _summed(lines: list[tuple[int, str, float]]) -> Heard:
    last_us, event, _ = max(lines)
    times = sorted(ms for _, _, ms in lines)
    return Heard(len(lines), event, last_us, _share(times, 0.5), _share(times, 0.95))


def _share(ordered: list[float], share: float) -> float:
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def _handlers(document: Any) -> Iterator[dict[str, Any]]:
    events = document.get("hooks") if isinstance(document, dict) else None
    for items in events.values() if isinstance(events, dict) else ():
        for item in items if isinstance(items, list) else ():
            inner = item.get("hooks") if isinstance(item, dict) else None
            for handler in inner if isinstance(inner, list) else [item]:
                if is_hook(handler) and isinstance(handler.get("command"), str):
                    yield handler


def _split(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError:
        return [command]


def _is_number(word: str) -> bool:
    return word.replace(".", "", 1).isdigit()

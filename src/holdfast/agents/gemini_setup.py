"""Where Gemini CLI looks for hooks and MCP servers, and what stands there of ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from shlex import join
from typing import Any, Final

from holdfast.agents.edits import Edit, JsonEdit

TIMEOUT_MS: Final = 60_000


def hooks(command: Sequence[str], events: Sequence[str]) -> dict[str, Any]:
    """Return a group of hooks for each event; Gemini counts in milliseconds."""
    handler = {
        "name": "holdfast",
        "type": "command",
        "command": join(command),
        "timeout": TIMEOUT_MS,
    }
    return {event: {"hooks": [handler]} for event in events}


def project_edits(
    command: Sequence[str], events: Sequence[str], mcp: Sequence[str] | None
) -> tuple[Edit, ...]:
    """Return what a project gets."""
    return _edits(".gemini/", command, events, mcp)


def user_edits(
    command: Sequence[str], events: Sequence[str], mcp: Sequence[str] | None
) -> tuple[Edit, ...]:
    """Return what somebody's own settings get."""
    return _edits("", command, events, mcp)


def _edits(
    folder: str, command: Sequence[str], events: Sequence[str], mcp: Sequence[str] | None
) -> tuple[Edit, ...]:
    server = None if mcp is None else {"command": mcp[0], "args": list(mcp[1:])}
    return (JsonEdit(f"{folder}settings.json", hooks=hooks(command, events), server=server),)


def user_folder(env: Mapping[str, str], home: Path) -> tuple[Path, str]:
    """Return the folder that is trusted, and the way from there to the settings."""
    del env
    return home, ".gemini/"


def project_notes(mcp: Sequence[str] | None) -> list[str]:
    """Say what is to be known after a project's install."""
    del mcp
    return [".gemini/settings.json names the Python of this machine; git would share it."]


def user_notes(mcp: Sequence[str] | None) -> list[str]:
    """Say what is to be known after a user's install."""
    del mcp
    return []

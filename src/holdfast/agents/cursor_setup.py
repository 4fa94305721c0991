"""Where Cursor looks for hooks and MCP servers, and what stands there of ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from shlex import join

from holdfast.agents.edits import Edit, JsonEdit


def project_edits(
    command: Sequence[str], events: Sequence[str], mcp: Sequence[str] | None
) -> tuple[Edit, ...]:
    """Return what a project gets."""
    return _edits(".cursor/", command, events, mcp)


def user_edits(
    command: Sequence[str], events: Sequence[str], mcp: Sequence[str] | None
) -> tuple[Edit, ...]:
    """Return what somebody's own settings get."""
    return _edits("", command, events, mcp)


def _edits(
    folder: str, command: Sequence[str], events: Sequence[str], mcp: Sequence[str] | None
) -> tuple[Edit, ...]:
    # the list of an event holds the hooks themselves
    hooks = {event: {"command": join(command)} for event in events}
    edits: tuple[Edit, ...] = (JsonEdit(f"{folder}hooks.json", hooks=hooks, needed={"version": 1}),)
    if mcp is None:
        return edits
    server = {"command": mcp[0], "args": list(mcp[1:])}
    return (*edits, JsonEdit(f"{folder}mcp.json", server=server))


def user_folder(env: Mapping[str, str], home: Path) -> tuple[Path, str]:
    """Return the folder that is trusted, and the way from there to the settings."""
    del env
    return home, ".cursor/"


def project_notes(mcp: Sequence[str] | None) -> list[str]:
    """Say what is to be known after a project's install."""
    del mcp
    return [
        "Cursor runs a project's hooks in a workspace that you trust.",
        ".cursor/ names the Python of this machine; git would share it with others.",
    ]


def user_notes(mcp: Sequence[str] | None) -> list[str]:
    """Say what is to be known after a user's install."""
    del mcp
    return []

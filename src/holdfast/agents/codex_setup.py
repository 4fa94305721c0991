"""Where Codex looks for hooks and MCP servers, and what stands there of ours.

Its hooks are approved by what they say, so the command must stay the same from install to install.
`AGENTS.md` is the user's, and is not touched.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from shlex import join
from typing import Any, Final

from holdfast.agents.edits import Edit, JsonEdit, TomlEdit, toml_string, toml_strings

TIMEOUT_S: Final = 60
SESSION_END_TIMEOUT_S: Final = 3
"""Codex allows no more at the end of a session."""


def hooks(command: Sequence[str], events: Sequence[str]) -> dict[str, Any]:
    """Return a group of hooks for each event."""
    return {event: {"hooks": [_handler(command, event)]} for event in events}


def _handler(command: Sequence[str], event: str) -> dict[str, Any]:
    timeout_s = SESSION_END_TIMEOUT_S if event == "SessionEnd" else TIMEOUT_S
    return {"type": "command", "command": join(command), "timeout": timeout_s}


def project_edits(
    command: Sequence[str], events: Sequence[str], mcp: Sequence[str] | None
) -> tuple[Edit, ...]:
    """Return what a project gets."""
    return _edits(".codex/", command, events, mcp)


def user_edits(
    command: Sequence[str], events: Sequence[str], mcp: Sequence[str] | None
) -> tuple[Edit, ...]:
    """Return what somebody's own settings get."""
    return _edits("", command, events, mcp)


def _edits(
    folder: str, command: Sequence[str], events: Sequence[str], mcp: Sequence[str] | None
) -> tuple[Edit, ...]:
    edits: tuple[Edit, ...] = (JsonEdit(f"{folder}hooks.json", hooks=hooks(command, events)),)
    if mcp is None:
        return edits
    body = f"command = {toml_string(mcp[0])}\nargs = {toml_strings(mcp[1:])}\n"
    return (*edits, TomlEdit(f"{folder}config.toml", ("mcp_servers", "holdfast"), body))


def user_folder(env: Mapping[str, str], home: Path) -> tuple[Path, str]:
    """Return the folder that is trusted, and the way from there to the settings."""
    named = env.get("CODEX_HOME")
    return (Path(named), "") if named else (home, ".codex/")


def project_notes(mcp: Sequence[str] | None) -> list[str]:
    """Say what is to be known after a project's install."""
    del mcp
    return [
        "Codex runs a hook once you approved it: type /hooks in Codex.",
        ".codex/ names the Python of this machine; git would share it with others.",
    ]


def user_notes(mcp: Sequence[str] | None) -> list[str]:
    """Say what is to be known after a user's install."""
    return project_notes(mcp)[:1]

"""Where opencode looks for plugins and MCP servers, and what stands there of ours."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from holdfast.agents.edits import Edit, JsonEdit, OwnFile

WAIT_MS: Final = 60_000


def plugin(command: Sequence[str], events: Sequence[str]) -> str:
    """Return the plugin: it starts a hook process for every event that is told."""
    text = (Path(__file__).parent / "opencode_plugin.js").read_text(encoding="utf-8")
    given = {"COMMAND": list(command), "EVENTS": list(events), "WAIT_MS": WAIT_MS}
    for name, value in given.items():
        text = text.replace(f"__{name}__", json.dumps(value))
    return text


def project_edits(
    command: Sequence[str], events: Sequence[str], mcp: Sequence[str] | None
) -> tuple[Edit, ...]:
    """Return what a project gets."""
    return _edits(".opencode/", command, events, mcp)


def user_edits(
    command: Sequence[str], events: Sequence[str], mcp: Sequence[str] | None
) -> tuple[Edit, ...]:
    """Return what somebody's own settings get."""
    return _edits("", command, events, mcp)


def _edits(
    folder: str, command: Sequence[str], events: Sequence[str], mcp: Sequence[str] | None
) -> tuple[Edit, ...]:
    edits: tuple[Edit, ...] = (OwnFile(f"{folder}plugins/holdfast.js", plugin(command, events)),)
    if mcp is None:
        return edits
    server = {"type": "local", "command": list(mcp), "enabled": True}
    place = ("mcp", "holdfast")
    return (*edits, JsonEdit("opencode.json", server=server, server_at=place))


def user_folder(env: Mapping[str, str], home: Path) -> tuple[Path, str]:
    """Return the folder that is trusted, and the way from there to the settings."""
    named = env.get("XDG_CONFIG_HOME", "")
    return (Path(named), "opencode/") if named.startswith("/") else (home, ".config/opencode/")


def project_notes(mcp: Sequence[str] | None) -> list[str]:
    """Say what is to be known after a project's install."""
    del mcp
    return [".opencode/ and opencode.json name the Python of this machine; git would share them."]


def user_notes(mcp: Sequence[str] | None) -> list[str]:
    """Say what is to be known after a user's install."""
    del mcp
    return []

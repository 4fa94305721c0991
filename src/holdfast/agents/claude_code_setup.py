"""Where Claude Code looks for hooks, commands and MCP servers, and what stands there of ours.

A project's hooks go into its `settings.local.json`, which git does not share: they name the Python
of this machine. `WorktreeCreate` and `WorktreeRemove` are left out, because a hook there does not
watch: it takes the place of git.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from holdfast.agents.edits import Edit, JsonEdit, OwnFile

TIMEOUT_S: Final = 60
NOT_WATCHED: Final = frozenset({"WorktreeCreate", "WorktreeRemove"})

CLEAR: Final = ".claude/commands/clear.md"


def clear_command() -> str:
    """Return the command that takes the place of `/clear` in a project."""
    return (Path(__file__).parent / "claude_clear.md").read_text(encoding="utf-8")


def hooks(command: Sequence[str], events: Sequence[str]) -> dict[str, Any]:
    """Return a group of hooks for each event; the command is run without a shell."""
    handler = {
        "type": "command",
        "command": command[0],
        "args": list(command[1:]),
        "timeout": TIMEOUT_S,
    }
    return {event: {"hooks": [handler]} for event in events if event not in NOT_WATCHED}


def server(command: Sequence[str]) -> dict[str, Any]:
    """Return the entry of an MCP server."""
    return {"command": command[0], "args": list(command[1:])}


def project_edits(
    command: Sequence[str], events: Sequence[str], mcp: Sequence[str] | None
) -> tuple[Edit, ...]:
    """Return what a project gets."""
    edits: tuple[Edit, ...] = (
        JsonEdit(".claude/settings.local.json", hooks=hooks(command, events)),
        OwnFile(CLEAR, clear_command()),
    )
    return edits if mcp is None else (*edits, JsonEdit(".mcp.json", server=server(mcp)))


def user_edits(
    command: Sequence[str], events: Sequence[str], mcp: Sequence[str] | None
) -> tuple[Edit, ...]:
    """Return what somebody's own settings get: the hooks, which are silent without a ledger."""
    del mcp  # it would stand in a file that Claude Code itself rewrites all the time
    return (JsonEdit("settings.json", hooks=hooks(command, events)),)


def user_folder(env: Mapping[str, str], home: Path) -> tuple[Path, str]:
    """Return the folder that is trusted, and the way from there to the settings."""
    named = env.get("CLAUDE_CONFIG_DIR")
    return (Path(named), "") if named else (home, ".claude/")


def project_notes(mcp: Sequence[str] | None) -> list[str]:
    """Say what is to be known after a project's install."""
    del mcp
    return [
        "Claude Code asks once whether the project's MCP server may run.",
        "/clear now passes the gate first, and /new clears afterwards.",
        ".mcp.json names the Python of this machine; git would share it with others.",
    ]


def user_notes(mcp: Sequence[str] | None) -> list[str]:
    """Say what is to be known after a user's install."""
    notes = ["/clear stays Claude Code's own; a project's install puts the gate before it."]
    if mcp is None:
        return notes
    from shlex import join

    return [f"For MCP: claude mcp add --scope user holdfast -- {join(mcp)}", *notes]

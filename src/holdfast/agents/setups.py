"""Which module sets up which agent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Protocol, cast

import msgspec

from holdfast.agents.edits import Edit
from holdfast.agents.installing import Scope, Setup
from holdfast.agents.values import AgentName


class Maker(Protocol):
    """What each `…_setup` module offers (as module-level names).

    `command` is the argv of the hook process, `mcp` that of the MCP server, None without one.
    """

    def project_edits(
        self, command: Sequence[str], events: Sequence[str], mcp: Sequence[str] | None
    ) -> tuple[Edit, ...]:
        """Return what a project gets, by paths below its root."""

    def user_edits(
        self, command: Sequence[str], events: Sequence[str], mcp: Sequence[str] | None
    ) -> tuple[Edit, ...]:
        """Return what somebody's own settings get, by paths below the agent's own folder."""

    def user_folder(self, env: Mapping[str, str], home: Path) -> tuple[Path, str]:
        """Return a folder, and the way from there to the agent's own: none of it is a link."""

    def project_notes(self, mcp: Sequence[str] | None) -> list[str]:
        """Say what is to be known after a project's install."""

    def user_notes(self, mcp: Sequence[str] | None) -> list[str]:
        """Say what is to be known after a user's install."""


class Commands(msgspec.Struct, frozen=True):
    """What is installed: argv of the hook process and of the MCP server, and the events."""

    hook: tuple[str, ...]
    mcp: tuple[str, ...] | None
    events: tuple[str, ...]


def maker(agent: AgentName) -> Maker:
    """Return the module that knows an agent's files."""
    module = import_module(f"holdfast.agents.{agent.replace('-', '_')}_setup")
    return cast("Maker", module)


def project_setup(agent: AgentName, commands: Commands, root: Path, memory: Path) -> Setup:
    """Return the files of an agent in a project."""
    edits = maker(agent).project_edits(commands.hook, commands.events, commands.mcp)
    return Setup(agent, "project", root, edits, memory)


def user_setup(
    agent: AgentName, commands: Commands, memory: Path, *, env: Mapping[str, str], home: Path
) -> Setup:
    """Return the files of an agent in somebody's own settings."""
    made = maker(agent)
    root, folder = made.user_folder(env, home)
    edits = tuple(
        msgspec.structs.replace(edit, path=f"{folder}{edit.path}")
        for edit in made.user_edits(commands.hook, commands.events, commands.mcp)
    )
    return Setup(agent, "user", root, edits, memory)


def notes(agent: AgentName, scope: Scope, commands: Commands) -> list[str]:
    """Say what is to be known after an install."""
    made = maker(agent)
    tell = made.project_notes if scope == "project" else made.user_notes
    return tell(commands.mcp)

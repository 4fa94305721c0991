"""Which files an install writes: for a project from its root, for a user from the home folder.

What is written is made of this installation of holdfast alone. No file of a project, and none of
its settings, has a say in it: whoever wrote a project must not decide what runs in all others.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast import config
from holdfast.agents.edits import SERVER
from holdfast.agents.setups import Commands, maker, project_setup, user_setup
from holdfast.agents.values import AGENTS
from holdfast.kernel.errors import InvalidInput

if TYPE_CHECKING:
    from holdfast.agents.installing import Scope, Setup
    from holdfast.agents.values import AgentName
    from holdfast.wiring.places import Place

FOLDER = "agents"


def commands_of(agent: AgentName) -> Commands:
    """Return what is installed for an agent; the MCP server only where it can run."""
    from holdfast.agents.registry import agent as agent_named
    from holdfast.wiring.hook_command import hook_command

    return Commands(tuple(hook_command(agent)), mcp_command(), tuple(agent_named(agent).EVENTS))


def mcp_command() -> tuple[str, ...] | None:
    """Return the argv of the MCP server, None when its extra is not installed.

    Isolated: the folder that it is started in is a project's, and must not be imported from.
    """
    return (sys.executable, "-I", *SERVER) if find_spec("mcp") is not None else None


def setup_of(
    agent: AgentName,
    scope: Scope,
    place: Place | None,
    *,
    root: Path | None = None,
    commands: Commands | None = None,
    env: Mapping[str, str] = os.environ,
    home: Path | None = None,
) -> Setup:
    """Return an agent's files. A project's scope needs its ledger, where it is remembered."""
    commands = commands or commands_of(agent)
    home = home or Path.home()
    if scope == "user":
        _refuse_own(commands, None if place is None else place.project, home)
        memory = config.data_folder(env=env, home=home) / FOLDER / f"{agent}.json"
        return user_setup(agent, commands, memory, env=env, home=home)
    if place is None or place.project is None:
        raise InvalidInput(
            "This ledger stands alone: it belongs to no project.",
            meaning="Nothing was installed, and nothing was looked at.",
            remedy="Make a ledger in the project's folder with `holdfast init`, or give "
            "--scope user.",
        )
    root = root or place.project
    _refuse_home(root, home)
    return project_setup(agent, commands, root, _memory(place, place.project, root, agent))


def used_here(env: Mapping[str, str] = os.environ, home: Path | None = None) -> list[AgentName]:
    """Return the agents that somebody uses: those that have a folder of their own at home."""
    home = home or Path.home()
    folders = ((agent, maker(agent).user_folder(env, home)) for agent in AGENTS)
    return [agent for agent, (root, folder) in folders if (root / folder).is_dir()]


def _memory(place: Place, project: Path, root: Path, agent: AgentName) -> Path:
    """Return where an install is remembered; another worktree of the project has its own."""
    same = os.path.realpath(root) == os.path.realpath(project)
    mark = "" if same else f"-{sha256(os.fsencode(root)).hexdigest()[:12]}"
    return place.folder / FOLDER / f"{agent}{mark}.json"


def _refuse_own(commands: Commands, project: Path | None, home: Path) -> None:
    """Refuse to let a project's own files run in all others: a Python that lies in it, say."""
    if project is None or os.path.realpath(project) == os.path.realpath(home):
        return
    inside = [word for word in commands.hook if Path(word).is_relative_to(project)]
    if inside:
        raise InvalidInput(
            f"{inside[0]} is part of the project {project}.",
            meaning="It would run in every project. Nothing was written.",
            remedy="Install holdfast outside of the project (`pipx install holdfast`), and run "
            "that one; or give --scope project.",
        )


def _refuse_home(root: Path, home: Path) -> None:
    """Refuse a project that is the home folder: its files are the user's own settings."""
    if os.path.realpath(root) == os.path.realpath(home):
        raise InvalidInput(
            f"The project {root} is your home folder.",
            meaning="Its agents' files count for every project. Nothing was written.",
            remedy="Give --scope user, or make the ledger in a project's own folder.",
        )

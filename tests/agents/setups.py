"""Agents' files in a folder, set up with commands that are the same everywhere."""

from __future__ import annotations

from pathlib import Path

from holdfast.agents.installing import Setup
from holdfast.agents.setups import Commands, project_setup, user_setup
from holdfast.agents.values import AgentName

HOOK = ("/opt/py/bin/python", "-IS", "/opt/my site/holdfast/hook_entry.py", "claude-code")
MCP = ("/opt/py/bin/python", "-I", "-m", "holdfast", "mcp")
COMMANDS = Commands(HOOK, MCP, ("SessionStart", "Stop", "WorktreeCreate"))
NEWER = Commands(("/opt/py4/bin/python", *HOOK[1:]), ("/opt/py4/bin/python", *MCP[1:]), ("Stop",))


class Place:
    """A project and a home, and the file that remembers."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "project"
        self.home = folder / "home"
        self.memory = folder / "memory" / "x.json"
        for made in (self.root, self.home):
            made.mkdir()

    def project(self, agent: AgentName, commands: Commands = COMMANDS) -> Setup:
        return project_setup(agent, commands, self.root, self.memory)

    def user(self, agent: AgentName, **env: str) -> Setup:
        return user_setup(agent, COMMANDS, self.memory, env=env, home=self.home)

    def write(self, path: str, text: str) -> Path:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode())
        return target

    def tree(self) -> dict[str, bytes | None]:
        """Return every file and folder of the project."""
        return {
            str(path.relative_to(self.root)): path.read_bytes() if path.is_file() else None
            for path in sorted(self.root.rglob("*"))
        }

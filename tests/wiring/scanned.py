"""A project whose files are looked at, as an agent's hooks do it."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from holdfast.agents.values import Event, Kind
from holdfast.config import Agents, Settings
from holdfast.kernel.entry import Actor
from holdfast.wiring import scanning
from holdfast.wiring.opening import make_ledger
from holdfast.wiring.places import place_of
from holdfast.wiring.project import Project, open_project

SESSION = "s1"


class Scanned:
    """An agent at work in a project: every look is recorded."""

    def __init__(self, root: Path, project: Project) -> None:
        self.root = root
        self.project = project
        self.events = 0

    def event(self, kind: Kind = "tool_end", **fields: Any) -> Event:
        """Return the next event: unless it says otherwise, a shell command that ended."""
        self.events += 1
        given: dict[str, Any] = {
            "agent": "claude-code",
            "name": "PostToolUse",
            "kind": kind,
            "session": SESSION,
            "cwd": str(self.root),
            "key": f"key {self.events}",
            "at_us": 1_790_000_000_000_000 + self.events,
            "call": f"call-{self.events}",
            "command": "make",
        }
        return Event(**(given | fields))

    def begin(self) -> list[dict[str, Any]]:
        """Start a session."""
        drafts = scanning.baseline(self.project, self.event("session_start", command=None))
        self.project.ledger.append_many(drafts)
        return self._data([draft.id for draft in drafts])

    def look(self, attachments: Mapping[str, bytes] | None = None, **fields: Any) -> list[Any]:
        """End a command; return what was recorded of files, as it is stored."""
        drafts = scanning.changes_after(self.project, self.event(**fields), attachments)
        self.project.ledger.append_many(drafts)
        return self._data([draft.id for draft in drafts])

    def told(self, attachments: Mapping[str, bytes] | None = None, **fields: Any) -> list[str]:
        """End a command; return actions and paths."""
        found = self.look(attachments, **fields)
        return [f"{one['action']} {one['path']}" for one in found if "action" in one]

    def content(self, data: Mapping[str, Any]) -> bytes | None:
        """Return what the vault holds of a recorded file."""
        return self.project.ledger.artifact(data["content"]["$artifact"])

    def _data(self, ids: list[str | None]) -> list[dict[str, Any]]:
        ledger = self.project.ledger
        return [msgspec.json.decode(ledger.get(one).body)["data"] for one in ids if one]


@contextmanager
def scanned(root: Path, **agents: Any) -> Iterator[Scanned]:
    """Make a project in a folder, or open it again."""
    root.mkdir(exist_ok=True)
    place = place_of(root)
    make_ledger(place)
    settings = Settings(agents=Agents(**agents))
    with open_project(place, settings, Actor("tool", "claude-code")) as project:
        yield Scanned(root, project)


def git(root: Path, *words: str) -> None:
    """Run git in a folder."""
    done = subprocess.run(
        ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", *words],
        cwd=root,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr

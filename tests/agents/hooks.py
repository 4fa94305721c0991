"""Driving hook processes: real ones, as an agent starts them."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from holdfast.agents import trusting
from holdfast.agents.values import AgentName
from holdfast.kernel.entry import Entry
from holdfast.ledger.ledger import Ledger
from holdfast.storage.port import Selection
from holdfast.wiring.hook_command import hook_command
from holdfast.wiring.opening import open_ledger

SECRET = "ghp_" + "aB3dE5fG7hI9" * 3
"""Made up, in a format that is known."""


class Done:
    """What a hook process left."""

    def __init__(self, code: int, out: bytes, err: bytes) -> None:
        self.code = code
        self.out = out.decode()
        self.err = err.decode()


class Project:
    """A project with a ledger, and an agent that works in it."""

    def __init__(self, root: Path, home: Path, *, makes: bool = True) -> None:
        root.mkdir(parents=True, exist_ok=True)
        self.root = root
        self.folder = root / ".holdfast"
        self.intake = self.folder / "intake"
        self.env = {"PATH": os.defpath, "HOME": str(home)}
        if makes:
            open_ledger(root).close()
            trusting.trust(str(self.folder), self.env)

    @classmethod
    def found(cls, root: Path, home: Path) -> Project:
        """A project whose ledger was there before."""
        return cls(root, home, makes=False)

    def hook(
        self,
        payload: bytes | dict[str, Any],
        *,
        agent: AgentName = "claude-code",
        cwd: Path | None = None,
        env: dict[str, str] | None = None,
        before: Callable[[], None] | None = None,
    ) -> Done:
        """Run one hook process to its end."""
        told = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        done = subprocess.run(
            hook_command(agent),
            input=told,
            capture_output=True,
            cwd=cwd or self.root,
            env=self.env | (env or {}),
            preexec_fn=before,
            timeout=60,
            check=False,
        )
        return Done(done.returncode, done.stdout, done.stderr)

    def told(self, event: str, session: str = "s1", **fields: Any) -> dict[str, Any]:
        """Make a payload of Claude Code."""
        told = {"hook_event_name": event, "session_id": session, "cwd": str(self.root)}
        return told | fields

    def start(self, session: str = "s1") -> Done:
        """Start a session, after which the short way knows the settings."""
        return self.hook(self.told("SessionStart", session, source="startup"))

    def read_call(self, call: str, content: str = "x = 1\n") -> dict[str, Any]:
        """Make the payload of a file that was read."""
        return self.told(
            "PostToolUse",
            tool_name="Read",
            tool_use_id=call,
            tool_input={"file_path": f"{self.root}/a.py"},
            tool_response={"type": "text", "file": {"content": content}},
        )

    def waiting(self) -> int:
        """Return how many lines wait."""
        path = self.intake / "events"
        return path.read_bytes().count(b"\n") if path.exists() else 0

    def open(self) -> Ledger:
        """Open the ledger, which takes in what waits."""
        return open_ledger(self.root)

    def entries(self, kind: str | None = None) -> list[tuple[Entry, dict[str, Any]]]:
        """Return the entries with their data, after taking in what waits."""
        with self.open() as ledger:
            found = list(ledger.read(Selection(type=kind)))
            return [(entry, ledger.data(entry)) for entry in found]

    def types(self) -> list[str]:
        """Return the types of all entries."""
        return [entry.type for entry, _ in self.entries()]

    def problems(self) -> str:
        """Return what went wrong in hooks."""
        path = self.intake / "problems"
        return path.read_text() if path.exists() else ""

    def holds(self, needle: str) -> list[Path]:
        """Return the files below the root that hold some bytes."""
        wanted = needle.encode()
        files = (path for path in self.root.rglob("*") if path.is_file())
        return [path for path in files if wanted in path.read_bytes()]

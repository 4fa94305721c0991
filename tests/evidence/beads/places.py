"""A project with Beads in it, and issues as they should be."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from holdfast.evidence.beads.port import Remark, Wanted
from holdfast.evidence.beads.program import Program
from holdfast.testing import beads


class Place:
    """A project whose `bd` is the recorded one."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "project"
        self.home = folder / "home"
        self.home.mkdir(parents=True)
        self.folder = beads.begin(self.root)
        self.program = beads.install(folder / "bin")

    def bd(self, *quirks: str, **options: Any) -> Program:
        env = {"PATH": "/usr/bin:/bin", "HOME": str(self.home), "RECORDED_BD": ",".join(quirks)}
        return Program(self.root, str(self.program), env=env | options.pop("env", {}), **options)

    def stored(self, name: str) -> Any:
        """Return what the database holds of an issue."""
        return json.loads((self.folder / beads.STORE).read_text())["issues"][name]

    def store(self, *issues: dict[str, Any]) -> None:
        """Let the database hold issues."""
        data = json.loads((self.folder / beads.STORE).read_text())
        for issue in issues:
            data["issues"][issue["id"]] = issue_row(**issue)
        (self.folder / beads.STORE).write_text(json.dumps(data))

    def calls(self) -> list[tuple[list[str], dict[str, str]]]:
        """Return the commands that were given, each as words and flags."""
        lines = (self.folder / beads.CALLS).read_text().splitlines()
        return [(words, flags) for words, flags in map(json.loads, lines)]


def issue_row(**fields: Any) -> dict[str, Any]:
    blank = {"title": "Do it", "status": "open", "priority": 2, "issue_type": "task"}
    return {**blank, "created_at": beads.NOW, "updated_at": beads.NOW, **fields}


def wanted(name: str = "hf-1a2b", **fields: Any) -> Wanted:
    blank: dict[str, Any] = {
        "id": name,
        "title": "Rotate tokens",
        "description": "All of them.",
        "status": "open",
        "priority": 1,
        "issue_type": "feature",
        "depends_on": [],
        "close_reason": None,
        "ours": {"next_steps": ["look"], "depends_on": fields.get("depends_on", [])},
        "remarks": [],
        "created_at": beads.NOW,
        "updated_at": "2026-11-15T13:00:00Z",
        "closed_at": None,
    }
    return Wanted(**{**blank, **fields})


def remark(mark: str = "[holdfast e1]", text: str = "Decision: rotate") -> Remark:
    return Remark(mark, f"{text}\n\n{mark}", beads.NOW)

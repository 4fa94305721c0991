"""A project for the MCP server, without this machine's settings."""

from __future__ import annotations

from pathlib import Path

import pytest
from mcp.server import Server

from holdfast.wiring.mcp.opening import Served
from holdfast.wiring.opening import make_ledger
from holdfast.wiring.places import Place, place_of
from holdfast.wiring.serving_mcp import server_of

CODE = "class Queue:\n    def take(self):\n        return self.items.pop(0)\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder: a ledger and one file of code."""
    for name in ("HOLDFAST_SESSION", "HOLDFAST_LEDGER", "HOLDFAST_ACTOR", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    root = tmp_path / "project"
    (root / "src").mkdir(parents=True)
    (root / "src/queue.py").write_text(CODE)
    monkeypatch.chdir(root)
    make_ledger(place_of(root))
    return root


@pytest.fixture
def place(project: Path) -> Place:
    """Where the ledger is."""
    return place_of(project)


@pytest.fixture
def server(project: Path, place: Place) -> Server[object]:
    """The server of the project, in this process."""
    return server_of(Served(place, project, project))

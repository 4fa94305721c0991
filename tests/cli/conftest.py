"""Fixtures for tests through the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.harness import Holdfast


@pytest.fixture
def bare(tmp_path: Path) -> Holdfast:
    """A project without a ledger."""
    project, home = tmp_path / "project", tmp_path / "home"
    project.mkdir()
    home.mkdir()
    return Holdfast(project, home)


@pytest.fixture
def holdfast(bare: Holdfast) -> Holdfast:
    """A project with an empty ledger."""
    assert bare("init").code == 0
    return bare

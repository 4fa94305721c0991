"""A project for hook processes."""

from pathlib import Path

import pytest

from tests.agents.hooks import Project


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "project", tmp_path)

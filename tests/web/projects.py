"""A small project in git with saves, and its head kept elsewhere, as commands leave it."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from holdfast.config import Settings
from holdfast.kernel.entry import Actor
from holdfast.wiring.git_copy import copy_state
from holdfast.wiring.places import place_of
from holdfast.wiring.project import Project, open_project
from holdfast.wiring.saving import make_save


@contextmanager
def opened(folder: Path) -> Iterator[Project]:
    """Open a project to record in it."""
    with open_project(place_of(folder), Settings(), Actor("user", "tests")) as project:
        yield project


def keep_elsewhere(folder: Path) -> str:
    """Make a save, and let git keep the tree head; return the save's id."""
    if not (folder / ".git").exists():
        subprocess.run(["git", "init", "-q", str(folder)], check=True)
    with opened(folder) as project:
        save = make_save(project, "SCENE")
        assert copy_state(project).commit is not None
    return save.snapshot.snapshot_id

"""Look for the files that a command changed, in a project of 20,000 files of which 3 changed.

One file is written to, one is new, one is gone; all are found, which is checked each time. Beside
it, in the same round: walking the same tree with `os.scandir` and asking for the status of each
file, and nothing else. Ours reads what is remembered of the last look, walks, compares, asks git
about what is new, reads and hashes what may have changed, takes what it was before from the vault
to say how many lines changed, and remembers. Recording what was found is not part of it, nor is
opening the ledger, which the hook process does once for everything. The project is a git repository
with rules of what is ignored; 400 folders hold 50 files each. One process; the files are in the
page cache. What a look without any change takes, and the first one of all, which reads every file,
are rows of their own.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from bench.harness import (
    CannotMeasureError,
    Figure,
    Measured,
    Options,
    Result,
    Row,
    ratios,
    scratch_folder,
    side_by_side,
    spread,
    spread_of,
)
from holdfast.agents.values import Event, Kind
from holdfast.config import Settings
from holdfast.kernel.entry import Actor
from holdfast.ledger.ledger import Draft
from holdfast.wiring import scanning
from holdfast.wiring.opening import make_ledger
from holdfast.wiring.places import place_of
from holdfast.wiring.project import Project, open_project

NAME = "scan"
TITLE = "Find the files that a command changed"

FILES_IN_A_FOLDER: Final = 50
BARE: Final = "scandir and stat"
CHANGED: Final = "scan, 3 changed"
UNCHANGED: Final = "scan, nothing changed"


def run(options: Options) -> Result:
    """Measure."""
    folders = options.pick(400, 20)
    files = folders * FILES_IN_A_FOLDER
    with scratch_folder() as root:
        _fill(root, folders)
        place = place_of(root)
        make_ledger(place)
        with open_project(place, Settings(), Actor("tool", "bench")) as project:
            scans = _Scans(project, root, files)
            first_ms = scans.baseline()
            subjects: dict[str, Callable[[], Measured]] = {
                BARE: lambda: _bare(root, files),
                CHANGED: scans.changed,
                UNCHANGED: scans.unchanged,
            }
            found = side_by_side(subjects, options.rounds)
    rows = [Row(name, "time", "ms", spread_of(found[name], "ms")) for name in subjects]
    rows.append(Row("first scan, every file hashed", "time", "ms", spread([first_ms])))
    figure = Figure(
        f"{CHANGED} : {BARE}, {files:,} files",
        ratios(found[CHANGED], found[BARE], "ms"),
        at_most=options.pick(2.0, None),  # asking git costs the same for a small tree
    )
    return Result(NAME, TITLE, __doc__ or "", options.rounds, figures=[figure], rows=rows)


def _fill(root: Path, folders: int) -> None:
    for number in range(folders):
        folder = root / f"part{number % 20}" / f"module{number}"
        folder.mkdir(parents=True)
        for file in range(FILES_IN_A_FOLDER):
            text = f"def value_{number}_{file}():\n    return {number * file}\n\n\n"
            (folder / f"file{file}.py").write_text(text * 20)
    (root / ".gitignore").write_text("*.log\nbuild/\n")
    try:
        subprocess.run(["git", "init", "-q", "."], cwd=root, check=True)
    except OSError as error:
        raise CannotMeasureError("git is not installed") from error


class _Scans:
    """Looks at one project again and again."""

    def __init__(self, project: Project, root: Path, files: int) -> None:
        self._project = project
        self._root = root
        self._files = files
        self._events = 0

    def baseline(self) -> float:
        """Look for the first time; return how long that takes."""
        before = time.perf_counter()
        drafts = scanning.baseline(self._project, self._event("session_start"))
        spent = (time.perf_counter() - before) * 1e3
        if drafts or scanning.scan_state(self._project.place).files < self._files:
            raise AssertionError("the first look did not see all files as they are")
        return spent

    def changed(self) -> Measured:
        """Change three files, and look."""
        folder = self._root / "part0" / "module0"
        number = self._events
        (folder / "file0.py").write_text(f"changed = {number}\n")
        (folder / f"new{number}.py").write_text("new = True\n")
        next((self._root / "part1").glob("*/file*.py")).unlink()
        spent, drafts = self._look()
        actions = sorted(str(draft.data["action"]) for draft in drafts)
        if actions != ["create", "delete", "modify"]:
            raise AssertionError(f"found {actions}")
        self._project.ledger.append_many(drafts)
        self._look()  # what was written in the tick of the look is read once more
        return {"ms": spent}

    def unchanged(self) -> Measured:
        """Look where nothing changed."""
        spent, drafts = self._look()
        if drafts:
            raise AssertionError(f"found {[draft.data['path'] for draft in drafts]}")
        return {"ms": spent}

    def _look(self) -> tuple[float, list[Draft]]:
        event = self._event("tool_end")
        before = time.perf_counter()
        drafts = scanning.changes_after(self._project, event)
        return (time.perf_counter() - before) * 1e3, drafts

    def _event(self, kind: Kind) -> Event:
        self._events += 1
        return Event(
            agent="claude-code",
            name=kind,
            kind=kind,
            session="bench",
            cwd=str(self._root),
            key=f"bench {self._events}",
            at_us=self._events,
            command="make",
        )


def _bare(root: Path, files: int) -> Measured:
    before = time.perf_counter()
    waiting, count = [os.fspath(root)], 0
    while waiting:
        with os.scandir(waiting.pop()) as listing:
            for one in listing:
                if one.is_dir(follow_symlinks=False):
                    waiting.append(one.path)
                else:
                    one.stat(follow_symlinks=False)
                    count += 1
    spent = (time.perf_counter() - before) * 1e3
    if count < files - FILES_IN_A_FOLDER:  # some are deleted on the way
        raise AssertionError(f"{count} files of {files}")
    return {"ms": spent}

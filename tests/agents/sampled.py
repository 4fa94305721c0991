"""What the real clients wrote of their sessions, with the machine's own paths taken out.

Made offline with a scripted model: Claude Code 2.1.325 (tools, a failed command, a sub-agent,
resumed twice, `/compact`, forked), Codex 0.166.0 (tools, a patch that does not fit, resumed,
compacted by itself), opencode 1.18.33 (tools, compacted). `hooks.jsonl` is what the hooks of the
same sessions were told. Texts that the clients bring along are cut.
"""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw
import msgspec

from holdfast.config import Settings
from holdfast.kernel.entry import Actor
from holdfast.ledger.importing.lines import Line
from holdfast.wiring.opening import make_ledger
from holdfast.wiring.places import place_of
from holdfast.wiring.project import Project, open_project

SAMPLES = Path(__file__).parent / "transcripts"
CLAUDE = SAMPLES / "claude-code" / "projects"
CODEX = SAMPLES / "codex" / "sessions"
MAIN = "a73596b8-427a-40ff-ad19-8a18bb604e28"
FORK = "e7e53859-3a58-4bc7-b1c2-8aad10c8fb37"


def lines_of(path: Path) -> list[Line]:
    """Return the lines of a file."""
    return [
        Line(path.name, number, content)
        for number, content in enumerate(path.read_bytes().splitlines(), start=1)
    ]


def copy_of(source: Path, target: Path) -> Path:
    """Copy a folder of transcripts; files are as old as their names say, the fork the youngest."""
    shutil.copytree(source, target)
    order = sorted(target.rglob("*.jsonl"), key=lambda path: (path.stem == FORK, str(path)))
    for second, path in enumerate(order):
        os.utime(path, (second, second))
    return target


def opencode_database(path: Path) -> Path:
    """Make the database that the rows came from."""
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = apsw.Connection(str(path))
    for line in (SAMPLES / "opencode" / "rows.jsonl").read_bytes().splitlines():
        said = msgspec.json.decode(line)
        if "sql" in said:
            connection.execute(said["sql"])
            continue
        names = ", ".join(said["row"])
        marks = ", ".join("?" for _ in said["row"])
        row = tuple(said["row"].values())
        connection.execute(f"INSERT INTO {said['table']} ({names}) VALUES ({marks})", row)
    connection.close()
    return path


@contextmanager
def project_in(folder: Path) -> Iterator[Project]:
    """Open the ledger of a project, made where there is none."""
    folder.mkdir(exist_ok=True)
    place = place_of(folder)
    make_ledger(place)
    with open_project(place, Settings(), Actor("user", "someone")) as project:
        yield project


def entries_of(project: Project, type_name: str | None = None) -> list[dict[str, Any]]:
    """Return the data of entries."""
    return [
        project.ledger.data(entry)
        for entry in project.ledger.read()
        if type_name in (None, entry.type)
    ]


def types_of(project: Project) -> Counter[str]:
    """Return how many entries there are of each type."""
    return Counter(entry.type for entry in project.ledger.read())

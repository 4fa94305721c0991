"""Projects that are about to be cleared: real files, a ledger, and all that a clear needs."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import msgspec

from holdfast.config import Gate, Notes, Settings
from holdfast.evidence.grounding import prove
from holdfast.kernel.entry import Actor
from holdfast.ledger.decisions import Asked
from holdfast.ledger.ledger import Draft, Ledger
from holdfast.wiring.deciding import Evidence, decide, files_of
from holdfast.wiring.opening import open_ledger
from holdfast.wiring.places import place_of
from holdfast.wiring.project import Project, open_project

SOURCE = '''"""A queue."""


class Queue:
    """First in, first out."""

    def __init__(self) -> None:
        self._items: list[object] = []

    def put(self, item: object) -> None:
        self._items.append(item)

    def take(self) -> object:
        return self._items.pop(0)
'''

TAKE = "`return self._items.pop(0)` [${PROJECT_ROOT}/src/queue.py:14]"
PUT = "`self._items.append(item)` [${PROJECT_ROOT}/src/queue.py:11]"
RELATIVE = "`self._items.append(item)` [src/queue.py:11]"
UNQUOTED = "[${PROJECT_ROOT}/src/queue.py:7]"

Enforcement = Literal["strict", "warn", "disabled"]


def make(folder: Path) -> Path:
    """Make a project with code and an empty ledger."""
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "queue.py").write_text(SOURCE)
    open_ledger(place_of(folder).database, create=True).close()
    return folder


@contextmanager
def opened(
    folder: Path,
    *,
    enforcement: Enforcement = "strict",
    session: str | None = "s",
    name: str = "tester",
    **changes: Any,
) -> Iterator[Project]:
    """Open a project in a session that is started, unless there is none."""
    settings = Settings(gate=Gate(enforcement=enforcement), notes=Notes())
    settings = msgspec.structs.replace(settings, **changes)
    actor = Actor("agent", name)
    with open_project(place_of(folder), settings, actor, session_id=session) as project:
        if session is not None and session not in project.sessions.open():
            project.sessions.start(session)
        yield project


def decided(project: Project, choice: str = "Take from the front", *citations: str) -> int:
    """Make a decision on citations; return its number."""
    asked = Asked(choice, f"because {choice}", choice)
    return decide(project, asked, Evidence(citations=citations)).decided.receipt.seq


def many_decided(project: Project, count: int) -> None:
    """Record decisions that are all proved by one quote, at once."""
    grounds = prove(files_of(project), project.ledger.redact, [TAKE]).grounds
    grounds = {**grounds, "symbols": []}  # on one symbol they would contradict each other
    data = {"question": "Which?", "reasoning": "It works.", "alternatives": [], "grounds": grounds}
    project.ledger.append_many(
        [Draft("decision", {**data, "choice": f"Choice {number}"}) for number in range(count)]
    )


def planned(project: Project, task: str | None = None, count: int = 3) -> None:
    """Say how it will be tested."""
    for number in range(count):
        project.tasks.scenario(f"case {number}", type="edge", expected="works", task=task)


def started(project: Project, *, steps: tuple[str, ...] = ("bound it",)) -> str:
    """Begin a task that says what comes next."""
    from holdfast.ledger.tasks import TaskChanges

    _, task = project.tasks.add("Bound the queue")
    project.tasks.start(task)
    if steps:
        project.tasks.update(task, TaskChanges(next_steps=steps))
    return task


def ready(project: Project) -> str:
    """Do everything that a clear needs; return the task."""
    task = started(project)
    decided(project, "Take from the front", TAKE)
    planned(project, task)
    return task


def types_of(ledger: Ledger) -> list[str]:
    """Return the types of all entries, in order."""
    return [entry.type for entry in ledger.read()]


def data_of(ledger: Ledger, *types: str) -> list[dict[str, Any]]:
    """Return the data of the entries of some types, in order."""
    return [ledger.data(entry) for entry in ledger.read() if entry.type in types]


def in_git(folder: Path) -> None:
    """Put everything in the folder under version control."""
    who = ["-c", "user.name=tester", "-c", "user.email=tester@example.org"]
    run = ["git", *who, "-C", str(folder)]
    for args in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "begin"]):
        subprocess.run([*run, *args], check=True, capture_output=True)

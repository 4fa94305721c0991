"""What a clear would lose sight of now: told in a few words, from the folds alone."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from holdfast.agents import intake
from holdfast.kernel.limits import STAKES_BYTES_MAX
from holdfast.ledger.grounding import ratio
from holdfast.stores import gate

if TYPE_CHECKING:
    from holdfast.wiring.project import Project

FILE: Final = "stakes"
"""In the intake: what sessions were told last. Derived; without it something is told twice."""


def at_stake(project: Project) -> list[str]:
    """Name what is not settled, with how much there is of each; starts no other program."""
    project.views.fold_up(project.ledger.reader)
    items = project.views.items
    found = [
        (len(ratio(project.views).ungrounded), "ungrounded decision"),
        (gate.count(items("gate"), gate.FORKS), "open fork"),
        (gate.count(items("gate"), gate.GHOSTS), "unverified ghost"),
        (_open_work(project), "piece of open work"),
    ]
    return [_counted(count, what) for count, what in found if count]


def is_news(project: Project, told: str) -> bool:
    """Tell whether a session was not told this the last time, and remember that it is now.

    Where that cannot be remembered it is told again.
    """
    folder, session = str(project.place.folder), project.ledger.session_id
    whose = sha256(str(session).encode()).hexdigest()[:16]
    mark = f"{whose} {sha256(told.encode()).hexdigest()[:16]}"
    mine = [line for line in intake.read_lines(folder, FILE) if line.startswith(f"{whose} ")]
    if mine[-1:] == [mark]:
        return False
    intake.append_line(folder, FILE, f"{mark}\n", STAKES_BYTES_MAX)
    return True


def _open_work(project: Project) -> int:
    """Count the work that this session began and that is not over."""
    items: Any = project.views.items("open_work")
    mine = project.ledger.session_id
    return sum(item["session"] == mine for item in items.values())


def _counted(count: int, what: str) -> str:
    if count == 1:
        return f"1 {what}"
    head, _, rest = what.partition(" of ")
    return f"{count:,} {head}s of {rest}" if rest else f"{count:,} {what}s"

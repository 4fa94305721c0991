"""Healing: what is missing or damaged around a ledger is recovered, one thing after the other.

    database    from the state log and the archives, if they hold all that the database held
    views.db    derived: made anew from the ledger
    state       derived: written anew from the ledger, and so is the trajectory
    notes       from the private ref in git, the user's commits, git's index, the template; what
                holdfast writes in them comes from the ledger (docs/adr/0018)
    tasks       the ledger has them; the file of Beads comes from git like the notes
    code.db     derived: the project's files are read again

No step stops another. A damaged original is kept aside under a new name. Each recovery is an entry.
With `check` nothing is written at all, and what would be done is told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING, Final, TypeAlias

import apsw
import msgspec

from holdfast.evidence import git_state
from holdfast.evidence.git import Git, find
from holdfast.kernel.entry import Actor
from holdfast.kernel.errors import HoldfastError
from holdfast.wiring import healing_derived, healing_files
from holdfast.wiring.healing_database import database_steps
from holdfast.wiring.healing_steps import Step, Ward, could_not, ledger_id

if TYPE_CHECKING:
    from holdfast.config import Settings
    from holdfast.wiring.places import Place

Look: TypeAlias = Callable[[Ward], Iterator[Step]]

STEPS: Final[tuple[tuple[str, Look], ...]] = (
    ("views.db", healing_derived.views_steps),
    ("state and trajectory", healing_derived.published_steps),
    ("notes", healing_files.notes_steps),
    ("tasks", healing_files.beads_steps),
    ("code.db", healing_derived.code_steps),
)
"""What comes after the database, in this order."""


class Healing(msgspec.Struct, frozen=True):
    """What was found, and what became of it."""

    ok: bool
    """Nothing is damaged any more; with a check, nothing was."""
    check: bool
    """Nothing was written."""
    steps: tuple[Step, ...] = ()
    """What was damaged. What was whole is not named."""
    looked_at: tuple[str, ...] = ()
    told: tuple[str, ...] = ()
    """What could not be done, beside the steps."""


def heal(place: Place, settings: Settings, actor: Actor, *, check: bool = False) -> Healing:
    """Look at everything, and recover what is missing or damaged."""
    git = _git(place)
    steps, told = list[Step](), list[str]()
    if isinstance(git, str):
        told.append(f"Nothing can come from git: {git}.")
    anchor = _anchor(git, place, told)
    steps += _guarded("database", lambda: database_steps(place, anchor, check=check))
    with closing(Ward(place, settings, actor, git, check=check)) as ward:
        for what, look in STEPS:
            steps += _guarded(what, partial(look, ward))
        told += [*ward.told, *ward.record(steps)]
    ok = all(step.healed for step in steps)
    looked_at = ("database", *(what for what, _ in STEPS))
    return Healing(ok, check, tuple(steps), looked_at, tuple(told))


def _guarded(what: str, look: Callable[[], Iterator[Step]]) -> list[Step]:
    """Take the steps of one thing; should it fail, that is one of them, and the others go on."""
    steps = list[Step]()
    try:
        for step in look():
            steps.append(step)  # those before a failure count
    except (HoldfastError, OSError, apsw.Error) as problem:
        steps.append(could_not(what, problem))
    return steps


def _git(place: Place) -> Git | str:
    root = place.project
    return "this ledger stands alone, outside a project" if root is None else find(root)


def _anchor(git: Git | str, place: Place, told: list[str]) -> tuple[int, str] | None:
    """Return the size and root of the tree that git kept last of this ledger."""
    if isinstance(git, str):
        return None
    try:
        ledger = ledger_id(git, place)
        kept = f"{git_state.REF}:{ledger}/{git_state.TREE_HEAD}"
        content = None if ledger is None else git.read(kept)
        if content is not None:
            size, _, root = content.decode().strip().partition(":")
            return int(size), root
    except (HoldfastError, ValueError, OSError) as problem:
        told.append(f"The ledger was not held against the tree head in git: {problem}")
    return None

"""The compactions of a project: those of its newest save, of now, and of its archives.

None of them is kept. They are made anew from the entries whenever they are asked for, and held
against what saves and seals say that they must be.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import msgspec

from holdfast.kernel.snapshot import SaveSnapshot
from holdfast.ledger.boundary import boundary_of
from holdfast.ledger.compactions import all_summaries
from holdfast.ledger.history import fold_at
from holdfast.views.compaction import Compaction
from holdfast.views.pins import environment_pins
from holdfast.views.working_set import WORKING_SET_POLICY, policy_of

if TYPE_CHECKING:
    from holdfast.wiring.project import Project


class Made(msgspec.Struct, frozen=True):
    """A compaction that was made anew."""

    source: str
    """Where it is named: a save, an archive, or now."""
    compaction: Compaction | None
    """None when what it was made from does not give it back."""
    expected: str | None
    """The hash it must have; null when nothing says so."""

    @property
    def same(self) -> bool:
        """It is what it must be."""
        return self.compaction is not None and self.expected in (None, self.compaction.output_hash)


def of_save(project: Project, save: SaveSnapshot) -> Iterator[Made]:
    """Make the compactions that a save names, from the entries up to it."""
    reader = project.ledger.reader
    fold = fold_at(reader, save.tree_size, project.views)
    boundary = boundary_of(fold, reader, policy_of(save.policy), save.pins_snapshot)
    made = {one.compaction_id: one for one in boundary.compactions}
    for name in save.compaction_ids:
        expected = save.compaction_hashes.get(name, "absent")
        yield Made(f"save {save.snapshot_id}", made.pop(name, None), expected)
    for one in made.values():
        yield Made(f"save {save.snapshot_id}", one, "absent")


def of_now(project: Project) -> Iterator[Made]:
    """Make the compactions that a save made now would name."""
    reader = project.ledger.reader
    fold = fold_at(reader, reader.head().size, project.views)
    boundary = boundary_of(fold, reader, WORKING_SET_POLICY, environment_pins())
    for one in boundary.compactions:
        yield Made("now", one, None)


def of_archives(project: Project) -> Iterator[Made]:
    """Make the summary of every session in every archive."""
    for _, part in all_summaries(project.ledger):
        expected = part.compaction.output_hash if part.compaction and part.reproduced else "another"
        yield Made(part.archive, part.compaction, expected)

"""Cold boot: everything that was true at a save, rebuilt from the save and the log alone.

Twelve steps, in this order; the first assertion that fails ends the boot, and nothing was changed:

    1 load the save               7 work out the digests of all stores
    2 compare the pins            8 compare them with those of the save
    3 load the log                9 compile the working set
    4 compare its hashes         10 compare its digest
    5 begin with empty stores    11 restore what is pending
    6 replay the log             12 make the compactions anew, and compare them

With a `base`, an earlier save and its items, the log is replayed from there on; both ways end at
the same digests. A boot is given something to look at, and has no way to write.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from holdfast.kernel import snapshot as snapshots
from holdfast.kernel.errors import BootFailed, HoldfastError, InvalidInput
from holdfast.kernel.snapshot import SaveSnapshot, freeze
from holdfast.ledger.base import Base, check_base
from holdfast.ledger.boundary import Boundary, boundary_of
from holdfast.ledger.event_log import EventLog, Source, log_of
from holdfast.ledger.log_proof import HashingFrom, hashing_here
from holdfast.ledger.pin_check import check_pins
from holdfast.ledger.replay import check_extent, replay
from holdfast.ledger.saving import contents_of
from holdfast.ledger.verify import Progress, no_progress
from holdfast.stores import Fold, story
from holdfast.views.compaction import Compaction
from holdfast.views.working_set import WorkingSet, policy_of

STEPS: Final = (
    "load the save",
    "compare the pins",
    "load the log",
    "compare its hashes",
    "begin with empty stores",
    "replay the log",
    "work out the digests",
    "compare the digests",
    "compile the working set",
    "compare its digest",
    "restore what is pending",
    "make the compactions anew",
)
"""The names of the twelve steps."""

_FIRST: Final = {
    "facts": "facts_ledger_digest",
    "unlocks": "unlock_state_digest",
    "story": "story_state_digest",
}
"""Stores whose digests a save has by a name of their own; they are compared first."""


class Step(msgspec.Struct, frozen=True):
    """One step that was taken, and what came of it."""

    number: int
    name: str
    result: str


class Booted(msgspec.Struct, frozen=True):
    """Everything that was true at a save, proved against it."""

    snapshot: SaveSnapshot
    fold: Fold
    working_set: WorkingSet
    pending: Mapping[str, Any]
    """What waits for somebody, by its id."""
    compactions: tuple[Compaction, ...]
    digests: Mapping[str, str]
    steps: tuple[Step, ...]


def cold_boot(
    snapshot: SaveSnapshot | bytes,
    event_log: Source,
    *,
    pins: Mapping[str, str],
    base: Base | None = None,
    hashing: HashingFrom = hashing_here,
    progress: Progress = no_progress,
) -> Booted:
    """Rebuild what was true at a save, and prove it; the first thing that does not fit is raised.

    `event_log` is a ledger, a reader, or every line from entry 0 on; entries after the save do no
    harm. `pins` are those of the environment: `environment_pins()`.
    """
    taken: list[str] = []
    save = _load(snapshot)
    taken.append(save.snapshot_id)
    log = log_of(event_log)
    revised = check_pins(save, pins, log)
    taken.append(f"{len(pins)} compared" + "".join(f", {name} revised" for name in revised))
    check_extent(save, log)
    if base is not None:
        check_base(base, save)
    fold = replay(save, log, base=base, hashing=hashing, progress=progress)
    begun = 0 if base is None else base.snapshot.tree_size
    taken += [
        f"{save.tree_size} entries",
        save.tree_root,
        f"{len(save.store_digests)} stores" + (f" as of entry {begun - 1}" if begun else ""),
        f"{fold.size - begun} entries",
    ]
    digests = fold.digests()
    taken.append(f"{len(digests)} digests")
    _compare_digests(save, digests)
    taken.append("equal")
    boundary = _compile(save, fold, log)
    taken.append(f"{len(boundary.working_set.canonical_bytes)} bytes")
    _compare_working_set(save, boundary.working_set)
    taken.append(boundary.working_set.bytes_hash)
    pending = _restore(save, fold, log)
    taken.append(f"{len(pending)} pending")
    _compare_compactions(save, boundary.compactions)
    taken.append(f"{len(boundary.compactions)} equal")
    steps = tuple(
        Step(number, name, result)
        for number, (name, result) in enumerate(zip(STEPS, taken, strict=True), 1)
    )
    return Booted(
        save, fold, boundary.working_set, pending, boundary.compactions, freeze(digests), steps
    )


def _load(snapshot: SaveSnapshot | bytes) -> SaveSnapshot:
    """Step 1: what is given is a save, to the byte."""
    try:
        line = snapshot.to_line() if isinstance(snapshot, SaveSnapshot) else snapshot
        if isinstance(line, bytes):
            return snapshots.read(line)
    except InvalidInput as error:  # it holds what no save can
        raise _failed(1, f"This is not a save: {error.what}", "a save", "something else") from error
    raise _failed(1, "This is not a save.", "a save", type(snapshot).__name__)


def _compare_digests(save: SaveSnapshot, digests: Mapping[str, str]) -> None:
    """Step 8: the stores that the save names first, then every other one."""
    first = [(name, getattr(save, field)) for name, field in _FIRST.items()]
    for name, expected in [*first, *sorted(save.store_digests.items())]:
        found = digests.get(name, "nothing")
        if found != expected:
            raise _failed(
                8,
                f"The store {name} is not what it was at the save.",
                expected,
                found,
            )


def _compile(save: SaveSnapshot, fold: Fold, log: EventLog) -> Boundary:
    """Step 9: with the policy and the pins that the save has."""
    try:
        policy = policy_of(save.policy)
        return boundary_of(fold, log, policy, save.pins_snapshot)
    except BootFailed:
        raise
    except HoldfastError as error:
        raise _failed(
            9, f"The working set cannot be compiled: {error.what}", str(save.policy), error.what
        ) from error


def _compare_working_set(save: SaveSnapshot, working_set: WorkingSet) -> None:
    """Step 10."""
    if working_set.bytes_hash != save.working_set_digest:
        raise _failed(
            10,
            "The working set is not what it was at the save.",
            save.working_set_digest,
            working_set.bytes_hash,
        )


def _restore(save: SaveSnapshot, fold: Fold, log: EventLog) -> Mapping[str, Any]:
    """Step 11: what waited at the save waits again, and nothing else does.

    Of a session or campaign save, what else it holds is compared as well.
    """
    pending: Mapping[str, Any] = freeze(story.pending(fold.state("story").items))
    contents = freeze(contents_of(log, fold.size, fold.items(), save.save_type))
    for what, expected, found in (
        ("is pending as", save.pending_state or {}, pending),
        ("the save holds as", save.contents, contents),
    ):
        for name in sorted({*expected, *found}):
            if expected.get(name) != found.get(name):
                raise _failed(
                    11,
                    f"What {what} {name!r} is not what it was.",
                    _spelled(expected.get(name)),
                    _spelled(found.get(name)),
                )
    return pending


def _spelled(value: Any) -> str:
    return "absent" if value is None else msgspec.json.encode(snapshots.thaw(value)).decode()


def _compare_compactions(save: SaveSnapshot, made: tuple[Compaction, ...]) -> None:
    """Step 12: the compactions of the save, and no others, are made again, byte for byte."""
    ids = tuple(one.compaction_id for one in made)
    if save.compaction_ids != ids:
        raise _failed(
            12,
            "The compactions of the save are not those of its entries.",
            ", ".join(save.compaction_ids) or "none",
            ", ".join(ids),
        )
    hashes = {one.compaction_id: one.output_hash for one in made}
    for name in sorted({*save.compaction_hashes, *hashes}):
        expected, found = save.compaction_hashes.get(name, "absent"), hashes.get(name, "absent")
        if expected != found:
            raise _failed(12, f"The compaction {name} does not come out again.", expected, found)


def _failed(step: int, what: str, expected: str, found: str) -> BootFailed:
    return BootFailed(
        what,
        step=step,
        expected=expected,
        found=found,
        remedy="Use another save: `holdfast boot --list` shows them.",
    )

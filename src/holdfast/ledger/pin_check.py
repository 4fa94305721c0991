"""Step 2 of a boot: the pins of a save are those of the code that runs, or were revised on purpose.

The environment's pins are given by the caller; nothing here takes one from the save. A pin that
differs passes only when `pin_revised` entries of the log lead, one after the other, from the value
in the save to the one here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from holdfast.kernel import entry as entries
from holdfast.kernel.errors import BootFailed, Damaged, InvalidInput
from holdfast.kernel.hashing import leaf_hash
from holdfast.kernel.merkle import inclusion_proof, verify_inclusion
from holdfast.kernel.snapshot import SaveSnapshot
from holdfast.kernel.types import TYPES, PinRevised
from holdfast.ledger.event_log import EventLog
from holdfast.storage.port import Selection, Stored

ABSENT: Final = "absent"
"""Stands for a pin that one side does not have."""


def check_pins(save: SaveSnapshot, pins: Mapping[str, str], log: EventLog) -> tuple[str, ...]:
    """Compare the pins of a save with those of the environment; return those that were revised."""
    _require_pins(pins)
    saved = save.pins_snapshot
    changed = {
        name: (saved.get(name, ABSENT), pins.get(name, ABSENT))
        for name in sorted({*saved, *pins})
        if saved.get(name) != pins.get(name)
    }
    if not changed:
        return ()
    revisions = list(_revisions(save, log))
    for name, (before, after) in changed.items():
        if after not in _reached(name, before, revisions):
            raise _differs(name, before, after)
    return tuple(changed)


def _reached(name: str, value: str, revisions: list[PinRevised]) -> set[str]:
    """Return every value that revisions of a pin lead to from this one."""
    steps = {(str(one.before), str(one.after)) for one in revisions if one.pin == name}
    reached: set[str] = set()
    waiting = {value}
    while waiting:
        reached |= waiting
        waiting = {after for before, after in steps if before in waiting} - reached
    return reached


def _revisions(save: SaveSnapshot, log: EventLog) -> Iterator[PinRevised]:
    """Yield the revisions of the log, also those after the save.

    An entry that is not as it was sealed revises nothing.
    """
    for stored in log.read(Selection(type="pin_revised")):
        try:
            entry = entries.read(stored.body)
            revised = TYPES.read(entry)
        except Damaged:
            continue
        sealed = (entry.ledger, entry.seq) == (save.ledger, stored.seq)
        if sealed and isinstance(revised, PinRevised) and _is_in_tree(stored, save, log):
            yield revised


def _is_in_tree(stored: Stored, save: SaveSnapshot, log: EventLog) -> bool:
    """Tell whether an entry is in the tree of the save, or after it in that of the log."""
    head, leaf = log.head(), leaf_hash(stored.body)
    if stored.seq < save.tree_size <= head.size:
        size, root = save.tree_size, bytes.fromhex(save.tree_root)
    else:
        size, root = head.size, log.node(0, head.size)
    return verify_inclusion(
        leaf, stored.seq, size, inclusion_proof(stored.seq, size, log.node), root
    )


def _differs(name: str, before: str, after: str) -> BootFailed:
    return BootFailed(
        f"The pin {name!r} is {after!r} here; the save was made with {before!r}.",
        step=2,
        expected=before,
        found=after,
        remedy=(
            "Use the holdfast that made the save, or say in the ledger that the change is meant: "
            "`holdfast pin revise`."
        ),
    )


def _require_pins(pins: object) -> None:
    if isinstance(pins, Mapping) and all(
        isinstance(part, str) for pair in pins.items() for part in pair
    ):
        return
    raise InvalidInput(
        "The pins of the environment have to be given: names and values, all of them text.",
        meaning="Nothing was changed.",
        remedy="Give `pins=holdfast.environment_pins()`.",
    )

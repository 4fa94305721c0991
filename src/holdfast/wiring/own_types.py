"""Entries that only holdfast's own commands write: each says that something was looked at or done.

Whoever could record one as a plain entry would have its word without the work behind it. A caller
in Python who opens the ledger itself can still append anything; the gate takes no such entry for
its own, because those come from an actor that no command records under.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from holdfast.kernel.errors import InvalidInput

COMMANDS: Final[Mapping[str, str]] = {
    "artifact_erased": "holdfast erase",
    "artifact_moved": "holdfast proxy",
    "artifact_seen": "holdfast proxy",
    "attention_measured": "holdfast attention --tokens N",
    "audit_done": "holdfast proxy",
    "decision_grounded": "holdfast ground ID",
    "delta_synced": "holdfast attention --tokens N",
    "desk_changed": "holdfast proxy",
    "disk_truth": "holdfast proxy",
    "episode_recorded": "holdfast proxy",
    "evidence_recorded": "holdfast evidence run",
    "file_settled": "holdfast proxy",
    "fork_opened": "holdfast fork check",
    "fork_resolved": "holdfast fork resolve ID",
    "gate_ran": "holdfast clear",
    "ghost_checked": "holdfast ghost NAME",
    "handoff_made": "holdfast clear",
    "healed": "holdfast heal",
    "ledger_continued": "holdfast restore",
    "line_quarantined": "holdfast import",
    "search_ran": "holdfast search",
}
"""What writes each of them."""

OWN: Final = frozenset(COMMANDS)

_FORK: Final = "fork-"
"""Ids of forks follow from their sides: an entry that has one first would keep it from opening."""


def check_recordable(type_name: str, entry_id: str | None = None) -> None:
    """Refuse to record what only a command of ours may say, and an id that is not to be given."""
    if type_name in OWN:
        raise InvalidInput(
            f"An entry of the type {type_name} is only written by the command that does what it "
            "says.",
            meaning="Nothing was recorded.",
            remedy=f"Run `{COMMANDS[type_name]}`.",
        )
    if entry_id is not None and entry_id.startswith(_FORK):
        raise InvalidInput(
            f"The id {entry_id!r} is of a fork.",
            meaning="Nothing was recorded.",
            remedy=f"Give an id that does not begin with {_FORK!r}.",
        )

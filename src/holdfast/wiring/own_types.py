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
    "context_compacted": "holdfast hook AGENT",
    "context_given": "holdfast hook AGENT",
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
    "handoff_answered": "holdfast handoff accept ID",
    "handoff_made": "holdfast clear",
    "handoff_offered": "holdfast handoff offer",
    "healed": "holdfast heal",
    "ledger_continued": "holdfast restore",
    "line_quarantined": "holdfast import",
    "peer_merged": "holdfast sync PEER",
    "peer_refused": "holdfast sync PEER",
    "recording_paused": "holdfast pause",
    "recording_resumed": "holdfast pause --off",
    "search_ran": "holdfast search",
}
"""What writes each of them."""

FRAMEWORKS: Final = frozenset({"state_kept", "state_dropped"})
"""What agent frameworks put; they take it for their own state, whoever wrote it."""

OWN: Final = FRAMEWORKS.union(COMMANDS)

_FORK: Final = "fork-"
"""Ids of forks follow from their sides: an entry that has one first would keep it from opening."""


def check_recordable(type_name: str, entry_id: str | None = None) -> None:
    """Refuse to record what only a command of ours may say, and an id that is not to be given."""
    if type_name in FRAMEWORKS:
        raise InvalidInput(
            f"An entry of the type {type_name} is only written for an agent framework.",
            meaning="Nothing was recorded.",
            remedy="Let the framework put it: `holdfast.adapters`.",
        )
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

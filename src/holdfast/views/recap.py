"""The recap: what the newest entries say, the newest first, within so many tokens.

Words of facts are not in it: the entries do not tell which facts may be told.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from holdfast.kernel.entry import Entry
from holdfast.kernel.limits import (
    ITEM_CHARS_MAX,
    RECAP_ENTRIES,
    RECAP_TOKENS,
    WORKING_SET_ITEM_TOKENS,
)
from holdfast.views.compaction import Compaction, compact
from holdfast.views.compiling import Candidate, Section, compile_sections
from holdfast.views.wording import cut_middle, one_line

RECAP_POLICY: Final = "recap/1"
"""Changes whenever the same entries would give other bytes."""


def recap(tail: Sequence[Entry]) -> Compaction:
    """Tell what happened last; of more than RECAP_ENTRIES entries the newest count."""
    tail = tail[-RECAP_ENTRIES:]
    frame = {
        "by_type": dict(Counter(entry.type for entry in tail)),
        "first": tail[0].seq if tail else None,
        "last": tail[-1].seq if tail else None,
    }
    told = compile_sections(
        frame,
        [Section("entries", _told(tail), len(tail))],
        tokens=RECAP_TOKENS,
        item_tokens=WORKING_SET_ITEM_TOKENS,
    )
    handles = (*(f"ledger:{entry.ledger}" for entry in tail[:1]), *(entry.id for entry in tail))
    return compact("RECAP", RECAP_POLICY, handles, told.value, told.handles)


_TELLING: Final[Mapping[str, tuple[str, ...]]] = {
    "agent_said": ("text",),
    "checkpoint": ("quick_resume",),
    "command_ran": ("command", "exit_code"),
    "decision": ("choice",),
    "error": ("error_type", "message"),
    "file_change": ("action", "path"),
    "milestone_reached": ("title",),
    "pending_opened": ("kind", "pending", "prompt"),
    "pending_resolved": ("pending", "outcome"),
    "pending_step_taken": ("pending", "step"),
    "prompt_given": ("text",),
    "rolled_back": ("to", "reason"),
    "scene_ended": ("scene", "outcome"),
    "scene_started": ("scene", "title"),
    "session_ended": ("reason",),
    "session_started": ("title",),
    "story_set": ("campaign", "world", "mode"),
    "tool_called": ("tool", "ok"),
    "work_closed": ("work", "outcome"),
    "work_opened": ("work", "title"),
}
"""What is repeated of an entry. Of other types only their number is told."""


def _told(tail: Sequence[Entry]) -> Iterator[Candidate]:
    for entry in reversed(tail):
        if entry.type in _TELLING:
            data = entry.value()
            fields = {name: data.get(name) for name in _TELLING[entry.type]}
            words = {name: _word(value) for name, value in fields.items() if value is not None}
            yield Candidate(entry.id, ({**words, "seq": entry.seq, "type": entry.type},))


def _word(value: Any) -> Any:
    return value if isinstance(value, int) else cut_middle(one_line(value), ITEM_CHARS_MAX)

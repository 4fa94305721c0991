"""What an agent was given after its context was emptied: found in the ledger.

Agents say in different orders that a context was emptied and that they go on: Claude Code starts
the session again before it tells of the compaction. So what answered such a start counts for the
compaction that comes right after it, as long as no work lies between.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import msgspec

from holdfast.kernel.entry import Entry
from holdfast.kernel.limits import LOSS_ENTRIES_MAX, LOSS_GIVEN_LOOKED_AT, LOSS_GIVEN_MAX
from holdfast.storage.port import Selection
from holdfast.views.loss_back import Given
from holdfast.wiring.losses import Wiped, data_of, read, wiped_by

if TYPE_CHECKING:
    from holdfast.wiring.project import Project

_SOURCES: Final = {"compacted": "compact", "cleared": "clear"}
"""What a start says that comes of each way to empty a context."""


def given_after(project: Project, wiped: Wiped) -> tuple[list[Given], bool]:
    """Return what was given because a context was emptied, up to when it was emptied again; the
    oldest first, and whether there may be more."""
    following = _next_seq(project, wiped)
    span = _Span(
        wiped,
        _last_work(project, wiped.session_id, wiped.seq),
        following,
        None if following is None else _last_work(project, wiped.session_id, following),
    )
    chosen = Selection(span.since + 1, following, type="context_given")
    looked_at = read(project, chosen)
    found = [
        _given(entry, data)
        for entry in islice(looked_at, LOSS_GIVEN_LOOKED_AT)
        if span.holds(entry, data := data_of(project, entry))
    ]
    more = next(looked_at, None) is not None or len(found) > LOSS_GIVEN_MAX
    return found[:LOSS_GIVEN_MAX], more


class _Span(msgspec.Struct, frozen=True):
    """Where what was given for one emptied context can be."""

    wiped: Wiped
    since: int
    """The last work before it."""
    following: int | None
    """When the context was emptied again."""
    until: int | None
    """The last work before that: a start after it is of the next time."""

    def holds(self, entry: Entry, data: Any) -> bool:
        """Tell whether words were given for this emptied context."""
        session = self.wiped.session_id
        mine = entry.session_id == session
        if self.wiped.how == "cleared" and session is not None:  # another session goes on from it
            mine = mine or data.get("of_session") == session
        if not mine:
            return False
        if data.get("source") == _SOURCES[self.wiped.how]:
            return entry.seq > self.since and (self.until is None or entry.seq < self.until)
        return entry.seq > self.wiped.seq


def _next_seq(project: Project, wiped: Wiped) -> int | None:
    """Return the entry that empties the same context again, told by whoever told of this one."""
    by_proxy = any(one.type == "desk_changed" for one in read(project, _only(wiped.seq)))
    session = None if by_proxy else wiped.session_id  # it names conversations, not sessions
    found = []
    for kind in ("desk_changed",) if by_proxy else ("context_compacted", "session_ended"):
        chosen = Selection(wiped.seq + 1, type=kind, session_id=session)
        for entry in islice(read(project, chosen), LOSS_GIVEN_LOOKED_AT):
            again = wiped_by(entry, entry.value())
            if again is not None and again.session_id == wiped.session_id:
                found.append(entry.seq)
                break
    return min(found, default=None)


def _only(seq: int) -> Selection:
    return Selection(seq, seq + 1)


def _last_work(project: Project, session_id: str | None, stop: int) -> int:
    """Return the last entry of a session before another that tells of its own work, else -1."""
    chosen = Selection(stop=stop, session_id=session_id, newest_first=True)
    for entry in islice(read(project, chosen), LOSS_ENTRIES_MAX):
        mine = entry.session_id == session_id and entry.type in _WORK
        if mine and entry.value().get("worker") is None:  # sub-agents go on meanwhile
            return entry.seq
    return -1


_WORK: Final = frozenset({"prompt_given", "tool_begun", "tool_called", "command_ran", "decision"})


def _given(entry: Entry, data: Any) -> Given:
    """Read what was given, as far as it can be read: a vault that is gone leaves no words."""
    text, about, left_out = data.get("text"), data.get("about"), data.get("left_out")
    return Given(
        entry.seq,
        entry.timestamp,
        entry.session_id,
        _word(data.get("source")),
        data.get("tokens", 0),
        _word(data.get("counter")) or "",
        text if isinstance(text, str) else "",
        tuple(one for one in about if isinstance(one, int)) if isinstance(about, list) else (),
        _counts(left_out),
    )


def _counts(left_out: Any) -> dict[str, int]:
    found = left_out if isinstance(left_out, dict) else {}
    return {name: count for name, count in found.items() if isinstance(count, int)}


def _word(value: Any) -> str | None:
    return value if isinstance(value, str) else None

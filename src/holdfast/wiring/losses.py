"""What a session lost when its context was compacted or cleared: found in the ledger.

A compaction is known from the agent's hooks or its transcript, with its summary where the agent
tells it; or from the proxy, which sees that a history was replaced and no summary. What left with
a clear left altogether. All that the session recorded up to then is held against the summary, also
what an earlier compaction had dropped already: what counts is what the context still holds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

import msgspec

from holdfast.kernel import entry as entries
from holdfast.kernel.entry import Entry
from holdfast.kernel.errors import Damaged, NotFound
from holdfast.kernel.limits import LOSS_ENTRIES_MAX
from holdfast.storage.port import Selection
from holdfast.views.loss import Item, Judged, compare, gone, items_of
from holdfast.views.loss_back import Given, brought_back

if TYPE_CHECKING:
    from holdfast.wiring.project import Project

Wipe: TypeAlias = Literal["compacted", "cleared"]


class Wiped(msgspec.Struct, frozen=True):
    """The moment at which a context was emptied."""

    how: Wipe
    seq: int
    session_id: str | None
    trigger: str | None = None
    summary: str | None = None
    """Null when nobody told it; empty after a clear."""


class Loss(msgspec.Struct, frozen=True):
    """What became of all that a session had."""

    wiped: Wiped
    items: tuple[Judged, ...]
    unseen: bool = False
    """The session has older entries that were not looked at."""
    given: tuple[Given, ...] = ()
    """What the agent was given afterwards; of `loss_at` nothing."""
    given_more: bool = False
    """There may be more that it was given."""

    @property
    def gone(self) -> list[Judged]:
        """Return what is no longer there, or may not be."""
        return gone(self.items)


CLEAR_REASONS: Final = frozenset({"clear", "cleared"})
"""Reasons of a session's end that empty its context."""


def lost(project: Project, session_id: str | None = None) -> Loss:
    """Say what became of what a session had; of none named, the one emptied last."""
    wiped = last_wiped(project, session_id)
    if wiped is None:
        raise NotFound(
            "No compaction and no clear was recorded"
            + ("." if session_id is None else f" of session {session_id}."),
            meaning="Nothing is known to be lost.",
            remedy="`holdfast session list` names the sessions; agents tell of compactions once "
            "`holdfast agents install AGENT` was run.",
        )
    return loss_and_back(project, wiped)


def lost_at(project: Project, seq: int) -> Loss:
    """Say what became of what a session had when an entry emptied its context."""
    entry = entries.read(project.ledger.get(seq).body)
    wiped = wiped_by(entry, data_of(project, entry))
    if wiped is None:
        raise NotFound(
            f"Entry {seq:,} emptied no context.",
            meaning="Nothing was lost by it.",
            remedy="`holdfast log --type context_compacted` and `--type session_ended` list those "
            "that may have.",
        )
    return loss_and_back(project, wiped)


def loss_and_back(project: Project, wiped: Wiped) -> Loss:
    """Say what became of what a session had, and what of it the agent was given again."""
    from holdfast.wiring.giving_back import given_after

    items, unseen = items_before(project, wiped.session_id, wiped.seq)
    given, more = given_after(project, wiped)
    judged = brought_back(items, compare(items, wiped.summary), given)
    return Loss(wiped, tuple(judged), unseen, tuple(given), more)


def loss_at(project: Project, wiped: Wiped) -> Loss:
    """Say what became of what a session had when it was emptied."""
    items, unseen = items_before(project, wiped.session_id, wiped.seq)
    return Loss(wiped, tuple(compare(items, wiped.summary)), unseen)


def items_before(
    project: Project, session_id: str | None, stop: int | None = None
) -> tuple[list[Item], bool]:
    """Return what a session had before an entry, and whether there is more that nobody saw."""
    project.views.fold_up(project.ledger.reader)
    decisions: Any = project.views.items("decisions")
    newest = _of_session(project, session_id, stop)
    kept = list(islice(newest, LOSS_ENTRIES_MAX))[::-1]
    unseen = next(newest, None) is not None
    root = project.place.project
    items = items_of(
        kept,
        resolve=lambda entry: data_of(project, entry),
        superseded=lambda key: bool((decisions.get(key) or {}).get("superseded_by")),
        root=None if root is None else str(root),
    )
    # the notes are written from the ledger, and nobody has to be told of them
    own = project.settings.notes.path
    return [item for item in items if (item.kind, item.text) != ("path", own)], unseen


def data_of(project: Project, entry: Entry) -> Mapping[str, Any]:
    """Return an entry's data, as far as it can be read."""
    try:
        return project.ledger.data(entry)
    except Damaged:
        return entry.value()


def _of_session(project: Project, session_id: str | None, stop: int | None) -> Iterator[Entry]:
    """Yield the entries of a session, the newest first, and what the proxy saw of it."""
    wanted = Selection(stop=stop, session_id=session_id, newest_first=True)
    for entry in read(project, wanted):
        if entry.session_id == session_id:
            yield entry
    if session_id is None:
        return
    seen = Selection(stop=stop, type="episode_recorded", newest_first=True)
    for entry in islice(read(project, seen), LOSS_ENTRIES_MAX):
        if entry.session_id != session_id and _is_of(entry, session_id):
            yield entry


# When a context was emptied


def wiped_by(entry: Entry, data: Mapping[str, Any]) -> Wiped | None:
    """Read an entry as the end of a context; None when it is none."""
    match entry.type:
        case "context_compacted":
            summary, trigger = data.get("summary"), data.get("trigger")
            return Wiped(
                "compacted",
                entry.seq,
                entry.session_id,
                trigger if isinstance(trigger, str) else "",
                summary if isinstance(summary, str) else None,
            )
        case "desk_changed" if data.get("change") in ("compacted", "cleared"):
            how: Wipe = "cleared" if data["change"] == "cleared" else "compacted"
            # what was cleared left altogether; of a compaction the proxy sees no summary
            summary = "" if how == "cleared" else None
            of = entry.session_id or _conversation(entry)
            return Wiped(how, entry.seq, of, None, summary)
        case "session_ended" if data.get("reason") in CLEAR_REASONS:
            return Wiped("cleared", entry.seq, entry.session_id, "clear", "")
        case _:
            return None


def last_wiped(project: Project, session_id: str | None = None) -> Wiped | None:
    """Return the newest moment at which a context was emptied: a session's, or any."""
    found = [
        one
        for one in (
            _compacted(project, session_id),
            _ended(project, session_id),
            _seen_by_proxy(project, session_id),
        )
        if one is not None
    ]
    newest = max(found, key=lambda one: one.seq, default=None)
    if newest is None or newest.how == "cleared" or newest.summary is not None:
        return newest
    # what the proxy saw and what the agent told are one compaction: the one with words counts
    told = [one for one in found if one.summary and one.session_id == newest.session_id]
    return told[0] if told and newest.trigger is None else newest


def _compacted(project: Project, session_id: str | None) -> Wiped | None:
    wanted = Selection(type="context_compacted", session_id=session_id, newest_first=True)
    entry = next(_mine(project, wanted, session_id), None)
    if entry is None:
        return None
    return wiped_by(entry, data_of(project, entry))


def _ended(project: Project, session_id: str | None) -> Wiped | None:
    """Return the last clear that passed no gate."""
    wanted = Selection(type="session_ended", session_id=session_id, newest_first=True)
    for entry in _mine(project, wanted, session_id):
        reason = entry.value().get("reason")
        if reason == "clear" and not handed_over(project, entry):
            return Wiped("cleared", entry.seq, entry.session_id, "clear", "")
    return None


def handed_over(project: Project, ended: Entry) -> bool:
    """Tell whether a session passed the gate right before it was cleared."""
    wanted = Selection(
        stop=ended.seq, type="handoff_made", session_id=ended.session_id, newest_first=True
    )
    handoff = next(_mine(project, wanted, ended.session_id), None)
    if handoff is None:
        return False
    later = Selection(handoff.seq + 1, ended.seq, session_id=ended.session_id)
    return not any(entry.type in _WORK for entry in read(project, later))


_WORK: Final = frozenset({"prompt_given", "decision", "command_ran", "file_change"})
"""What is lost if it comes after a handoff; a call that was going on is not."""


def _seen_by_proxy(project: Project, session_id: str | None) -> Wiped | None:
    wanted = Selection(type="desk_changed", newest_first=True)
    for entry in islice(read(project, wanted), LOSS_ENTRIES_MAX):
        change = entry.value().get("change")
        if change not in ("compacted", "cleared"):
            continue
        if session_id is None or entry.session_id == session_id or _is_of(entry, session_id):
            of = session_id or entry.session_id or _conversation(entry)
            how: Wipe = "cleared" if change == "cleared" else "compacted"
            return Wiped(how, entry.seq, of, None, "" if how == "cleared" else None)
    return None


def _is_of(entry: Entry, session_id: str) -> bool:
    """Tell whether what the proxy saw is of a session: clients name the one by the other."""
    return _conversation(entry).partition("/")[0] == session_id


def _conversation(entry: Entry) -> str:
    name = entry.value().get("conversation")
    return name if isinstance(name, str) else ""


def _mine(project: Project, wanted: Selection, session_id: str | None) -> Iterator[Entry]:
    for entry in read(project, wanted):
        if session_id is None or entry.session_id == session_id:
            yield entry


def read(project: Project, wanted: Selection) -> Iterator[Entry]:
    """Yield entries; damaged ones are left out, as `verify` tells of them."""
    return iter(project.ledger.read(wanted, on_damaged=lambda _fault: None))

"""Taking a save: digests and pointers at one boundary. It reads, and has no way to write.

The bytes of a save follow from ledger, kind of save, pins and policy, never from which other saves
exist or how the log is kept: saving twice with nothing between gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

from holdfast.kernel import entry as entries
from holdfast.kernel.errors import BootFailed, Damaged, InvalidInput
from holdfast.kernel.limits import SAVE_SEGMENT_ENTRIES
from holdfast.kernel.snapshot import SaveSnapshot, SaveType
from holdfast.ledger.boundary import Folded, boundary_of
from holdfast.ledger.event_log import EventLog, blocks
from holdfast.ledger.log_proof import Beginning, Hasher
from holdfast.storage.port import Selection
from holdfast.stores import Items, sessions, story, unlocks
from holdfast.views.working_set import WORKING_SET_POLICY, Policy


def take_save(
    log: EventLog,
    folded: Folded,
    save_type: SaveType,
    *,
    pins: Mapping[str, str],
    policy: Policy = WORKING_SET_POLICY,
) -> SaveSnapshot:
    """Return the save of what is true after the entries that `folded` has taken in."""
    if save_type not in get_args(SaveType):
        raise InvalidInput(
            f"There is no kind of save called {str(save_type)[:40]!r}.",
            meaning="Nothing was saved.",
            remedy=f"Known: {', '.join(get_args(SaveType))}.",
        )
    size, head = folded.size, log.head()
    stores, digests = folded.items(), folded.digests()
    boundary = boundary_of(folded, log, policy, pins)
    first = segment_first(size)
    return SaveSnapshot(
        save_type=save_type,
        timestamp_event_id=size - 1,
        facts_ledger_digest=digests["facts"],
        unlock_state_digest=digests["unlocks"],
        story_state_digest=digests["story"],
        working_set_digest=boundary.working_set.bytes_hash,
        store_digests=digests,
        event_log_range=(first, size - 1),
        event_log_hash=_segment_hash(log, first, size),
        ledger=head.ledger,
        tree_size=size,
        tree_root=log.node(0, size).hex(),
        pending_state=story.pending(stores["story"]) or None,
        pins_snapshot=pins,
        policy=policy.value(),
        compaction_ids=tuple(one.compaction_id for one in boundary.compactions),
        compaction_hashes={one.compaction_id: one.output_hash for one in boundary.compactions},
        contents=contents_of(log, size, stores, save_type),
    )


def segment_first(size: int) -> int:
    """Return where the segment begins that the last of `size` entries is in."""
    return max(size - 1, 0) // SAVE_SEGMENT_ENTRIES * SAVE_SEGMENT_ENTRIES


def _segment_hash(log: EventLog, first: int, stop: int) -> str:
    """Hash the newest segment; the tree, as it is kept, stands for what is before."""
    hasher = Hasher(Beginning(size=stop, first=first, segment_first=first, stop=stop))
    try:
        for bodies in blocks(log, first, stop):
            hasher.take(bodies)
    except BootFailed as failure:
        raise Damaged(
            failure.what, meaning="Nothing was saved.", remedy=failure.remedy
        ) from failure
    return hasher.finish().segment


def contents_of(
    log: EventLog, size: int, stores: Mapping[str, Items], save_type: SaveType
) -> dict[str, Any]:
    """Return what a save holds beyond a scene save: each kind has all of the one before."""
    match save_type:
        case "SCENE":
            return {}
        case "SESSION":
            return _session_contents(stores)
        case "CAMPAIGN":
            return {**_session_contents(stores), "manifest": _manifest(log, size, stores)}


def _session_contents(stores: Mapping[str, Items]) -> dict[str, Any]:
    """Tell of the open sessions and of the last one that is over, and what is unlocked for them."""
    items, open_ids = stores["sessions"], sessions.open_ids(stores["sessions"])
    last: Any = items.get(sessions.OVER)
    told = open_ids if last is None else [*open_ids, last]
    return {
        "sessions": {session: _session(items, session) for session in told},
        "unlocks": {
            session: handles
            for session in open_ids
            if (handles := sorted(unlocks.unlocked_for(stores["unlocks"], session)))
        },
    }


def _session(items: Items, session_id: str) -> dict[str, Any]:
    item: Any = items[session_id]
    return {name: item[name] for name in ("ended", "entries", "first", "last", "reason", "title")}


def _manifest(log: EventLog, size: int, stores: Mapping[str, Items]) -> dict[str, Any]:
    """Tell what the whole campaign is: its place in the story, its log, and its pin ledger."""
    place = story.place(stores["story"])
    return {
        "campaign": place["campaign"],
        "entries": size,
        "pins_revised": [
            {"seq": stored.seq, **_revision(stored.body)}
            for stored in log.read(Selection(stop=size, type="pin_revised"))
        ],
        "world": place["world"],
    }


def _revision(body: bytes) -> dict[str, Any]:
    data = entries.read(body).value()
    return {name: data[name] for name in ("after", "before", "pin")}

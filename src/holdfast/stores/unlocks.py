"""Unlocks: which handles may be told, and how long that holds.

An item for each handle, with every grant that holds:

    campaign   the entry that granted it for good, null when none did
    sessions   the sessions that it was granted for and that are not over
    scene      the entry that granted it for the scene, null when none did

The broadest grant is its scope; a narrower one beside it takes nothing away and outlives it. What
was granted for the scene ends when that scene does or another begins, what was granted for a
session when that session ends. A grant for a session by an entry that belongs to none is no grant.

Handles stand on the list UNLOCKED; those granted for the scene or for a session also on a list of
that scene or session. The item NOW is the scene that is going on.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from holdfast.kernel.entry import Entry
from holdfast.kernel.types import Model, SceneEnded, SceneStarted, SessionEnded, UnlockGranted
from holdfast.kernel.types.story import Scope
from holdfast.stores import lists
from holdfast.stores.lists import Editing
from holdfast.stores.store import NO_CHANGES, Changes, Items

UNLOCKED: Final = " unlocked"
NOW: Final = " scene now"
_SCENE: Final = " scene"
_SESSION: Final = " session "


class Unlocks:
    """The fold over what may be told."""

    name: Final = "unlocks"
    version: Final = 1
    items_max: Final = 1_000_000
    takes: Final = frozenset({"unlock_granted", "scene_started", "scene_ended", "session_ended"})
    reads: Final = takes
    rolls_back: Final = True

    def apply(self, items: Items, entry: Entry, data: Model) -> Changes:
        """Note a grant, or end those of a scene or session."""
        editing = Editing(items, _locked)
        match data:
            case UnlockGranted(handle=handle, scope=scope):
                _grant(editing, entry, handle, scope)
            case SceneStarted(scene=scene):
                _end(editing, _SCENE, "scene", None)
                editing.changes[NOW] = scene
            case SceneEnded(scene=scene) if items.get(NOW) == scene:
                _end(editing, _SCENE, "scene", None)
                editing.changes[NOW] = None
            case SessionEnded() if entry.session_id is not None:
                _end(editing, _SESSION + entry.session_id, "sessions", entry.session_id)
            case _:
                return NO_CHANGES  # nothing else unlocks, or ends what does
        return editing.changes


def scope_of(items: Items, handle: str) -> Scope | None:
    """Return how long a handle may be told, null when it may not."""
    grants: Any = items.get(handle)
    if grants is None:
        return None
    if grants["campaign"] is not None:
        return "CAMPAIGN"
    return "SESSION" if grants["sessions"] else "SCENE"


def unlocked(items: Items, limit: int | None = None) -> Iterator[tuple[str, Scope]]:
    """Yield the handles that were unlocked last, with the scope of each."""
    for handle, _ in lists.newest(items, UNLOCKED, limit):
        scope = scope_of(items, handle)
        assert scope is not None
        yield handle, scope


def count_unlocked(items: Items) -> int:
    """Return how many handles may be told."""
    return lists.count(items, UNLOCKED)


def unlocked_for(items: Items, session_id: str) -> Iterator[str]:
    """Yield the handles that were granted for a session, the newest first."""
    return (handle for handle, _ in lists.newest(items, _SESSION + session_id))


def _grant(editing: Editing, entry: Entry, handle: str, scope: Scope) -> None:
    if scope == "SESSION" and entry.session_id is None:
        return
    known = editing.known(handle)
    grants = editing.at(handle)
    match scope:
        case "CAMPAIGN":
            grants["campaign"] = entry.seq
        case "SCENE":
            editing.unlink(_SCENE, handle)
            grants["scene"] = entry.seq
            editing.link(_SCENE, handle)
        case "SESSION":
            editing.unlink(f"{_SESSION}{entry.session_id}", handle)
            grants["sessions"] = [*(s for s in grants["sessions"] if s != entry.session_id)]
            grants["sessions"].append(entry.session_id)
            editing.link(f"{_SESSION}{entry.session_id}", handle)
    if not known:
        editing.link(UNLOCKED, handle)


def _end(editing: Editing, which: str, grant: str, session_id: str | None) -> None:
    """End every grant of a list, and let go of handles that nothing else unlocks."""
    for handle in editing.each(which):
        editing.unlink(which, handle)
        grants = editing.at(handle)
        grants[grant] = (
            None if session_id is None else [s for s in grants["sessions"] if s != session_id]
        )
        if grants["campaign"] is None and grants["scene"] is None and not grants["sessions"]:
            editing.drop(handle)
    if which in editing.changes:
        editing.changes[which] = None


def _locked() -> dict[str, Any]:
    return {"campaign": None, "scene": None, "sessions": []}

"""The story: where it takes place, which scene is going on, in which mode, and what is pending.

The item PLACE has campaign, world, scene, title, mode, and the entry that began the scene. What is
pending stands under "pending:" and its name:

    kind, prompt, details   what is asked, word for word; details as canonical JSON
    steps, taken            what has to be done, and in which session each step was done last
    seq, session            the entry that opened it, and its session

A chain of steps has to be gone through in one session (`missing_steps`): whoever comes back in
another one begins anew, and so does a session that was started again. Opened a second time, it
begins anew with the newest prompt. What is not pending cannot be stepped or resolved.
"""

from __future__ import annotations

from typing import Any, Final

from holdfast.kernel import canonical
from holdfast.kernel.entry import Entry
from holdfast.kernel.types import (
    Model,
    PendingOpened,
    PendingResolved,
    PendingStepTaken,
    SceneEnded,
    SceneStarted,
    SessionStarted,
    StorySet,
    VaultRef,
)
from holdfast.stores import lists
from holdfast.stores.lists import Editing
from holdfast.stores.store import NO_CHANGES, Changes, Items, Value

PLACE: Final = " place"
PENDING: Final = " pending"
_KEY: Final = "pending:"

_NOWHERE: Final[dict[str, Value]] = {
    "campaign": None,
    "mode": None,
    "scene": None,
    "seq": None,
    "title": None,
    "world": None,
}


class Story:
    """The fold over scenes and what waits for an answer."""

    name: Final = "story"
    version: Final = 1
    items_max: Final = 1_000_000
    takes: Final = frozenset(
        {
            "pending_opened",
            "pending_resolved",
            "pending_step_taken",
            "scene_ended",
            "scene_started",
            "session_started",
            "story_set",
        }
    )
    reads: Final = takes
    rolls_back: Final = True

    def apply(self, items: Items, entry: Entry, data: Model) -> Changes:
        """Move the story, or note what waits and what waits no longer."""
        match data:
            case StorySet(campaign=campaign, world=world, mode=mode):
                told = {"campaign": campaign, "mode": mode, "world": world}
                given = {key: value for key, value in told.items() if value is not None}
                return {PLACE: {**place(items), **given}}
            case SceneStarted(scene=scene, title=title, mode=mode):
                now = {**place(items), "scene": scene, "seq": entry.seq, "title": _text(title)}
                return {PLACE: now if mode is None else {**now, "mode": mode}}
            case SceneEnded(scene=scene) if place(items)["scene"] == scene:
                return {PLACE: {**place(items), "scene": None, "seq": None, "title": None}}
            case PendingOpened():
                return _opened(items, entry, data)
            case PendingStepTaken() | PendingResolved() | SessionStarted():
                return _moved(items, entry, data)
            case _:
                return NO_CHANGES  # nothing else is part of the story


def place(items: Items) -> dict[str, Value]:
    """Return where the story takes place."""
    known = items.get(PLACE)
    return dict(known) if isinstance(known, dict) else dict(_NOWHERE)


def pending(items: Items, limit: int | None = None) -> dict[str, Any]:
    """Return what waits for somebody, by its name, the oldest first; of many, the newest."""
    waiting = [(key.removeprefix(_KEY), item) for key, item in lists.newest(items, PENDING, limit)]
    return {
        name: {key: value for key, value in item.items() if key not in ("newer", "older")}
        for name, item in reversed(waiting)
    }


def count_pending(items: Items) -> int:
    """Return how many things wait for somebody."""
    return lists.count(items, PENDING)


def missing_steps(waiting: dict[str, Any], session_id: str | None) -> list[str]:
    """Return the steps that still have to be taken in a session."""
    taken = waiting["taken"]
    return [step for step in waiting["steps"] if step not in taken or taken[step] != session_id]


def _opened(items: Items, entry: Entry, data: PendingOpened) -> Changes:
    editing = Editing(items, dict)
    key = _KEY + data.pending
    if not editing.known(key):
        editing.at(key)
        editing.link(PENDING, key)
    editing.at(key).update(
        details=None if data.details is None else canonical.encode(data.details).decode(),
        kind=data.kind,
        prompt=_text(data.prompt),
        seq=entry.seq,
        session=entry.session_id,
        steps=list(dict.fromkeys(data.steps or ())),
        taken={},
    )
    return editing.changes


def _moved(
    items: Items, entry: Entry, data: PendingStepTaken | PendingResolved | SessionStarted
) -> Changes:
    editing = Editing(items, dict)
    match data:
        case PendingStepTaken(pending=name, step=step):
            waiting: Any = items.get(_KEY + name)
            if waiting is not None and step in waiting["steps"]:
                editing.at(_KEY + name)["taken"][step] = entry.session_id
        case PendingResolved(pending=name):
            if editing.known(_KEY + name):
                editing.drop(_KEY + name)
        case SessionStarted():
            for key, item in lists.newest(items, PENDING):
                if entry.session_id in item["taken"].values():
                    kept = {s: by for s, by in item["taken"].items() if by != entry.session_id}
                    editing.at(key)["taken"] = kept
    return editing.changes


def _text(text: str | VaultRef | None) -> str | None:
    """Return a text in full; one that stands in the vault is named by its hash."""
    return text.hash if isinstance(text, VaultRef) else text

"""The compactions of a boundary, how each kind is made, and the registry that keeps them right.

    RECAP            what happened last (`views.recap`)
    SYNOPSIS         how things are: story, what is pending, facts that may be told, decisions
    CONTEXT_CACHE    a working set as text for a model
    SEGMENT_SUMMARY  an archived part of a session, made by sealing (`views.compaction`)

What stands behind a handle like `store:facts` changes. So beside such handles a compaction has the
hash of what stood there, and the same handles always mean the same bytes.

Nothing here can write an entry, or read one: whoever calls hands over what is read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from typing import Any, Final

import msgspec

from holdfast.kernel import canonical
from holdfast.kernel.entry import Entry
from holdfast.kernel.errors import InvalidInput, NotFound
from holdfast.kernel.limits import SYNOPSIS_LOOKED_AT, SYNOPSIS_TOKENS, WORKING_SET_ITEM_TOKENS
from holdfast.stores import story
from holdfast.stores.registry import STORES
from holdfast.stores.store import Items
from holdfast.views.compaction import (
    SESSION_POLICY,
    Compaction,
    Purpose,
    compact,
    summarise_sessions,
)
from holdfast.views.compiling import Section, compile_sections, frame_tokens
from holdfast.views.context_text import context_text
from holdfast.views.recap import RECAP_POLICY, recap
from holdfast.views.sections import decision_section, fact_section, place_of
from holdfast.views.sources import LEDGER, STORE, WORKING_SET, Source, touched_by
from holdfast.views.working_set import CUTS, WorkingSet

__all__ = [
    "CONTEXT_POLICY",
    "POLICIES",
    "RECAP_POLICY",
    "SYNOPSIS_POLICY",
    "CompactionRegistry",
    "Difference",
    "Recipe",
    "Source",
    "boundary_compactions",
    "context_cache",
    "recap",
    "synopsis",
    "touched_by",
]

SYNOPSIS_POLICY: Final = "synopsis/1"
CONTEXT_POLICY: Final = "context-cache/1"
"""Each changes whenever the same inputs would give other bytes."""


def synopsis(stores: Mapping[str, Items]) -> Compaction:
    """Tell how things are: the story, what is pending, facts that may be told, decisions."""
    sections = [
        _read(fact_section(stores, SYNOPSIS_LOOKED_AT, turn=2)),
        _read(decision_section(stores["decisions"], SYNOPSIS_LOOKED_AT, turn=1)),
    ]
    frame = _synopsis_frame(stores["story"], sections)
    told = compile_sections(
        frame, sections, tokens=SYNOPSIS_TOKENS, item_tokens=WORKING_SET_ITEM_TOKENS
    )
    read = [[one.handle, one.forms[0]] for section in sections for one in section.candidates]
    state = sha256(canonical.encode([frame, read, [section.count for section in sections]]))
    handles = (*_SYNOPSIS_STORES, f"state:{state.hexdigest()[:32]}", *(one[0] for one in read))
    mentioned = dict.fromkeys((f"{STORE}story", *told.handles))
    return compact("SYNOPSIS", SYNOPSIS_POLICY, dict.fromkeys(handles), told.value, mentioned)


def context_cache(working_set: WorkingSet) -> Compaction:
    """Tell a working set as text for a model."""
    handles = (
        *(STORE + store.name for store in STORES),
        WORKING_SET,
        f"{WORKING_SET}:{working_set.bytes_hash}",
        *working_set.handles,
    )
    output = {"text": context_text(working_set.value()), WORKING_SET: working_set.bytes_hash}
    mentioned = (f"{STORE}story", *working_set.handles)
    return compact("CONTEXT_CACHE", CONTEXT_POLICY, handles, output, mentioned)


def boundary_compactions(
    stores: Mapping[str, Items], tail: Sequence[Entry], working_set: WorkingSet
) -> tuple[Compaction, ...]:
    """Return the compactions that a save at this place names."""
    return recap(tail), synopsis(stores), context_cache(working_set)


class Recipe(msgspec.Struct, frozen=True):
    """How the compactions of one policy are made."""

    purpose: Purpose
    asks: Callable[[Sequence[str]], Sequence[str]]
    """Which of a compaction's handles the source is asked for."""
    make: Callable[[Mapping[str, Any]], Compaction | None]
    """Makes it from what the source returned; null when that cannot have been its inputs."""


class Difference(msgspec.Struct, frozen=True):
    """A compaction that is not what its source gives."""

    compaction_id: str
    fields: tuple[str, ...]
    """What differs: `inputs` when it could not be made again."""
    missing: tuple[str, ...] = ()
    """Handles that the source has nothing for."""


class CompactionRegistry:
    """The compactions in use: which are stale, made anew when they are, and held to their source.

    It lives in memory and has no way to write. Nothing in it is taken on trust: `rebuild` and
    `verify` make compactions from the source, never from what is kept here.
    """

    def __init__(self, source: Source, policies: Mapping[str, Recipe] | None = None) -> None:
        self._source = source
        self._policies = POLICIES if policies is None else policies
        self._kept: dict[str, Compaction] = {}
        self._stale: dict[str, None] = {}

    def add(self, compaction: Compaction) -> None:
        """Take a compaction in. An unknown policy, or a purpose it is not for, is refused."""
        recipe = self._policies.get(compaction.compaction_policy_id)
        if recipe is None or recipe.purpose != compaction.purpose:
            policy = compaction.compaction_policy_id[:60]
            raise _refused(f"No policy {policy!r} is known for {str(compaction.purpose)[:60]!r}.")
        known = self._kept.get(compaction.compaction_id)
        if known is not None and known != compaction:
            raise _refused(f"Another compaction has the id {compaction.compaction_id[:60]!r}.")
        self._kept[compaction.compaction_id] = compaction

    def get(self, compaction_id: str) -> Compaction:
        """Return a compaction, perhaps a stale one."""
        if compaction_id not in self._kept:
            raise NotFound(f"There is no compaction {compaction_id[:60]!r} here.")
        return self._kept[compaction_id]

    def remove(self, compaction_id: str) -> None:
        """Let go of a compaction; it can be made again whenever it is wanted."""
        self.get(compaction_id)
        del self._kept[compaction_id]
        self._stale.pop(compaction_id, None)

    def ids(self) -> tuple[str, ...]:
        """Return the ids of all, in the order they came."""
        return tuple(self._kept)

    def stale(self) -> tuple[str, ...]:
        """Return the ids of those that have to be made anew."""
        return tuple(self._stale)

    def invalidate(self, handles: Sequence[str]) -> tuple[str, ...]:
        """Mark those stale that were made from any of these; return which were not stale before."""
        if isinstance(handles, str):
            raise TypeError("handles are given as a sequence, also a single one")
        changed = set(handles)
        found = [
            key
            for key, one in self._kept.items()
            if key not in self._stale and not changed.isdisjoint(one.input_handles)
        ]
        self._stale.update(dict.fromkeys(found))
        return tuple(found)

    def rebuild(self) -> tuple[Compaction, ...]:
        """Make the stale ones anew from the source; all of them or, on an error, none.

        One whose inputs are others now has another id; the old one is gone.
        """
        made: dict[str, Compaction] = {}
        for key in self._stale:
            compaction, missing = self._make(self._kept[key])
            if compaction is None:
                raise NotFound(
                    f"The compaction {key} cannot be made anew: {len(missing)} of its inputs are "
                    "gone, or they are not what such a compaction is made of.",
                    meaning="It stays stale; nothing was changed.",
                    remedy="Run `holdfast verify` to see whether entries are missing.",
                )
            made[key] = compaction
        remade = {key: made.get(key, one) for key, one in self._kept.items()}
        self._kept = {one.compaction_id: one for one in remade.values()}
        self._stale.clear()
        return tuple(made.values())

    def verify(self) -> tuple[Difference, ...]:
        """Make every one anew from the source and return those that came out different."""
        return tuple(
            difference
            for one in self._kept.values()
            if (difference := self._compare(one)) is not None
        )

    def _compare(self, kept: Compaction) -> Difference | None:
        made, missing = self._make(kept)
        if made is None:
            return Difference(kept.compaction_id, ("inputs",), missing)
        names = kept.__struct_fields__
        fields = tuple(name for name in names if getattr(made, name) != getattr(kept, name))
        return Difference(kept.compaction_id, fields) if fields else None

    def _make(self, kept: Compaction) -> tuple[Compaction | None, tuple[str, ...]]:
        recipe = self._policies[kept.compaction_policy_id]
        asked = recipe.asks(kept.input_handles)
        found = self._source.inputs(asked)
        if missing := tuple(handle for handle in asked if handle not in found):
            return None, missing
        return recipe.make({handle: found[handle] for handle in asked}), ()


def _read(section: Section) -> Section:
    """Return a section that can be gone through more than once."""
    return msgspec.structs.replace(section, candidates=tuple(section.candidates))


def _synopsis_frame(items: Items, sections: Sequence[Section]) -> dict[str, Any]:
    """Return the frame with its texts as long as they may be."""
    for chars_max in CUTS:
        frame = {"pending": story.count_pending(items), "story": place_of(items, chars_max)}
        if frame_tokens(frame, sections) <= SYNOPSIS_TOKENS:
            break
    return frame


_SYNOPSIS_STORES: Final = tuple(STORE + name for name in ("decisions", "facts", "story", "unlocks"))


def _summarised(entries: Mapping[str, Any]) -> Compaction | None:
    made = list(summarise_sessions(entries.values()).values())
    return made[0] if len(made) == 1 else None


def _entry_ids(handles: Sequence[str]) -> Sequence[str]:
    return [handle for handle in handles if not handle.startswith(LEDGER)]


POLICIES: Final[Mapping[str, Recipe]] = {
    RECAP_POLICY: Recipe("RECAP", _entry_ids, lambda found: recap(list(found.values()))),
    SYNOPSIS_POLICY: Recipe(
        "SYNOPSIS",
        lambda _: _SYNOPSIS_STORES,
        lambda found: synopsis({key.removeprefix(STORE): found[key] for key in found}),
    ),
    CONTEXT_POLICY: Recipe(
        "CONTEXT_CACHE", lambda _: (WORKING_SET,), lambda found: context_cache(found[WORKING_SET])
    ),
    SESSION_POLICY: Recipe("SEGMENT_SUMMARY", _entry_ids, _summarised),
}
"""Every policy there is, by its id. No other makes a compaction."""


def _refused(what: str) -> InvalidInput:
    return InvalidInput(
        what, meaning="It was not taken in.", remedy=f"Known policies: {', '.join(POLICIES)}."
    )

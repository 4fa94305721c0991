"""The working set: what is worth knowing now, from the stores, within so many tokens.

    frame      policy, pins, where the story is, and the ids and kinds of what is pending
    sections   pending (all it says), facts, decisions, open work, open sessions, compactions

Pure, and the same bytes for the same stores, policy, pins and compactions. The order of items and
the meaning of a budget are those of `views.compiling`, the frame comes before all of them. In a
budget too small for it its texts are cut to fewer and fewer characters (`cut_to_chars`); when even
that does not hold all that is pending, the newest is named and the rest counted (`left_out`). A
larger budget gives the same items and perhaps more, as long as the frame of the smaller was whole.

Of a fact that is not mentionable (`views.sections`) nothing is in it; only that some were left out.
A compaction contributes the handles that it may be asked to mention and nothing else; without any
it is not there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from types import MappingProxyType
from typing import Any, Final, TypeAlias

import msgspec

from holdfast.stores import story
from holdfast.stores.store import Items
from holdfast.views.compaction import Compaction
from holdfast.views.compiling import Section, compile_sections, frame_tokens
from holdfast.views.policy import WORKING_SET_ID, WORKING_SET_POLICY, Policy, policy_of
from holdfast.views.sections import (
    compaction_section,
    cut,
    decision_section,
    fact_section,
    mentionable,
    pending_section,
    place_of,
    session_section,
    work_section,
)

__all__ = [
    "WORKING_SET_ID",
    "WORKING_SET_POLICY",
    "Policy",
    "WorkingSet",
    "compile_working_set",
    "mentionable",
    "policy_of",
]


class WorkingSet(msgspec.Struct, frozen=True):
    """A compiled working set. It is its canonical bytes; the rest is about them."""

    canonical_bytes: bytes
    bytes_hash: str
    pins_snapshot: Mapping[str, str]
    handles: tuple[str, ...]
    """What it tells of: what is named as pending, then its items, section by section."""
    left_out: Mapping[str, int]
    """How many items are not in it, by section."""
    tokens: int
    """What it takes, by the built-in counter."""

    def value(self) -> dict[str, Any]:
        """Return it as a value that may be changed."""
        found: dict[str, Any] = msgspec.json.decode(self.canonical_bytes)
        return found


def compile_working_set(
    stores: Mapping[str, Items],
    policy: Policy,
    pins: Mapping[str, str],
    compactions: Sequence[Compaction] = (),
) -> WorkingSet:
    """Compile the working set. A budget that pins and policy alone exceed is refused."""
    sections = (
        pending_section(stores["story"], policy.pending),
        fact_section(stores, policy.facts),
        decision_section(stores["decisions"], policy.decisions),
        work_section(stores["open_work"], policy.open_work),
        session_section(stores["sessions"], policy.sessions),
        compaction_section(stores, compactions, policy.compactions),
    )
    position, named = _position(stores["story"], policy, pins, sections)
    compiled = compile_sections(
        {**_about(policy, pins), **position},
        sections,
        tokens=policy.tokens,
        item_tokens=policy.item_tokens,
    )
    return WorkingSet(
        compiled.canonical_bytes,
        sha256(compiled.canonical_bytes).hexdigest(),
        MappingProxyType(dict(pins)),
        tuple(dict.fromkeys((*(f"pending:{name}" for name in named), *compiled.handles))),
        MappingProxyType(compiled.left_out),
        compiled.tokens,
    )


CUTS: Final = (None, 64, 24, 8)
"""Characters that the texts of a frame are cut to, until it fits."""

_Waiting: TypeAlias = Sequence[tuple[str, Any]]


def _about(policy: Policy, pins: Mapping[str, str]) -> dict[str, Any]:
    return {"pins": dict(pins), "policy": policy.value()}


def _position(
    items: Items, policy: Policy, pins: Mapping[str, str], sections: Sequence[Section]
) -> tuple[dict[str, Any], list[str]]:
    """Return story and pending as long as they may be, or as short as they can be, and whom they
    name as pending."""
    waiting = list(story.pending(items, policy.pending).items())
    for part, chars_max in _lengths(waiting):
        position = _spelled(items, part, chars_max)
        if frame_tokens({**_about(policy, pins), **position}, sections) <= policy.tokens:
            break
    return position, [name for name, _ in part]


def _lengths(waiting: _Waiting) -> Iterator[tuple[_Waiting, int | None]]:
    """Yield what is tried in turn: texts cut more and more, then the newer half of what waits."""
    for chars_max in CUTS:
        yield waiting, chars_max
    while waiting:
        waiting = waiting[len(waiting) // 2 + 1 :]
        yield waiting, CUTS[-1]


def _spelled(items: Items, waiting: _Waiting, chars_max: int | None) -> dict[str, Any]:
    by_kind: dict[str, list[str]] = {}
    for name, item in waiting:
        by_kind.setdefault(cut(item["kind"], chars_max), []).append(cut(name, chars_max))
    position: dict[str, Any] = {
        "pending": {"by_kind": by_kind, "left_out": story.count_pending(items) - len(waiting)},
        "story": place_of(items, chars_max),
    }
    return position if chars_max is None else {**position, "cut_to_chars": chars_max}

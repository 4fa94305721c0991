"""What can be put into a working set, kind by kind, asked of the stores one by one.

A fact can be put in only if it is *mentionable*: it is so, it is open, its precision is not locked,
and it was unlocked, by its id or by `kind:` and its kind.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from heapq import nlargest
from typing import Any, Final

from holdfast.kernel.limits import ITEM_CHARS_MAX
from holdfast.stores import decisions, facts, sessions, story, unlocks
from holdfast.stores.store import Items
from holdfast.stores.wording import bounded
from holdfast.views.compaction import Compaction
from holdfast.views.compiling import Candidate, Section

KIND: Final = "kind:"
"""Begins the handle that unlocks every fact of a kind."""


def mentionable(stores: Mapping[str, Items], handle: str) -> bool:
    """Tell whether a fact may be told; what is no fact is not one that may be."""
    fact: Any = stores["facts"].get(handle) if _FACT_ID.fullmatch(handle) else None
    return fact is not None and _may_be_told(stores, handle, fact)


def fact_section(stores: Mapping[str, Items], limit: int, turn: int = 4) -> Section:
    """Return the facts that may be told: the newest, then those that were unlocked last.

    Looks at `limit` facts and at `limit` unlocks, however many of them may be told. It counts all
    facts that are so, because which of them may be told is not looked at for all.
    """
    return Section("facts", _facts(stores, limit), facts.count_current(stores["facts"]), turn=turn)


def decision_section(items: Items, limit: int, turn: int = 3) -> Section:
    """Return the decisions that hold, the newest first."""
    count = decisions.count(items, decisions.CURRENT)
    return Section("decisions", _decisions(items, limit), count, turn=turn)


def pending_section(items: Items, limit: int) -> Section:
    """Return what is pending with all it says, the newest first, before anything else."""
    return Section("pending", _pending(items, limit), story.count_pending(items), turn=limit)


def work_section(items: Items, limit: int) -> Section:
    """Return open work, the newest first; goes through all that is open."""
    return Section("open_work", _open_work(items, limit), len(items), turn=2)


def session_section(items: Items, limit: int) -> Section:
    """Return the open sessions, the newest first."""
    open_ids = sessions.open_ids(items)
    return Section("sessions", _sessions(items, open_ids[: -limit - 1 : -1]), len(open_ids))


def compaction_section(
    stores: Mapping[str, Items], compactions: Sequence[Compaction], limit: int
) -> Section:
    """Return the handles that compactions may be asked to mention; others do not count."""
    allowed = {
        one.compaction_id: (one, handles)
        for one in sorted(compactions, key=lambda one: (one.purpose, one.compaction_id))
        if (handles := [h for h in one.allowmention_handles if _passes(stores, h)])
    }
    candidates = (
        Candidate(f"compaction:{key}", tuple(_mentioning(one, handles)))
        for key, (one, handles) in list(allowed.items())[:limit]
    )
    return Section("compactions", candidates, len(allowed))


def place_of(items: Items, chars_max: int | None) -> dict[str, Any]:
    """Return where the story is, each text cut to so many characters, a long title always."""
    place = story.place(items)
    cuts = {"title": ITEM_CHARS_MAX} if chars_max is None else dict.fromkeys(place, chars_max)
    return {
        name: cut(place[name], cuts.get(name))
        for name in ("campaign", "mode", "scene", "title", "world")
    }


def cut(text: Any, chars_max: int | None) -> Any:
    """Cut a text at its end, if there is one and a bound; how much is gone stands behind it."""
    return text if text is None or chars_max is None else bounded(text, chars_max)


_FACT_ID: Final = re.compile(r"[0-9a-f]{32}")


def _facts(stores: Mapping[str, Items], limit: int) -> Iterator[Candidate]:
    given: set[str] = set()
    for key, fact in facts.current(stores["facts"], limit):
        if _may_be_told(stores, key, fact):
            given.add(key)
            yield _fact(key, fact)
    for handle, _ in unlocks.unlocked(stores["unlocks"], limit):
        if handle not in given and mentionable(stores, handle):
            yield _fact(handle, stores["facts"][handle])


def _may_be_told(stores: Mapping[str, Items], key: str, fact: Mapping[str, Any]) -> bool:
    return (
        fact["superseded_by"] is None
        and fact["withdrawn"] is None
        and fact["visibility"] == "OPEN"
        and fact["precision"] != "LOCKED"
        and any(
            unlocks.scope_of(stores["unlocks"], handle) is not None
            for handle in (key, KIND + fact["kind"])
        )
    )


def _fact(key: str, fact: Any) -> Candidate:
    about = {"id": key, "kind": fact["kind"], "precision": fact["precision"], "seq": fact["seq"]}
    return Candidate(key, tuple(_forms(about, {"payload": fact["payload"]})))


def _forms(
    about: Mapping[str, Any], texts: Mapping[str, str], rest: Mapping[str, Any] | None = None
) -> Iterator[dict[str, Any]]:
    """Yield an item whole, with its texts cut, and without them; each says how much is gone."""
    yield {**about, **texts, **(rest or {})}
    for chars_max in (ITEM_CHARS_MAX, 0):
        kept = {name: text[:chars_max] for name, text in texts.items() if chars_max}
        gone = {f"{name}_chars_cut": len(text) - chars_max for name, text in texts.items()}
        missing = {f"{name}_left_out": len(value) for name, value in (rest or {}).items()}
        yield {**about, **kept, **{k: n for k, n in gone.items() if n > 0}, **missing}


def _decisions(items: Items, limit: int) -> Iterator[Candidate]:
    for key, item in decisions.newest(items, decisions.CURRENT, limit):
        told = {"choice": item["choice"], "id": key, "seq": item["seq"]}
        if item["subject"] is not None:
            told["subject"] = item["subject"]
        if item["cites_superseded"]:
            told["rests_on_superseded"] = len(item["cites_superseded"])
        yield Candidate(key, (told,))


def _pending(items: Items, limit: int) -> Iterator[Candidate]:
    for name, item in reversed(story.pending(items, limit).items()):
        about = {"id": name, "kind": item["kind"], "seq": item["seq"]}
        texts = {key: item[key] for key in ("details", "prompt") if item[key] is not None}
        rest = {key: item[key] for key in ("steps", "taken") if item[key]}
        yield Candidate(f"pending:{name}", tuple(_forms(about, texts, rest)))


def _open_work(items: Items, limit: int) -> Iterator[Candidate]:
    def age(one: tuple[str, Any]) -> tuple[int, str]:
        return one[1]["seq"], one[0]

    for work, item in nlargest(limit, items.items(), key=age):
        assert isinstance(item, dict)
        told = {name: item[name] for name in ("kind", "seq", "title") if item[name] is not None}
        yield Candidate(f"work:{work}", ({**told, "work": work},))


def _sessions(items: Items, ids: Sequence[str]) -> Iterator[Candidate]:
    for session_id in ids:
        item: Any = items[session_id]
        told = {name: item[name] for name in ("actor", "entries", "first", "last", "title")}
        yield Candidate(f"session:{session_id}", ({**told, "id": session_id},))


def _passes(stores: Mapping[str, Items], handle: str) -> bool:
    """Tell whether a handle may be named. One that may be a fact's only if that may be told."""
    if _FACT_ID.fullmatch(handle):
        return mentionable(stores, handle)
    if handle.startswith(KIND):
        return unlocks.scope_of(stores["unlocks"], handle) is not None
    return True


def _mentioning(one: Compaction, handles: list[str]) -> Iterator[dict[str, Any]]:
    about = {"id": one.compaction_id, "policy": one.compaction_policy_id, "purpose": one.purpose}
    yield {**about, "handles": handles}
    for count in (16, 4, 1):
        if len(handles) > count:
            yield {**about, "handles": handles[:count], "handles_left_out": len(handles) - count}

"""Ghosts of one project: flag, look for, vouch for, list them. Every attempt is recorded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from holdfast.evidence.ghosts import (
    Diversity,
    Looked,
    Verdict,
    diversity,
    judge,
    refuse_alike,
    refuse_untelling,
)
from holdfast.index import vectors
from holdfast.kernel import entry as entries
from holdfast.kernel.entry import Actor
from holdfast.kernel.errors import InvalidInput
from holdfast.kernel.limits import LEFT_OUT_NAMED
from holdfast.kernel.types import GhostQuery
from holdfast.ledger.ledger import Receipt
from holdfast.recall.code_search import refuse_empty
from holdfast.recall.similarity import THRESHOLD
from holdfast.storage.port import Selection
from holdfast.stores.gate import GHOSTS, newest
from holdfast.wiring.code_ignored import LeftOut
from holdfast.wiring.code_indexing import Progress, no_progress
from holdfast.wiring.ghost_searching import look
from holdfast.wiring.project import Project


class Checked(msgspec.Struct, frozen=True):
    """What an attempt to show that a feature is missing came to."""

    ghost: str
    verdict: Verdict
    queries: list[GhostQuery]
    left_out: list[LeftOut]
    """What is never searched, and holds code."""
    diversity: Diversity | None
    receipt: Receipt


class Ghost(msgspec.Struct, frozen=True):
    """A feature that somebody said is missing, and what is known of it."""

    ghost: str
    status: str
    attempts: int
    seq: int
    by: Actor | None = None
    """Who vouches for it."""


class Ghosts(msgspec.Struct, frozen=True):
    """All ghosts of a project: those in doubt, those that somebody vouches for, the settled."""

    unverified: list[Ghost]
    manual: list[Ghost]
    settled: list[Ghost]


def flag(project: Project, ghost: str, claim: str | None = None) -> Receipt:
    """Record that a feature is said to be missing; it stays in doubt until that is verified."""
    data = {"ghost": _named(project, ghost)} | ({} if claim is None else {"claim": claim})
    return project.ledger.append("ghost_flagged", data)


def check(
    project: Project, ghost: str, queries: Sequence[str], *, progress: Progress = no_progress
) -> Checked:
    """Look for a feature by one or two questions, and record what came of it."""
    ghost = _named(project, ghost)
    refuse_untelling("The name", ghost)
    for query in queries:
        refuse_empty(query)
        refuse_untelling("The query", query)
    apart = None
    if len(queries) == 2:
        apart = diversity(queries[0], queries[1], vectors.load())
        refuse_alike(apart)
    found = look(project.place, project.settings, ghost, queries, progress=progress)
    verdict = judge(found.looked)
    data = _data(ghost, verdict, found.looked, apart)
    data["because"] = f"{verdict.reason} {spell_left_out(found.left_out)}".strip()
    receipt = project.ledger.append("ghost_checked", data)
    records = [one.record for one in found.looked]
    return Checked(ghost, verdict, records, found.left_out, apart, receipt)


def spell_left_out(left_out: Sequence[LeftOut]) -> str:
    """Say what is never searched, the first of it by name."""
    if not left_out:
        return ""
    named = ", ".join(map(_left_out, left_out[:LEFT_OUT_NAMED]))
    more = len(left_out) - LEFT_OUT_NAMED
    return f"Left out: {named}{f', and {more:,} more' if more > 0 else ''}."


def _left_out(one: LeftOut) -> str:
    files = "file" if one.files == 1 and not one.more else "files"
    return f"{one.path} ({one.files:,}{' or more' if one.more else ''} {files} of code)"


def vouch(project: Project, ghost: str, because: str) -> Receipt:
    """Record that somebody looked, and says that a feature is missing; who it was is recorded."""
    if not because.strip():
        raise InvalidInput(
            "--because is empty.",
            meaning="Nothing was recorded.",
            remedy="Say where you looked, and what for.",
        )
    data = {"ghost": _named(project, ghost), "status": "manual", "queries": [], "because": because}
    return project.ledger.append("ghost_checked", data)


def ghosts(project: Project) -> Ghosts:
    """Return every ghost, the newest in doubt first."""
    project.views.catch_up(project.ledger.reader)
    items = project.views.items("gate")
    doubted = [_ghost(item) for _, item in newest(items, GHOSTS)]
    others = [
        _ghost(item)
        for key, item in items.items()
        if key.startswith("ghost ") and _is_settled(item)
    ]
    return Ghosts(
        doubted,
        [_vouched(project, items, one) for one in others if one.status == "manual"],
        [one for one in others if one.status != "manual"],
    )


def _is_settled(item: Any) -> bool:
    return GHOSTS not in item["older"]


def _ghost(item: Any) -> Ghost:
    return Ghost(item["ghost"], item["status"], item["attempts"], item["seq"])


def _vouched(project: Project, items: Any, ghost: Ghost) -> Ghost:
    """Add who vouches for a ghost: the one who wrote the last entry about it."""
    checked = items[f"ghost {ghost.ghost}"]["checked"]
    for stored in project.ledger.reader.read(Selection(checked, checked + 1)):
        return msgspec.structs.replace(ghost, by=entries.read(stored.body).actor)
    return ghost


def _named(project: Project, ghost: str) -> str:
    if not ghost.strip():
        raise InvalidInput(
            "The ghost has no name.",
            meaning="Nothing was recorded.",
            remedy="Name the feature that is said to be missing.",
        )
    ghost = ghost.strip()
    if not ghost.isprintable() and not _is_known(project, ghost):
        raise InvalidInput(
            f"The name {ghost!r} has characters that cannot be shown.",
            meaning="Nothing was recorded.",
            remedy="Name the feature without tabs, line ends and control characters.",
        )
    return ghost


def _is_known(project: Project, ghost: str) -> bool:
    """Tell whether there is such a ghost: what is in doubt can be settled, whatever its name."""
    project.views.catch_up(project.ledger.reader)
    return f"ghost {ghost}" in project.views.items("gate")


def _data(
    ghost: str, verdict: Verdict, looked: Sequence[Looked], apart: Diversity | None
) -> dict[str, Any]:
    data: dict[str, Any] = {
        "ghost": ghost,
        "status": verdict.status,
        "queries": [msgspec.to_builtins(one.record) for one in looked],
        "threshold": THRESHOLD,
    }
    if apart is not None:
        data["jaccard"] = round(apart.jaccard, 4)
        if apart.cosine is not None:
            data["cosine"] = round(apart.cosine, 4)
    return data

"""Levels 2 and 3 of a resume: decisions found by a question, and all that holds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from holdfast.kernel.limits import RECALL_TOKENS_MAX
from holdfast.kernel.tokens import COUNTER, estimate
from holdfast.ledger.documents import Gathering
from holdfast.ledger.recovery import grounds_in, unsealed
from holdfast.recall.search import Query, search
from holdfast.stores import decisions as decided
from holdfast.stores import evidence
from holdfast.views.recall import Cited, Decided, spelled, told, unsealed_lines
from holdfast.views.wording import one_line
from holdfast.wiring.levels import Leveled, missing

if TYPE_CHECKING:
    from holdfast.wiring.project import Project

NO_DECISIONS: Final = "No decision was recorded yet."
DECISIONS_MAX: Final = 10
"""Decisions that level 2 looks at, the best that a question finds, or the newest."""


def recalled(project: Project, query: str | None, *, root: Path | None = None) -> Leveled:
    """Tell the decisions that hold and that a question finds, the newest first."""
    gathering = _gathering(project)
    items: Any = gathering.items("decisions")
    if query is None:
        seqs = [item["seq"] for _, item in decided.newest(items, decided.CURRENT, DECISIONS_MAX)]
        more = decided.count(items, decided.CURRENT) - len(seqs)
        before = "" if seqs else NO_DECISIONS
    else:
        seqs, more, before = _found(project, query)
    decisions = [one for seq in seqs if (one := _decided(gathering, seq)) is not None]
    left = unsealed_lines(unsealed(gathering))
    shown = told(
        decisions,
        tokens_max=RECALL_TOKENS_MAX,
        more=more,
        before="\n".join(part for part in (left, before) if part),
        missing=_gone(root, decisions),
    )
    return _leveled(2, shown.text, gathering)


def everything(project: Project, *, root: Path | None = None) -> Leveled:
    """Tell all there is: what holds, then what no longer does, and how each session ended."""
    gathering = _gathering(project)
    items: Any = gathering.items("decisions")
    holding = [item["seq"] for _, item in decided.newest(items, decided.CURRENT)]
    decisions = [one for seq in holding if (one := _decided(gathering, seq)) is not None]
    gone = _gone(root, decisions)
    blocks = [
        gathering.capsule().text,
        unsealed_lines(unsealed(gathering)),
        *(f"Open: {one_line(title)}" for title in gathering.open_work()),
        f"{len(decisions):,} decisions hold:" if decisions else NO_DECISIONS,
        *(spelled(one, missing=gone) for one in decisions),
        *_superseded(items),
    ]
    return _leveled(3, "\n".join(block for block in blocks if block), gathering)


def _superseded(items: Any) -> Iterator[str]:
    """Name what no longer holds; the entries have all of it."""
    old = [item for key, item in items.items() if _is_superseded(key, item)]
    for item in sorted(old, key=lambda one: -one["seq"]):
        by: Any = items.get(item["superseded_by"])
        seq = "" if by is None or by["seq"] is None else f" by #{by['seq']}"
        yield f"superseded{seq}: #{item['seq']} {one_line(item['choice'])}"


def _is_superseded(key: str, item: Any) -> bool:
    if key.startswith(" ") or item["kind"] != "decision":
        return False
    return item["superseded_by"] is not None


def _found(project: Project, query: str) -> tuple[list[int], int, str]:
    """Search the decisions that hold; return the best of them, the newest first."""
    asked = Query(query, types=("decision",), superseded=False, limit=DECISIONS_MAX)
    found = search(project.views, project.ledger.reader, asked)
    seqs = sorted((hit.seq for hit in found.hits), reverse=True)
    lost = sum(last - first + 1 for first, last in found.not_searched)
    said = "" if seqs else f"No decision that holds speaks of {one_line(query)[:80]!r}."
    if lost:
        said = f"{said} {lost:,} entries could not be searched.".strip()
    return seqs, found.more, said


def _decided(gathering: Gathering, seq: int) -> Decided | None:
    entry = gathering.entry(seq)
    if entry is None:
        return None
    data = gathering.data(entry)
    grounds = grounds_in(gathering, entry.id, seq)
    cited = None if grounds is None else grounds.evidence
    proof: Any = gathering.items("evidence").get(entry.id)
    return Decided(
        seq,
        entry.timestamp,
        one_line(data.get("choice")).removeprefix(evidence.ASSUMPTION).strip(),
        one_line(data.get("reasoning")),
        _texts(data.get("alternatives")),
        tuple(
            Cited(one_line(one.path), one.line, one_line(one.quote), one.state)
            for one in (cited if isinstance(cited, list) else [])
        ),
        proof is not None and proof["assumption"],
    )


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(one_line(one) for one in islice(value, 100)) if isinstance(value, list) else ()


def _gone(root: Path | None, decisions: Sequence[Decided]) -> frozenset[str]:
    return missing(root, [cited.path for one in decisions for cited in one.evidence])


def _gathering(project: Project) -> Gathering:
    project.views.catch_up(project.ledger.reader)
    return Gathering(project.ledger.reader, project.views)


def _leveled(level: int, text: str, gathering: Gathering) -> Leveled:
    return Leveled(level, text, estimate(text), COUNTER, gathering.marks.as_of_seq)

"""The pivot rule: an agent whose search found too much says why before it searches again.

What counts as a result: an entry, or a section of code, about as good as the best, with at least
half its score by words. Were it everything with a word of the question, each question would find
"too much" in a long ledger. The similarity that ghosts are held against would not do: the broader a
question, the less its words prove, and the fewer sections would count.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from holdfast.index.code_index import CodeIndex
from holdfast.kernel.errors import NotFound
from holdfast.kernel.limits import PIVOT_SCORE_SHARE, SEARCH_HITS_MAX, SOURCE_CANDIDATES
from holdfast.recall.search import Query, search
from holdfast.stores.gate import SEARCHES, newest

if TYPE_CHECKING:
    from holdfast.ledger.ledger import Receipt
    from holdfast.recall.code_search import CodeFound, CodeQuery
    from holdfast.storage.port import Reader
    from holdfast.wiring.places import Place
    from holdfast.wiring.project import Project


class Waiting(msgspec.Struct, frozen=True):
    """A search that waits for its pivot."""

    id: str
    seq: int
    session: str | None
    query: str
    results: int
    scope: str


class Pivot(msgspec.Struct, frozen=True):
    """Why a search was too broad, and what is assumed instead."""

    reason: str
    failed: str
    refined: str


def waiting(project: Project, *, everywhere: bool = False) -> list[Waiting]:
    """Return the searches of the current session that wait for a pivot, the newest first."""
    project.views.catch_up(project.ledger.reader)
    found = [
        Waiting(
            item["id"], item["seq"], item["session"], item["query"], item["results"], item["scope"]
        )
        for _, item in newest(project.views.items("gate"), SEARCHES)
    ]
    mine = project.ledger.session_id
    return [one for one in found if everywhere or one.session == mine]


def note(project: Project, query: str, results: int, scope: str) -> Receipt | None:
    """Record an agent's search that found too much; it waits for a pivot from then on."""
    if results <= project.settings.search.pivot_results:
        return None
    return project.ledger.append(
        "search_ran", {"query": query, "result_count": results, "scope": scope}
    )


def log(
    project: Project, pivot: Pivot, *, search_id: str | None = None, results: int | None = None
) -> Receipt:
    """Record a pivot for the search that is named, else for the newest that waits.

    With `results` it may also be about a search that was made elsewhere.
    """
    about = _settled(waiting(project, everywhere=True), project.ledger.session_id, search_id)
    if about is None and (results is None or search_id is not None):
        raise NotFound(
            "No search waits for a pivot."
            if search_id is None
            else f"No search {search_id!r} waits for a pivot.",
            meaning="Nothing was recorded.",
            remedy="Of a search that was made elsewhere, say how much it found: --results N.",
        )
    data: dict[str, Any] = {
        "reason": pivot.reason,
        "result_count": about.results if about is not None and results is None else results,
        "hypothesis_failure": pivot.failed,
        "refined_hypothesis": pivot.refined,
    }
    if about is not None:
        data["search"] = about.id
    return project.ledger.append("pivot_logged", data)


def _settled(found: Sequence[Waiting], session: str | None, named: str | None) -> Waiting | None:
    if named is not None:
        chosen = [one for one in found if named in (one.id, str(one.seq))]
    else:
        chosen = [one for one in found if one.session == session] or list(found)
    return chosen[0] if chosen else None


def results_in_ledger(project: Project, reader: Reader, query: Query) -> int:
    """Count the entries that are about as good as the best; of very many only so many."""
    enough = project.settings.search.pivot_results
    for limit in (min(enough + 1, SEARCH_HITS_MAX), SEARCH_HITS_MAX):
        asked = msgspec.structs.replace(query, limit=limit)
        counted = _telling([hit.score for hit in search(project.views, reader, asked).hits])
        if counted <= enough:
            break
    return counted


def results_in_code(place: Place, query: CodeQuery, found: CodeFound) -> int:
    """Count the sections that are about as good as the best; of very many only so many.

    Where the index could not be used, every line that was found counts.
    """
    if found.level == "grep":
        return len(found.hits) + found.more
    with CodeIndex(str(place.code)) as index:
        ranked, _ = index.match(found.terms, query.path, SOURCE_CANDIDATES)
    return _telling([score for _, score in ranked])


def _telling(scores: Sequence[float]) -> int:
    best = max(scores, default=0)
    return sum(score >= PIVOT_SCORE_SHARE * best for score in scores)

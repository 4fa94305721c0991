"""Recall for agents: a search of the ledger or the code, under the pivot rule."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.kernel.errors import InvalidInput
from holdfast.kernel.limits import MCP_HITS_DEFAULT
from holdfast.mcp_server.values import Recall, Told
from holdfast.recall.code_search import CodeQuery
from holdfast.recall.search import Query, search
from holdfast.wiring import pivots
from holdfast.wiring.code_searching import search_project
from holdfast.wiring.mcp import telling
from holdfast.wiring.mcp.opening import why_not
from holdfast.wiring.mcp.telling import lines

if TYPE_CHECKING:
    from holdfast.wiring.project import Project


def recall(project: Project, asked: Recall, *, folder: Path) -> Told:
    """Search, unless the search before waits for its pivot."""
    if waiting := pivots.waiting(project):
        one = waiting[0]
        raise InvalidInput(
            f"The search {one.query[:80]!r} had {one.results:,} results and waits for a pivot.",
            meaning="Nothing was searched.",
            remedy="Say what was learned with `pivot`, then search for less.",
        )
    return _code(project, asked, folder) if asked.code else _ledger(project, asked)


def _ledger(project: Project, asked: Recall) -> Told:
    limit = asked.limit or MCP_HITS_DEFAULT
    query = Query(
        asked.query,
        asked.types,
        asked.of_session,
        asked.path,
        asked.since,
        asked.until,
        limit=limit,
    )
    reader = project.ledger.reader
    project.views.catch_up(reader)
    found = search(project.views, reader, query)
    owed = _note(project, asked, pivots.results_in_ledger(project, reader, query), "ledger")
    return Told(lines(telling.found(found)), (*telling.unsearched(found), *owed))


def _code(project: Project, asked: Recall, folder: Path) -> Told:
    if asked.types or asked.since or asked.until or asked.of_session:
        raise InvalidInput(
            "Code has no types, times and sessions.",
            meaning="Nothing was searched.",
            remedy="With code=true give query, path and limit only.",
        )
    query = CodeQuery(asked.query, asked.path, asked.limit or MCP_HITS_DEFAULT)
    by_ck = project.settings.search.ck == "auto"
    found = search_project(project.place, query, by_ck=by_ck, folder=folder)
    owed = _note(project, asked, pivots.results_in_code(project.place, query, found), "code")
    return Told(lines(telling.code_found(found)), (*telling.code_unsearched(found), *owed))


def _note(project: Project, asked: Recall, results: int, scope: str) -> list[str]:
    """Record a search that found too much, and say what is owed before the next one."""
    if why_not(project) is not None:
        return []
    if pivots.note(project, asked.query, results, scope) is None:
        return []
    return [f"{results:,} results are too many to read. Before the next recall call `pivot`."]

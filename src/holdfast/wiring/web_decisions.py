"""Decisions as the web page shows them: what holds, what no longer does, and on which evidence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, Final

import msgspec

from holdfast.evidence.project_files import ProjectFiles
from holdfast.kernel import entry as entries
from holdfast.kernel.entry import Entry
from holdfast.kernel.errors import Damaged, HoldfastError
from holdfast.ledger.forks import Forks
from holdfast.storage.port import Selection
from holdfast.stores import decisions as decided
from holdfast.stores import evidence
from holdfast.web.values import Asked, Page
from holdfast.wiring.grounding import Grounding, Report, Stands
from holdfast.wiring.web_answers import Shown, cut, number, rows_asked
from holdfast.wiring.web_entries import shortened

FORKS_LOOKED_AT: Final = 500
"""Newest settled forks that are looked at for one decision."""


def pages(site: Shown) -> Mapping[str, Page]:
    """Return the pages of this part."""
    return {
        "decisions": lambda asked: listed(site, asked),
        "decision": lambda asked: opened(site, asked),
        "forks": lambda asked: forks(site, asked),
    }


def listed(site: Shown, asked: Asked) -> dict[str, Any]:
    """List decisions, the newest first; with `state` only those that hold, or no longer do."""
    items: Any = site.project.views.items("decisions")
    proofs: Any = site.project.views.items("evidence")
    state = asked.query.get("state", "")
    limit = rows_asked(asked)
    stop = number(asked, "before", site.reader.head().size)
    rows = []
    for entry in _decisions(site, stop):
        item = items.get(entry.id)
        holds = item is None or item["superseded_by"] is None
        if state in ("current", "superseded") and holds != (state == "current"):
            continue
        row = _row(entry, item, proofs.get(entry.id), items)
        if state == "open" and (not holds or row["grounded"] or row["assumption"]):
            continue
        rows.append(row)
        if len(rows) == limit:
            break
    return {
        "rows": rows,
        "more": len(rows) == limit,
        "current": decided.count(items, decided.CURRENT),
        "as_of": site.project.views.folded,
    }


def opened(site: Shown, asked: Asked) -> dict[str, Any]:
    """Open a decision: all it says, and each citation beside today's code."""
    entry = entries.read(site.project.ledger.get(_key(asked.key)).body)
    items: Any = site.project.views.items("decisions")
    proofs: Any = site.project.views.items("evidence")
    told = _row(entry, items.get(entry.id), proofs.get(entry.id), items)
    told["data"] = shortened(site.project.ledger.data(entry))
    return told | grounds(site, entry)


def grounds(site: Shown, entry: Entry) -> dict[str, Any]:
    """Say what a decision rests on, as it is today, and which forks it settled."""
    settled = {"settled": _settled(site, entry.id)}
    root = site.place.project
    if root is None:
        problem = "The ledger stands alone: there is no code."
        return settled | {"citations": [], "problem": problem}
    try:
        report = Grounding(site.project, ProjectFiles(root, root)).report(entry.id)
    except HoldfastError as problem:
        return settled | {"citations": [], "problem": problem.what}
    return settled | _report(report)


def _settled(site: Shown, decision: str) -> list[dict[str, Any]]:
    """Return the newest forks that a decision settled."""
    known = Forks(site.project.ledger, site.project.views)
    told = []
    newest = site.reader.read(Selection(type="fork_resolved", newest_first=True))
    for stored in islice(newest, FORKS_LOOKED_AT):
        try:
            data: Any = entries.read(stored.body).value()
            if data.get("decision") == decision:
                told.append(msgspec.to_builtins(known.get(data["fork"])))
        except HoldfastError:
            continue  # the timeline shows it as damaged
    return told


def forks(site: Shown, asked: Asked) -> dict[str, Any]:
    """List the forks that are open."""
    known = Forks(site.project.ledger, site.project.views)
    found = known.open(rows_asked(asked))
    return {"open": [msgspec.to_builtins(one) for one in found], "count": known.count()}


def _decisions(site: Shown, stop: int) -> Iterator[Entry]:
    wanted = Selection(0, stop, type="decision", newest_first=True)
    for stored in site.reader.read(wanted):
        try:
            yield entries.read(stored.body)
        except Damaged:
            continue  # the timeline shows it as damaged


def _row(entry: Entry, item: Any, proof: Any, items: Any) -> dict[str, Any]:
    data = entry.value()
    by: Any = None if item is None else items.get(item["superseded_by"] or "")
    return {
        "seq": entry.seq,
        "id": entry.id,
        "time": entry.timestamp,
        "session": entry.session_id,
        "choice": _said(data.get("choice")),
        "question": _said(data.get("question")),
        "reasoning": _said(data.get("reasoning")),
        "subject": _said(data.get("subject")),
        "superseded_by": None if by is None else by["seq"],
        "flagged": [] if item is None else list(islice(item["cites_superseded"], 20)),
        "grounded": proof is not None and evidence.is_grounded(proof),
        "assumption": proof is not None and bool(proof["assumption"]),
        "faults": [] if proof is None else evidence.faults_in(proof),
    }


def _report(report: Report) -> dict[str, Any]:
    return {
        "grounded": report.grounded,
        "assumption": report.assumption,
        "faults": report.faults,
        "passed": report.passed,
        "failed": report.failed,
        "citations": [_citation(one) for one in report.citations],
    }


def _citation(stands: Stands) -> dict[str, Any]:
    """Put a quote as it was recorded beside what stands there today."""
    then, now = stands.citation, stands.now
    return {
        "path": now.cited.path,
        "line": now.cited.line,
        "quote": cut(now.cited.quote or ""),
        "then": None if then is None else then.state,
        "state": now.state,
        "found": now.found,
        "symbol": now.symbol,
        "how": now.how,
        "remedy": now.remedy,
    }


def _said(value: Any) -> str | None:
    match value:
        case str():
            return cut(value)
        case {"$artifact": str(), "bytes": int(size)}:
            return f"({size:,} bytes in the vault)"
        case _:
            return None


def _key(given: str) -> int | str:
    return int(given) if given.isascii() and given.isdigit() and len(given) <= 15 else given

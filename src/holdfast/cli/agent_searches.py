"""Searches of agents: refused while one waits for its pivot, and noted when they find too much."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.cli.context import Invocation
from holdfast.cli.output import print_json, talk, visible
from holdfast.kernel.limits import PIVOT_WAITING_NAMED

if TYPE_CHECKING:
    from holdfast.kernel.entry import ActorKind
    from holdfast.recall.code_search import CodeQuery
    from holdfast.recall.search import Query
    from holdfast.wiring.pivots import Waiting

REMEDY = 'Say what was learned: `holdfast pivot --reason "…" --failed "…" --refined "…"`.'


class Agent:
    """Who searches. A person may search as they like; everybody else owes a pivot."""

    def __init__(self, invocation: Invocation, kind: ActorKind, name: str | None) -> None:
        self.invocation = invocation
        self._kind = kind
        self._name = name

    @property
    def is_one(self) -> bool:
        """Tell whether it is not a person."""
        return self._kind != "user"

    def is_refused(self, as_json: bool) -> bool:
        """Tell whether a search waits for its pivot, and say so."""
        from holdfast.wiring import pivots

        if not self.is_one:
            return False
        with self.invocation.recorder(self._kind, self._name, None) as project:
            found = pivots.waiting(project)
        if found:
            _refuse(found, as_json)
        return bool(found)

    def searched(self, query: Query) -> None:
        """Note a search of the ledger, if it found too much."""
        from holdfast.wiring import pivots

        if not self.is_one:
            return
        with self.invocation.recorder(self._kind, self._name, None) as project:
            results = pivots.results_in_ledger(project, project.ledger.reader, query)
            if pivots.note(project, query.text, results, "ledger"):
                _owed(results)

    def search_code(self, query: CodeQuery, as_json: bool) -> int:
        """Search the code, show what was found, and note a search that found too much."""
        from holdfast.cli.code_hits import find_code, show_code
        from holdfast.wiring import pivots

        found = find_code(self.invocation, query)
        code = show_code(found, as_json)
        with self.invocation.recorder(self._kind, self._name, None) as project:
            results = pivots.results_in_code(project.place, query, found)
            if pivots.note(project, query.text, results, "code"):
                _owed(results)
        return code


def _refuse(found: list[Waiting], as_json: bool) -> None:
    one = found[0]
    more = len(found) - 1
    what = f"The search {one.query[:80]!r} had {one.results:,} results and waits for a pivot."
    meaning = "Nothing was searched."
    if more:
        others = ", ".join(str(other.seq) for other in found[1 : PIVOT_WAITING_NAMED + 1])
        left = more - PIVOT_WAITING_NAMED
        meaning += f" So do the searches of entries {others}"
        meaning += f" and {left:,} more." if left > 0 else "."
    talk(visible(f"holdfast: {what}"), "bold red")
    for part in (meaning, REMEDY):
        talk(f"  {visible(part)}")
    if as_json:
        parts = {"kind": "PivotNeeded", "what": what, "meaning": meaning, "remedy": REMEDY}
        print_json({"error": {name: visible(part) for name, part in parts.items()}})


def _owed(results: int) -> None:
    talk(
        f"{results:,} results are too many to read. Before the next search: {REMEDY}", "bold yellow"
    )

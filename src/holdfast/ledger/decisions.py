"""Decisions as callers make them: what they supersede and cite is looked up beforehand.

Whatever belongs to a decision is recorded with it, all or nothing: the scenarios it brings, the
forks it opens, and those it settles by superseding one of their sides.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import msgspec

from holdfast.kernel import entry as entries
from holdfast.kernel.errors import InvalidInput, NotFound
from holdfast.kernel.limits import INTEGER_MAX
from holdfast.kernel.types import ScenarioAdded
from holdfast.kernel.types.evidence import grounds_of
from holdfast.ledger.forks import (
    CodeConflict,
    Fork,
    Forks,
    RulingWord,
    derived_id,
    fork_of,
)
from holdfast.ledger.ledger import Draft
from holdfast.ledger.rulings import NO_RULINGS, Rulings, rulings_on
from holdfast.storage.port import Selection
from holdfast.views.contradictions import Statement
from holdfast.views.truth import source_of

if TYPE_CHECKING:
    from holdfast.index.views import Views
    from holdfast.ledger.ledger import Ledger, Receipt

NAMED_MAX: Final = 5
"""Decisions that an answer names; the others are counted."""


class Asked(msgspec.Struct, frozen=True):
    """A decision as somebody puts it. What it supersedes and cites: numbers, ids, beginnings."""

    choice: str
    reasoning: str
    question: str
    alternatives: tuple[str, ...] = ()
    confidence: float | None = None
    subject: str | None = None
    supersedes: tuple[str, ...] = ()
    cites: tuple[str, ...] = ()


class Joined(msgspec.Struct, frozen=True):
    """What goes with a decision: what it rests on, its scenarios, what the code says against it."""

    grounds: Mapping[str, Any] | None = None
    scenarios: tuple[ScenarioAdded, ...] = ()
    code: tuple[CodeConflict, ...] = ()
    settles: tuple[tuple[str, RulingWord], ...] = ()
    """Forks that it rules on."""
    takes_over: tuple[Fork, ...] = ()
    """Open forks of a decision that it says again, and supersedes: they stay open, as its own."""


class Decided(msgspec.Struct, frozen=True):
    """A decision that is recorded, and what it means for others."""

    receipt: Receipt
    superseded_before: tuple[str, ...] = ()
    """Of what it supersedes: no longer held anyway."""
    cites_superseded: tuple[str, ...] = ()
    """Of what it cites: no longer holds."""
    resting: tuple[int, ...] = ()
    """Numbers of entries that cite what no longer holds because of this, the newest first."""
    resting_more: int = 0
    """How many more there are."""
    prior: Rulings = NO_RULINGS
    """What was decided before about the same thing, and holds."""
    forks: tuple[Fork, ...] = ()
    """What it contradicts."""
    settled: tuple[str, ...] = ()
    """Forks that are over, because it supersedes one of their sides."""


class Decisions:
    """The decisions of one ledger."""

    def __init__(self, ledger: Ledger, views: Views) -> None:
        self._ledger = ledger
        self._views = views
        self._forks = Forks(ledger, views)

    def decide(
        self,
        asked: Asked,
        *,
        id: str | None = None,
        session_id: str | None = None,
        joined: Joined | None = None,
    ) -> Decided:
        """Record a decision. Superseding what is not there or is no decision is refused."""
        joined = joined or Joined()
        self._views.fold_up(self._ledger.reader)
        supersedes = _once(self._decision(key) for key in asked.supersedes)
        cites = _once(self._entry(key)[0] for key in asked.cites)
        gone = {key for key in (*supersedes, *cites) if self._superseded(key)}
        step = _Step(self._ledger, self._views, self._forks, id or self._ledger.new_id())
        data = _data(asked, supersedes, cites, joined.grounds)
        receipt = step.record(data, joined, session_id)
        self._views.fold_up(self._ledger.reader)
        resting = _once(
            seq
            for key in supersedes
            if key not in gone
            for seq in self._resting_on(key)
            if seq != receipt.seq
        )
        return Decided(
            receipt,
            tuple(key for key in supersedes if key in gone),
            tuple(key for key in cites if key in gone and key not in supersedes),
            resting[:NAMED_MAX],
            max(0, len(resting) - NAMED_MAX),
            step.prior,
            tuple(step.forks),
            tuple(step.settled),
        )

    def _decision(self, key: str) -> str:
        """Return the id of the decision that a number, an id or the beginning of one names."""
        try:
            found, type_name = self._entry(key)
        except NotFound:
            return self._by_prefix(key)
        if type_name == "decision":
            return found
        raise InvalidInput(
            f"Entry {key} is no decision but a {type_name}.",
            meaning="Nothing was recorded.",
            remedy="`holdfast log --type decision` lists those that can be superseded.",
        )

    def _entry(self, key: str) -> tuple[str, str]:
        """Return id and type of an entry; what looks like a number is one."""
        by_seq = key.isascii() and key.isdigit() and int(key[:20]) < INTEGER_MAX
        wanted = Selection(int(key), int(key) + 1) if by_seq else Selection(id=key)
        for stored in self._ledger.reader.read(wanted):
            entry = entries.read(stored.body)
            return entry.id, entry.type
        raise _unknown(key)

    def _by_prefix(self, prefix: str) -> str:
        items = self._views.items("decisions")
        matching = (
            key
            for key, item in items.items()
            if key.startswith(prefix) and isinstance(item, dict) and item.get("kind") == "decision"
        )
        found = list(islice(matching, NAMED_MAX + 1)) if prefix.strip() else []
        if len(found) == 1:
            return found[0]
        if not found:
            raise _unknown(prefix)
        more = " and more" if len(found) > NAMED_MAX else ""
        raise InvalidInput(
            f"Several decisions begin with {prefix!r}: {', '.join(found[:NAMED_MAX])}{more}.",
            meaning="Nothing was recorded.",
            remedy="Give more of the id, or its number.",
        )

    def _superseded(self, key: str) -> bool:
        item: Any = self._views.items("decisions").get(key)
        return item is not None and item["superseded_by"] is not None

    def _resting_on(self, key: str) -> Iterator[int]:
        """Yield what cites a decision, the newest first."""
        items = self._views.items("decisions")
        item: Any = items.get(key)
        citer = None if item is None else item["cited_by"]
        while citer is not None:
            item = items[citer]
            yield item["seq"]
            citer = item["cites_before"][key]


class _Step:
    """One decision on its way into the ledger."""

    def __init__(self, ledger: Ledger, views: Views, forks: Forks, id: str) -> None:
        self._ledger = ledger
        self._views = views
        self._all_forks = forks
        self._id = id
        self.prior = NO_RULINGS
        self.forks: list[Fork] = []
        self.settled: list[str] = []

    def record(self, data: dict[str, Any], joined: Joined, session_id: str | None) -> Receipt:
        """Append the decision with whatever belongs to it, all or nothing."""
        decision = Draft("decision", data, session_id, id=self._id)
        if self._is_known():
            return self._ledger.append_many([decision])[0]
        statement = _statement(data, self._ledger)
        looked_at = self._views.folded
        ended = data.get("supersedes", [])
        self.prior = self._rulings(statement, ended)
        found = self._against(self.prior, statement)
        found += [one.fork(self._id, statement) for one in joined.code]
        found += [one.of(self._id) for one in joined.takes_over]
        self.forks = [self._all_forks.anew(fork) for fork in found]
        settles = dict(joined.settles)
        resolved = self._all_forks.ended_by(self._id, ended, data["reasoning"], settles)
        self.settled = [one.data["fork"] for one in resolved]
        drafts = [
            decision,
            *self._scenarios(joined.scenarios),
            *(fork.draft() for fork in self.forks),
            *resolved,
        ]
        receipt, *others = self._ledger.append_many(_of_session(drafts, session_id))
        self._open_again({one.id for one in others if one.differs}, session_id)
        if receipt.seq > looked_at:
            self._look_again(statement, receipt, session_id, ended)
        return receipt

    def _open_again(self, taken: Collection[str], session_id: str | None) -> None:
        """Open the forks anew whose ids others took between our look and our turn to write."""
        lost = [fork for fork in self.forks if fork.fork in taken]
        if lost:
            kept = [fork for fork in self.forks if fork.fork not in taken]
            self.forks = kept + self._all_forks.open_all(lost, session_id)

    def _look_again(
        self, statement: Statement, receipt: Receipt, session_id: str | None, ended: Sequence[str]
    ) -> None:
        """Hold it against what others decided between our look and our turn to write."""
        self._views.fold_up(self._ledger.reader)
        known = {ruling.id for ruling in (*self.prior.found, *self.prior.far)}
        now = self._rulings(statement, ended)
        missed = (one for one in (*now.found, *now.far) if one.id not in known)
        before = tuple(one for one in missed if one.seq < receipt.seq)
        forks = self._against(Rulings(before), statement)
        self.forks += self._all_forks.open_all(forks, session_id)

    def _rulings(self, statement: Statement, ended: Sequence[str]) -> Rulings:
        return rulings_on(self._ledger, self._views, statement, without={self._id, *ended})

    def _against(self, rulings: Rulings, statement: Statement) -> list[Fork]:
        return [
            fork_of(statement, ruling, found, decision=self._id)
            for ruling, found in rulings.against(statement)
        ]

    def _scenarios(self, scenarios: Sequence[ScenarioAdded]) -> list[Draft]:
        wanted = (derived_id("scenario", self._id, str(n)) for n in range(len(scenarios)))
        return [
            Draft("scenario_added", _without_none(one), id=self._all_forks.free_id(id))
            for one, id in zip(scenarios, wanted, strict=True)
        ]

    def _is_known(self) -> bool:
        return any(True for _ in self._ledger.reader.read(Selection(id=self._id)))


def _without_none(model: ScenarioAdded) -> dict[str, Any]:
    return {name: value for name, value in msgspec.to_builtins(model).items() if value is not None}


def _of_session(drafts: Sequence[Draft], session_id: str | None) -> list[Draft]:
    return [msgspec.structs.replace(draft, session_id=session_id) for draft in drafts]


def _statement(data: Mapping[str, Any], ledger: Ledger) -> Statement:
    """Return what is to be recorded as it will read afterwards: without secrets."""
    grounds = grounds_of({**data["grounds"], "evidence": None} if data.get("grounds") else None)
    task = None if grounds is None else grounds.task
    symbols = [] if grounds is None else grounds.symbols
    subject = data.get("subject")
    return Statement(
        choice=ledger.redact(data["choice"]),
        subject=None if subject is None else ledger.redact(subject),
        symbols=tuple(symbols) if isinstance(symbols, list) else (),
        alternatives=tuple(ledger.redact(one) for one in data["alternatives"]),
        source=source_of(ledger.actor.kind, task=task, recorded=False),
    )


def _data(
    asked: Asked,
    supersedes: Sequence[str],
    cites: Sequence[str],
    grounds: Mapping[str, Any] | None,
) -> dict[str, Any]:
    data: dict[str, Any] = {
        "question": asked.question,
        "choice": asked.choice,
        "reasoning": asked.reasoning,
        "alternatives": list(asked.alternatives),
    }
    optional = {
        "confidence": asked.confidence,
        "subject": asked.subject,
        "supersedes": list(supersedes) or None,
        "cites": list(cites) or None,
        "grounds": grounds,
    }
    return data | {name: value for name, value in optional.items() if value is not None}


def _once(values: Iterator[Any]) -> tuple[Any, ...]:
    return tuple(dict.fromkeys(values))


def _unknown(key: str) -> NotFound:
    return NotFound(
        f"There is no entry {key!r}.",
        meaning="Nothing was recorded.",
        remedy="`holdfast log --type decision` lists the decisions.",
    )

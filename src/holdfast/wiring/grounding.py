"""What decisions rest on: told as it is today, and grounded anew.

Grounded is what was proved when the decision was made, or last grounded. What became of the quotes
since is another question, and told apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import msgspec

from holdfast.evidence.checking import Checked, Checker, checker
from holdfast.evidence.citations import Cited, parse
from holdfast.evidence.grounding import Proved, cited_of, prove
from holdfast.kernel import entry as entries
from holdfast.kernel.entry import Entry
from holdfast.kernel.errors import InvalidInput, NotFound
from holdfast.kernel.limits import (
    CITATIONS_MAX,
    GROUNDED_AT_ONCE,
    INTEGER_MAX,
    NEAR_IDS_SHOWN,
)
from holdfast.kernel.types.evidence import Citation, Grounds, grounds_of
from holdfast.ledger.forks import Fork, Forks
from holdfast.ledger.ledger import Draft
from holdfast.storage.port import Selection
from holdfast.stores import decisions, evidence
from holdfast.wiring.deciding import own_of, quoted
from holdfast.wiring.surviving import EXCUSED, survival

if TYPE_CHECKING:
    from holdfast.evidence.project_files import ProjectFiles
    from holdfast.ledger.ledger import Receipt
    from holdfast.wiring.project import Project


UNPROVED: Final = "unproved"
"""It says that it is grounded, and the vault does not bear it out."""


class Stands(msgspec.Struct, frozen=True):
    """A citation of a decision, as it was recorded and as it is today."""

    citation: Citation | None
    """None for one that stands in the words of the decision only: nobody looked it up."""
    now: Checked


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """What one decision rests on."""

    decision: str
    seq: int
    choice: str
    grounded: bool
    assumption: bool
    faults: list[str]
    passed: int
    """Checks of it that passed."""
    failed: int
    """Checks of it that failed when they were last run."""
    failed_entries: list[int]
    """Where those stand that are told apart."""
    citations: list[Stands]


class Regrounded(msgspec.Struct, frozen=True):
    """What came of grounding a decision anew; without a receipt nothing was recorded."""

    decision: str
    proved: Proved
    receipt: Receipt | None
    grounded: bool = False
    faults: tuple[str, ...] = ()
    """What keeps it from being grounded: a quote, or a check that failed."""
    settled: tuple[Fork, ...] = ()
    """Forks with the code that are over, because it quotes the file as it is."""
    open: tuple[Fork, ...] = ()
    """Forks with the code that stay open: none of the quotes is of their file."""


class Grounding:
    """The grounds of one project's decisions."""

    def __init__(self, project: Project, files: ProjectFiles) -> None:
        self._ledger = project.ledger
        self._views = project.views
        self._files = files
        self._own = own_of(project, files)
        self._forks = Forks(project.ledger, project.views)

    def find(self, key: str) -> str:
        """Return the id of the decision that a number, an id or the beginning of one names."""
        by_seq = key.isascii() and key.isdigit() and int(key[:20]) < INTEGER_MAX
        wanted = Selection(int(key), int(key) + 1) if by_seq else Selection(id=key)
        for stored in self._ledger.reader.read(wanted):
            entry = entries.read(stored.body)
            if entry.type == "decision":
                return entry.id
            raise InvalidInput(
                f"Entry {key} is no decision but a {entry.type}.",
                meaning="Only decisions are grounded.",
                remedy="`holdfast log --type decision` lists them.",
            )
        return self._by_prefix(key)

    def report(self, key: str) -> Report:
        """Tell what a decision rests on, as it is today."""
        self._views.fold_up(self._ledger.reader)
        with self._checker() as looking:
            return self._look(looking, [self.find(key)])[0]

    def report_all(self) -> Iterator[Report]:
        """Tell it of every decision that holds, the newest first."""
        self._views.fold_up(self._ledger.reader)
        held = decisions.newest(self._views.items("decisions"), decisions.CURRENT)
        keys = (key for key, _ in held)
        with self._checker() as looking:
            while some := list(islice(keys, GROUNDED_AT_ONCE)):
                yield from self._look(looking, some)

    def ground(self, key: str, texts: Sequence[str], *, assumption: bool = False) -> Regrounded:
        """Let a decision rest on other quotes. Unless each is exact, nothing is recorded."""
        self._views.fold_up(self._ledger.reader)
        decision = self.find(key)
        grounds = _grounds(self.said_last(decision).value())
        task = None if grounds is None else grounds.task
        about: dict[str, Any] = {"assumption": assumption, "task": task, "own": self._own}
        proved = prove(self._files, self._ledger.redact, texts, **about)
        if not proved.ok and not (assumption and not proved.checked):
            return Regrounded(decision, proved, None, faults=_faults(proved))
        settled, left = self._with_code(decision, proved)
        data = {"decision": decision, "grounds": proved.grounds}
        drafts = [Draft("decision_grounded", data), *map(self._settling, settled)]
        receipt, *_ = self._ledger.append_many(drafts)
        self._views.fold_up(self._ledger.reader)
        item = self._views.items("evidence").get(decision)
        grounded = evidence.is_grounded(item)
        faults = () if grounded or assumption else tuple(evidence.faults_in(item))
        return Regrounded(decision, proved, receipt, grounded, faults, settled, left)

    def _with_code(self, decision: str, proved: Proved) -> tuple[tuple[Fork, ...], ...]:
        """Return the open forks of a decision with the code: those that quotes settle, and others.

        A quote that stands settles a fork about its file; one of another file says nothing of it.
        """
        paths = quoted(proved.checked) if proved.ok else []
        forks = [known.fork for known in self._forks.against_code(decision)]
        return (
            tuple(fork for fork in forks if fork.is_about(paths)),
            tuple(fork for fork in forks if not fork.is_about(paths)),
        )

    def _settling(self, fork: Fork) -> Draft:
        because = "The decision quotes the file as it is."
        return self._forks.resolution(fork.fork, "compatible", because, fork.decision)

    def said_last(self, decision: str) -> Entry:
        """Return the entry that last said what a decision rests on."""
        item: Any = self._views.items("evidence").get(decision)
        wanted = decision if item is None or item["at"] is None else item["at"]
        return entries.read(self._ledger.get(wanted).body)

    def citations(self, decision: str) -> list[Citation]:
        """Return the citations that were recorded with a decision."""
        entry = self.said_last(decision)
        grounds = _grounds(entry.value())
        if grounds is None or not isinstance(grounds.evidence, list):
            grounds = _grounds(self._ledger.data(entry))
        held = None if grounds is None else grounds.evidence
        return held if isinstance(held, list) else []

    def _checker(self) -> AbstractContextManager[Checker]:
        return checker(self._files, self._ledger.redact, own=self._own)

    def _look(self, looking: Checker, keys: Sequence[str]) -> list[Report]:
        """Look at decisions side by side, so that a file that several cite is read once."""
        listed = [self._cited(key) for key in keys]
        every = [pair for pairs in listed for pair in pairs]
        symbols = [None if held is None else _text(held.symbol) for held, _ in every]
        now = iter(looking.check([cited for _, cited in every], symbols))
        return [
            self._report(key, [Stands(held, next(now)) for held, _ in pairs])
            for key, pairs in zip(keys, listed, strict=True)
        ]

    def _cited(self, decision: str) -> list[tuple[Citation | None, Cited]]:
        """Return the recorded citations; without any, those in the words of the decision."""
        recorded = self.citations(decision)
        if recorded:
            return [(one, cited_of(one)) for one in recorded]
        said: Any = self._ledger.data(entries.read(self._ledger.get(decision).body))
        texts = (said.get(name) for name in ("choice", "reasoning"))
        return [(None, one) for text in texts if isinstance(text, str) for one in parse(text)]

    def _report(self, decision: str, citations: list[Stands]) -> Report:
        held: Any = self._views.items("decisions").get(decision)
        if held is None or held["seq"] is None:
            raise NotFound(
                f"The decision {decision} was rolled back.",
                meaning="It no longer holds, and what it rests on is not counted.",
                remedy=f"`holdfast show {decision}` shows it.",
            )
        item: Any = self._views.items("evidence").get(decision)
        faults = [] if evidence.is_grounded(item) else evidence.faults_in(item)
        if not faults and not self._survives(item, citations):
            faults = [UNPROVED]
        return Report(
            decision=decision,
            seq=held["seq"],
            choice=held["choice"],
            grounded=not faults,
            assumption=item is not None and item["assumption"],
            faults=faults,
            passed=0 if item is None else item["passed"],
            failed=0 if item is None else len(item["failed"]) + item["failed_more"],
            failed_entries=[] if item is None else sorted(item["failed"].values()),
            citations=citations,
        )

    def _survives(self, item: Any, citations: list[Stands]) -> bool:
        """Tell whether the vault bears out what the entry says of itself: labels prove nothing."""
        kept = [one.citation for one in citations if one.citation is not None]
        if len(kept) < min(item["cited"], CITATIONS_MAX):
            return False
        return all(survival(self._ledger, one) in EXCUSED for one in kept)

    def _by_prefix(self, prefix: str) -> str:
        items = self._views.items("decisions").items()
        matching = (
            key
            for key, item in items
            if key.startswith(prefix) and isinstance(item, dict) and item.get("kind") == "decision"
        )
        found = list(islice(matching, NEAR_IDS_SHOWN + 1)) if prefix.strip() else []
        if len(found) == 1:
            return found[0]
        if not found:
            raise NotFound(
                f"There is no decision {prefix!r}.",
                remedy="`holdfast log --type decision` lists them.",
            )
        more = " and more" if len(found) > NEAR_IDS_SHOWN else ""
        raise InvalidInput(
            f"Several decisions begin with {prefix!r}: {', '.join(found[:NEAR_IDS_SHOWN])}{more}.",
            meaning="Either could be meant.",
            remedy="Give more of the id, or its number.",
        )


def _faults(proved: Proved) -> tuple[str, ...]:
    return tuple(proved.grounds.get("faults", ()))


def _grounds(data: Any) -> Grounds | None:
    return grounds_of(data.get("grounds"))


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None

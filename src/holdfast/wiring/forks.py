"""Forks: holding a claim against what was decided, and ruling between two sides."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from holdfast.kernel.errors import InvalidInput
from holdfast.kernel.types.evidence import grounds_of
from holdfast.ledger.comparing import unopened
from holdfast.ledger.decisions import Asked
from holdfast.ledger.forks import Fork, Forks, RulingWord, fork_of
from holdfast.ledger.rulings import NO_RULINGS, Rulings, ruling_of, rulings_on
from holdfast.stores import decisions
from holdfast.stores.evidence import is_grounded
from holdfast.views.contradictions import Statement
from holdfast.views.truth import source_of
from holdfast.wiring.deciding import Evidence, Outcome, contradicted, decide, files_of, proved

if TYPE_CHECKING:
    from holdfast.evidence.grounding import Proved
    from holdfast.evidence.project_files import ProjectFiles
    from holdfast.ledger.ledger import Receipt
    from holdfast.wiring.project import Project

__all__ = ["NO_RULINGS", "CheckedClaim", "Resolved", "check", "check_all", "resolve"]


class CheckedClaim(msgspec.Struct, frozen=True):
    """A claim, what was decided about the same thing, and which of that it contradicts."""

    prior: Rulings
    forks: tuple[Fork, ...]
    """Open now."""


class Resolved(msgspec.Struct, frozen=True):
    """A fork that somebody ruled on."""

    fork: Fork
    ruling: RulingWord
    receipt: Receipt
    outcome: Outcome | None
    """The decision that ends the losing side; None when both sides may stand."""


def check(
    project: Project,
    claim: str,
    *,
    about: str | None = None,
    evidence: tuple[str, ...] = (),
    files: ProjectFiles | None = None,
) -> CheckedClaim:
    """Hold a claim against the decisions that hold, and its quotes against the code."""
    ledger, views = project.ledger, project.views
    files = files or files_of(project)
    shown = proved(project, files, evidence, (claim,))
    statement = Statement(
        choice=ledger.redact(claim),
        subject=None if about is None else ledger.redact(about),
        symbols=_symbols(shown),
        source=source_of(ledger.actor.kind, recorded=False),
    )
    views.fold_up(ledger.reader)
    prior = rulings_on(ledger, views, statement)
    forks = [
        fork_of(statement, ruling, found, decision=None)
        for ruling, found in prior.against(statement)
    ]
    if shown is not None:
        found = contradicted(project, files, shown.checked)
        forks += [one.fork(None, statement) for one in found]
    return CheckedClaim(prior, tuple(Forks(ledger, views).open_all(forks)))


def check_all(project: Project) -> list[Fork]:
    """Hold every decision that holds against the older ones; open the forks that nobody opened.

    Whoever decides is checked. What was imported, or recorded as a plain entry, was not.
    """
    ledger, views = project.ledger, project.views
    views.fold_up(ledger.reader)
    held = decisions.newest(views.items("decisions"), decisions.CURRENT)
    found = unopened(ledger, views, (key for key, _ in held))
    return Forks(ledger, views).open_all(found.forks)


def resolve(
    project: Project,
    key: str,
    ruling: RulingWord,
    because: str,
    *,
    choice: str | None = None,
    evidence: Evidence | None = None,
    files: ProjectFiles | None = None,
) -> Resolved:
    """Rule on a fork. Unless both sides may stand, a decision ends the losing one."""
    forks = Forks(project.ledger, project.views)
    known = forks.get(key)
    fork = known.fork
    if not known.is_open:
        raise InvalidInput(
            f"Fork {fork.fork} is settled: {known.ruling or 'it is no longer open'}.",
            meaning="Nothing was recorded.",
            remedy="`holdfast fork list` lists those that are open.",
        )
    if ruling == "compatible":
        settled = forks.resolution(fork.fork, ruling, because)
        [receipt] = project.ledger.append_many([settled])
        return Resolved(fork, ruling, receipt, None)
    asked = _ruled(project, fork, ruling, because)
    if choice is not None:
        asked = msgspec.structs.replace(asked, choice=choice)
    files = files or files_of(project)
    given = evidence or Evidence()
    if choice is None and asked.cites:
        carried = proved_before(project, files, asked.cites[0])
        given = msgspec.structs.replace(given, carried=carried)
    settles = ((fork.fork, ruling),)
    stays = asked.cites[0] if asked.cites else ""
    over = tuple(known.fork for known in forks.against_code(stays))
    outcome = decide(project, asked, given, files=files, settles=settles, takes_over=over)
    return Resolved(fork, ruling, outcome.decided.receipt, outcome)


def _ruled(project: Project, fork: Fork, ruling: RulingWord, because: str) -> Asked:
    """Return the decision that a ruling is: what holds, instead of what, and what it ends."""
    against_code = fork.against_decision is None
    said = (fork.decision, fork.statement)
    recorded = (fork.against_decision, fork.against)
    new_holds = ruling == "ledger outdated" and not against_code
    (stays, holds), (ends, falls) = (said, recorded) if new_holds else (recorded, said)
    standing = None if stays is None else ruling_of(project.ledger, stays)
    weighed: tuple[str, ...] = ()
    if standing is not None:
        holds, weighed = standing.statement.choice, standing.statement.alternatives
    return Asked(
        f"The code holds: {holds}" if against_code else holds,
        because,
        f"Which holds for {fork.subject}?",
        tuple(dict.fromkeys((falls, *weighed))),
        subject=fork.subject,
        # both sides: the ruling says again what stays, and nothing should hold twice
        supersedes=tuple(side for side in (ends, stays) if side is not None),
        cites=() if stays is None else (stays,),
    )


def proved_before(project: Project, files: ProjectFiles, decision: str) -> dict[str, Any] | None:
    """Return what a decision was proved to rest on, for another that says the same."""
    from holdfast.wiring.grounding import Grounding

    entry = Grounding(project, files).said_last(decision)
    grounds: Any = project.ledger.data(entry).get("grounds")
    read = grounds_of(grounds)
    item: Any = project.views.items("evidence").get(decision)
    if read is None or not (read.assumption or is_grounded(item)):
        return None
    evidence = [dict(one) for one in grounds.get("evidence") or []]
    for one in evidence:
        if (section := one.get("section")) is not None:
            one["section"] = _for_the_vault(section)
    return {**grounds, "evidence": evidence}


def _for_the_vault(section: Any) -> Any:
    """Return a section that came out of the vault as it goes there; one withheld stays so."""
    from holdfast.ledger.vault import Verbatim

    if isinstance(section, str):
        return Verbatim(section)
    if isinstance(text := section.get("text"), str):
        return Verbatim(text, {name: part for name, part in section.items() if name != "text"})
    return section


def _symbols(shown: Proved | None) -> tuple[str, ...]:
    if shown is None:
        return ()
    grounds = grounds_of({**shown.grounds, "evidence": None})
    return tuple(grounds.symbols) if grounds and isinstance(grounds.symbols, list) else ()

"""The answer to a decision: what became of it, what was decided before, what it contradicts."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any, Final

from holdfast.cli.errors import NO
from holdfast.cli.output import talk, visible
from holdfast.cli.receipts import give
from holdfast.cli.summary import shorten

if TYPE_CHECKING:
    from holdfast.ledger.decisions import Decided
    from holdfast.ledger.forks import Fork
    from holdfast.ledger.rulings import Ruling, Rulings
    from holdfast.wiring.deciding import Outcome

SHOWN_MAX: Final = 5
"""Earlier decisions that are shown; the others are counted."""


def give_decided(outcome: Outcome, *, as_json: bool, **also: Any) -> int:
    """Print what became of a decision, and return the exit code: 1 when it stays open."""
    decided = outcome.decided
    tell_prior(decided.prior)
    _tell_superseding(decided)
    for fork in decided.forks:
        tell_fork(fork)
    for fork_id in decided.settled:
        if fork_id == also.get("fork"):
            continue
        talk(visible(f"Fork {fork_id} is settled: this decision supersedes one of its sides."))
    _tell_grounds(outcome)
    for told in outcome.told:
        talk(visible(told), "bold yellow")
    code = give(decided.receipt, as_json=as_json, **_answer(outcome), **also)
    return NO if outcome.is_open else code


def tell_prior(prior: Rulings) -> None:
    """Say what was decided before about the same thing."""
    for ruling in prior.found[:SHOWN_MAX]:
        choice = shorten(visible(ruling.statement.choice))
        talk(f"Decided before: {choice} (entry {ruling.seq}, {ruling.by}, {ruling.id})")
    if len(prior.found) > SHOWN_MAX:
        talk(f"{len(prior.found) - SHOWN_MAX} older decisions on the same subject are not shown.")
    if prior.unlooked:
        talk(
            f"Up to {prior.unlooked:,} older decisions that share a word of the subject "
            "were not looked at.",
            "bold yellow",
        )


def prior_rows(prior: Rulings) -> list[dict[str, Any]]:
    """Return earlier decisions for scripts."""
    return [_row(ruling) for ruling in prior.found]


def fork_row(fork: Fork) -> dict[str, Any]:
    """Return a fork for scripts."""
    import msgspec

    row: dict[str, Any] = msgspec.to_builtins(fork)
    return row


def tell_fork(fork: Fork) -> None:
    """Say what contradicts what, which side is the higher truth, and how to settle it."""
    other = fork.against_decision or "the code"
    talk(
        visible(f"FORK {fork.fork}: {shorten(fork.statement)}")
        + visible(f" — against {shorten(fork.against)} ({other})."),
        "bold red",
    )
    talk(visible(f"  {fork.reason} {fork.higher}"))
    if fork.against_decision is None and fork.decision is not None:
        talk(
            visible(
                f"  If it holds all the same, quote what stands there: {_ground(fork.decision)}"
            )
        )
    talk(visible(f"  {ruling_on(fork.fork)}"))


def ruling_on(fork: str) -> str:
    """Say how to settle a fork, with the words that there are for it."""
    return (
        f"Rule on it: holdfast fork resolve {shlex.quote(fork)} --because WHY "
        '--ruling "agent wrong" (or "ledger outdated", or compatible)'
    )


def _tell_superseding(decided: Decided) -> None:
    for key in decided.superseded_before:
        talk(visible(f"Decision {key} was superseded before; this one is noted beside it."))
    for key in decided.cites_superseded:
        talk(visible(f"Decision {key}, which this one cites, no longer holds."), "bold yellow")
    if decided.resting:
        more = f" and {decided.resting_more} more" if decided.resting_more else ""
        entries = ", ".join(map(str, decided.resting))
        talk(f"These entries cite what no longer holds: {entries}{more}.", "bold yellow")


def _tell_grounds(outcome: Outcome) -> None:
    """Say which quotes do not prove it, and what to do about each."""
    for one in outcome.citations:
        if one.state != "exact":
            place = f"{one.cited.path}:{one.cited.line}"
            how = f" ({one.how or one.fault})" if one.how or one.fault else ""
            talk(visible(f"NOT grounded: {place} is {one.state}{how}. {one.remedy}"), "bold yellow")
    if outcome.failed and not outcome.citations:
        talk("NOT grounded: there is no citation in the evidence.", "bold yellow")
    if outcome.failed:
        talk(visible(f"It is recorded. Ground it: {_ground(outcome.decided.receipt.id)}"))


def _ground(decision: str) -> str:
    return f"holdfast ground {decision} --evidence '`QUOTE` [${{PROJECT_ROOT}}/PATH:LINE]'"


def _answer(outcome: Outcome) -> dict[str, Any]:
    decided, grounds = outcome.decided, outcome.grounds
    answer: dict[str, Any] = {}
    if decided.prior.found:
        answer["prior"] = prior_rows(decided.prior)
    if decided.prior.unlooked:
        answer["prior_unlooked"] = decided.prior.unlooked
    if decided.forks:
        answer["forks"] = [fork_row(fork) for fork in decided.forks]
    if decided.settled:
        answer["settled"] = list(decided.settled)
    if grounds is not None:
        answer["grounded"] = outcome.grounded
        answer |= {"assumption": True} if grounds.assumption else {}
        answer |= {"task": grounds.task} if grounds.task is not None else {}
        answer |= {"faults": grounds.faults} if grounds.faults else {}
    if outcome.is_open:
        answer["open"] = True
    return answer


def _row(ruling: Ruling) -> dict[str, Any]:
    row = {
        "seq": ruling.seq,
        "id": ruling.id,
        "choice": ruling.statement.choice,
        "subject": ruling.statement.subject,
        "by": ruling.by,
    }
    return row | ({"task": ruling.task} if ruling.task is not None else {})

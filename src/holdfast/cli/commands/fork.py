"""`holdfast fork`: list, show, check, resolve."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click

from holdfast.cli.context import Invocation
from holdfast.cli.decided import fork_row, give_decided, prior_rows, tell_fork, tell_prior
from holdfast.cli.errors import DONE, NO
from holdfast.cli.lazy import ExampleCommand, ExampleGroup, json_option
from holdfast.cli.options import actor_options, session_option
from holdfast.cli.output import print_json, say, talk, visible
from holdfast.cli.receipts import give
from holdfast.cli.summary import shorten
from holdfast.kernel.entry import ActorKind

if TYPE_CHECKING:
    from holdfast.ledger.forks import KnownFork, RulingWord
    from holdfast.wiring.forks import CheckedClaim

LISTED_DEFAULT: Final = 50


@click.group(
    "fork",
    cls=ExampleGroup,
    example="""
    holdfast fork list
    holdfast fork check "sessions live in Redis" --about "session store"
    holdfast fork resolve fork-3f1a77c20b1d --ruling "agent wrong" --because "the user said so"
    """,
)
def command() -> None:
    """See what contradicts what, hold a claim against it, and rule on it. Each has --json.

    A fork is open until somebody rules on it, and blocks a clear.
    """


@command.command(
    "list", cls=ExampleCommand, example="holdfast fork list\nholdfast fork list --json"
)
@click.option(
    "-n", "count", type=click.IntRange(1), metavar="N", help="The newest N [50; JSON: all]."
)
@json_option
@click.pass_obj
def list_forks(invocation: Invocation, count: int | None, as_json: bool) -> int:
    """List the forks that are open, the newest first. Exit code 1 when there are any."""
    from holdfast.ledger.forks import Forks

    with invocation.project(publish=False) as project:
        forks = Forks(project.ledger, project.views)
        found = forks.open(count if as_json else count or LISTED_DEFAULT)
        total = forks.count()
    for known in found:
        _tell_problem(known)
        if as_json:
            print_json(_row(known))
        else:
            say(visible(f"{known.fork.fork}  {shorten(known.fork.subject)}"))
            say(
                visible(
                    f"  {shorten(known.fork.statement)} — against {shorten(known.fork.against)}"
                )
            )
    if not total:
        talk("No fork is open.")
    elif len(found) < total:
        talk(f"{total - len(found):,} older forks are not shown; -n {total} shows all.")
    return NO if total else DONE


@command.command(
    cls=ExampleCommand,
    example="holdfast fork show fork-3f1a77c20b1d\nholdfast fork show 3f1a --json",
)
@click.argument("fork")
@json_option
@click.pass_obj
def show(invocation: Invocation, fork: str, as_json: bool) -> None:
    """Show both sides of a fork, which is the higher truth, and how it was settled."""
    from holdfast.ledger.forks import Forks

    with invocation.project(publish=False) as project:
        known = Forks(project.ledger, project.views).get(fork)
    _tell_problem(known)
    if as_json:
        print_json(_row(known))
        return
    for name, value in _row(known).items():
        if value is not None:
            say(visible(f"{name:<17} {value}"))


@command.command(
    cls=ExampleCommand,
    example="""
    holdfast fork check "sessions live in Redis" --about "session store"
    holdfast fork check "retries are off" --about retries --json
    holdfast fork check --all
    """,
)
@click.argument("claim", required=False)
@click.option("--all", "every", is_flag=True, help="Hold all decisions against each other.")
@click.option("--about", metavar="SUBJECT", help="What it is about.")
@click.option(
    "--evidence",
    multiple=True,
    metavar="CITATION",
    help="Quote that it rests on: '`QUOTE` [${PROJECT_ROOT}/PATH:LINE]'.",
)
@session_option
@actor_options
@json_option
@click.pass_obj
def check(
    invocation: Invocation,
    claim: str | None,
    every: bool,
    about: str | None,
    evidence: tuple[str, ...],
    session: str | None,
    actor_kind: ActorKind,
    actor: str | None,
    as_json: bool,
) -> int:
    """Hold a CLAIM against the decisions that hold, and its quotes against the code.

    Where they contradict each other a fork is opened: exit code 1. With --all every decision is
    held against the others: those that were imported or recorded as plain entries were not yet.
    """
    from holdfast.wiring import forks

    if every == (claim is not None) or (every and (about or evidence)):
        raise click.UsageError("Give either a claim or --all.")
    if claim is not None and (not claim.strip() or (about is None and not evidence)):
        raise click.UsageError("Say what is claimed, and with --about or --evidence of what.")
    with invocation.recorder(actor_kind, actor, session) as project:
        if claim is None:
            checked = forks.CheckedClaim(forks.NO_RULINGS, tuple(forks.check_all(project)))
        else:
            checked = forks.check(
                project, claim, about=about, evidence=evidence, files=invocation.files()
            )
    return _give_checked(checked, as_json=as_json, every=every)


def _give_checked(checked: CheckedClaim, *, as_json: bool, every: bool) -> int:
    tell_prior(checked.prior)
    for fork in checked.forks:
        tell_fork(fork)
    if as_json:
        prior = {} if every else {"prior": prior_rows(checked.prior)}
        forks = [fork_row(fork) for fork in checked.forks]
        print_json({"ok": not forks, **prior, "forks": forks})
    elif every and not checked.forks:
        say("No two decisions contradict each other beside the forks that there are.")
    elif not checked.forks:
        say("Nothing that was decided contradicts it." if checked.prior.found else _NOTHING)
    return NO if checked.forks else DONE


_NOTHING: Final = "Nothing was decided about it."


@command.command(
    cls=ExampleCommand,
    example="""
    holdfast fork resolve fork-3f1a77c20b1d --ruling "ledger outdated" --because "we moved on"
    holdfast fork resolve 3f1a --ruling compatible --because "one is for tests" --json
    """,
)
@click.argument("fork")
@click.option(
    "--ruling",
    required=True,
    type=click.Choice(["ledger outdated", "agent wrong", "compatible"], case_sensitive=False),
    help="Which side falls: what was recorded before, what was said last, neither.",
)
@click.option("--because", required=True, metavar="WHY", help="The reasoning.")
@click.option("--choice", metavar="WHAT", help="What holds now [else the side that stays].")
@click.option(
    "--evidence",
    multiple=True,
    metavar="CITATION",
    help="Quote that the ruling rests on: '`QUOTE` [${PROJECT_ROOT}/PATH:LINE]'.",
)
@click.option("--assumption", is_flag=True, help="Nothing proves the ruling yet.")
@session_option
@actor_options
@json_option
@click.pass_obj
def resolve(
    invocation: Invocation,
    fork: str,
    ruling: RulingWord,
    because: str,
    choice: str | None,
    evidence: tuple[str, ...],
    assumption: bool,
    session: str | None,
    actor_kind: ActorKind,
    actor: str | None,
    as_json: bool,
) -> int:
    """Rule on a fork. Unless both sides may stand, a decision ends the losing one."""
    from holdfast.wiring.deciding import Evidence
    from holdfast.wiring.forks import resolve as rule

    if not because.strip():
        raise click.UsageError("Say with --because why.")
    given = Evidence(citations=evidence, assumption=assumption)
    with invocation.recorder(actor_kind, actor, session) as project:
        done = rule(
            project,
            fork,
            ruling,
            because,
            choice=choice,
            evidence=given,
            files=invocation.files(),
        )
        talk(visible(f"Fork {done.fork.fork} is settled: {done.ruling}."))
        about = {"fork": done.fork.fork, "ruling": done.ruling}
        if done.outcome is None:
            return give(done.receipt, as_json=as_json, **about)
        return give_decided(done.outcome, as_json=as_json, **about)


def _tell_problem(known: KnownFork) -> None:
    if known.problem is not None:
        what = f"Entry {known.seq} cannot be read: {known.problem} Fork {known.fork.fork} is shown"
        talk(visible(f"{what} as the views have it. `holdfast verify` says more."), "bold red")


def _row(known: KnownFork) -> dict[str, Any]:
    return fork_row(known.fork) | {
        "seq": known.seq,
        "open": known.is_open,
        "ruling": known.ruling,
        "because": known.because,
        "resolved": known.resolved,
    }

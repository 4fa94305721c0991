"""`holdfast ghost`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click
import msgspec

from holdfast.cli.context import Invocation
from holdfast.cli.errors import DONE, NO
from holdfast.cli.lazy import command as make_command
from holdfast.cli.lazy import json_option
from holdfast.cli.options import actor_options, session_option
from holdfast.cli.output import print_json, progress, say, talk, visible
from holdfast.cli.receipts import give
from holdfast.kernel.entry import ActorKind

if TYPE_CHECKING:
    from holdfast.wiring.ghosts import Checked, Ghost
    from holdfast.wiring.project import Project

LIST: Final = "list"
UNVERIFIED: Final = "[UNVERIFIED GHOST]"


@make_command(
    example="""
    holdfast ghost "OAuth2 login" --query "OAuth2 authorization code flow" \\
        --query "sign in with another provider's account"
    holdfast ghost "OAuth2 login" --manual --because "read every module of src/auth"
    holdfast ghost list
    """
)
@click.argument("name", metavar="NAME|list")
@click.option(
    "--query", "queries", multiple=True, metavar="Q", help="A question; two that differ are needed."
)
@click.option("--claim", metavar="TEXT", help="Who says that it is missing, and where.")
@click.option("--manual", is_flag=True, help="You looked yourself; say how with --because.")
@click.option("--because", metavar="WHY", help="Where you looked, and what for.")
@session_option
@actor_options
@json_option
@click.pass_obj
def command(
    invocation: Invocation,
    name: str,
    queries: tuple[str, ...],
    claim: str | None,
    manual: bool,
    because: str | None,
    session: str | None,
    actor_kind: ActorKind,
    actor: str | None,
    as_json: bool,
) -> int:
    """Show that a feature NAME is missing in the code, or find it there.

    Two queries that differ are searched for by their meaning, and NAME too. With nothing at a
    similarity of 0.4 or more it is confirmed that the feature is missing; else it is present. What
    could not be searched proves nothing. Without a query it is flagged, and stays in doubt: the
    gate blocks.

    Exit code 1 unless it is confirmed, flagged or vouched for. `ghost list` lists all of them; with
    a query, --claim or --manual it is about a feature of that name. A NAME that begins with a
    hyphen stands last, after `--`.
    """
    _refuse(queries, claim, manual=manual, because=because)
    with invocation.recorder(actor_kind, actor, session) as project:
        if name == LIST and not (queries or manual or claim):
            return _list(project, as_json)
        from holdfast.wiring import ghosts

        if manual:
            return give(
                ghosts.vouch(project, name, because or ""), as_json=as_json, status="manual"
            )
        if not queries:
            receipt = ghosts.flag(project, name, claim)
            talk(visible(f"{UNVERIFIED} {name}"), "bold yellow")
            return give(receipt, as_json=as_json, status="unverified")
        with progress("Bringing the index of the code up to date") as advance:
            checked = ghosts.check(project, name, queries, progress=advance)
        return _tell(checked, as_json)


def _refuse(
    queries: tuple[str, ...], claim: str | None, *, manual: bool, because: str | None
) -> None:
    if manual != (because is not None):
        raise click.UsageError("--manual and --because go together.")
    if manual and queries:
        raise click.UsageError("--manual says that you looked yourself: it takes no --query.")
    if len(queries) > 2:
        raise click.UsageError("Give two queries.")
    if claim is not None and (manual or queries):
        raise click.UsageError("--claim goes with flagging only: without --query and --manual.")


def _tell(checked: Checked, as_json: bool) -> int:
    if as_json:
        print_json(_answer(checked))
    else:
        _say(checked)
    return DONE if checked.verdict.status == "confirmed" else NO


def _answer(checked: Checked) -> dict[str, Any]:
    apart = checked.diversity
    return {
        "status": checked.verdict.status,
        "ghost": checked.ghost,
        "reason": checked.verdict.reason,
        "remedy": checked.verdict.remedy,
        "jaccard": None if apart is None else round(apart.jaccard, 4),
        "cosine": None if apart is None or apart.cosine is None else round(apart.cosine, 4),
        "queries": [msgspec.to_builtins(one) for one in checked.queries],
        "left_out": [msgspec.to_builtins(one) for one in checked.left_out],
        "seq": checked.receipt.seq,
        "id": checked.receipt.id,
    }


def _say(checked: Checked) -> None:
    from holdfast.wiring.ghosts import spell_left_out

    status = checked.verdict.status
    mark = UNVERIFIED if status in ("unverified", "could_not_look") else ""
    say(visible(f"{status}  {checked.ghost}  {mark}".rstrip()), "bold")
    for one in checked.queries:
        best = "-" if one.best is None else f"{one.best:.2f}"
        say(visible(f"    {one.query}"))
        say(visible(f"        {one.level}, {one.files:,} files, best {best}: {one.nearest or '-'}"))
    talk(visible(f"{checked.verdict.reason} {checked.verdict.remedy}".strip()))
    if checked.left_out:
        talk(visible(spell_left_out(checked.left_out)))


def _list(project: Project, as_json: bool) -> int:
    from holdfast.wiring.ghosts import ghosts

    found = ghosts(project)
    if as_json:
        print_json(msgspec.to_builtins(found))
        return DONE
    for title, some in (
        (UNVERIFIED, found.unverified),
        ("vouched for, not searched", found.manual),
        ("settled", found.settled),
    ):
        if some:
            say(title, "bold")
        for one in some:
            say(visible(_line(one)))
    if not (found.unverified or found.manual or found.settled):
        talk("No feature was flagged as missing.")
    return DONE


def _line(one: Ghost) -> str:
    by = "" if one.by is None else f" by {one.by.kind} {one.by.name}"
    return f"    {one.ghost}  {one.status}{by}, {one.attempts} attempts, entry {one.seq}"

"""`holdfast milestone`."""

from __future__ import annotations

import click

from holdfast.cli.context import Invocation
from holdfast.cli.lazy import command as make_command
from holdfast.cli.lazy import json_option
from holdfast.cli.options import actor_options, session_option
from holdfast.cli.receipts import give
from holdfast.cli.saved import tell_auto
from holdfast.kernel.entry import ActorKind


@make_command(
    example="""
    holdfast milestone "the parser reads every file"
    holdfast milestone "release 2" --no-save --json
    """
)
@click.argument("title")
@click.option("--no-save", is_flag=True, help="Make no campaign save.")
@session_option
@click.option("--id", "entry_id", metavar="U", help="Its id; the same id is recorded only once.")
@actor_options
@json_option
@click.pass_obj
def command(
    invocation: Invocation,
    title: str,
    no_save: bool,
    session: str | None,
    entry_id: str | None,
    actor_kind: ActorKind,
    actor: str | None,
    as_json: bool,
) -> int:
    """Record that something worth a save was reached, and save everything into one file.

    The campaign file goes to .holdfast/saves; `holdfast save --campaign` writes it elsewhere.
    """
    from holdfast.wiring.saving import auto_save

    with invocation.recorder(actor_kind, actor, session) as project:
        receipt = project.ledger.append("milestone_reached", {"title": title}, id=entry_id)
        if no_save or receipt.duplicate:
            return give(receipt, as_json=as_json)
        saved = tell_auto(auto_save(project, "CAMPAIGN"))
        return give(receipt, as_json=as_json, save=saved)

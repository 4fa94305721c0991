"""`holdfast checkpoint`."""

from __future__ import annotations

import click

from holdfast.cli.context import Invocation
from holdfast.cli.lazy import command as make_command
from holdfast.cli.lazy import json_option
from holdfast.cli.options import actor_options, session_option
from holdfast.cli.receipts import give
from holdfast.kernel.entry import ActorKind
from holdfast.kernel.limits import INTEGER_MAX

_count = click.IntRange(0, INTEGER_MAX)


@make_command(
    example="""
    holdfast checkpoint --task "the parser" --completed 5 --total 12 --next "item 6: strings"
    holdfast checkpoint --resume "Parser: 5 of 12 done, strings are next" --json
    """
)
@click.option("--task", metavar="T", help="What is being done [else as before].")
@click.option("--completed", type=_count, metavar="N", help="Steps that are done.")
@click.option("--total", type=_count, metavar="N", help="Steps there are.")
@click.option("--next", "next_action", metavar="A", help="What comes next [else from facts].")
@click.option(
    "--resume", "quick_resume", metavar="TEXT", help="How to go on, in words [else from facts]."
)
@session_option
@click.option("--id", "entry_id", metavar="U", help="Its id; the same id is recorded only once.")
@actor_options
@json_option
@click.pass_obj
def command(
    invocation: Invocation,
    task: str | None,
    completed: int | None,
    total: int | None,
    next_action: str | None,
    quick_resume: str | None,
    session: str | None,
    entry_id: str | None,
    actor_kind: ActorKind,
    actor: str | None,
    as_json: bool,
) -> int:
    """Record where the work stands, from what you say and what happened since the last time.

    Files, commands with exit codes, decisions and open work are taken from the entries. A resume
    that says nothing is refused.
    """
    with invocation.recorder(actor_kind, actor, session) as project:
        receipt = project.checkpoints.create(
            project.ledger.session_id,
            task=task,
            completed=completed,
            total=total,
            next_action=next_action,
            quick_resume=quick_resume,
            id=entry_id,
        )
        return give(receipt, as_json=as_json)

"""`holdfast rollback`."""

from __future__ import annotations

import click

from holdfast.cli.context import Invocation
from holdfast.cli.lazy import json_option, seq_command
from holdfast.cli.options import actor_options, session_option
from holdfast.cli.output import talk
from holdfast.cli.receipts import give
from holdfast.kernel.entry import ActorKind


@seq_command(
    example="""
    holdfast rollback 120 --reason "the plan was wrong"
    holdfast rollback 180 --reason "it was right after all" --json
    """
)
@click.argument("seq", metavar="SEQ", type=int)
@click.option("--reason", required=True, metavar="R", help="Why; it is recorded.")
@session_option
@click.option("--id", "entry_id", metavar="U", help="Its id; the same id is recorded only once.")
@actor_options
@json_option
@click.pass_obj
def command(
    invocation: Invocation,
    seq: int,
    reason: str,
    session: str | None,
    entry_id: str | None,
    actor_kind: ActorKind,
    actor: str | None,
    as_json: bool,
) -> int:
    """Let facts, unlocks, the story and decisions read as they did right after entry SEQ.

    This appends an entry; nothing is removed. Sessions, open work and everything that was recorded
    stay as they are. To go back on it, roll back to an entry before the rollback.
    """
    from holdfast.cli.differences import spell, tell

    with invocation.recorder(actor_kind, actor, session) as project:
        gone = project.rollback.go_back(seq, reason, id=entry_id)
        changes = spell(gone.difference)
        if not gone.receipt.duplicate:
            talk(f"What reads differently from now on, as right after entry {seq}:")
            tell(changes, talk)
        return give(gone.receipt, as_json=as_json, changes=changes)

"""`holdfast diff`."""

from __future__ import annotations

import click

from holdfast.cli.context import Invocation, keep_folds
from holdfast.cli.lazy import json_option, seq_command
from holdfast.cli.output import print_json, say


@seq_command(
    example="""
    holdfast diff 100 120
    holdfast diff 100 120 --store decisions --json
    """
)
@click.argument("a", metavar="A", type=int)
@click.argument("b", metavar="B", type=int)
@click.option("--store", metavar="S", help="Only of this store.")
@json_option
@click.pass_obj
def command(invocation: Invocation, a: int, b: int, store: str | None, as_json: bool) -> None:
    """Show what changed from right after entry A to right after entry B.

    Facts, decisions, sessions and so on that came, went (-) or became others (~). B may be before
    A: then the difference reads the other way round.
    """
    from holdfast.cli.differences import spell, tell
    from holdfast.ledger.history import diff, fold_at
    from holdfast.ledger.rollback import check_seq, check_store

    with invocation.project(publish=False) as project:
        reader, views = project.ledger.reader, project.views
        if store is not None:
            check_store(store)
        for seq in (a, b):
            check_seq(reader, seq)
        keep_folds(project)
        found = diff(fold_at(reader, a + 1, views), fold_at(reader, b + 1, views))
    stores = {name: one for name, one in spell(found).items() if store in (None, name)}
    if as_json:
        print_json({"from": a, "to": b, "stores": stores})
    else:
        tell(stores, say)

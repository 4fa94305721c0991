"""`holdfast at`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click

from holdfast.cli.context import Invocation, keep_folds
from holdfast.cli.lazy import json_option, seq_command
from holdfast.cli.output import print_bytes, print_json, say, talk, visible

if TYPE_CHECKING:
    from holdfast.stores import Fold

ITEMS_SHOWN: Final = 50
"""Items of a store that are shown to people; --json has all."""


@seq_command(
    example="""
    holdfast at 120
    holdfast at 120 decisions
    holdfast at 120 facts --json > facts-120.json
    """
)
@click.argument("seq", metavar="SEQ", type=int)
@click.argument("store", metavar="[STORE]", required=False)
@json_option
@click.pass_obj
def command(invocation: Invocation, seq: int, store: str | None, as_json: bool) -> None:
    """Show what was true right after entry SEQ: of one store, or how much of each.

    With STORE and --json: the store's canonical bytes and nothing else. Stores: facts, unlocks,
    story, sessions, decisions, open_work.
    """
    from holdfast.ledger.history import fold_at
    from holdfast.ledger.rollback import check_seq, check_store

    with invocation.project(publish=False) as project:
        reader = project.ledger.reader
        if store is not None:
            check_store(store)
        check_seq(reader, seq)
        keep_folds(project)
        fold = fold_at(reader, seq + 1, project.views)
        if store is None:
            _tell_all(fold, seq, as_json)
        elif as_json:
            print_bytes(fold.state(store).dump())
        else:
            _tell_one(fold.items()[store])


def _tell_all(fold: Fold, seq: int, as_json: bool) -> None:
    digests = fold.digests()
    stores: dict[str, Any] = {
        name: {"items": len(items), "digest": digests[name]} for name, items in fold.items().items()
    }
    if as_json:
        print_json({"seq": seq, "stores": stores})
        return
    for name, one in stores.items():
        say(f"{name:<10} {one['items']:>9,} items  {one['digest']}")


def _tell_one(items: Any) -> None:
    from holdfast.cli.summary import lay_out

    shown = sorted(items)[:ITEMS_SHOWN]
    for key in shown:
        say(visible(key))
        for line in lay_out(items[key], "  "):
            say(line)
    if not items:
        talk("The store held nothing.")
    elif len(shown) < len(items):
        talk(f"{len(items) - len(shown):,} more items, by key, after these: --json prints all.")

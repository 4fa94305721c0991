"""`holdfast pivot`."""

from __future__ import annotations

import click

from holdfast.cli.context import Invocation
from holdfast.cli.lazy import command as make_command
from holdfast.cli.lazy import json_option
from holdfast.cli.options import actor_options, session_option
from holdfast.cli.receipts import give
from holdfast.kernel.entry import ActorKind
from holdfast.kernel.errors import InvalidInput


@make_command(
    example="""
    holdfast pivot --reason "query too broad" --failed "retries are all in one module" \\
        --refined "each client has its own retry loop"
    holdfast pivot --reason "grep found every test" --results 214 \\
        --failed "the name is rare" --refined "look in src/api only"
    """
)
@click.option("--reason", required=True, metavar="WHY", help="Why the search was too broad.")
@click.option("--failed", required=True, metavar="H", help="The hypothesis that failed.")
@click.option("--refined", required=True, metavar="H", help="The hypothesis to go on with.")
@click.option("--search", "search_id", metavar="SEQ|ID", help="The search [else the newest].")
@click.option("--results", type=click.IntRange(min=0), metavar="N", help="How many results it had.")
@session_option
@actor_options
@json_option
@click.pass_obj
def command(
    invocation: Invocation,
    reason: str,
    failed: str,
    refined: str,
    search_id: str | None,
    results: int | None,
    session: str | None,
    actor_kind: ActorKind,
    actor: str | None,
    as_json: bool,
) -> int:
    """Say why a search found too much, and what is assumed instead.

    An agent's search with too many results (search.pivot_results) blocks its next search, and a
    clear, until this is said. Exit code 1 when no search waits and --results is not given.
    """
    from holdfast.wiring import pivots

    for name, text in (("reason", reason), ("failed", failed), ("refined", refined)):
        if not text.strip():
            raise InvalidInput(
                f"--{name} is empty.",
                meaning="Nothing was recorded.",
                remedy="Say it in words: it is what is learned from the search.",
            )
    with invocation.recorder(actor_kind, actor, session) as project:
        pivot = pivots.Pivot(reason, failed, refined)
        receipt = pivots.log(project, pivot, search_id=search_id, results=results)
        return give(receipt, as_json=as_json)

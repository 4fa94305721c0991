"""`holdfast attention`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from holdfast.cli.context import Invocation
from holdfast.cli.lazy import command as make_command
from holdfast.cli.lazy import json_option
from holdfast.cli.options import actor_options, session_option
from holdfast.cli.output import print_json, say, talk, visible
from holdfast.kernel.entry import ActorKind
from holdfast.kernel.limits import INTEGER_MAX

if TYPE_CHECKING:
    from holdfast.wiring.attention import Measured, Standing


@make_command(
    example="""
    holdfast attention --tokens 6200
    holdfast attention --tokens 90000 --model gpt-4o
    holdfast attention transcript.txt --json
    holdfast attention
    """
)
@click.argument("file", metavar="[FILE|-]", required=False)
@click.option("--tokens", type=click.IntRange(0, INTEGER_MAX), metavar="N", help="A count.")
@click.option("--model", metavar="M", help="Whose context it is.")
@click.option(
    "--window", type=click.IntRange(1, INTEGER_MAX), metavar="W", help="Tokens its window holds."
)
@session_option
@actor_options
@json_option
@click.pass_obj
def command(
    invocation: Invocation,
    file: str | None,
    tokens: int | None,
    model: str | None,
    window: int | None,
    session: str | None,
    actor_kind: ActorKind,
    actor: str | None,
    as_json: bool,
) -> None:
    """Say how full the context is: N tokens, or as many as FILE has; or show what was said last.

    Yellow writes down what was decided. Orange and red run the checks of the gate and log how they
    came out. Nothing is ever refused because of a zone.
    """
    if file is not None and tokens is not None:
        raise click.UsageError("Give a count or something to count, not both.")
    if file is None and tokens is None:
        _show(invocation, session, actor_kind, actor, as_json=as_json)
        return
    counter = "caller"
    if file is not None:
        tokens, counter = _counted(invocation, file, model)
    from holdfast.wiring.attention import measure

    assert tokens is not None
    with invocation.recorder(actor_kind, actor, session) as project:
        measured = measure(
            project, tokens, counter=counter, source="cli", model=model, window=window
        )
    if as_json:
        print_json(measured)
    else:
        _tell(measured)


def _counted(invocation: Invocation, file: str, model: str | None) -> tuple[int, str]:
    from holdfast.cli.commands.tokens import text_of
    from holdfast.counting import count, why_estimated

    counted = count(text_of(invocation, file), model)
    if (why := why_estimated(model)) is not None:
        talk(visible(why))
    return counted.tokens, counted.counter


def _show(
    invocation: Invocation,
    session: str | None,
    kind: ActorKind,
    actor: str | None,
    *,
    as_json: bool,
) -> None:
    from holdfast.wiring.attention import standing

    with invocation.project(kind, actor, session, publish=False) as project:
        if project.ledger.session_id is None:
            project.ledger.session_id = project.sessions.current()
        found = standing(project)
    if as_json:
        print_json(found)
    elif found is None:
        say("Nobody counted the tokens of this session yet.")
    else:
        _tell_standing(found)


def _tell(measured: Measured) -> None:
    from holdfast.cli.gauge import bar

    say(bar(measured.tokens, measured.zone, measured.bounds), STYLES[measured.zone])
    for line in measured.done:
        talk(visible(line))
    if measured.message is not None:
        say(measured.message, STYLES[measured.zone])


def _tell_standing(found: Standing) -> None:
    from holdfast.cli.gauge import bar

    say(bar(found.tokens, found.zone, found.bounds), STYLES[found.zone])
    say(f"Counted in entry {found.seq}; at most it was {found.peak:,} tokens.")


STYLES = {"green": "green", "yellow": "yellow", "orange": "bold yellow", "red": "bold red"}

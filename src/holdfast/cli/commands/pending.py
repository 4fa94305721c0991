"""`holdfast pending`: open, step, resolve, list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from holdfast.cli.context import Invocation
from holdfast.cli.errors import DONE, NO
from holdfast.cli.inputs import read_given
from holdfast.cli.lazy import ExampleCommand, ExampleGroup, json_option
from holdfast.cli.options import actor_options, session_option
from holdfast.cli.output import print_json, say, talk, visible
from holdfast.cli.receipts import give
from holdfast.cli.summary import shorten
from holdfast.kernel import canonical
from holdfast.kernel.entry import ActorKind

if TYPE_CHECKING:
    from holdfast.ledger.story import Waiting


@click.group(
    "pending",
    cls=ExampleGroup,
    example="""
    holdfast pending open roll "Roll for the lock."
    holdfast pending open consent "May it go on?" --id c1 --step asked --step agreed
    holdfast pending step c1 asked
    holdfast pending resolve c1 --outcome yes
    """,
)
def command() -> None:
    """Keep track of what waits for somebody, so that nothing is skipped. Each of these has --json.

    What is pending stays so through saves, boots and resumes, until somebody resolves it. Steps
    count only within one session: whoever comes back in another one takes them again.
    """


@command.command(
    "open",
    cls=ExampleCommand,
    example="""
    holdfast pending open roll "Roll for the lock."
    holdfast pending open approval "Run the migration?" --id migrate --json
    """,
)
@click.argument("kind")
@click.argument("prompt")
@click.option("--id", "pending", metavar="P", help="What it is called [else a new name].")
@click.option("--step", "steps", multiple=True, metavar="S", help="Has to be done before the end.")
@click.option("--details", metavar="JSON|@FILE|-", help="More about it, as any JSON value.")
@session_option
@actor_options
@json_option
@click.pass_obj
def open_pending(
    invocation: Invocation,
    kind: str,
    prompt: str,
    pending: str | None,
    steps: tuple[str, ...],
    details: str | None,
    session: str | None,
    actor_kind: ActorKind,
    actor: str | None,
    as_json: bool,
) -> int:
    """Note that PROMPT waits for somebody.

    KIND is roll, consent or handout, or any other word, such as approval or question.
    """
    more: Any = None if details is None else canonical.decode(read_given(details))
    with invocation.recorder(actor_kind, actor, session) as project:
        receipt, name = project.story.open(kind, prompt, pending=pending, steps=steps, details=more)
        if not as_json:
            say(visible(name))
        return give(receipt, as_json=as_json, pending=name)


@command.command(cls=ExampleCommand, example="holdfast pending step c1 asked")
@click.argument("pending", metavar="ID")
@click.argument("step", metavar="STEP")
@session_option
@actor_options
@json_option
@click.pass_obj
def step(
    invocation: Invocation,
    pending: str,
    step: str,
    session: str | None,
    actor_kind: ActorKind,
    actor: str | None,
    as_json: bool,
) -> int:
    """Record that a step of what is pending was taken in this session.

    ID may be the beginning of a name.
    """
    with invocation.recorder(actor_kind, actor, session) as project:
        receipt, waiting = project.story.take_step(pending, step)
    talk(visible(_left(waiting)))
    if receipt is not None:
        return give(receipt, as_json=as_json, missing=waiting.missing)
    talk("This step was taken in this session before; nothing was recorded.")
    if as_json:
        print_json({"taken": True, "missing": waiting.missing})
    return DONE


@command.command(
    cls=ExampleCommand,
    example="""
    holdfast pending resolve c1 --outcome yes
    holdfast pending resolve roll-1a2b --outcome 17 --json
    """,
)
@click.argument("pending", metavar="ID")
@click.option("--outcome", required=True, metavar="O", help="How it was settled.")
@session_option
@actor_options
@json_option
@click.pass_obj
def resolve(
    invocation: Invocation,
    pending: str,
    outcome: str,
    session: str | None,
    actor_kind: ActorKind,
    actor: str | None,
    as_json: bool,
) -> int:
    """Settle what is pending. It is a no while a step was not taken in this session.

    ID may be the beginning of a name.
    """
    with invocation.recorder(actor_kind, actor, session) as project:
        waiting = project.story.find(pending)
        if not waiting.missing:
            receipt, waiting = project.story.resolve(waiting.pending, outcome)
            return give(receipt, as_json=as_json, pending=waiting.pending)
    talk(visible(f"NOT resolved. {_left(waiting)}"), "bold yellow")
    if as_json:
        print_json({"resolved": False, "pending": waiting.pending, "missing": waiting.missing})
    return NO


@command.command(
    "list", cls=ExampleCommand, example="holdfast pending list\nholdfast pending list --json"
)
@json_option
@click.pass_obj
def list_pending(invocation: Invocation, as_json: bool) -> None:
    """List what waits for somebody, the oldest first. With --json each line is one of them."""
    with invocation.project(publish=False) as project:
        if project.ledger.session_id is None and len(going_on := project.sessions.open()) == 1:
            project.ledger.session_id = going_on[0]
        found = project.story.pending()
    for one in found:
        if as_json:
            print_json(one)
        else:
            say(_line(one))
    if not found:
        talk("Nothing is pending.")


def _line(one: Waiting) -> str:
    needs = f"  (needs: {', '.join(one.missing)})" if one.missing else ""
    return visible(f"{one.pending}  {one.kind}  {shorten(one.prompt)}{needs}")


def _left(waiting: Waiting) -> str:
    if not waiting.missing:
        return f"{waiting.pending} can be resolved now."
    return f"{waiting.pending} still needs, all in one session: {', '.join(waiting.missing)}."

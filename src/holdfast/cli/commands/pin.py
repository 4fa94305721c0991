"""`holdfast pin`: list, revise."""

from __future__ import annotations

import click

from holdfast.cli.context import Invocation
from holdfast.cli.lazy import ExampleCommand, ExampleGroup, json_option
from holdfast.cli.options import actor_options, session_option
from holdfast.cli.output import print_json, say, talk, visible
from holdfast.cli.receipts import give
from holdfast.cli.saved import tell_damaged
from holdfast.kernel.entry import ActorKind


@click.group(
    "pin",
    cls=ExampleGroup,
    invoke_without_command=True,
    example="""
    holdfast pin
    holdfast pin revise store.facts --reason "facts carry their precision now"
    """,
)
@json_option
@click.pass_context
def command(ctx: click.Context, as_json: bool) -> None:
    """Show the pins: formats, stores, policies, hash and token counter that saves depend on.

    They come from the code that runs. A save that was made under other values does not boot, until
    `pin revise` says that the change is meant.
    """
    if ctx.invoked_subcommand is None:
        _list(ctx.obj, as_json)


@command.command("list", cls=ExampleCommand, example="holdfast pin list\nholdfast pin list --json")
@json_option
@click.pass_obj
def list_pins(invocation: Invocation, as_json: bool) -> None:
    """List every pin, and what the newest save has where that differs.

    With --json each line is one pin.
    """
    _list(invocation, as_json)


def _list(invocation: Invocation, as_json: bool) -> None:
    with invocation.project(publish=False) as project:
        pins = project.pinning.all()
        tell_damaged(project.saves.list().damaged)
    for pin in pins:
        if as_json:
            print_json(pin)
            continue
        differs = pin.saved not in (None, pin.value)
        note = f"  (the newest save has {pin.saved})" if differs else ""
        say(visible(f"{pin.pin:<24} {pin.value}{note}"), "bold yellow" if differs else "")


@command.command(
    cls=ExampleCommand,
    example="""
    holdfast pin revise store.facts --reason "facts carry their precision now"
    holdfast pin revise tokens --to estimate/2 --reason "another counter" --json
    """,
)
@click.argument("pin")
@click.option("--to", metavar="VALUE", help="Its value from now on [else that of this holdfast].")
@click.option("--reason", required=True, metavar="R", help="Why; it is recorded.")
@session_option
@actor_options
@json_option
@click.pass_obj
def revise(
    invocation: Invocation,
    pin: str,
    to: str | None,
    reason: str,
    session: str | None,
    actor_kind: ActorKind,
    actor: str | None,
    as_json: bool,
) -> int:
    """Record that a pin changed on purpose, so that saves made under the old value may boot.

    The old value is that of the newest save that has another one.
    """
    with invocation.recorder(actor_kind, actor, session) as project:
        tell_damaged(project.saves.list().damaged)
        revised = project.pinning.revise(pin, reason, to=to)
        talk(visible(f"{pin}: from {revised.before} to {revised.after}."))
        return give(revised.receipt, as_json=as_json, before=revised.before, after=revised.after)

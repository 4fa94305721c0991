"""`holdfast config`."""

from __future__ import annotations

from typing import Any

import click

from holdfast import config
from holdfast.cli.context import Invocation
from holdfast.cli.lazy import ExampleCommand, json_option, write_example
from holdfast.cli.output import print_json, say, visible
from holdfast.config import Effective
from holdfast.kernel.errors import NotALedger
from holdfast.wiring.places import Place


class _Group(click.Group):
    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        del ctx
        write_example(formatter, "holdfast config\nholdfast config path")


@click.group(cls=_Group, invoke_without_command=True)
@json_option
@click.pass_context
def command(ctx: click.Context, as_json: bool) -> None:
    """Show every setting, its value and where it comes from.

    Later ones count more: default, user, project, env. A project's file can narrow what yours
    allows, and never widen it.
    """
    if ctx.invoked_subcommand is not None:
        return
    place = _place(ctx.obj)
    effective = config.load(None if place is None else place.settings).effective
    if as_json:
        print_json([_answer(one) for one in effective])
        return
    for one in effective:
        note = f" ({one.note})" if one.note else ""
        value = visible(f"{one.key} = {_spell(one.value)}")
        say(f"{value:<34} {one.origin:<8} {one.doc}{note}")


@command.command(cls=ExampleCommand, example="holdfast config path --json")
@json_option
@click.pass_obj
def path(invocation: Invocation, as_json: bool) -> None:
    """Show which settings files are read, in this order."""
    place = _place(invocation)
    files = {"user": config.user_file(), "project": None if place is None else place.settings}
    if as_json:
        print_json({name: None if file is None else str(file) for name, file in files.items()})
        return
    for name, file in files.items():
        if file is not None:
            state = "" if file.exists() else " (not there)"
            say(f"{name:<8} {visible(str(file))}{state}")


def _place(invocation: Invocation) -> Place | None:
    """Return the ledger's place; settings can be looked at where there is none."""
    try:
        return invocation.place()
    except NotALedger:
        return None


def _answer(one: Effective) -> dict[str, Any]:
    answer = {"key": one.key, "value": one.value, "origin": one.origin, "doc": one.doc}
    return answer | ({"note": one.note} if one.note else {})


def _spell(value: Any) -> str:
    match value:
        case None:
            return "(none)"
        case bool():
            return "true" if value else "false"
        case tuple():
            return f"[{', '.join(value)}]"
        case float():
            return f"{value:g}"
        case _:
            return str(value)

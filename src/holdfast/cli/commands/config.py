"""`holdfast config`."""

from __future__ import annotations

from collections import Counter
from typing import Any

import click

from holdfast import config
from holdfast.cli.context import Invocation
from holdfast.cli.lazy import ExampleCommand, json_option, write_example
from holdfast.cli.output import print_json, say, talk, visible
from holdfast.config import FOREIGN, Effective, Loaded
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

    Later ones count more: default, user, .loa.config.yaml, project, env. A project's files can
    narrow what yours allows, and never widen it. Keys of .loa.config.yaml that mean nothing here
    are listed as not used; what could not be read of it is told.
    """
    if ctx.invoked_subcommand is not None:
        return
    place = _place(ctx.obj)
    loaded = config.load(None if place is None else place.settings)
    if as_json:
        unused = [Effective(key, None, FOREIGN, "", "not used") for key in loaded.unused]
        unread = [Effective(FOREIGN, None, FOREIGN, "", _not_read(why)) for why in loaded.unread]
        print_json([_answer(one) for one in (*loaded.effective, *unused, *unread)])
        return
    for one in loaded.effective:
        note = f" ({one.note})" if one.note else ""
        value = visible(f"{one.key} = {_spell(one.value)}")
        say(f"{value:<34} {one.origin:<16} {one.doc}{note}")
    if loaded.unused:
        say(visible(f"Not used of {FOREIGN}: {', '.join(_sections(loaded.unused))}"))
    tell_unread(loaded)


@command.command(cls=ExampleCommand, example="holdfast config path --json")
@json_option
@click.pass_obj
def path(invocation: Invocation, as_json: bool) -> None:
    """Show which settings files are read, in this order."""
    place = _place(invocation)
    project = None if place is None else place.settings
    files = {
        "user": config.user_file(),
        FOREIGN: None if project is None else config.foreign_file(project),
        "project": project,
    }
    if as_json:
        print_json({name: None if file is None else str(file) for name, file in files.items()})
        return
    for name, file in files.items():
        if file is not None:
            state = "" if file.exists() else " (not there)"
            say(f"{name:<16} {visible(str(file))}{state}")


def tell_unread(loaded: Loaded) -> None:
    """Say what another framework's file holds that could not be read, and so does not count."""
    for why in loaded.unread:
        talk(visible(f"{FOREIGN}: {_not_read(why)}; it counts for nothing."), "bold yellow")


def _not_read(why: str) -> str:
    return f"could not be read: {why}"


def _place(invocation: Invocation) -> Place | None:
    """Return the ledger's place; settings can be looked at where there is none."""
    try:
        return invocation.place()
    except NotALedger:
        return None


def _sections(keys: tuple[str, ...]) -> list[str]:
    """Name keys by their first part, with how many there are where it has more."""
    counts = Counter(key.partition(".")[0] for key in keys)
    alone = {key.partition(".")[0]: key for key in keys}
    return [
        f"{name} ({count} keys)" if count > 1 else alone[name] for name, count in counts.items()
    ]


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

"""`holdfast compactions`: list, verify, rebuild."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from holdfast.cli.context import Invocation
from holdfast.cli.errors import DONE, NO
from holdfast.cli.lazy import ExampleCommand, ExampleGroup, json_option
from holdfast.cli.output import print_json, say, talk, visible
from holdfast.cli.saved import tell_damaged

if TYPE_CHECKING:
    from holdfast.wiring.compacting import Made
    from holdfast.wiring.project import Project


@click.group(
    "compactions",
    cls=ExampleGroup,
    invoke_without_command=True,
    example="""
    holdfast compactions
    holdfast compactions verify --json
    holdfast compactions rebuild
    """,
)
@json_option
@click.pass_context
def command(ctx: click.Context, as_json: bool) -> None:
    """List compactions: summaries of entries that can be thrown away and made again.

    Those that the newest save names, and those of archived sessions. None is kept: each is made
    anew from the entries when it is asked for, byte for byte, and none can write an entry.
    """
    if ctx.invoked_subcommand is None:
        _list(ctx.obj, as_json)


@command.command(
    "list",
    cls=ExampleCommand,
    example="holdfast compactions list\nholdfast compactions list --json",
)
@json_option
@click.pass_obj
def list_compactions(invocation: Invocation, as_json: bool) -> None:
    """List those of the newest save and of archives. With --json each line is one of them."""
    _list(invocation, as_json)


@command.command(
    cls=ExampleCommand,
    example="holdfast compactions verify\nholdfast compactions verify --json",
)
@json_option
@click.pass_obj
def verify(invocation: Invocation, as_json: bool) -> int:
    """Make each one anew and compare it with what saves and seals say; a difference is exit 1."""
    with invocation.project(publish=False) as project:
        found = list(_named(project))
    different = [one for one in found if not one.same]
    if as_json:
        rows = [_row(one, full=False) | {"expected": one.expected} for one in different]
        print_json({"ok": not different, "compactions": len(found), "different": rows})
    else:
        for one in different:
            say(visible(f"NOT the same: {_line(one)}"), "bold red")
        say(f"{len(found) - len(different):,} of {len(found):,} compactions came out the same.")
    return NO if different else DONE


@command.command(
    cls=ExampleCommand,
    example="holdfast compactions rebuild\nholdfast compactions rebuild --json",
)
@json_option
@click.pass_obj
def rebuild(invocation: Invocation, as_json: bool) -> None:
    """Make those of now anew from the entries, and print them in full.

    With --json each line is one of them.
    """
    from holdfast.wiring.compacting import of_now

    with invocation.project(publish=False) as project:
        for one in of_now(project):
            _show(one, as_json, full=True)


def _list(invocation: Invocation, as_json: bool) -> None:
    with invocation.project(publish=False) as project:
        for one in _named(project):
            _show(one, as_json, full=False)


def _named(project: Project) -> Iterator[Made]:
    """Yield the compactions that are named somewhere; of now where there is no save."""
    from holdfast.wiring.compacting import of_archives, of_now, of_save

    newest = project.saves.newest()
    tell_damaged(newest.damaged)
    if newest.save is None:
        talk("There is no save yet; these are what one made now would name.")
        yield from of_now(project)
    else:
        yield from of_save(project, newest.save)
    yield from of_archives(project)


def _show(one: Made, as_json: bool, *, full: bool) -> None:
    if as_json:
        print_json(_row(one, full=full))
        return
    say(visible(_line(one)))
    if full and one.compaction is not None:
        import msgspec

        from holdfast.cli.summary import lay_out

        for line in lay_out(msgspec.json.decode(one.compaction.output_bytes), "  "):
            say(line)


def _row(one: Made, *, full: bool) -> dict[str, Any]:
    import msgspec

    row: dict[str, Any] = {"of": one.source, "same": one.same}
    made = one.compaction
    if made is None:
        return row
    names = ("compaction_id", "purpose", "compaction_policy_id", "output_hash")
    row |= {name: getattr(made, name) for name in names}
    row |= {"inputs": len(made.input_handles), "bytes": len(made.output_bytes)}
    if full:
        row |= {
            "output": msgspec.Raw(made.output_bytes),
            "input_handles": made.input_handles,
            "allowmention_handles": made.allowmention_handles,
        }
    return row


def _line(one: Made) -> str:
    if one.compaction is None:
        return f"{'-':<16}  one that cannot be made again, of {one.source}"
    made = one.compaction
    size = f"{len(made.output_bytes):,} bytes of {len(made.input_handles):,} inputs"
    return f"{made.compaction_id}  {made.purpose:<15}  {size}, {one.source}"

"""`holdfast pause`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from holdfast.cli.context import Invocation
from holdfast.cli.errors import DONE
from holdfast.cli.lazy import command as make_command
from holdfast.cli.lazy import json_option
from holdfast.cli.output import print_json, say, talk, visible

if TYPE_CHECKING:
    from holdfast.wiring.pausing import Resumed


@make_command(
    example="""
    holdfast pause --because "a customer's data"
    holdfast pause --session 3f1c9a52-7c1b-4a0e-9d7e-1234567890ab
    holdfast pause --off
    """
)
@click.option("--session", metavar="ID", help="Only what this session's agent does.")
@click.option("--because", "reason", metavar="TEXT", help="Why; it is recorded.")
@click.option("--off", is_flag=True, help="Record again.")
@json_option
@click.pass_obj
def command(
    invocation: Invocation, session: str | None, reason: str | None, off: bool, as_json: bool
) -> int:
    """Let hooks record nothing for a while; that it was so is recorded, and how much came.

    What you record yourself with other commands is recorded all the same. To keep one run of an
    agent out of the ledger altogether, start it with HOLDFAST_PRIVATE=1.
    """
    if off and reason is not None:
        raise click.UsageError("--because goes with a pause, not with its end.")
    from holdfast.kernel.entry import check_name
    from holdfast.wiring import pausing

    name = None if session is None else check_name("The session id", session)
    resumed = None
    with invocation.project() as project:
        if off:
            resumed = pausing.resume(project, name)
            changed = resumed is not None
        else:
            changed = pausing.pause(project, name, reason)
            if name is not None and not pausing.is_known(project, name):
                talk(visible(f"No session {name} was heard of yet; an id counts as a whole."))
        paused = pausing.paused(project.place)
    if as_json:
        unrecorded, files = (resumed.unrecorded, resumed.files) if resumed else (None, None)
        told = {"changed": changed, "unrecorded": unrecorded, "files": files, "paused": paused}
        print_json(told)
        return DONE
    of = "" if name is None else f" of session {name}"
    if off:
        say(visible(_resumed(of, resumed), lines=True))
    else:
        say(visible(f"Recording{of} is paused" + ("." if changed else " already.")))
    for one in paused:
        if one.session != name or off:
            talk(visible(f"Still paused: {one.session or 'everything'}."))
    return DONE


def _resumed(of: str, resumed: Resumed | None) -> str:
    if resumed is None:
        return f"Recording{of} was not paused."
    said = f"Recording{of} goes on; {resumed.unrecorded:,} events came meanwhile and were not"
    said += " recorded."
    if not resumed.files:
        return said
    files = f"{resumed.files:,} file{'' if resumed.files == 1 else 's'}"
    return f"{said}\n{files} changed meanwhile: that is not recorded either, later changes are."

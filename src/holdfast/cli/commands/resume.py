"""`holdfast resume`. Most of the time `cli.quick` answers before this is even loaded."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from holdfast.cli.context import Invocation
from holdfast.cli.lazy import command as make_command
from holdfast.cli.lazy import json_option
from holdfast.cli.output import print_json, say, talk, visible

if TYPE_CHECKING:
    from holdfast.wiring.project import Project


@make_command(example="holdfast resume\nholdfast resume --session review-2 --json")
@click.option(
    "--session",
    metavar="S",
    help="Session, or the beginning of its id [else $HOLDFAST_SESSION, else the newest].",
)
@json_option
@click.pass_obj
def command(invocation: Invocation, session: str | None, as_json: bool) -> None:
    """Say where the work stands: the last checkpoint, and in a few words what came since.

    What is shown is never older than the ledger. Where there is no checkpoint yet it says so, with
    what is known; that is an answer too, exit code 0. What waits for somebody is named behind
    it: it is still required.
    """
    from holdfast.cli.quick import still_pending
    from holdfast.wiring.resuming import resume

    with invocation.project(publish=False) as project:
        found = resume(project, _asked(project, session))
    if as_json:
        print_json(found)
        return
    say(visible(found.text, lines=True))
    for line in still_pending(found.pending):
        say(visible(line))


def _asked(project: Project, session: str | None) -> str | None:
    """Return the session that is meant, None for the one of the newest checkpoint.

    That of the environment counts once it has a checkpoint: a new one goes on from what there is.
    """
    if session is not None:
        return project.sessions.resolve(session)
    mine = project.ledger.session_id
    if mine is None:
        _tell_others(project)
        return None
    return None if project.checkpoints.last(mine) is None else mine


def _tell_others(project: Project) -> None:
    """Say whose checkpoint this is, when it could be another's."""
    from holdfast.cli.quick import others_open

    last, going_on = project.checkpoints.last(), project.sessions.open()
    if last is not None and len(going_on) > 1:
        talk(visible(others_open(len(going_on), last.session_id)))

"""`holdfast resume`. Most of the time `cli.quick` answers before this is even loaded."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from holdfast.cli.context import Invocation
from holdfast.cli.lazy import command as make_command
from holdfast.cli.lazy import json_option
from holdfast.cli.output import print_json, say, say_lines, talk, visible

if TYPE_CHECKING:
    from holdfast.wiring.project import Project


@make_command(
    example="""
    holdfast resume
    holdfast resume --level 1
    holdfast resume --level 2 --query 'which store, and why'
    holdfast resume --session review-2 --json
    """
)
@click.option(
    "--session",
    metavar="S",
    help="Session, or the beginning of its id [else $HOLDFAST_SESSION, else the newest].",
)
@click.option("--level", type=click.IntRange(1, 3), help="How much to tell.")
@click.option("--query", metavar="WORDS", help="What level 2 is to tell about.")
@click.option("--yes-all", is_flag=True, help="Level 3: yes, all of it.")
@json_option
@click.pass_obj
def command(
    invocation: Invocation,
    session: str | None,
    level: int | None,
    query: str | None,
    yes_all: bool,
    as_json: bool,
) -> None:
    """Say where the work stands: the last checkpoint, and in a few words what came since.

    What is shown is never older than the ledger. Where there is no checkpoint yet it says so, with
    what is known; that is an answer too, exit code 0. What waits for somebody is named behind
    it: it is still required.

    Level 1 takes at most 100 tokens: the task, the next step, the newest decisions with the places
    of their quotes, open work, and what a clear left unsealed. Level 2 takes at most 500: the
    decisions that --query finds, in full. Level 3 tells everything, and only with --yes-all.
    """
    if level is not None:
        _tell(invocation, level, session, query, yes_all=yes_all, as_json=as_json)
        return
    if query is not None or yes_all:
        raise click.UsageError("--query and --yes-all go with --level.")
    from holdfast.cli.quick import still_pending
    from holdfast.wiring.resuming import resume

    with invocation.project(publish=False) as project:
        found = resume(project, _asked(project, session))
    if as_json:
        print_json(found)
        return
    say_lines(found.text, "bold")
    for line in still_pending(found.pending):
        say(visible(line), "bold yellow")


def _tell(
    invocation: Invocation,
    level: int,
    session: str | None,
    query: str | None,
    *,
    yes_all: bool,
    as_json: bool,
) -> None:
    """Answer at a level."""
    from holdfast.wiring.levels import resume_level

    with invocation.project(publish=False) as project:
        told = resume_level(
            project,
            level,
            query=query,
            session_id=None if session is None else project.sessions.resolve(session),
            root=_root(project),
            yes_all=yes_all,
        )
    if as_json:
        print_json(told)
        return
    say_lines(told.text, "bold")


def _root(project: Project) -> Path | None:
    """Return where the project's files are: a git worktree has its own."""
    from holdfast.wiring.places import place_of, project_root

    if project.place.project is None:
        return None
    here = project_root(Path.cwd())
    if place_of(here).database == project.place.database or (here / ".git").is_file():
        return here
    return project.place.project


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

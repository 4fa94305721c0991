"""`holdfast import`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from holdfast.cli.context import Invocation
from holdfast.cli.errors import DONE
from holdfast.cli.lazy import command as make_command
from holdfast.cli.lazy import json_option
from holdfast.cli.output import print_json, progress, say, talk, visible
from holdfast.kernel.errors import InvalidInput
from holdfast.ledger.importing import Imported, import_prism

if TYPE_CHECKING:
    from holdfast.ledger.verify import Progress
    from holdfast.wiring.project import Project

PRISM: Final = "prism"
LOA: Final = "loa"
BEADS: Final = "beads"
AGENTS: Final = ("claude-code", "codex", "opencode")


@make_command(
    example="""
    holdfast import claude-code
    holdfast import codex --all --json
    holdfast import opencode ~/old-laptop/opencode.db
    holdfast import loa
    holdfast import beads .beads/issues.jsonl
    holdfast import prism ~/PRISM/state
    """
)
@click.argument("kind", metavar="KIND", type=click.Choice([*AGENTS, LOA, BEADS, PRISM]))
@click.argument("path", metavar="[PATH]", required=False)
@click.option("--all", "everything", is_flag=True, help="Of every project, not of this one alone.")
@json_option
@click.pass_obj
def command(
    invocation: Invocation, kind: str, path: str | None, everything: bool, as_json: bool
) -> int:
    """Take in what another system kept. Doing it again adds nothing.

    KIND is `claude-code`, `codex` or `opencode`, for the transcripts of past sessions: those of
    this project, of all projects with --all, or those at PATH. What hooks recorded of them is not
    recorded again.

    Or it is `loa`, for the folder grimoires/loa of this project or of PATH: notes, trajectories,
    handoffs, feedback, sprints. Or `beads`, for the issues in .beads of this project or of PATH,
    which become tasks; those that changed since are changed, and none is deleted. Or `prism`, for
    STATE_LOG.jsonl and archives/*.jsonl in the folder PATH.

    What is taken in is only read. A line that is no entry is kept as it stands, in an entry of the
    type line_quarantined, and named. It may be interrupted: start it again, and it goes on.
    """
    given = None if path is None else Path(path).expanduser()
    _check(kind, given, everything)
    with invocation.project() as project, progress("Importing") as advance:
        done = _import(project, kind, given, everything=everything, advance=advance)
    if as_json:
        names = ("imported", "quarantined", "duplicates", "sessions")
        print_json({name: getattr(done, name) for name in names})
    else:
        _tell(done)
    _tell_odd(done)
    return DONE


def _check(kind: str, path: Path | None, everything: bool) -> None:
    if kind == PRISM and (path is None or everything):
        raise InvalidInput(
            "A PRISM folder is taken in by its name.",
            meaning="Nothing was recorded.",
            remedy="Name the folder that holds STATE_LOG.jsonl.",
        )
    if everything and kind in (LOA, BEADS):
        raise InvalidInput(
            "--all is for the transcripts of agents.",
            meaning="Nothing was recorded.",
            remedy=f"Name the project, or leave it out: `holdfast import {kind} [PATH]`.",
        )
    if path is not None and everything:
        raise InvalidInput(
            "A path was given, and --all too.",
            meaning="Nothing was recorded.",
            remedy="Name the path, or use --all for what the agent keeps.",
        )


def _import(
    project: Project, kind: str, path: Path | None, *, everything: bool, advance: Progress
) -> Imported:
    if kind == PRISM and path is not None:
        return import_prism(project.ledger, path, progress=advance)
    if kind == LOA:
        from holdfast.wiring.loa_importing import import_loa

        return import_loa(project, path, progress=advance)
    if kind == BEADS:
        from holdfast.wiring.beads_importing import import_beads

        return import_beads(project, path, progress=advance)
    from holdfast.agents.values import AGENTS as KNOWN
    from holdfast.wiring.transcribing import import_transcripts

    [agent] = [one for one in KNOWN if one == kind]
    return import_transcripts(project, agent, path, everything=everything, progress=advance)


def _tell(done: Imported) -> None:
    of_sessions = f" of {done.sessions:,} sessions" if done.sessions else ""
    say(f"{done.imported:,} entries{of_sessions} were taken in.")
    if done.duplicates:
        say(f"{done.duplicates:,} were here already.")
    if done.quarantined:
        say(f"{done.quarantined:,} lines are no entries; they are kept as they stand.")


def _tell_odd(done: Imported) -> None:
    """Say on stderr what somebody should know who looks at the numbers only."""
    for refused in done.refused:
        where = visible(f"{refused.source}:{refused.line}")
        talk(f"  quarantined {where} as entry {refused.seq}: {visible(refused.reason)}")
    if (more := done.quarantined - len(done.refused)) > 0:
        talk(f"  and {more:,} more after these: `holdfast log --type line_quarantined`")
    if done.hashes_differ:
        talk(f"{done.hashes_differ:,} entries came with a hash that their data does not have.")
    if done.assumed_utc:
        talk(f"{done.assumed_utc:,} entries name no time zone; they are taken to be in UTC.")
    if done.paused:
        talk(f"{done.paused:,} entries were left out: recording was paused, or private, then.")
    for unread in done.unread:
        talk(visible(f"{unread.source} was not taken in: {unread.reason}."))

"""`holdfast import`."""

from __future__ import annotations

from pathlib import Path

import click

from holdfast.cli.context import Invocation
from holdfast.cli.errors import DONE
from holdfast.cli.lazy import command as make_command
from holdfast.cli.lazy import json_option
from holdfast.cli.output import print_json, progress, say, talk, visible
from holdfast.ledger.importing import Imported, import_prism


@make_command(
    example="""
    holdfast import prism ~/PRISM/state
    holdfast import prism ~/PRISM/state --json
    """
)
@click.argument("kind", metavar="KIND", type=click.Choice(["prism"]))
@click.argument("folder", metavar="FOLDER")
@json_option
@click.pass_obj
def command(invocation: Invocation, kind: str, folder: str, as_json: bool) -> int:
    """Take in what another system kept in FOLDER. Doing it again adds nothing.

    KIND is `prism`: STATE_LOG.jsonl and archives/*.jsonl. FOLDER is only read. A line that is no
    entry is kept as it stands, in an entry of the type line_quarantined, and named.
    """
    del kind  # there is one so far
    with invocation.project() as project, progress("Importing") as advance:
        done = import_prism(project.ledger, Path(folder).expanduser(), progress=advance)
    if as_json:
        names = ("imported", "quarantined", "duplicates", "sessions")
        print_json({name: getattr(done, name) for name in names})
    else:
        _tell(done)
    _tell_odd(done)
    return DONE


def _tell(done: Imported) -> None:
    say(f"{done.imported:,} entries of {done.sessions:,} sessions were taken in.")
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
    for unread in done.unread:
        talk(visible(f"{unread.source} was not taken in: {unread.reason}."))

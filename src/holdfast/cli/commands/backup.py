"""`holdfast backup`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from holdfast.cli.context import Invocation
from holdfast.cli.errors import DONE, NO
from holdfast.cli.lazy import command as make_command
from holdfast.cli.lazy import json_option
from holdfast.cli.output import print_json, progress, say, visible
from holdfast.wiring.backing import Backup, back_up


@make_command(example="holdfast backup ../ledger-2026-11-15.db\nholdfast backup copy.db --json")
@click.argument("file", metavar="FILE")
@json_option
@click.pass_obj
def command(invocation: Invocation, file: str, as_json: bool) -> int:
    """Copy the ledger into FILE while others write to it, and verify the copy in full.

    FILE must not exist. It gets its name only once it was proved; it is a ledger by itself
    (`holdfast --ledger FILE log`). Archives go into a folder beside it: copy.db has copy.state.
    The key of the fingerprints is not part of it.
    """
    with progress("Copying") as advance:
        backup = back_up(invocation.place(), Path(file), progress=advance)
    if as_json:
        print_json(_answer(backup))
    else:
        _tell(backup)
    return DONE if backup.verified else NO


def _answer(backup: Backup) -> dict[str, Any]:
    answer = {
        "path": backup.path,
        "entries": backup.entries,
        "root": backup.root,
        "bytes": backup.bytes,
        "archives": backup.archives,
        "archive_bytes": backup.archive_bytes,
        "verified": backup.verified,
    }
    return answer | ({"faults": backup.faults} if backup.faults else {})


def _tell(backup: Backup) -> None:
    if backup.verified:
        say(f"{backup.entries:,} entries copied to {visible(backup.path)} and verified.", "green")
        if backup.archives:
            beside = Path(backup.path).with_suffix(".state")
            say(f"{_count(backup.archives)} beside it in {visible(str(beside))}.")
        say(f"root {backup.root}")
        return
    say("No backup was made: the copy did not verify.", "bold red")
    for fault in backup.faults:
        where = "the ledger" if fault.seq is None else f"entry {fault.seq}"
        say(f"  {where}: {visible(fault.kind)}: {visible(fault.detail)}")
    say("  The ledger itself is untouched; `holdfast verify` says more.")


def _count(archives: int) -> str:
    return "1 archive" if archives == 1 else f"{archives:,} archives"

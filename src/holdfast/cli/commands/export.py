"""`holdfast export`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Final

import click

from holdfast.cli.context import Invocation
from holdfast.cli.lazy import command as make_command
from holdfast.cli.lazy import json_option
from holdfast.cli.output import print_json, progress, say, talk, visible

CAMPAIGN_SUFFIXES: Final = (".campaign", ".zip")


@make_command(
    example="""
    holdfast export the-shop.campaign
    holdfast export entries.jsonl --json
    holdfast export - | grep '"type":"decision"'
    """
)
@click.argument("file", metavar="FILE|-")
@click.option("--jsonl", is_flag=True, help="Plain JSON Lines: the entries, byte for byte.")
@click.option(
    "--campaign", is_flag=True, help="A campaign file, which `boot` proves and continues."
)
@json_option
@click.pass_obj
def command(invocation: Invocation, file: str, jsonl: bool, campaign: bool, as_json: bool) -> None:
    """Write the whole ledger into FILE, or its entries to standard output (-).

    Without an option the name decides: .campaign and .zip make a campaign file, anything else JSON
    Lines. FILE must not exist. A campaign file holds the artifacts, too; JSON Lines name them.
    """
    if jsonl and campaign:
        raise click.UsageError("Choose one of --jsonl and --campaign.")
    whole = campaign or (not jsonl and Path(file).suffix in CAMPAIGN_SUFFIXES)
    if file == "-":
        if whole or as_json:
            raise click.UsageError("Standard output takes JSON Lines and nothing beside them.")
        _to_stdout(invocation)
        return
    path = Path(file).expanduser().absolute()
    answer = _campaign(invocation, path) if whole else _lines(invocation, path)
    if as_json:
        print_json(answer)
        return
    kind = "as a campaign file" if whole else "as JSON Lines"
    say(f"{answer['entries']:,} entries were written {kind} to {visible(str(path))}.")


def _to_stdout(invocation: Invocation) -> None:
    from holdfast.ledger.exporting import export_lines

    with invocation.reader() as reader:
        done = export_lines(reader, sys.stdout.buffer)
    talk(f"{done.entries:,} entries were written as JSON Lines.")


def _lines(invocation: Invocation, path: Path) -> dict[str, Any]:
    from holdfast.wiring.campaigns import export_file

    with invocation.reader() as reader, progress("Exporting") as advance:
        done = export_file(reader, path, progress=advance)
    return {
        "format": "jsonl",
        "path": str(path),
        "entries": done.entries,
        "bytes": done.bytes,
        "sha256": done.sha256,
    }


def _campaign(invocation: Invocation, path: Path) -> dict[str, Any]:
    from holdfast.wiring.saving import make_save

    with invocation.project(publish=False) as project, progress("Exporting") as advance:
        saved = make_save(project, "CAMPAIGN", campaign=path, progress=advance)
    return {
        "format": "campaign",
        "path": str(path),
        "entries": saved.snapshot.tree_size,
        "bytes": path.stat().st_size,
        "snapshot_id": saved.snapshot.snapshot_id,
    }

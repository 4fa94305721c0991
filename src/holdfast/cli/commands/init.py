"""`holdfast init`."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

from holdfast.cli.context import Invocation
from holdfast.cli.lazy import command as make_command
from holdfast.cli.lazy import json_option
from holdfast.cli.output import print_json, say, talk, visible
from holdfast.kernel.errors import NotALedger, StorageFailed
from holdfast.wiring.looking import open_reader
from holdfast.wiring.opening import make_ledger
from holdfast.wiring.places import DATABASE, FOLDER, Place

IMPORTED: Final = ("claude-code", "codex", "opencode")
"""Agents whose transcripts can be taken in."""


@make_command(example="holdfast init\nholdfast init ~/my-project --json")
@click.argument("directory", metavar="[DIR]", required=False)
@json_option
@click.pass_obj
def command(invocation: Invocation, directory: str | None, as_json: bool) -> None:
    """Make a ledger for the project in DIR, or in the current folder.

    Doing it again is harmless: a ledger that is there stays as it is. One that came with a
    repository counts as yours then, and hooks of agents heed it.
    """
    named = invocation.named_place() if directory is None else None
    place = named or _place_in(Path(directory or "."))
    created = make_ledger(place)
    trusted = _trust(place)
    reader = open_reader(place.database)
    ledger = reader.head().ledger
    reader.close()
    if as_json:
        print_json({"ledger": ledger, "path": str(place.database), "created": created})
        return
    path = visible(str(place.database))
    say(f"Made a ledger: {path}" if created else f"The ledger is there already: {path}")
    if trusted and not created:
        say("It counts as yours from now on: agents are told what is in it, and record into it.")
    if created and place.project is not None:
        _offer(place.project)


def _trust(place: Place) -> bool:
    """Let hooks heed the ledger; that this cannot be noted keeps nobody from using it."""
    from holdfast.wiring.trusting import trust

    try:
        return trust(place)
    except StorageFailed as problem:
        talk(visible(f"{problem.what} {problem.meaning} Then: `holdfast agents trust`."))
        return False


def _offer(project: Path) -> None:
    """Say how agents record by themselves; nothing is installed or taken in unasked."""
    from holdfast.wiring.agent_setup import used_here
    from holdfast.wiring.beads_importing import find_beads
    from holdfast.wiring.loa_folder import loa_in

    for agent in used_here() or ["claude-code"]:
        talk(f"  holdfast agents install {agent:<12} lets it record by itself")
        if agent in IMPORTED:
            talk(f"  holdfast import {agent:<20} takes in its past sessions here")
    if loa_in(project) is not None:
        talk(f"  holdfast import {'loa':<20} takes in notes, trajectories and handoffs of Loa")
    if find_beads(project) is not None:
        talk(f"  holdfast import {'beads':<20} takes in the issues of Beads as tasks")


def _place_in(folder: Path) -> Place:
    folder = folder.expanduser().absolute()
    if folder.exists() and not folder.is_dir():
        raise NotALedger(
            f"{folder} is not a folder.",
            meaning="Nothing was made.",
            remedy="Name the folder of a project.",
        )
    return Place((folder if folder.name == FOLDER else folder / FOLDER) / DATABASE)

"""`holdfast save`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from holdfast.cli.context import Invocation
from holdfast.cli.lazy import command as make_command
from holdfast.cli.lazy import json_option
from holdfast.cli.output import print_bytes, progress, say, talk, visible

if TYPE_CHECKING:
    from holdfast.kernel.snapshot import SaveType
    from holdfast.wiring.project import Project
    from holdfast.wiring.saving import Saved


@make_command(
    example="""
    holdfast save
    holdfast save --session --prove
    holdfast save --campaign ../the-shop.campaign
    holdfast save --json > here.save
    """
)
@click.option("--scene", is_flag=True, help="Digests of all stores, and where the log is [so].")
@click.option("--session", is_flag=True, help="With the open sessions and what they unlocked.")
@click.option("--campaign", metavar="FILE", help="With everything else, in one new file.")
@click.option("--prove", is_flag=True, help="Boot it from entry 0 at once.")
@json_option
@click.pass_obj
def command(
    invocation: Invocation,
    scene: bool,
    session: bool,
    campaign: str | None,
    prove: bool,
    as_json: bool,
) -> None:
    """Save what is true now: the digest of every store, the log's hashes, what is pending, pins.

    A save holds proof, not data: `boot` rebuilds everything from it and the log. Nothing is
    appended; saving again with nothing between gives the same save. It is kept in .holdfast/saves.
    With --json: the save itself, one line, which `boot` takes as a file.
    """
    from holdfast.wiring.saving import make_save

    if scene + session + (campaign is not None) > 1:
        raise click.UsageError("Choose one of --scene, --session and --campaign.")
    file = None if campaign is None else Path(campaign).expanduser().absolute()
    kind: SaveType = "SESSION" if session else "SCENE" if file is None else "CAMPAIGN"
    with invocation.project(publish=False) as project:
        with progress("Saving") as advance:
            saved = make_save(project, kind, campaign=file, progress=advance)
        if prove:
            _prove(project, saved)
    if as_json:
        print_bytes(saved.snapshot.to_line())
    else:
        _tell(saved)


def _prove(project: Project, saved: Saved) -> None:
    from holdfast.wiring.booting import boot

    booted = boot(project.ledger.reader, saved.snapshot)
    talk(f"Booted from entry 0: all {len(booted.steps)} steps passed.", "green")


def _tell(saved: Saved) -> None:
    snapshot = saved.snapshot
    say(snapshot.snapshot_id)
    last = snapshot.timestamp_event_id
    upto = f"up to entry {last}" if last >= 0 else "of an empty ledger"
    talk(f"A {snapshot.save_type.lower()} save {upto}, in {visible(str(saved.path))}.")
    if saved.campaign is not None:
        talk(f"Everything is in {visible(str(saved.campaign))}.")
    if snapshot.pending_state:
        talk(f"{len(snapshot.pending_state):,} pending: `holdfast pending list`")

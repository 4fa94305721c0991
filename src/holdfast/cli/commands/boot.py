"""`holdfast boot`."""

from __future__ import annotations

from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from holdfast.cli.context import Invocation
from holdfast.cli.errors import DONE, NO
from holdfast.cli.lazy import command as make_command
from holdfast.cli.lazy import json_option
from holdfast.cli.output import print_json, progress, say, talk, visible
from holdfast.cli.saved import tell_damaged
from holdfast.kernel.errors import BootFailed, Damaged, NotFound

if TYPE_CHECKING:
    from holdfast.kernel.snapshot import SaveSnapshot
    from holdfast.ledger.booting import Booted
    from holdfast.ledger.resuming import Resumed
    from holdfast.wiring.saves import SavesFolder


@make_command(
    example="""
    holdfast boot
    holdfast boot 3f1a77c2 --from 9b2e --json
    holdfast boot --resume
    holdfast boot the-shop.campaign --into ../the-shop
    """
)
@click.argument("save", metavar="[SNAPSHOT|FILE]", required=False)
@click.option("--from", "base", metavar="BASE", help="Earlier save to start from [else entry 0].")
@click.option("--into", metavar="DIR", help="Go on from a campaign file in a new ledger in DIR.")
@click.option("--resume", is_flag=True, help="Show what is still required, the scene and the mode.")
@click.option("--list", "listing", is_flag=True, help="List the saves, the newest first.")
@json_option
@click.pass_obj
def command(
    invocation: Invocation,
    save: str | None,
    base: str | None,
    into: str | None,
    resume: bool,
    listing: bool,
    as_json: bool,
) -> int:
    """Rebuild what was true at a save from the log alone, in twelve steps, and prove it.

    SNAPSHOT is the id of a save or the beginning of it, else the newest save; FILE holds what `save
    --json` printed, or is a campaign file, which needs no ledger. The first thing that does not
    fit is named with its step, what was expected and what was found; the exit code is 1. Nothing
    is appended and nothing is changed.
    """
    if listing:
        return _list(_folder(invocation), as_json)
    file = None if save is None else _campaign_file(save)
    if into is not None and file is None:
        raise click.UsageError("--into needs a campaign FILE.")
    if file is not None:
        if base is not None:
            raise click.UsageError("A campaign file is booted whole, without --from.")
        return _boot_campaign(file, into, resume=resume, as_json=as_json)
    booted = _boot_here(invocation, save, base)
    _answer(booted, resume=resume, as_json=as_json)
    return DONE


def _boot_here(invocation: Invocation, save: str | None, base: str | None) -> Booted:
    """Boot a save of the ledger that is here."""
    from holdfast.index.views import Views
    from holdfast.wiring.booting import boot
    from holdfast.wiring.looking import open_reader

    folder = _folder(invocation)
    snapshot = _newest(folder) if save is None else _find(folder, save)
    start = None if base is None else _find(folder, base)
    place = invocation.place()
    try:
        with closing(open_reader(place.database)) as reader, progress("Booting") as advance:
            booting = partial(boot, reader, snapshot, database=place.database, progress=advance)
            if start is None:
                return booting()
            with Views(str(place.views)) as views:
                return booting(base=start, views=views)
    except BootFailed:
        raise
    except Damaged as problem:
        raise _unreadable(problem) from problem


def _boot_campaign(file: Path, into: str | None, *, resume: bool, as_json: bool) -> int:
    """Boot a campaign file: look at it, and go on from it in a new ledger if that is asked for."""
    from holdfast.wiring.campaigns import boot_campaign, continue_into

    with progress("Booting") as advance:
        booted = boot_campaign(file, progress=advance)
    if into is None:
        _answer(booted, resume=resume, as_json=as_json)
        return DONE
    folder = Path(into).expanduser().absolute()
    with progress("Taking it over") as advance:
        continued = continue_into(file, folder, progress=advance)
    also = {"ledger": continued.ledger, "path": str(folder), "entries": continued.entries + 1}
    _answer(booted, resume=resume, as_json=as_json, also=also)
    return DONE


def _folder(invocation: Invocation) -> SavesFolder:
    from holdfast.wiring.saves import SavesFolder

    return SavesFolder(invocation.place().saves)


def _newest(folder: SavesFolder) -> SaveSnapshot:
    found = folder.newest()
    tell_damaged(found.damaged)
    if found.save is None:
        raise NotFound(
            "There is no save yet.",
            meaning="Nothing was done.",
            remedy="`holdfast save` makes one.",
        )
    talk(f"The newest save is {found.save.snapshot_id}.")
    return found.save


def _find(folder: SavesFolder, key: str) -> SaveSnapshot:
    """Return a save by its id or from a file; an id counts more."""
    from holdfast.wiring.saves import read_save

    path = Path(key).expanduser()
    try:
        return folder.find(key)
    except NotFound:
        if not path.is_file():
            raise
    return read_save(path)


def _campaign_file(key: str) -> Path | None:
    """Return the campaign file that is named, None for a save."""
    from holdfast.wiring.saves import is_campaign

    path = Path(key).expanduser().absolute()
    return path if is_campaign(path) else None


def _unreadable(problem: Damaged) -> BootFailed:
    return BootFailed(
        problem.what,
        step=3,
        expected="a log that can be read",
        found=problem.what,
        remedy="Run `holdfast verify` to see what else is damaged.",
    )


def _list(folder: SavesFolder, as_json: bool) -> int:
    found = folder.list()
    for save in found.saves:
        row = {
            "snapshot_id": save.snapshot_id,
            "save_type": save.save_type,
            "seq": save.timestamp_event_id,
            "pending": len(save.pending_state or ()),
        }
        if as_json:
            print_json(row)
        else:
            kind = str(row["save_type"]).lower()
            waits = f"  {row['pending']} pending" if row["pending"] else ""
            say(f"{save.snapshot_id}  {kind:<8}  up to entry {row['seq']}{waits}")
    if as_json:
        for one in found.damaged:
            print_json({"damaged": one.name, "why": one.why})
    tell_damaged(found.damaged)
    if not found.saves and not found.damaged:
        talk("There is no save yet.")
    return NO if found.damaged else DONE


def _answer(
    booted: Booted, *, resume: bool, as_json: bool, also: dict[str, Any] | None = None
) -> None:
    from holdfast.ledger.resuming import resume as go_on

    resumed = go_on(booted) if resume else None
    if as_json:
        answer = {
            "ok": True,
            "step": len(booted.steps),
            "digests": dict(booted.digests),
            "seq": booted.snapshot.timestamp_event_id,
        }
        print_json(answer | (also or {}) | ({} if resumed is None else _spell(resumed)))
        return
    if resumed is not None:
        _tell_resumed(resumed)
        return
    for step in booted.steps:
        say(visible(f"{step.number:>2}  {step.name:<26} {step.result}"))
    for name, digest in booted.digests.items():
        say(f"    {name:<26} {digest}")
    last = booted.snapshot.timestamp_event_id
    say(f"ok: what was true after entry {last} is here again, byte for byte.", "green")
    if also:
        say(visible(f"It goes on as ledger {also['ledger']} in {also['path']}."))


def _spell(resumed: Resumed) -> dict[str, Any]:
    names = ("campaign", "world", "scene", "title", "mode")
    return {"pending": resumed.required, **{name: getattr(resumed, name) for name in names}}


def _tell_resumed(resumed: Resumed) -> None:
    place = {name: getattr(resumed, name) for name in ("campaign", "world", "scene", "mode")}
    for name, value in place.items():
        if value is not None:
            say(visible(f"{name:<9} {value}"))
    for one in resumed.required:
        steps = f" (steps, all in one session: {', '.join(one.steps)})" if one.steps else ""
        say(visible(f"Still pending: {one.pending} ({one.kind}): {one.prompt}{steps}"))
    if resumed.ready:
        say("Nothing is pending.")

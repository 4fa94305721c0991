"""`holdfast seal`."""

from __future__ import annotations

from typing import Any

import click

from holdfast.cli.context import Invocation
from holdfast.cli.lazy import command as make_command
from holdfast.cli.lazy import json_option
from holdfast.cli.output import print_json, progress, say, visible
from holdfast.cli.saved import tell_auto
from holdfast.kernel.errors import Busy
from holdfast.kernel.limits import INTEGER_MAX
from holdfast.ledger.sealing import SealReport
from holdfast.wiring.places import Place
from holdfast.wiring.saving import auto_save


@make_command(example="holdfast seal\nholdfast seal --keep 20 --json")
@click.option(
    "--keep",
    type=click.IntRange(0, INTEGER_MAX),
    metavar="N",
    help="Newest entries that stay active [the setting seal.keep].",
)
@click.option(
    "--pressure", is_flag=True, help="The agent's context is filling up: note it, and save."
)
@json_option
@click.pass_obj
def command(invocation: Invocation, keep: int | None, pressure: bool, as_json: bool) -> None:
    """Move old entries, in full, into an archive beside the ledger.

    Nothing is lost or summarised away: `log`, `show`, `search` and `restore` read archives too. An
    entry leaves the database only once its archive is on disk and was read back. Entries that note
    earlier seals do not count among those that stay.
    """
    trigger = "pressure" if pressure else "request"
    with invocation.project() as project, progress("Sealing") as advance:
        wait_s = project.settings.lock.wait_s
        report = project.sealer.seal(keep=keep, trigger=trigger, wait_s=wait_s, progress=advance)
        if report.busy:
            raise Busy(
                f"Another process has been sealing this ledger for more than {wait_s:g} s.",
                meaning="This one sealed nothing; entries are recorded all the same.",
                remedy="Try again when it is done.",
            )
        answer = _answer(report, project.place)
        if pressure:
            tell_auto(auto_save(project, "SESSION"))
    if as_json:
        print_json(answer)
    else:
        _tell(answer)


def _answer(report: SealReport, place: Place) -> dict[str, Any]:
    folder = place.archives.relative_to(place.folder)
    paths = [(folder / name).as_posix() for name in report.archives]
    return {
        "sealed": report.sealed,
        "archive": paths[-1] if paths else None,
        "kept": report.kept,
        "archives": paths,
    }


def _tell(answer: dict[str, Any]) -> None:
    if not answer["sealed"]:
        say(f"Nothing to seal: the {answer['kept']:,} active entries are those that stay.")
        return
    word = "entry" if answer["sealed"] == 1 else "entries"
    say(f"{answer['sealed']:,} {word} moved; {answer['kept']:,} stay active.", "green")
    for path in answer["archives"]:
        say(f"  {visible(path)}")

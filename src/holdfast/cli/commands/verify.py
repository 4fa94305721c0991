"""`holdfast verify`."""

from __future__ import annotations

import re
from typing import Any

import click

from holdfast.cli.context import Invocation
from holdfast.cli.errors import DONE, NO
from holdfast.cli.lazy import command as make_command
from holdfast.cli.lazy import json_option
from holdfast.cli.output import print_json, progress, say, visible
from holdfast.ledger.verify import Report
from holdfast.storage.port import Fault
from holdfast.wiring.verifying import verify_place


@make_command(
    example="""
    holdfast verify
    holdfast verify --json
    holdfast verify --expect 1200:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
    """
)
@click.option("--expect", metavar="SIZE:ROOT", help="A size and root that you kept elsewhere.")
@json_option
@click.pass_obj
def command(invocation: Invocation, expect: str | None, as_json: bool) -> int:
    """Prove every entry: its bytes, the chain, the tree, the data, the vault and the database.

    Somebody who can write to the file could make all of it anew from some entry on. To see that
    too, keep a size and a root (`holdfast status`) elsewhere and give them with --expect.
    """
    expected = None if expect is None else _expected(expect)
    place = invocation.place()
    with progress("Verifying") as advance:
        report = verify_place(place, expected=expected, progress=advance)
    if as_json:
        print_json(_answer(report))
    else:
        _tell(report)
    return DONE if report.ok else NO


def _expected(text: str) -> tuple[int, str]:
    if re.fullmatch(r"[0-9]{1,15}:[0-9a-f]{64}", text) is None:
        raise click.BadParameter(
            "is a number of entries, a colon and 64 hex digits.", param_hint="--expect"
        )
    size, _, root = text.partition(":")
    return int(size), root


def _answer(report: Report) -> dict[str, Any]:
    answer = {
        "ok": report.ok,
        "entries": report.entries,
        "head": report.head,
        "root": report.root,
        "faults": report.faults,
    }
    left_out = report.faults_left_out
    return answer | ({"faults_left_out": left_out} if left_out else {})


def _tell(report: Report) -> None:
    if report.ok:
        say(f"ok: all {report.entries:,} entries are what was sealed.", "green")
        say(f"root {report.root}")
        return
    say(f"NOT ok: {len(report.faults) + report.faults_left_out:,} faults found.", "bold red")
    for fault in report.faults:
        say(f"  {_where(fault)}: {visible(fault.kind)}: {visible(fault.detail)}")
    if report.faults_left_out:
        say(f"  and {report.faults_left_out:,} more after these")


def _where(fault: Fault) -> str:
    return "the ledger" if fault.seq is None else f"entry {fault.seq}"
